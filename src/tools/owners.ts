// The tool that tells who owns paths, by CODEOWNERS of the default branch.
import { z } from 'zod';
import type { Repository } from '../ports/source.ts';
import type { Tool } from '../ports/tool.ts';
import { type OwnerRule, parseCodeOwners, ruleFor } from './code-owners.ts';
import { plainPath } from './edited-tree.ts';
import { defineTool, found, nothing, PATH } from './tool-kit.ts';

/** In GitHub's order: the first that exists counts. */
const PLACES = ['.github/CODEOWNERS', 'CODEOWNERS', 'docs/CODEOWNERS'];

const PARAMETERS = z.strictObject({ paths: z.array(PATH).min(1).max(50) });

interface OwnersFile {
  readonly path: string;
  readonly rules: readonly OwnerRule[];
  readonly cut: string;
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
      const rows = paths.map(plainPath).map((path) => ({ path, rule: ruleFor(file.rules, path) }));
      const text = rows.map(({ path, rule }) => rowOf(file.path, path, rule)).join('\n');
      return rows.some(({ rule }) => (rule?.owners.length ?? 0) > 0) ? found(text, file.cut) : nothing(text);
    },
  });
}

function rowOf(file: string, path: string, rule: OwnerRule | undefined): string {
  if (rule === undefined) return `${path}: no rule of ${file} matches`;
  const owners = rule.owners.length === 0 ? 'no owner' : rule.owners.join(' ');
  return `${path}: ${owners} (${file}:${rule.line}, ${rule.pattern})`;
}

async function readOwners(repository: Repository, signal: AbortSignal): Promise<OwnersFile | null> {
  const sha = await repository.resolve('', signal);
  if (sha === null) return null;
  const tree = repository.tree(sha);
  for (const path of PLACES) {
    const read = await tree.read(path, {}, signal);
    if (read.kind === 'text') return { path, rules: parseCodeOwners(read.text), cut: read.cut };
  }
  return null;
}
