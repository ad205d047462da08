// The investigation by a language model: its loop, what it is told, what it may look up and edit, and what becomes of its answer.
export { getBookedPrices, type Ledger, NOMINAL_PRICE } from './budget.ts';
export { concludeRun } from './conclude.ts';
export { CONCLUDE } from './conclusion-draft.ts';
export { createGuard, findPathGuard, type Guard, type GuardedChange, guardChange } from './guard-change.ts';
export { type AgentEnd, type AgentInput, runAgent } from './loop.ts';
export { type Brief, SYSTEM_TEXT } from './prompt.ts';
export { showReadCode } from './read-code.ts';
export type { FailedCheckGround } from './relevance.ts';
export type { ReviewGround } from './review.ts';
export { LOOK_TURNS, type LookEnd, takeSecondLook } from './second-look.ts';
export type { FindInstalled } from './tools/installed.ts';
export { checkSyntax } from './tools/syntax.ts';
export { createToolbox } from './tools/toolbox.ts';
export { type AnswerRecord, isEditTool, listExchanges, type Transcript, type TranscriptRecord } from './transcript.ts';
