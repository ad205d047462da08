// Who stands behind a commit of the default branch: whoever pushed it, or merged it, if they may write. What a commit says of its author anybody can write.
import type { Person } from '../../core/thread.ts';
import { type GithubUser, personOf } from '../events/payloads.ts';
import { type Asking, ask, unlessUnknown } from './ask.ts';
import { mayWrite } from './pull-request-place.ts';
import { isOfDefault, rememberedRuns, type WorkflowRun, workflowRuns } from './workflow-runs.ts';

/** Null: nobody that we know, such as where other CI than Actions tests what is pushed with no pull request. */
export async function pusherOf(asking: Asking, sha: string): Promise<Person | null> {
  const isPush = (run: WorkflowRun) => run.event === 'push' && isOfDefault(asking, run);
  const known = rememberedRuns(asking, sha)?.find(isPush);
  const pushed = known ?? (await workflowRuns(asking, sha)).find(isPush);
  return (await writer(asking, pushed?.actor)) ?? (await writer(asking, await mergedBy(asking, sha)));
}

async function writer(asking: Asking, user: GithubUser): Promise<Person | null> {
  return user && (await mayWrite(asking, user)) ? personOf(user) : null;
}

/** Of the pull request that became this very commit. */
async function mergedBy(asking: Asking, sha: string): Promise<GithubUser> {
  const pulls = await unlessUnknown(
    ask(asking, ({ rest }, place) => rest.repos.listPullRequestsAssociatedWithCommit({ ...place, commit_sha: sha })),
  );
  const { defaultBranch } = asking.project.source;
  const merged = pulls?.find(
    ({ merged_at: at, merge_commit_sha: to, base }) => Boolean(at) && to === sha && base.ref === defaultBranch,
  );
  if (merged === undefined) return null;
  const pull = await unlessUnknown(
    ask(asking, ({ rest }, place) => rest.pulls.get({ ...place, pull_number: merged.number })),
  );
  return pull?.merged_by;
}
