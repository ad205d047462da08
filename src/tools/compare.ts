// The tool that tells what changed between an earlier commit and this one.
import { z } from 'zod';
import type { Finding } from '../domain/evidence.ts';
import type { Comparison, Repository, SourceTree } from '../ports/source.ts';
import type { Tool } from '../ports/tool.ts';
import { commitLine } from './commit-lines.ts';
import { plainPath } from './edited-tree.ts';
import { fitting } from './show-lines.ts';
import { atCommit, defineTool, failed, found, MAX_RESULT_BYTES, nothing, PATH, quoted } from './tool-kit.ts';

const PARAMETERS = z.strictObject({
  from: z.string().min(1).max(300).describe('Sha (7 digits or more), branch or tag to compare with.'),
  path: PATH.optional().describe('Only this file, with its patch.'),
  start: z.int().min(1).optional().describe('Begin with this line of the answer, to go on after a cut.'),
});

type Given = z.output<typeof PARAMETERS>;

export function compareTool(repository: Repository, tree: SourceTree): Tool {
  return defineTool({
    name: 'compare',
    description:
      'What changed from another commit to this one: commits and files, or with "path" the patch of one file. Edits are not in it. At most 12 kB; the answer says with which "start" to go on.',
    parameters: PARAMETERS,
    example: { from: 'v1.2.0', path: 'src/app.ts' },
    action: ({ from, path, start }) => {
      const of = path === undefined ? '' : ` ${path}`;
      return atCommit(
        `compare${of} from ${quoted(from)}${start === undefined ? '' : `, from line ${start}`}`,
        tree.revision,
      );
    },
    execute: async (given, signal) => {
      const sha = await repository.resolve(given.from, signal);
      if (sha !== null) return compareWith(tree, sha, given, signal);
      return failed(`There is no commit, branch or tag ${quoted(given.from)}. The history lists commits.`);
    },
  });
}

async function compareWith(
  tree: SourceTree,
  sha: string,
  { path = '', start = 1 }: Given,
  signal: AbortSignal,
): Promise<Finding> {
  const wanted = plainPath(path);
  const comparison = await tree.compare(sha, wanted === '' ? {} : { path: wanted }, signal);
  const lines = wanted !== '' && comparison.files.length === 0 ? [] : linesOfComparison(comparison);
  const of = wanted === '' ? 'Nothing' : `Nothing in ${wanted}`;
  if (lines.length === 0) return nothing(`${of} changed since ${sha.slice(0, 10)}. ${comparison.cut}`.trimEnd());
  if (start > lines.length) return nothing(`The answer has ${lines.length} lines; there is no line ${start}.`);
  return page(lines, start, comparison.cut);
}

function page(lines: readonly string[], start: number, cut: string): Finding {
  const shown = fitting(lines.slice(start - 1), MAX_RESULT_BYTES);
  const next = start + shown.length;
  const over = next <= lines.length ? `${lines.length - next + 1} more lines: go on with "start": ${next}.` : '';
  return found(shown.join('\n'), [cut, over].filter((each) => each !== '').join(' '));
}

/** With a patch, the patch is what was asked for; the commits between say less. */
function linesOfComparison({ commits, files, patch }: Comparison): readonly string[] {
  const fileLines = files.map(({ path, status, previousPath }) =>
    previousPath === '' ? `${status} ${path}` : `${status} ${previousPath} to ${path}`,
  );
  if (patch !== '') return [...fileLines, ...patch.replace(/\n$/, '').split('\n')];
  if (commits.length + files.length === 0) return [];
  return [`${commits.length} commits:`, ...commits.map(commitLine), `${files.length} files:`, ...fileLines];
}
