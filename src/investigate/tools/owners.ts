// The tool that finds who owns paths, by CODEOWNERS of the default branch.

import type { Repository } from 'causeway-git-objects';
import type { Effort } from 'causeway-paths';
import { z } from 'zod';
import type { Tool } from '../../core/report/index.ts';
import { CODEOWNERS_PLACES, findRule, nameBranch, type OwnerRule, readCodeOwners } from '../../core/source/index.ts';
import { answerFailed, answerFound, answerNothing, defineTool, joinNotes, normalisePath, PATH } from './tool-kit.ts';

const PARAMETERS = z.strictObject({ paths: z.array(PATH).min(1).max(50) });

export function defineOwnersTool(repository: Repository): Tool {
  return defineTool({
    name: 'owners',
    description:
      'Names the owners of up to 50 paths, by the CODEOWNERS file of the default branch, or of the one that is checked out; the last matching rule decides.',
    parameters: PARAMETERS,
    example: { paths: ['src/app.ts'] },
    action: ({ paths }) => `owners of ${paths.join(', ')} at ${nameBranch(repository)}`,
    execute: async ({ paths }, signal) => {
      const file = await readCodeOwners(repository, signal);
      if (file === null)
        return answerNothing(
          `There is no CODEOWNERS file at ${nameBranch(repository)} (${CODEOWNERS_PLACES.join(', ')}).`,
        );
      const effort: Effort = { steps: 0 };
      const rows = paths.map((path) => {
        const rule = findRule(file.rules, normalisePath(path), effort);
        return { text: `${normalisePath(path)}: ${describeRule(file.path, rule)}`, rule };
      });
      const text = rows.map((row) => row.text).join('\n');
      const stopped = rows.filter(({ rule }) => rule === 'stopped').length;
      const stop =
        stopped === 0 ? '' : `${stopped} of the paths were not decided, because it took too long: give fewer at once.`;
      const cut = joinNotes(file.cut, stop);
      if (rows.some(({ rule }) => rule !== null && rule !== 'stopped' && rule.owners.length > 0)) {
        return answerFound(text, cut);
      }
      // What was not looked at is not ruled out.
      return cut === '' ? answerNothing(text) : answerFailed(`${text}\n${cut}`);
    },
  });
}

function describeRule(file: string, rule: OwnerRule | null | 'stopped'): string {
  if (rule === null) return `no rule of ${file} matches`;
  if (rule === 'stopped') return 'not decided';
  return `${rule.owners.length === 0 ? 'no owner' : rule.owners.join(' ')} (${file}:${rule.line}, ${rule.pattern})`;
}
