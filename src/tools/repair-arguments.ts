// Arguments that mean the right thing in the wrong type, as models write them: "12" for 12, "a" for ["a"] or [{"path": "a"}], null for nothing.
import type { z } from 'zod';

type Json = Record<string, unknown>;
type Path = readonly PropertyKey[];

/** A copy of `value` in which each fault that is only one of type is put right; other faults stay. */
export function repairArguments(value: unknown, issues: readonly z.core.$ZodIssue[]): unknown {
  // Not a deep copy: that would be deep recursion where a model nests a hundred thousand brackets.
  const copy: Json = { ...(value as Json) };
  for (const [key, item] of Object.entries(copy)) {
    if (Array.isArray(item)) copy[key] = item.map((each: unknown) => (isPlain(each) ? { ...each } : each));
  }
  for (const issue of issues) {
    if (issue.code === 'invalid_type') repairAt(copy, issue.path, issue.expected);
  }
  return copy;
}

function repairAt(root: Json, path: Path, expected: string): void {
  const holder = path.slice(0, -1).reduce<unknown>((at, key) => (isHolder(at) ? at[String(key)] : undefined), root);
  const key = String(path.at(-1));
  if (!isHolder(holder)) return;
  const repaired = converted(holder[key], expected);
  if (repaired === undefined) delete holder[key];
  else holder[key] = repaired;
}

function isPlain(value: unknown): value is Json {
  return isHolder(value) && !Array.isArray(value);
}

function isHolder(value: unknown): value is Json {
  return typeof value === 'object' && value !== null;
}

/** undefined: the value is to be left out. */
function converted(value: unknown, expected: string): unknown {
  if (value === null) return undefined;
  // Whatever list is wanted, a single item is the short form of it.
  if (expected === 'array') return typeof value === 'string' || isHolder(value) ? [value] : value;
  if (typeof value !== 'string') return value;
  if (expected === 'object') return { path: value };
  if (expected === 'boolean' && /^(?:true|false)$/i.test(value)) return value.toLowerCase() === 'true';
  if ((expected === 'number' || expected === 'int') && /^\s*-?\d+\s*$/.test(value)) return Number(value);
  return value;
}
