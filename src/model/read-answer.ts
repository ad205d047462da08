// One whole answer from the chunks of a stream, every one checked; an answer without its end is no answer.
import type { ToolCall, TurnUsage } from '../ports/model.ts';
import { addCallPiece, type CallDraft } from './collect-calls.ts';
import { AttemptFailed, misbehaved, unavailable } from './fault.ts';
import { isObject, type JsonObject } from './json-value.ts';
import { readUsage } from './usage.ts';

/** What has come so far. */
export interface Draft {
  content: string;
  refusal: string;
  readonly calls: CallDraft[];
  /** Empty until the endpoint has said why it ended. */
  finish: string;
  usage: TurnUsage | null;
  chunks: number;
  choices: number;
  /** As the endpoint names what answers; empty: not, or not as a name is written. */
  model: string;
}

export interface Answer {
  readonly content: string;
  /** Ids as they came, empty where there was none. */
  readonly calls: readonly ToolCall[];
}

/** Characters of text and arguments; the longest of honest answers has a tenth of it. */
const MAX_CHARACTERS = 2_000_000;

export function newDraft(): Draft {
  return { content: '', refusal: '', calls: [], finish: '', usage: null, chunks: 0, choices: 0, model: '' };
}

/** Adds one chunk as it was parsed; throws `AttemptFailed` where it is of a wrong type. */
export function addChunk(draft: Draft, chunk: unknown): void {
  if (!isObject(chunk)) throw wrongType('chunk');
  draft.chunks += 1;
  // Some endpoints send running totals: the last one counts.
  draft.usage = readUsage(chunk['usage']) ?? draft.usage;
  draft.model = nameIn(chunk['model']) ?? draft.model;
  const choices = chunk['choices'] ?? [];
  if (!Array.isArray(choices)) throw wrongType('choices');
  for (const choice of choices) addChoice(draft, choice);
  if (size(draft) > MAX_CHARACTERS)
    throw misbehaved('Its answer was larger than any real one: choose another MODEL.', 1);
}

/** It is shown to operators: nothing but a name gets through. */
function nameIn(value: unknown): string | null {
  return typeof value === 'string' && /^[\w./:@+-]{1,100}$/.test(value) ? value : null;
}

export function size(draft: Draft): number {
  return draft.calls.reduce((sum, call) => sum + call.name.length + call.arguments.length, draft.content.length);
}

function addChoice(draft: Draft, choice: unknown): void {
  if (!isObject(choice)) throw wrongType('choice');
  if ((choice['index'] ?? 0) !== 0) return;
  draft.choices += 1;
  // `message` where the endpoint did not stream.
  const delta = choice['delta'] ?? choice['message'] ?? {};
  if (!isObject(delta)) throw wrongType('delta');
  addDelta(draft, delta);
  const finish = choice['finish_reason'] ?? '';
  if (typeof finish !== 'string') throw wrongType('finish_reason');
  if (finish !== '') draft.finish = finish;
}

function addDelta(draft: Draft, delta: JsonObject): void {
  draft.content += textOf(delta['content'], 'content');
  draft.refusal += textOf(delta['refusal'], 'refusal');
  const calls = delta['tool_calls'] ?? [];
  if (!Array.isArray(calls)) throw wrongType('tool_calls');
  for (const call of calls) addCallPiece(draft.calls, call);
}

/** Text, or a list of parts of which the texts count. */
function textOf(value: unknown, field: string): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) throw wrongType(field);
  return value.map((part) => (isObject(part) && typeof part['text'] === 'string' ? part['text'] : '')).join('');
}

function wrongType(field: string): AttemptFailed {
  return misbehaved(`It answered with a ${field} of a wrong type: check OPENAI_BASE_URL and MODEL.`);
}

/** The answer, if it is whole; throws `AttemptFailed` if it was cut, refused or says nothing. */
export function finishAnswer(draft: Draft): Answer {
  if (draft.finish === '') throw unfinished(draft);
  switch (draft.finish) {
    case 'length':
    case 'max_tokens':
      throw misbehaved(
        'Its answer was cut at the limit of tokens: raise the limit at the endpoint or choose another MODEL.',
        1,
      );
    case 'content_filter':
      throw new AttemptFailed({
        kind: 'refused',
        detail: 'Its content filter stopped the answer: choose another MODEL.',
      });
    case 'error':
      throw unavailable('It broke off its answer with an error.');
  }
  if (draft.refusal !== '') {
    throw new AttemptFailed({ kind: 'refused', detail: 'The model refused to answer: choose another MODEL.' });
  }
  const content = withoutThoughts(draft.content);
  if (content.trim() === '' && draft.calls.length === 0)
    throw misbehaved('It answered with nothing: choose another MODEL.');
  if (draft.calls.some((call) => call.name === ''))
    throw misbehaved('It called a tool without a name: choose another MODEL.');
  return {
    content,
    calls: draft.calls.map((call) => ({ id: call.id ?? '', name: call.name, arguments: call.arguments })),
  };
}

function unfinished(draft: Draft): AttemptFailed {
  return draft.chunks > 0 && draft.choices === 0
    ? misbehaved('It answered without a choice: check OPENAI_BASE_URL and MODEL.')
    : unavailable('Its answer was cut before its end.');
}

/** Reasoning models behind plain servers write their thoughts before the answer. */
function withoutThoughts(content: string): string {
  return content.replace(/^\s*<think>[\s\S]*?<\/think>\s*/, '');
}
