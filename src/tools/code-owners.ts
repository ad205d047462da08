// CODEOWNERS as GitHub reads it: one rule a line, the last that matches a path decides.

import { type Effort, partsOf, reachOf } from '../core/paths.ts';
import { type Budget, findInTurns } from './in-turns.ts';

/** Of more, the last are read, since they are the ones that decide. */
export const MAX_RULES = 20_000;
const RULE = /^\s*(?![#!]|\[.*\])\S/;

interface OwnerRule {
  /** Line of the file, 1-based. */
  readonly line: number;
  readonly pattern: string;
  /** Empty: the rule takes the owners away. */
  readonly owners: readonly string[];
}

export interface CodeOwners {
  /** The last one first: the order in which they decide. */
  readonly rules: readonly CompiledRule[];
  /** How many rules above these were left out. */
  readonly unread: number;
}

interface CompiledRule extends OwnerRule {
  readonly parts: readonly string[];
  readonly covers: 'itself' | 'what is below' | 'both';
}

export type Decision =
  | { readonly kind: 'rule'; readonly rule: OwnerRule }
  | { readonly kind: 'no rule' }
  /** No rule that was read matches; one of the others may. */
  | { readonly kind: 'unread' }
  /** The budget was spent before a rule was found. */
  | { readonly kind: 'stopped' };

export function parseCodeOwners(text: string): CodeOwners {
  const rows = text.replace(/^\ufeff/, '').split(/\r?\n/);
  const rules: CompiledRule[] = [];
  let line = rows.length;
  for (; line > 0 && rules.length < MAX_RULES; line -= 1) {
    const rule = readRule(rows[line - 1] ?? '', line);
    if (rule !== null) rules.push(compiled(rule));
  }
  return { rules, unread: rows.slice(0, line).filter((row) => RULE.test(row)).length };
}

function readRule(row: string, line: number): OwnerRule | null {
  if (!RULE.test(row)) return null;
  // A blank in a pattern is escaped; `\#` is a name, not a comment.
  const words = row.match(/(?:\\.|[^\s\\])+/g) ?? [];
  const comment = words.findIndex((word) => word.startsWith('#'));
  const [pattern, ...owners] = comment === -1 ? words : words.slice(0, comment);
  return pattern === undefined ? null : { line, pattern: pattern.replaceAll(/\\(.)/g, '$1'), owners };
}

function compiled(rule: OwnerRule): CompiledRule {
  const { pattern } = rule;
  const bare = withoutLastSlashes(pattern);
  const names = bare.replace(/^\/+/, '');
  const anchored = bare.includes('/');
  const parts = partsOf(anchored ? names : `**/${names}`);
  if (pattern.endsWith('/')) return { ...rule, parts, covers: 'what is below' };
  // `docs/*` is what stands in the folder itself; every other pattern may name a folder, with all that is below.
  return { ...rule, parts, covers: anchored && parts.at(-1) === '*' ? 'itself' : 'both' };
}

/** An expression would try every slash of a row of them as the first one. */
function withoutLastSlashes(pattern: string): string {
  let end = pattern.length;
  while (pattern[end - 1] === '/') end -= 1;
  return pattern.slice(0, end);
}

/** The rule that decides for `path`. */
export async function decide(
  { rules, unread }: CodeOwners,
  path: string,
  budget: Budget,
  signal: AbortSignal,
): Promise<Decision> {
  const names = path.split('/');
  const result = await findInTurns(rules, (rule) => matches(names, rule, budget), budget, signal);
  if (result.kind === 'first') return { kind: 'rule', rule: result.item };
  if (result.kind === 'stopped') return { kind: 'stopped' };
  return { kind: unread > 0 ? 'unread' : 'no rule' };
}

function matches(names: readonly string[], { parts, covers }: CompiledRule, effort: Effort): boolean {
  const reach = reachOf(names, parts, effort);
  if (covers === 'itself') return reach[names.length] === true;
  const shortest = reach.indexOf(true);
  return shortest !== -1 && (covers === 'both' || shortest < names.length);
}
