// The transcript: append-only records of a run; the loop decides from them only, so an interrupted run continues where
// it ended.

import type { Message, Opaque, ToolCall, TurnUsage } from 'causeway-models';
import { sanitiseText } from 'causeway-visible-text';
import type { CutReason } from '../core/reason.ts';
import type { LookupFinding, SourcedStep } from '../core/report/index.ts';

/** Where the records of one run are kept. `append` and `appendStep` return when the record is durable. */
export interface Transcript {
  load(): Promise<readonly TranscriptRecord[]>;
  append(record: TranscriptRecord): Promise<void>;
  /**
   * Stores a step and the answer to its call in one write. Returns the answer with the step's number, by which the
   * model cites it.
   */
  appendStep(step: SourcedStep, status: LookupFinding['status']): Promise<AnswerRecord>;
}

/**
 * One record, JSON-serialisable. The model's turn is stored before it is acted on, each answer as soon as it is
 * known: a kill loses at most the question or the tool call in flight.
 */
export type TranscriptRecord =
  | OpeningRecord
  | RecordedTurn
  | AnswerRecord
  | NoticeRecord
  /** From here on the results before it are shown shortened. */
  | { readonly kind: 'compaction' };

export interface OpeningRecord {
  readonly kind: 'opening';
  readonly messages: readonly Message[];
  /** What a second look is about, as it was then. */
  readonly about?: LookedAt;
}

export interface LookedAt {
  readonly confidence: number;
  /** Hash of the change. */
  readonly change: string;
}

/** Answers the first unanswered call of the last turn. */
export interface AnswerRecord {
  readonly kind: 'answer';
  readonly reply: Reply;
}

export interface RecordedTurn {
  readonly kind: 'turn';
  readonly content: string;
  readonly toolCalls: readonly ToolCall[];
  /** Only for the model. */
  readonly opaque?: Opaque;
  readonly toolChoice: 'auto' | 'none';
  readonly usage: TurnUsage;
  readonly costUsd: number;
  /** Seconds that the run had worked when the turn arrived; waiting in the queue does not count. */
  readonly seconds: number;
}

export interface NoticeRecord {
  readonly kind: 'notice';
  readonly about: NoticeKind;
  /** Which budget is behind it; null where none is. */
  readonly reason: CutReason | null;
  readonly text: string;
}

type NoticeKind = 'nudge' | 'conclude_soon' | 'conclude_now' | 'faults' | 'repair';

/**
 * How a call was answered: run as a step, refused unrun, or (a conclusion) sent back: with its faults, or for the repair
 * that a second look asks for.
 */
export type Reply =
  | {
      readonly kind: 'step';
      readonly number: number;
      readonly status: LookupFinding['status'];
      readonly step: SourcedStep;
    }
  | { readonly kind: 'refused'; readonly text: string }
  | { readonly kind: 'faults' | 'repair'; readonly text: string };

/** A turn with what followed it: `replies[i]` answers `toolCalls[i]`. */
export interface Exchange {
  readonly turn: RecordedTurn;
  readonly replies: readonly Reply[];
  readonly notices: readonly NoticeKind[];
  /** Whether the replies are shown as one line each. */
  readonly shortened: boolean;
}

/** A step with its number as the model can cite it, and what it was: an edit only repeats the model's own words. */
export interface AgentStep extends SourcedStep {
  readonly number: number;
  readonly kind: LookupFinding['status'] | 'edit';
  /** Absent: the model said nothing of it. */
  readonly remark?: Remark;
}

/** What the model said after it had read the results of a turn. */
export interface Remark {
  readonly text: string;
  /** Said with its answer, and not on the way to it. */
  readonly isOfAnswer: boolean;
}

/** Tools that change the overlay: run again when a run is resumed; reads may be repeated after them. */
const EDIT_TOOLS: ReadonlySet<string> = new Set(['replace', 'create_file', 'delete_file', 'rename_file']);

export function isEdit(call: ToolCall | undefined): boolean {
  return call !== undefined && isEditTool(call.name);
}

export function isEditTool(name: string): boolean {
  return EDIT_TOOLS.has(name);
}

