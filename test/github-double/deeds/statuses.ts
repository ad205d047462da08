// What happens to commit statuses: somebody sets one, and everybody hears of it.
import { isAncestor, type Ref, readRefs } from '../git/read-objects.ts';
import { fullName } from '../lookup.ts';
import { statusBody } from '../resources/check.ts';
import { commitBody } from '../resources/commit.ts';
import type { Repository, State } from '../state.ts';
import type { CommitStatus } from '../state-checks.ts';
import { announce } from './announce.ts';

const MOST_BRANCHES = 10;

/** One more status of its context: earlier ones stay, the newest counts. */
export async function addStatus(state: State, found: Repository, status: CommitStatus): Promise<CommitStatus> {
  found.statuses.push(status);
  const branches = await holders(found, status.sha);
  const api = `${state.urls.api}/repos/${fullName(state, found)}/commits`;
  const parts = {
    ...statusBody(state, found, status),
    sha: status.sha,
    name: fullName(state, found),
    commit: await commitBody(state, found, status.sha),
    branches: branches.map(({ name, sha }) => ({
      name: name.slice('refs/heads/'.length),
      commit: { sha, url: `${api}/${sha}` },
      protected: false,
    })),
  };
  announce(state, found, { event: 'status', action: null, parts, senderId: status.creatorId });
  return status;
}

/** Those that contain the commit, at their tip or not; GitHub names ten of them at most. */
async function holders({ gitDir }: Repository, sha: string): Promise<readonly Ref[]> {
  const holding: Ref[] = [];
  for (const ref of await readRefs(gitDir, 'refs/heads/')) {
    if (holding.length < MOST_BRANCHES && (await isAncestor(gitDir, sha, ref.sha))) holding.push(ref);
  }
  return holding;
}
