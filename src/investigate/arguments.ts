// The arguments of a tool's call, as models write them.
import type { ToolCall } from 'causeway-models';
import { parseLenientJson } from './conclusion-draft.ts';

/** Monitoring tools have the deepest arguments, a handful of levels. */
const MAX_DEPTH = 20;

export type Arguments = Readonly<Record<string, unknown>>;

/** The object that the arguments mean (nothing at all: an empty one), or the fault in words. */
export function parseArguments(raw: string): { readonly value: Arguments } | { readonly fault: string } {
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
export function normaliseArguments(call: ToolCall): string {
  const parsed = parseArguments(call.arguments);
  return 'value' in parsed ? JSON.stringify(parsed.value) : call.arguments;
}
