// Which tool calls are not run, and what the model is told instead: pure, from what was asked and found before.
import type { ToolCall } from '../core/model.ts';
import { parseLenientJson } from './lenient-json.ts';
import { type Exchange, isEdit, type Reply } from './transcript.ts';

/** Calls of one turn beyond these are refused: what a model asks for blindly it does not read. */
const MAX_CALLS_IN_TURN = 8;
/** Monitoring tools have the deepest arguments, a handful of levels. */
const MAX_DEPTH = 20;
/** Arguments by which a search is confined to fewer places. */
const SCOPE: ReadonlySet<string> = new Set(['path', 'paths', 'glob', 'globs', 'include', 'folder']);
const PATTERN: ReadonlySet<string> = new Set(['pattern', 'query', 'text']);

type Arguments = Readonly<Record<string, unknown>>;

interface CallPlace {
  readonly exchanges: readonly Exchange[];
  /** Names of the tools, without `conclude`. */
  readonly tools: readonly string[];
}

/** The object that the arguments mean (nothing at all: an empty one), or the fault in words. */
function parseArguments(raw: string): { readonly value: Arguments } | { readonly fault: string } {
  if (raw.trim() === '') return { value: {} };
  const json = parseLenientJson(raw);
  if (json.kind === 'fault') return { fault: json.fault };
  const { value } = json;
  if (isDeeper(value, MAX_DEPTH)) return { fault: 'The arguments are nested deeper than those of any tool.' };
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { value: value as Arguments };
  return { fault: 'The arguments must be one JSON object.' };
}

/** Looked at no deeper than that: a hundred thousand brackets must not end in a stack overflow. */
function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((inner) => isDeeper(inner, depth - 1));
}

/** What the tool is given: the arguments as strict JSON; those that are none as they came. */
export function argumentsOf(call: ToolCall): string {
  const parsed = parseArguments(call.arguments);
  return 'value' in parsed ? JSON.stringify(parsed.value) : call.arguments;
}

/** Why the next unanswered call of the last exchange is not run; null: it is. */
export function refusalOf(place: CallPlace): string | null {
  const last = place.exchanges.at(-1);
  const index = last?.replies.length ?? 0;
  const call = last?.turn.toolCalls[index];
  if (!last || !call) return null;
  if (last.turn.toolChoice === 'none') return 'Refused: the tools are shut. Answer with the conclusion.';
  if (call.name === 'conclude') return concludeRefusal(last);
  if (!place.tools.includes(call.name)) {
    return `Refused: there is no tool ${call.name.slice(0, 80)}. There are: ${place.tools.join(', ')}, conclude.`;
  }
  if (index >= MAX_CALLS_IN_TURN)
    return `Refused: at most ${MAX_CALLS_IN_TURN} calls in a turn. Read these results first.`;
  const parsed = parseArguments(call.arguments);
  if ('fault' in parsed) return `Refused: ${parsed.fault}`;
  return repetition(place.exchanges, call, parsed.value);
}

function concludeRefusal({ turn }: Exchange): string {
  return turn.toolCalls.every(({ name }) => name === 'conclude')
    ? 'Refused: one conclusion, not several. Call conclude once.'
    : 'Refused: conclude stands alone. Read the results of the other calls, then call it again.';
}

/** Identical, or a narrower search where the wider one found nothing. An edit in between, or a result no longer shown, lifts both. */
function repetition(exchanges: readonly Exchange[], call: ToolCall, args: Arguments): string | null {
  for (const { before, reply } of callsThatCount(exchanges)) {
    if (before.name !== call.name) continue;
    const earlier = parseArguments(before.arguments);
    if ('fault' in earlier) continue;
    if (canonical(earlier.value) === canonical(args)) {
      return `Refused: this very call was step ${reply.number}; its result stands above.`;
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

function callsThatCount(exchanges: readonly Exchange[]): readonly CountedCall[] {
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

/** Keys in order, text trimmed, what says nothing (null, "", []) left out. */
function canonical(value: unknown): string {
  return JSON.stringify(normal(value)) ?? '';
}

function normal(value: unknown): unknown {
  if (typeof value === 'string') return value.trim();
  if (Array.isArray(value)) return value.map(normal);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => !isBlank(item));
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, normal(item)]));
}

function isBlank(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}

function isNarrower(wide: Arguments, narrow: Arguments): boolean {
  return [...new Set([...Object.keys(wide), ...Object.keys(narrow)])].every((key) => {
    const [before, now] = [wide[key], narrow[key]];
    if (canonical([before]) === canonical([now]) || (isBlank(before) && isBlank(now))) return true;
    if (SCOPE.has(key)) return isBlank(before) || isWithin(before, now);
    return (
      PATTERN.has(key) &&
      isPlain(narrow) &&
      typeof before === 'string' &&
      typeof now === 'string' &&
      now.includes(before)
    );
  });
}

/** Every place of the one lies below a place of the other. Globs are not compared. */
function isWithin(wide: unknown, narrow: unknown): boolean {
  const roofs = [wide].flat().map((place) => `${String(place).replace(/\/$/, '')}/`);
  return !isBlank(narrow) && [narrow].flat().every((place) => roofs.some((roof) => String(place).startsWith(roof)));
}

/** A longer pattern finds less only if it is text: neither an expression nor whole words. */
function isPlain(args: Arguments): boolean {
  const pattern = [...PATTERN].map((key) => String(args[key] ?? '')).join('');
  return args['word'] !== true && args['regex'] !== true && !/[|?*{\\]/.test(pattern);
}
