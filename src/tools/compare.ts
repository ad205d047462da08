// The tool that tells what changed between an earlier commit and this one.
import { z } from 'zod';
import type { Finding } from '../core/evidence.ts';
import type { Comparison, Repository, SourceTree } from '../core/source.ts';
import type { Tool } from '../core/tool.ts';
import { normalisePath } from './edited-tree.ts';
import {
  answerFailed,
  answerFound,
  answerNothing,
  defineTool,
  describeAtCommit,
  formatCommit,
  MAX_RESULT_BYTES,
  PATH,
  quote,
  takeFittingLines,
} from './tool-kit.ts';

const PARAMETERS = z.strictObject({
  from: z.string().min(1).max(300).optional().describe('Sha (7 digits or more), branch or tag to compare with.'),
  commit: z.string().min(1).max(300).optional().describe('Instead of "from": only what this one commit changed.'),
  edits: z.boolean().optional().describe('Instead of "from": your own edits so far, as one patch.'),
  path: PATH.optional().describe('Only this file, with its patch.'),
  start: z.int().min(1).optional().describe('Begin with this line of the answer, to go on after a cut.'),
});

type Given = z.output<typeof PARAMETERS>;

/** `edits`: the patch of what was edited so far, "" for nothing. */
export function defineCompareTool(repository: Repository, tree: SourceTree, edits: () => Promise<string>): Tool {
  return defineTool({
    name: 'compare',
    lookup: 'compare',
    description:
      'What changed from another commit to this one, or in one commit: commits and files, or with "path" the patch of one file; or your own edits. At most 12 kB; the answer says with which "start" to go on.',
    parameters: PARAMETERS,
    example: { from: 'v1.2.0', path: 'src/app.ts' },
    action: (given) => describeAtCommit(describeQuery(given), tree.revision),
    execute: async (given, signal) => {
      const { from, commit } = given;
      if (given.edits === true) return answerEdits(await edits(), given.start);
      const named = commit ?? from;
      if (named === undefined || (commit !== undefined && from !== undefined)) {
        return answerFailed('Give one of "from", "commit" and "edits".');
      }
      const sha = await repository.resolve(named, signal);
      if (sha === null)
        return answerFailed(`There is no commit, branch or tag ${quote(named)}. The history lists commits.`);
      return commit === undefined
        ? compareWith({ tree, from: sha, since: `since ${sha.slice(0, 10)}` }, given, signal)
        : compareWith({ tree: repository.tree(sha), from: null, since: `in ${sha.slice(0, 10)}` }, given, signal);
    },
  });
}

function answerEdits(patch: string, start = 1): Finding {
  if (patch === '') return answerNothing('Nothing was edited yet.');
  const lines = patch.replace(/\n$/, '').split('\n');
  return start > lines.length ? answerNothing(`The patch has ${lines.length} lines.`) : answerPage(lines, start, '');
}

function describeQuery({ from, commit, path, start, edits }: Given): string {
  if (edits === true) return `compare the edits with the commit${start === undefined ? '' : `, from line ${start}`}`;
  const of = path === undefined ? '' : ` ${path}`;
  const which = commit === undefined ? ` from ${quote(from ?? '')}` : ` in commit ${quote(commit)}`;
  return `compare${of}${which}${start === undefined ? '' : `, from line ${start}`}`;
}

interface Compared {
  readonly tree: SourceTree;
  /** Null: the parent. */
  readonly from: string | null;
  readonly since: string;
}

async function compareWith(
  { tree, from, since }: Compared,
  { path = '', start = 1 }: Given,
  signal: AbortSignal,
): Promise<Finding> {
  const wanted = normalisePath(path);
  const comparison = await tree.compare(from, wanted === '' ? {} : { path: wanted }, signal);
  const lines = wanted !== '' && comparison.files.length === 0 ? [] : formatComparison(comparison);
  const of = wanted === '' ? 'Nothing' : `Nothing in ${wanted}`;
  if (lines.length === 0) return answerNothing(`${of} changed ${since}. ${comparison.cut}`.trimEnd());
  if (start > lines.length) return answerNothing(`The answer has ${lines.length} lines; there is no line ${start}.`);
  return answerPage(lines, start, comparison.cut);
}

function answerPage(lines: readonly string[], start: number, cut: string): Finding {
  const shown = takeFittingLines(lines.slice(start - 1), MAX_RESULT_BYTES);
  const next = start + shown.length;
  const over = next <= lines.length ? `${lines.length - next + 1} more lines: go on with "start": ${next}.` : '';
  return answerFound(shown.join('\n'), [cut, over].filter((each) => each !== '').join(' '));
}

/** With a patch, the patch is what was asked for; the commits between say less. */
function formatComparison({ commits, files, patch }: Comparison): readonly string[] {
  const fileLines = files.map(({ path, status, previousPath }) =>
    previousPath === '' ? `${status} ${path}` : `${status} ${previousPath} to ${path}`,
  );
  if (patch !== '') return [...fileLines, ...patch.replace(/\n$/, '').split('\n')];
  if (commits.length + files.length === 0) return [];
  return [
    `${formatCount(commits.length, 'commit')}:`,
    ...commits.map(formatCommit),
    `${formatCount(files.length, 'file')}:`,
    ...fileLines,
  ];
}

function formatCount(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
