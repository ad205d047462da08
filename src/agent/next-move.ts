// What the loop does next, decided from the transcript alone: so a run that was cut decides the same again.

import type { ToolCall } from '../core/model.ts';
import type { CutReason } from '../core/reason.ts';
import { CLOSING_TURNS, type Standing } from './budget.ts';
import { type ConclusionDraft, parseDraft } from './conclusion-draft.ts';
import { CONCLUDE_NOW, CONCLUDE_SOON, NUDGE } from './prompt-files.ts';
import { refusalOf } from './refusals.ts';
import {
  type AnswerRecord,
  type Exchange,
  exchangesOf,
  type NoticeRecord,
  type TranscriptRecord,
} from './transcript.ts';

type FaultRecord = (text: string) => NoticeRecord | AnswerRecord;

export type Move =
  | { readonly kind: 'ask'; readonly toolChoice: 'auto' | 'none' }
  | { readonly kind: 'act'; readonly call: ToolCall }
  /** A record that needs nothing from outside. */
  | { readonly kind: 'note'; readonly record: NoticeRecord | AnswerRecord }
  /** `sendBack`: how faults of what it says are told; null where that was done once. */
  | { readonly kind: 'conclude'; readonly draft: ConclusionDraft; readonly sendBack: FaultRecord | null }
  | { readonly kind: 'stop'; readonly reason: CutReason };

export interface Situation {
  readonly records: readonly TranscriptRecord[];
  /** Names of the tools, without `conclude`. */
  readonly tools: readonly string[];
  /** Where the budget stands before the next question; only asked when there is one to ask. */
  readonly standing: () => Standing;
}

export function nextMove({ records, tools, standing }: Situation): Move {
  const exchanges = exchangesOf(records);
  const last = exchanges.at(-1);
  if (last && last.turn.toolCalls.length === 0 && last.notices.length === 0) return afterText(exchanges, last);
  const call = last?.turn.toolCalls[last.replies.length];
  if (!last || !call) return atQuestion(records, standing());
  if (call.name === 'conclude' && last.turn.toolCalls.length === 1) {
    return afterDraft(exchanges, call.arguments, (text) => ({ kind: 'answer', reply: { kind: 'faults', text } }));
  }
  const text = refusalOf({ exchanges, tools });
  return text === null
    ? { kind: 'act', call }
    : { kind: 'note', record: { kind: 'answer', reply: { kind: 'refused', text } } };
}

/** A conclusion with faults is sent back once. */
function afterDraft(exchanges: readonly Exchange[], raw: string, record: FaultRecord): Move {
  const parsed = parseDraft(raw);
  const repaired = exchanges.some(wasSentBack);
  if (parsed.kind === 'draft') return { kind: 'conclude', draft: parsed.draft, sendBack: repaired ? null : record };
  if (repaired) return { kind: 'stop', reason: { code: 'conclusion_faulty' } };
  return { kind: 'note', record: record(parsed.fault) };
}

function wasSentBack({ replies, notices }: Exchange): boolean {
  return notices.includes('faults') || replies.some(({ kind }) => kind === 'faults');
}

/** Text is a conclusion where it holds one or tools were shut; else the model is reminded, once in a row. */
function afterText(exchanges: readonly Exchange[], { turn }: Exchange): Move {
  if (turn.toolChoice === 'none' || /"outcome"\s*:/.test(turn.content)) {
    return afterDraft(exchanges, turn.content, (text) => notice('faults', null, text));
  }
  if (exchanges.at(-2)?.notices.includes('nudge')) {
    return { kind: 'stop', reason: { code: 'no_tool_call' } };
  }
  return { kind: 'note', record: notice('nudge', null, NUDGE) };
}

function atQuestion(records: readonly TranscriptRecord[], standing: Standing): Move {
  const shut = records.filter((record) => record.kind === 'turn' && record.toolChoice === 'none').length;
  switch (standing.phase) {
    case 'over':
      return { kind: 'stop', reason: standing.reason };
    case 'open':
      return { kind: 'ask', toolChoice: 'auto' };
    case 'concluding':
      return wasTold(records, 'conclude_soon')
        ? { kind: 'ask', toolChoice: 'auto' }
        : { kind: 'note', record: notice('conclude_soon', standing.reason, CONCLUDE_SOON) };
    case 'closing':
      if (shut >= CLOSING_TURNS) return { kind: 'stop', reason: standing.reason };
      return wasTold(records, 'conclude_now')
        ? { kind: 'ask', toolChoice: 'none' }
        : { kind: 'note', record: notice('conclude_now', standing.reason, CONCLUDE_NOW) };
  }
}

function wasTold(records: readonly TranscriptRecord[], about: NoticeRecord['about']): boolean {
  return records.some((record) => record.kind === 'notice' && record.about === about);
}

function notice(about: NoticeRecord['about'], reason: CutReason | null, text: string): NoticeRecord {
  return { kind: 'notice', about, reason, text };
}

/** The last conclusion that could be read, where it was sent back; null where there is none. */
export function draftSentBack(records: readonly TranscriptRecord[]): ConclusionDraft | null {
  for (const { turn } of exchangesOf(records).filter(wasSentBack).toReversed()) {
    const [call] = turn.toolCalls;
    const parsed = parseDraft(call?.name === 'conclude' ? call.arguments : turn.content);
    if (parsed.kind === 'draft') return parsed.draft;
  }
  return null;
}
