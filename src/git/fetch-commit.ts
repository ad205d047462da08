// One commit fetched by its full sha: no branch or tag leads to it, such as the head of a fork's pull request or one that was pushed away.
import { existsSync } from 'node:fs';
import { type FetchLimits, fetchInto } from './fetch.ts';
import { unreachable } from './git-failure.ts';
import { consolidate } from './mirror-upkeep.ts';
import type { Git } from './run-git.ts';
import type { Remote } from './upstream.ts';

/** What was fetched so, as `<time>-<sha>`: in order of their names, the oldest comes first. No refresh prunes here. */
const ASKED = 'refs/causeway/asked/';
const MOST_ASKED = 200;
const REFUSED = /not our ref|unadvertised object|couldn't find remote ref|want [0-9a-f]+ not valid/i;

interface Asked {
  readonly gitDir: string;
  /** Full, in lower case. */
  readonly sha: string;
  readonly remote: Remote;
  readonly limits: FetchLimits;
}

/**
 * Whether the mirror has the commit now. False where the source does not give it out. Call under the mirror's lock.
 * Throws `repository_unreachable`.
 */
export async function fetchCommit(git: Git, asked: Asked, signal: AbortSignal): Promise<boolean> {
  const { gitDir, sha, remote, limits } = asked;
  if (!existsSync(gitDir)) return false;
  // Another process may have fetched it while this one waited for the lock.
  if (await hasCommit(git, asked, signal)) return true;
  const refspecs = [`${sha}:${ASKED}${stamp()}-${sha}`];
  const { ending, stderr } = await fetchInto(git, { gitDir, ...remote, limits, options: [], refspecs }, signal);
  const isFetched = ending.kind === 'exited' && ending.code === 0;
  if (!isFetched && REFUSED.test(stderr)) return false;
  if (!isFetched) throw unreachable(remote.what, ending, stderr);
  await dropOldest(git, gitDir, signal);
  await consolidate(git, gitDir, signal);
  return hasCommit(git, asked, signal);
}

async function hasCommit(git: Git, { gitDir, sha }: Asked, signal: AbortSignal): Promise<boolean> {
  const { ending } = await git.run({ ...briefly(gitDir, signal), args: ['cat-file', '-e', `${sha}^{commit}`] });
  return ending.kind === 'exited' && ending.code === 0;
}

/** Their objects stay until a clean-up takes them: readers at work lose nothing. */
async function dropOldest(git: Git, gitDir: string, signal: AbortSignal): Promise<void> {
  const call = briefly(gitDir, signal);
  const listed = await git.run({ ...call, args: ['for-each-ref', '--format=%(refname)', ASKED] });
  const names = listed.stdout.toString('utf8').split('\n').filter(Boolean).sort();
  const input = names.slice(0, -MOST_ASKED).map((name) => `delete ${name}\n`);
  if (input.length > 0) await git.run({ ...call, args: ['update-ref', '--stdin'], input: input.join('') });
}

function briefly(gitDir: string, signal: AbortSignal) {
  return { gitDir, timeoutMs: 30_000, maxBytes: 1024 * 1024, signal };
}

/** Such as `20240131T121314567`, which may stand in the name of a ref. */
function stamp(): string {
  return new Date().toISOString().replaceAll(/[-:.Z]/g, '');
}