/** How much of what the model says about a step is shown: the prompt wants one sentence. */
const MAX_SAID = 1_000;
/** Results of the last turns, up to this many characters (about 12k tokens), survive the compaction whole. */
const KEPT_CHARACTERS = 48_000;

/** The turns with their answers, in order. */
export function listExchanges(records: readonly TranscriptRecord[]): readonly Exchange[] {
  const exchanges: { turn: RecordedTurn; replies: Reply[]; notices: NoticeKind[]; shortened: boolean }[] = [];
  for (const record of records) {
    const last = exchanges.at(-1);
    if (record.kind === 'turn') exchanges.push({ turn: record, replies: [], notices: [], shortened: false });
    else if (record.kind === 'answer') last?.replies.push(record.reply);
    else if (record.kind === 'notice') last?.notices.push(record.about);
    else if (record.kind === 'compaction') markShortened(exchanges);
  }
  return exchanges;
}

/** Marks every exchange but the newest ones that fit into what is kept. */
function markShortened(exchanges: { replies: readonly Reply[]; shortened: boolean }[]): void {
  let room = KEPT_CHARACTERS;
  for (const exchange of exchanges.toReversed()) {
    room -= exchange.replies.reduce((sum, reply) => sum + formatReply(reply).length, 0);
    exchange.shortened = room < 0;
  }
}

/** The messages of the next question. Without a compaction, they begin with exactly the messages of the turn before. */
export function buildMessages(records: readonly TranscriptRecord[]): readonly Message[] {
  const exchanges = listExchanges(records).values();
  const messages: Message[] = [];
  let answers: Message[] = [];
  for (const record of records) {
    if (record.kind === 'opening') messages.push(...record.messages);
    if (record.kind === 'notice') messages.push({ role: 'user', content: record.text });
    if (record.kind === 'answer') messages.push(...answers.splice(0, 1));
    if (record.kind === 'turn') {
      const { content, toolCalls, opaque } = record;
      messages.push({ role: 'assistant', content, toolCalls, ...(opaque && { opaque }) });
      answers = toToolMessages(exchanges.next().value);
    }
  }
  return messages;
}

function toToolMessages(exchange: Exchange | undefined): Message[] {
  const { turn, replies, shortened } = exchange ?? { replies: [], shortened: false };
  return replies.map((reply, at) => ({
    role: 'tool',
    callId: turn?.toolCalls[at]?.id ?? '',
    content: shortened ? formatShortReply(reply) : formatReply(reply),
  }));
}

function formatReply(reply: Reply): string {
  if (reply.kind !== 'step') return reply.text;
  return `[step ${reply.number}] ${reply.step.action}\n${reply.step.result}`;
}

function formatShortReply(reply: Reply): string {
  if (reply.kind !== 'step') return reply.text;
  const { number, status, step } = reply;
  return `[step ${number}] ${step.action}: ${status}; ${step.result.length} characters dropped to make room. Call again if you need them.`;
}

/** The steps taken. What the model said next is its remark on the last step of a turn. */
export function listSteps(records: readonly TranscriptRecord[]): readonly AgentStep[] {
  const exchanges = listExchanges(records);
  return exchanges.flatMap((exchange, index) => {
    const taken = listTakenSteps(exchange);
    const remark = readRemark(exchanges[index + 1]);
    if (remark === null) return taken;
    return taken.map((step, at) => (at === taken.length - 1 ? { ...step, remark } : step));
  });
}

/** A turn that looks nothing up, but edits, concludes or only talks, is of the answer. */
function readRemark(next: Exchange | undefined): Remark | null {
  const text = sanitiseText(next?.turn.content ?? '', MAX_SAID);
  if (next === undefined || !isProse(text)) return null;
  return { text, isOfAnswer: listTakenSteps(next).every(({ kind }) => kind === 'edit') };
}

function listTakenSteps({ turn, replies }: Exchange): readonly AgentStep[] {
  return replies.flatMap((reply, at) => {
    if (reply.kind !== 'step') return [];
    const kind = isEdit(turn.toolCalls[at]) ? ('edit' as const) : reply.status;
    return [{ ...reply.step, number: reply.number, kind }];
  });
}

/** A conclusion given as JSON is no remark on the step before it. */
function isProse(text: string): boolean {
  return text !== '' && !/^(?:```|\{)/.test(text);
}
