// The commits that lead to one commit, narrowed to a path, to lines or to words of the message.
import type { HistoryQuery, HistoryResult, LineRange } from '../core/source.ts';
import { COMMIT_FORMAT, parseCommits } from './commit-info.ts';
import { failed } from './damage.ts';
import type { ConfigEntry } from './git-environment.ts';
import { literalSpec } from './pathspec.ts';
import type { RepositoryAccess } from './repository.ts';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 200;
const TIMEOUT_MS = 15_000;
/**
 * Following a file to where it was added, git compares it with every file of that commit, in case it is a copy of one. Beyond the square
 * of this many files it compares with those that the commit changed, which is where a renamed one comes from.
 */
const RENAMES: ConfigEntry = ['diff.renameLimit', '100'];

/** A query whose path is cleaned and whose lines exist. */
export interface HistoryScope {
  readonly revision: string;
  readonly path: string;
  readonly isFile: boolean;
  readonly lines: LineRange | null;
}

export async function readHistory(
  access: RepositoryAccess,
  scope: HistoryScope,
  query: HistoryQuery,
  signal: AbortSignal,
): Promise<HistoryResult> {
  const limit = Math.min(MAX_LIMIT, Math.max(1, Math.trunc(query.limit ?? DEFAULT_LIMIT)));
  const { ending, stdout, stderr } = await access.git.run({
    args: [
      ...['log', '-z', '--no-patch', '--no-ext-diff', '--no-textconv', '--encoding=UTF-8', COMMIT_FORMAT],
      `--max-count=${limit + 1}`,
      ...messageFilter(query.message ?? ''),
      ...placeFilter(scope),
    ],
    gitDir: access.mirror.gitDir,
    config: [RENAMES],
    timeoutMs: TIMEOUT_MS,
    limitCpu: true,
    maxBytes: 16 * 1024 * 1024,
    signal,
  });
  if (ending.kind === 'exited' && ending.code !== 0) throw failed('History failed.', stderr);
  const commits = parseCommits(stdout);
  const notes = [
    commits.length > limit ? `Only the newest ${limit} commits; there are more.` : '',
    ending.kind === 'timeout' ? `Stopped after ${TIMEOUT_MS / 1000} s: older commits were not looked at.` : '',
    access.mirror.refs.shallow === '' ? '' : 'The clone is shallow: older history is not there.',
  ];
  return { commits: commits.slice(0, limit), cut: notes.filter((note) => note !== '').join(' ') };
}

function messageFilter(message: string): readonly string[] {
  // git takes each line of a pattern as a pattern of its own.
  const text = message.replaceAll(/\s+/g, ' ').trim();
  return text === '' ? [] : ['--fixed-strings', '--regexp-ignore-case', `--grep=${text}`];
}

function placeFilter(scope: HistoryScope): readonly string[] {
  if (scope.path === '') return [scope.revision, '--'];
  if (scope.lines !== null) return [`-L${scope.lines.from},${scope.lines.to}:${scope.path}`, scope.revision, '--'];
  // Renames are followed for a file that is there; a folder or a file that is gone has nothing to follow from.
  return [...(scope.isFile ? ['--follow'] : []), scope.revision, '--', literalSpec(scope.path)];
}
