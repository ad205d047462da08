// Tool calls: which are refused and what the model reads instead; the others are run, cleaned and recorded as steps.

import type { ToolCall } from 'causeway-models';
import { truncate } from 'causeway-visible-text';
import { CausewayError } from '../core/errors.ts';
import type { InvestigationStep, LookupFinding, ToolResult } from '../core/report/index.ts';
import { type Arguments, normaliseArguments, parseArguments } from './arguments.ts';
import { copyForModel } from './prompt.ts';
import type { Session } from './session.ts';
import { type Exchange, isEdit, type Reply } from './transcript.ts';

/** Lookups of one turn beyond these are refused: what a model asks for blindly it does not read. */
const MAX_LOOKUPS_IN_TURN = 8;

/** Arguments by which a search is confined to fewer places. */
const SCOPE: ReadonlySet<string> = new Set(['path', 'paths', 'glob', 'globs', 'include', 'folder']);

const PATTERN: ReadonlySet<string> = new Set(['pattern', 'query', 'text']);

/**
 * Why the next unanswered call of the last exchange is not run; null: it is. `tools`: their names, without `ending`.
 */
export function explainRefusal(
  exchanges: readonly Exchange[],
  tools: readonly string[],
  ending = 'conclude',
): string | null {
  const last = exchanges.at(-1);
  const index = last?.replies.length ?? 0;
  const call = last?.turn.toolCalls[index];
  if (!last || !call) return null;
  if (last.turn.toolChoice === 'none') return 'Refused: the tools are closed. Answer with the conclusion.';
  if (call.name === ending) return explainConcludeRefusal(last);
  if (!tools.includes(call.name)) {
    return `Refused: there is no tool ${call.name.slice(0, 80)}. There are: ${tools.join(', ')}, ${ending}.`;
  }
  const lookups = last.turn.toolCalls.slice(0, index).filter((each) => !isEdit(each));
  if (!isEdit(call) && lookups.length >= MAX_LOOKUPS_IN_TURN)
    return `Refused: at most ${MAX_LOOKUPS_IN_TURN} lookups in a turn. Read these results first.`;
  const parsed = parseArguments(call.arguments);
  if ('fault' in parsed) return `Refused: ${parsed.fault}`;
  return explainRepetition(exchanges, call, parsed.value);
}

/** Whether the conclusion is the only call of its turn, or the last one after edits that were all placed. */
export function mayConclude({ turn, replies }: Exchange): boolean {
  const before = turn.toolCalls.slice(0, replies.length);
  const isLast = turn.toolCalls.length === replies.length + 1;
  return isLast && before.every(isEdit) && replies.every((reply) => reply.kind === 'step' && reply.status === 'found');
}

function explainConcludeRefusal({ turn, replies }: Exchange): string {
  if (turn.toolCalls.every(({ name }) => name === 'conclude')) {
    return 'Refused: one conclusion, not several. Call conclude once.';
  }
  const isLast = turn.toolCalls.length === replies.length + 1;
  return isLast && turn.toolCalls.slice(0, replies.length).every(isEdit)
    ? 'Refused: an edit before it was not placed. Correct it, then call conclude again.'
    : 'Refused: only edits may come before conclude in a turn. Read the results of the other calls, then call conclude again.';
}

/**
 * An identical call, or a narrower search after one that found nothing. Allowed after an edit, or when the result was
 * dropped.
 */
function explainRepetition(exchanges: readonly Exchange[], call: ToolCall, args: Arguments): string | null {
  for (const { before, reply } of listRelevantCalls(exchanges)) {
    if (before.name !== call.name) continue;
    const earlier = parseArguments(before.arguments);
    if ('fault' in earlier) continue;
    if (toCanonical(earlier.value) === toCanonical(args)) {
      return `Refused: step ${reply.number} was the same call; its result is above.`;
    }
    if (call.name === 'search' && reply.status === 'nothing' && isNarrower(earlier.value, args)) {
      return `Refused: step ${reply.number} found nothing, and this search is narrower. Use other words or look elsewhere.`;
    }
  }
  return null;
}

interface CountedCall {
  readonly before: ToolCall;
  readonly reply: Extract<Reply, { kind: 'step' }>;
}

function listRelevantCalls(exchanges: readonly Exchange[]): readonly CountedCall[] {
  const taken = exchanges.flatMap(({ turn, replies, shortened }) =>
    replies.flatMap((reply, at) => {
      const before = turn.toolCalls[at];
      return reply.kind === 'step' && before ? [{ before, reply, shortened }] : [];
    }),
  );
  const lastEdit = taken.findLastIndex(isPlaced);
  return taken.filter((call, at) => isPlaced(call) || (at > lastEdit && !call.shortened));
}

