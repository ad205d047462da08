// CODEOWNERS as GitHub reads it: where it is, its rules, and which of them decides for a path.

import type { Repository } from 'causeway-git-objects';
import { computeReach, type Effort, splitPattern } from 'causeway-paths';

/** In GitHub's order: the first that exists counts. */
export const CODEOWNERS_PLACES = ['.github/CODEOWNERS', 'CODEOWNERS', 'docs/CODEOWNERS'];

/** About 0.4 s; a file of 5,000 rules and 50 paths take a quarter of it. */
const MAX_STEPS = 40_000_000;

/** Owners of a file that are named at most. */
const MAX_OWNERS = 5;

interface CodeOwners {
  readonly path: string;
  readonly rules: readonly OwnerRule[];
  /** What was left out of the file, in words; "" for nothing. */
  readonly cut: string;
}

/** Of the default branch; null: it has none. */
export async function readCodeOwners(repository: Repository, signal: AbortSignal): Promise<CodeOwners | null> {
  const sha = await repository.resolve('', signal);
  if (sha === null) return null;
  const tree = repository.tree(sha);
  for (const path of CODEOWNERS_PLACES) {
    const read = await tree.read(path, {}, signal);
    if (read.kind === 'text') return { path, rules: parseCodeOwners(read.text), cut: read.cut };
  }
  return null;
}

/** Logins and teams; an address of mail is left out, since what names them may be more public than the file. */
export async function readOwnersOf(
  file: string,
  repository: Repository,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const found = await readCodeOwners(repository, signal);
  const rule = found === null ? null : findRule(found.rules, file, { steps: 0 });
  const owners = rule === null || rule === 'stopped' ? [] : rule.owners;
  return owners.filter((name) => name.startsWith('@')).slice(0, MAX_OWNERS);
}

export interface OwnerRule {
  /** Line of the file, 1-based. */
  readonly line: number;
  readonly pattern: string;
  /** Empty: the rule takes the owners away. */
  readonly owners: readonly string[];
  readonly parts: readonly string[];
  readonly covers: 'itself' | 'what is below' | 'both';
}

/** The rules, the last one first: the order in which they decide. */
export function parseCodeOwners(text: string): readonly OwnerRule[] {
  const rows = text.replace(/^\ufeff/, '').split(/\r?\n/);
  return rows.flatMap((row, index) => parseRule(row, index + 1)).reverse();
}

function parseRule(row: string, line: number): OwnerRule[] {
  if (!/^\s*(?![#!]|\[.*\])\S/.test(row)) return [];
  // A blank in a pattern is escaped; `\#` is a name, not a comment.
  const words = row.match(/(?:\\.|[^\s\\])+/g) ?? [];
  const comment = words.findIndex((word) => word.startsWith('#'));
  const [word, ...owners] = comment === -1 ? words : words.slice(0, comment);
  if (word === undefined) return [];
  const pattern = word.replaceAll(/\\(.)/g, '$1');
  const bare = trimLastSlashes(pattern);
  const names = bare.replace(/^\/+/, '');
  const isAnchored = bare.includes('/');
  const parts = splitPattern(isAnchored ? names : `**/${names}`);
  // `docs/*` is what the folder itself holds; every other pattern may name a folder, with all that is below.
  const covers = pattern.endsWith('/') ? 'what is below' : isAnchored && parts.at(-1) === '*' ? 'itself' : 'both';
  return [{ line, pattern, owners, parts, covers }];
}

/** A regular expression would try every slash of a row of them as the first one. */
function trimLastSlashes(pattern: string): string {
  let end = pattern.length;
  while (pattern[end - 1] === '/') end -= 1;
  return pattern.slice(0, end);
}

/** The rule that decides for `path`; null for none, `stopped` where the search took too long. */
export function findRule(
  rules: readonly OwnerRule[],
  path: string,
  effort: Effort,
  maxSteps = MAX_STEPS,
): OwnerRule | null | 'stopped' {
  const names = path.split('/');
  for (const rule of rules) {
    if (effort.steps >= maxSteps) return 'stopped';
    effort.steps += 1;
    if (matchesRule(names, rule, effort)) return rule;
  }
  return null;
}

function matchesRule(names: readonly string[], { parts, covers }: OwnerRule, effort: Effort): boolean {
  const reach = computeReach(names, parts, effort);
  if (covers === 'itself') return reach[names.length] === true;
  const shortest = reach.indexOf(true);
  return shortest !== -1 && (covers === 'both' || shortest < names.length);
}
