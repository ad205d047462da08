// The tool that lists the commits behind a path, some lines or some words.
import { z } from 'zod';
import type { HistoryQuery, SourceTree } from '../ports/source.ts';
import type { Tool } from '../ports/tool.ts';
import { commitLine } from './commit-lines.ts';
import { plainPath } from './edited-tree.ts';
import { fitting } from './show-lines.ts';
import { atCommit, defineTool, failed, found, MAX_RESULT_BYTES, nothing, PATH, quoted } from './tool-kit.ts';

const PARAMETERS = z.strictObject({
  path: PATH.optional().describe('Only commits that touched this file or folder.'),
  from: z.int().min(1).optional().describe('With "path" and "to": only commits that touched these lines.'),
  to: z.int().min(1).optional(),
  message: z.string().max(1_000).optional().describe('Only commits whose message holds this text.'),
  limit: z.int().min(1).max(200).optional(),
});

type Given = z.output<typeof PARAMETERS>;

export function historyTool(tree: SourceTree): Tool {
  return defineTool({
    name: 'history',
    description:
      'Lists the commits that lead to this one, newest first: sha, date, author, subject. At most "limit" (default 20, at most 200) and 12 kB. Line numbers are those of the commit, before edits.',
    parameters: PARAMETERS,
    example: { path: 'src/app.ts', from: 10, to: 30 },
    action: (given) => atCommit(`history${inWords(given)}`, tree.revision),
    execute: async (given, signal) => {
      const query = queryOf(given);
      if (query.lines !== undefined && query.path === undefined) return failed('Lines need a "path".');
      const { commits, cut } = await tree.history(query, signal);
      if (commits.length === 0) {
        const none = `No such commit${inWords(given)}. ${cut}`.trimEnd();
        return cut.startsWith('Stopped') ? failed(none) : nothing(none);
      }
      const shown = fitting(commits.map(commitLine), MAX_RESULT_BYTES);
      const over = shown.length < commits.length ? 'Cut at 12 kB: narrow by "path" or "message".' : '';
      return found(shown.join('\n'), [cut, over].filter((each) => each !== '').join(' '));
    },
  });
}

function queryOf({ path = '', from, to, message, limit }: Given): HistoryQuery {
  const plain = plainPath(path);
  const first = from ?? to;
  return {
    ...(plain === '' ? {} : { path: plain }),
    ...(first === undefined ? {} : { lines: { from: from ?? 1, to: to ?? first } }),
    ...(message === undefined ? {} : { message }),
    ...(limit === undefined ? {} : { limit }),
  };
}

function inWords({ path, from, to, message, limit }: Given): string {
  const lines = from === undefined && to === undefined ? '' : ` lines ${from ?? 1}–${to ?? from ?? 1}`;
  const words = message === undefined ? '' : ` with ${quoted(message)} in the message`;
  return `${path === undefined ? '' : ` of ${path}`}${lines}${words}${limit === undefined ? '' : `, up to ${limit}`}`;
}