function isPlaced({ before, reply }: CountedCall): boolean {
  return isEdit(before) && reply.status === 'found';
}

/** Keys in order, what says nothing (null, "", []) left out; text as it is, since one blank is not another. */
function toCanonical(value: unknown): string {
  return JSON.stringify(normaliseValue(value)) ?? '';
}

function normaliseValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normaliseValue);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => !isBlank(item));
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, normaliseValue(item)]),
  );
}

function isBlank(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}

function isNarrower(wide: Arguments, narrow: Arguments): boolean {
  return [...new Set([...Object.keys(wide), ...Object.keys(narrow)])].every((key) => {
    const [before, now] = [wide[key], narrow[key]];
    if (toCanonical([before]) === toCanonical([now]) || (isBlank(before) && isBlank(now))) return true;
    if (SCOPE.has(key)) return isBlank(before) || isBelowPlaces(before, now);
    return (
      PATTERN.has(key) &&
      isPlainSearch(narrow) &&
      typeof before === 'string' &&
      typeof now === 'string' &&
      now.includes(before)
    );
  });
}

/** Every place of the one lies below a place of the other. Globs are not compared. */
function isBelowPlaces(wide: unknown, narrow: unknown): boolean {
  const roofs = [wide].flat().map((place) => `${String(place).replace(/\/$/, '')}/`);
  return !isBlank(narrow) && [narrow].flat().every((place) => roofs.some((roof) => String(place).startsWith(roof)));
}

/** A longer pattern finds less only if it is text: neither an expression nor whole words. */
function isPlainSearch(args: Arguments): boolean {
  const pattern = [...PATTERN].map((key) => String(args[key] ?? '')).join('');
  return args['word'] !== true && args['regex'] !== true && !/[|?*{\\]/.test(pattern);
}

/** Tools cut their own results; this is the wall behind them (about 6k tokens). */
const MAX_RESULT = 24_000;

/** Looked at when a result is cleaned: a result of 50 MB must not cost seconds. */
const MAX_CLEANED = 4 * MAX_RESULT;

const MAX_ACTION = 1_000;

export async function runCall(session: Session, call: ToolCall, signal: AbortSignal): Promise<void> {
  const tool = session.input.tools.find(({ name }) => name === call.name);
  if (!tool) throw new CausewayError('internal', `There is no tool ${call.name}; it should have been refused.`);
  const result = await tool.run(normaliseArguments(call), signal);
  signal.throwIfAborted();
  const step = toStep(call, result);
  const { source, lookup } = tool;
  const { repository } = result;
  const sourced = {
    ...step,
    ...(source !== undefined && { source }),
    ...(lookup !== undefined && { lookup }),
    ...(repository !== undefined && { repository }),
  };
  await session.appendStep(sourced, result.finding.status);
}

function toStep(call: ToolCall, { action, finding }: ToolResult): InvestigationStep {
  const { text, removed } = copyForModel(finding.text.slice(0, MAX_CLEANED));
  const notes = [
    finding.status === 'found' ? copyForModel(finding.cut.slice(0, MAX_ACTION)).text : '',
    text.length > MAX_RESULT || finding.text.length > MAX_CLEANED
      ? `cut after ${MAX_RESULT} characters; ask for less at once`
      : '',
    removed > 0 ? `${removed} invisible characters taken out` : '',
  ].filter((note) => note !== '');
  return {
    action: truncate(copyForModel(action.slice(0, MAX_ACTION)).text.replaceAll('\n', ' '), MAX_ACTION),
    result: [
      ...formatLookupFinding(finding.status, truncate(text, MAX_RESULT)),
      ...notes.map((note) => `[${note}]`),
    ].join('\n'),
    analysis: describeMeaning(call, finding),
  };
}

function formatLookupFinding(status: LookupFinding['status'], text: string): readonly string[] {
  switch (status) {
    case 'found':
      return [text];
    case 'nothing':
      return [`nothing found${text === '' ? '' : `: ${text}`}`];
    case 'failed':
      return [`failed: ${text}`];
  }
}

/** Said where the model says nothing about the step itself. */
function describeMeaning(call: ToolCall, finding: LookupFinding): string {
  switch (finding.status) {
    case 'found':
      if (isEdit(call)) return 'The edit is placed in the proposed change.';
      return finding.cut === '' ? 'Found and read.' : 'Found; a part of it was cut and not read.';
    case 'nothing':
      return 'Nothing is there: this way is ruled out.';
    case 'failed':
      return isEdit(call) ? 'The edit was not placed; nothing changed.' : 'The lookup failed; nothing follows from it.';
  }
}
