// The tool that lists the commits behind a path, some lines or some words.
import { z } from 'zod';
import type { HistoryQuery, HistoryResult, Repository, SourceTree } from '../core/source.ts';
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
  path: PATH.optional().describe('Only commits that touched this file or folder.'),
  from: z.int().min(1).optional().describe('With "path" and "to": only commits that touched these lines.'),
  to: z.int().min(1).optional(),
  message: z.string().max(1_000).optional().describe('Only commits whose message holds this text.'),
  newer: z.boolean().optional().describe('Instead: commits of the default branch that came after this one.'),
  limit: z.int().min(1).max(200).optional(),
});

type Given = z.output<typeof PARAMETERS>;

export function defineHistoryTool(repository: Repository, tree: SourceTree): Tool {
  return defineTool({
    name: 'history',
    lookup: 'history',
    description:
      'Lists the commits that lead to this one, newest first: sha, date, author, subject. At most "limit" (default 20, at most 200) and 12 kB. Line numbers are those of the commit, before edits.',
    parameters: PARAMETERS,
    example: { path: 'src/app.ts', from: 10, to: 30 },
    action: (given) => describeAtCommit(`history${describeQuery(given)}`, tree.revision),
    execute: async (given, signal) => {
      const query = toQuery(given);
      if (query.lines !== undefined && query.path === undefined) return answerFailed('Lines need a "path".');
      const { commits, cut } = await (given.newer === true
        ? findNewer(repository, tree, query, signal)
        : tree.history(query, signal));
      if (commits.length === 0) {
        const none = `No such commit${describeQuery(given)}. ${cut}`.trimEnd();
        return cut.startsWith('Stopped') ? answerFailed(none) : answerNothing(none);
      }
      const shown = takeFittingLines(commits.map(formatCommit), MAX_RESULT_BYTES);
      const over = shown.length < commits.length ? 'Cut at 12 kB: narrow by "path" or "message".' : '';
      return answerFound(shown.join('\n'), [cut, over].filter((each) => each !== '').join(' '));
    },
  });
}

/** At most so many newer commits are told apart from older ones. */
const MAX_NEWER = 200;

/** What the default branch has and this commit has not: where a fault was mended since. */
async function findNewer(
  repository: Repository,
  tree: SourceTree,
  query: HistoryQuery,
  signal: AbortSignal,
): Promise<HistoryResult> {
  const head = await repository.resolve('', signal);
  if (head === null || head === tree.revision) return { commits: [], cut: 'This commit is the newest.' };
  const branch = repository.tree(head);
  const since = await branch.compare(tree.revision, {}, signal);
  const later = new Set(since.commits.map(({ sha }) => sha));
  const found = await branch.history({ ...query, limit: MAX_NEWER }, signal);
  const commits = found.commits.filter(({ sha }) => later.has(sha));
  const cut = since.cut === '' ? '' : 'Only the newest 100 commits of the default branch were looked at.';
  return { commits: commits.slice(0, query.limit ?? 20), cut };
}

function toQuery({ path = '', from, to, message, limit }: Given): HistoryQuery {
  const plain = normalisePath(path);
  const first = from ?? to;
  return {
    ...(plain === '' ? {} : { path: plain }),
    ...(first === undefined ? {} : { lines: { from: from ?? 1, to: to ?? first } }),
    ...(message === undefined ? {} : { message }),
    ...(limit === undefined ? {} : { limit }),
  };
}

function describeQuery({ path, from, to, message, limit, newer: after }: Given): string {
  const lines = from === undefined && to === undefined ? '' : ` lines ${from ?? 1}–${to ?? from ?? 1}`;
  const words = message === undefined ? '' : ` with ${quote(message)} in the message`;
  const which = after === true ? ' after this commit' : '';
  return `${which}${path === undefined ? '' : ` of ${path}`}${lines}${words}${limit === undefined ? '' : `, up to ${limit}`}`;
}
