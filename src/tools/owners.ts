// The tool that tells who owns paths, by CODEOWNERS of the default branch.
import { z } from 'zod';
import { computeReach, type Effort, splitPattern } from '../core/paths.ts';
import type { Repository } from '../core/source.ts';
import type { Tool } from '../core/tool.ts';
import { normalisePath } from './edited-tree.ts';
import { type Budget, createBudget, findInTurns } from './in-turns.ts';
import { answerFailed, answerFound, answerNothing, defineTool, PATH } from './tool-kit.ts';

/** In GitHub's order: the first that exists counts. */
const PLACES = ['.github/CODEOWNERS', 'CODEOWNERS', 'docs/CODEOWNERS'];

/** About a second; a file of 5,000 rules and 50 paths take a tenth of it. */
const MAX_STEPS = 100_000_000;

const PARAMETERS = z.strictObject({ paths: z.array(PATH).min(1).max(50) });

interface OwnersFile extends CodeOwners {
  readonly path: string;
  readonly cut: string;
}

interface Row {
  readonly path: string;
  readonly decision: Decision;
}

export function defineOwnersTool(repository: Repository): Tool {
  return defineTool({
    name: 'owners',
    description:
      'Tells who owns up to 50 paths, by the CODEOWNERS file of the default branch; the last rule that matches decides.',
    parameters: PARAMETERS,
    example: { paths: ['src/app.ts'] },
    action: ({ paths }) => `owners of ${paths.join(', ')} on the default branch`,
    execute: async ({ paths }, signal) => {
      const file = await readOwners(repository, signal);
      if (file === null) return answerNothing(`The default branch has no CODEOWNERS file (${PLACES.join(', ')}).`);
      const rows = await decideOwners(file, paths.map(normalisePath), signal);
      const text = rows.map((row) => formatDecision(file.path, row)).join('\n');
      const cut = [file.cut, describeUnread(file), describeStop(rows)].filter((each) => each !== '').join(' ');
      if (rows.some(({ decision }) => decision.kind === 'rule' && decision.rule.owners.length > 0))
        return answerFound(text, cut);
      // What was not looked at is not ruled out.
      return cut === '' ? answerNothing(text) : answerFailed(`${text}\n${cut}`);
    },
  });
}

async function decideOwners(file: OwnersFile, paths: readonly string[], signal: AbortSignal): Promise<readonly Row[]> {
  const budget = createBudget(MAX_STEPS);
  const rows: Row[] = [];
  for (const path of paths) rows.push({ path, decision: await decideOwner(file, path, budget, signal) });
  return rows;
}

function formatDecision(file: string, { path, decision }: Row): string {
  switch (decision.kind) {
    case 'no rule':
      return `${path}: no rule of ${file} matches`;
    case 'unread':
      return `${path}: no rule of ${file} that was read matches`;
    case 'stopped':
      return `${path}: not looked up to the end`;
    case 'rule': {
      const { owners, line, pattern } = decision.rule;
      return `${path}: ${owners.length === 0 ? 'no owner' : owners.join(' ')} (${file}:${line}, ${pattern})`;
    }
  }
}

function describeUnread({ path, rules, unread }: OwnersFile): string {
  return unread === 0 ? '' : `The first ${unread} rules of ${path} were not read, only the last ${rules.length}.`;
}

function describeStop(rows: readonly Row[]): string {
  const count = rows.filter(({ decision }) => decision.kind === 'stopped').length;
  return count === 0 ? '' : `Stopped before ${count} of the paths were decided: ask for fewer at once.`;
}

async function readOwners(repository: Repository, signal: AbortSignal): Promise<OwnersFile | null> {
  const sha = await repository.resolve('', signal);
  if (sha === null) return null;
  const tree = repository.tree(sha);
  for (const path of PLACES) {
    const read = await tree.read(path, {}, signal);
    if (read.kind === 'text') return { path, ...parseCodeOwners(read.text), cut: read.cut };
  }
  return null;
}

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

interface CodeOwners {
  /** The last one first: the order in which they decide. */
  readonly rules: readonly CompiledRule[];
  /** How many rules above these were left out. */
  readonly unread: number;
}

interface CompiledRule extends OwnerRule {
  readonly parts: readonly string[];
  readonly covers: 'itself' | 'what is below' | 'both';
}

type Decision =
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
    if (rule !== null) rules.push(compileRule(rule));
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

function compileRule(rule: OwnerRule): CompiledRule {
  const { pattern } = rule;
  const bare = trimLastSlashes(pattern);
  const names = bare.replace(/^\/+/, '');
  const anchored = bare.includes('/');
  const parts = splitPattern(anchored ? names : `**/${names}`);
  if (pattern.endsWith('/')) return { ...rule, parts, covers: 'what is below' };
  // `docs/*` is what stands in the folder itself; every other pattern may name a folder, with all that is below.
  return { ...rule, parts, covers: anchored && parts.at(-1) === '*' ? 'itself' : 'both' };
}

/** An expression would try every slash of a row of them as the first one. */
function trimLastSlashes(pattern: string): string {
  let end = pattern.length;
  while (pattern[end - 1] === '/') end -= 1;
  return pattern.slice(0, end);
}

/** The rule that decides for `path`. */
export async function decideOwner(
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
  const reach = computeReach(names, parts, effort);
  if (covers === 'itself') return reach[names.length] === true;
  const shortest = reach.indexOf(true);
  return shortest !== -1 && (covers === 'both' || shortest < names.length);
}
