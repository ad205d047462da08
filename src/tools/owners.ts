// The tool that tells who owns paths, by CODEOWNERS of the default branch.
import { z } from 'zod';
import type { Repository } from '../core/source.ts';
import type { Tool } from '../core/tool.ts';
import { type CodeOwners, type Decision, decide, parseCodeOwners } from './code-owners.ts';
import { plainPath } from './edited-tree.ts';
import { createBudget } from './in-turns.ts';
import { defineTool, failed, found, nothing, PATH } from './tool-kit.ts';

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

export function ownersTool(repository: Repository): Tool {
  return defineTool({
    name: 'owners',
    description:
      'Tells who owns up to 50 paths, by the CODEOWNERS file of the default branch; the last rule that matches decides.',
    parameters: PARAMETERS,
    example: { paths: ['src/app.ts'] },
    action: ({ paths }) => `owners of ${paths.join(', ')} on the default branch`,
    execute: async ({ paths }, signal) => {
      const file = await readOwners(repository, signal);
      if (file === null) return nothing(`The default branch has no CODEOWNERS file (${PLACES.join(', ')}).`);
      const rows = await decideAll(file, paths.map(plainPath), signal);
      const text = rows.map((row) => rowOf(file.path, row)).join('\n');
      const cut = [file.cut, unreadNote(file), stopNote(rows)].filter((each) => each !== '').join(' ');
      if (rows.some(({ decision }) => decision.kind === 'rule' && decision.rule.owners.length > 0))
        return found(text, cut);
      // What was not looked at is not ruled out.
      return cut === '' ? nothing(text) : failed(`${text}\n${cut}`);
    },
  });
}

async function decideAll(file: OwnersFile, paths: readonly string[], signal: AbortSignal): Promise<readonly Row[]> {
  const budget = createBudget(MAX_STEPS);
  const rows: Row[] = [];
  for (const path of paths) rows.push({ path, decision: await decide(file, path, budget, signal) });
  return rows;
}

function rowOf(file: string, { path, decision }: Row): string {
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

function unreadNote({ path, rules, unread }: OwnersFile): string {
  return unread === 0 ? '' : `The first ${unread} rules of ${path} were not read, only the last ${rules.length}.`;
}

function stopNote(rows: readonly Row[]): string {
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
