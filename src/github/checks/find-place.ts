// What a commit is the head of, as GitHub has it now: the default branch, a pull request, the merge queue, a branch of its own, or nothing any more.

import { isAtLeast } from '../../core/account.ts';
import type { HeadPlace } from '../../core/head.ts';
import type { Person } from '../../core/thread.ts';
import { type GithubUser, isBot, toPerson } from '../payloads.ts';
import {
  type Asking,
  ask,
  askPages,
  findTip,
  ignoreClosed,
  ignoreUnknown,
  isOfDefault,
  readWorkflowRuns,
  recallRuns,
  type WorkflowRun,
} from './ask.ts';
import { locateCommit } from './commit-range.ts';

interface LookedFor {
  readonly sha: string;
  /** As an event named it, which may be a fork's; "" for none. */
  readonly branch: string;
  /** That it was of before, where that is known. */
  readonly pullRequest?: number | null;
}

const PAGE = 100;

const MOST_PAGES = 2;

/** Null: superseded. Mostly one or two calls; a fork's takes up to six. */
export async function findPlace(asking: Asking, head: LookedFor): Promise<HeadPlace | null> {
  const { defaultBranch } = asking.project.source;
  const standing = head.branch === defaultBranch ? await locateOnDefault(asking, head.sha) : 'elsewhere';
  if (standing !== 'elsewhere') return await makeDefaultPlace(asking, head.sha, standing);
  const queue = parseQueueBranch(head.branch);
  if (queue !== null && (await isQueued(asking, head))) return await makeQueuePlace(asking, queue);
  const known = (await readPullsOfCommit(asking, head.sha)).filter((pull) => pull.head.sha === head.sha);
  const open = chooseOpen(known, asking);
  if (open !== null) return await makePullRequestPlace(asking, open);
  const [closed] = known;
  if (closed !== undefined) return makeClosedPlace(asking, closed);
  return head.branch === '' ? await findNamelessPlace(asking, head) : await findNamedPlace(asking, head);
}

/** A fork's branch may have the name of ours: what counts is which branch contains the commit. */
async function locateOnDefault(asking: Asking, sha: string): Promise<'tip' | 'behind' | 'elsewhere'> {
  const { defaultBranch } = asking.project.source;
  const tip = defaultBranch === '' ? null : await findTip(asking, defaultBranch);
  if (tip === sha) return 'tip';
  const stands = tip === null ? 'beside' : await locateCommit(asking, { sha, tip });
  if (stands === 'merged') return (await wasPushed(asking, sha)) ? 'behind' : 'elsewhere';
  return stands === 'on' ? 'behind' : 'elsewhere';
}

/** The commits of a pull request are in the default branch too once it was merged, and stay what they were: of the pull request. */
async function wasPushed(asking: Asking, sha: string): Promise<boolean> {
  return (await readWorkflowRuns(asking, sha)).some((run) => isOfDefault(asking, run));
}

async function makeDefaultPlace(asking: Asking, sha: string, standing: 'tip' | 'behind'): Promise<HeadPlace> {
  return {
    ...{ kind: 'default', branch: asking.project.source.defaultBranch, pushedBy: await findPusher(asking, sha) },
    ...(standing === 'behind' && { isBehind: true }),
  };
}

async function makeQueuePlace(
  asking: Asking,
  { base, number, baseSha }: NonNullable<ReturnType<typeof parseQueueBranch>>,
): Promise<HeadPlace | null> {
  const pull = await ignoreUnknown(ask(asking, ({ rest }, place) => rest.pulls.get({ ...place, pull_number: number })));
  if (pull === null) return null;
  const place = pull.state === 'open' ? await makePullRequestPlace(asking, pull) : makeClosedPlace(asking, pull);
  return { ...place, base: { branch: base, sha: baseSha }, isQueue: true };
}

/** A branch of this repository whose tip it is, else the head of a fork, which no event names. */
async function findNamedPlace(asking: Asking, head: LookedFor): Promise<HeadPlace | null> {
  const { sha, branch } = head;
  const isDefault = branch === asking.project.source.defaultBranch;
  if (!isDefault && (await findTip(asking, branch)) === sha) {
    const closed = await findClosedAt(asking, head);
    return closed === null ? { kind: 'branch', branch } : makeClosedPlace(asking, closed);
  }
  return await findForkPlace(asking, head);
}

/** A status names no branch where the commit is a fork's, or where too many contain it. */
async function findNamelessPlace(asking: Asking, head: LookedFor): Promise<HeadPlace | null> {
  const standing = await locateOnDefault(asking, head.sha);
  return standing === 'elsewhere'
    ? await findForkPlace(asking, head)
    : await makeDefaultPlace(asking, head.sha, standing);
}

async function readPullsOfCommit(asking: Asking, sha: string): Promise<readonly PullRequest[]> {
  const found = await ignoreUnknown(
    ask(asking, ({ rest }, place) =>
      rest.repos.listPullRequestsAssociatedWithCommit({ ...place, commit_sha: sha, per_page: PAGE }),
    ),
  );
  return found ?? [];
}

/** One for the default branch first: several pull requests may have one head. */
function chooseOpen(pulls: readonly PullRequest[], { project }: Asking): PullRequest | null {
  const open = pulls.filter(({ state }) => state === 'open').toSorted((a, b) => a.number - b.number);
  return open.find(({ base }) => base.ref === project.source.defaultBranch) ?? open[0] ?? null;
}

/** A branch often outlives its pull request, and what was closed or merged is of no interest any more. */
async function findClosedAt(asking: Asking, { sha, branch }: LookedFor): Promise<PullRequest | null> {
  const closed = await ask(asking, ({ rest }, place) =>
    rest.pulls.list({
      ...place,
      head: `${place.owner}:${branch}`,
      state: 'closed',
      sort: 'updated',
      direction: 'desc',
    }),
  );
  return closed.find(({ head }) => head.sha === sha) ?? null;
}

/** GitHub finds no pull request by a commit that only a fork has: so it is looked for among those updated last. */
async function findForkPlace(asking: Asking, { sha, pullRequest = null }: LookedFor): Promise<HeadPlace | null> {
  const { items } = await askPages({ most: MOST_PAGES, size: PAGE }, async (page) => {
    const found = await ask(asking, ({ rest }, place) =>
      rest.pulls.list({ ...place, state: 'open', sort: 'updated', direction: 'desc', per_page: PAGE, page }),
    );
    return found;
  });
  const pull = chooseOpen(
    items.filter(({ head }) => head.sha === sha),
    asking,
  );
  if (pull !== null) return await makePullRequestPlace(asking, pull);
  return pullRequest === null ? null : await findClosedBefore(asking, { sha, number: pullRequest });
}

/** It is not among the open ones any more: closed at this head, or pushed over. */
async function findClosedBefore(
  asking: Asking,
  { sha, number }: { readonly sha: string; readonly number: number },
): Promise<HeadPlace | null> {
  const pull = await ignoreUnknown(ask(asking, ({ rest }, place) => rest.pulls.get({ ...place, pull_number: number })));
  return pull?.state === 'closed' && pull.head.sha === sha ? makeClosedPlace(asking, pull) : null;
}

interface QueueBranch {
  readonly base: string;
  readonly number: number;
  /** What the pull request is tried on top of. */
  readonly baseSha: string;
}

const QUEUE = /^gh-readonly-queue\/(.+)\/pr-(\d{1,9})-([0-9a-f]{40})$/;

function parseQueueBranch(branch: string): QueueBranch | null {
  const [, base, number, baseSha] = QUEUE.exec(branch) ?? [];
  if (base === undefined || number === undefined || baseSha === undefined) return null;
  return { base, number: Number(number), baseSha };
}

/** Events of this repository's own branches only. */
const OF_HERE = new Set(['merge_group', 'push']);

const QUEUE_PAGE = 20;

/**
 * Whether the commit is really one of the queue. A fork may call its branches what it likes, and must not speak in the name of another's
 * pull request: so the branch exists in this repository, or Actions ran for it as for one of this repository.
 */
async function isQueued(
  asking: Asking,
  { sha, branch }: { readonly sha: string; readonly branch: string },
): Promise<boolean> {
  if ((await findTip(asking, branch)) === sha) return true;
  const found = await ignoreClosed(
    ask(asking, ({ rest }, place) =>
      rest.actions.listWorkflowRunsForRepo({ ...place, head_sha: sha, branch, per_page: QUEUE_PAGE }),
    ),
  );
  const runs = found?.workflow_runs ?? [];
  return runs.some(({ event, head_branch }) => OF_HERE.has(event) && head_branch === branch);
}

/** What lists and single answers of GitHub share. */
interface PullRequest {
  readonly number: number;
  readonly state: string;
  readonly draft?: boolean | undefined;
  readonly user: GithubUser;
  readonly head: {
    readonly ref: string;
    readonly sha: string;
    /** Null: the fork is gone. */
    readonly repo: { readonly id: number } | null;
  };
  readonly base: { readonly ref: string; readonly sha: string };
}

type PullRequestPlace = Extract<HeadPlace, { readonly kind: 'pull_request' }>;

async function makePullRequestPlace(asking: Asking, pull: PullRequest): Promise<PullRequestPlace> {
  const place = toPlace(asking, pull);
  // Nothing starts by itself for a fork, so the role of its author is not needed.
  return { ...place, isTrusted: !place.isFork && (await mayWrite(asking, pull.user)) };
}

/** Nothing starts there any more. */
function makeClosedPlace(asking: Asking, pull: PullRequest): PullRequestPlace {
  return { ...toPlace(asking, pull), isTrusted: false, isClosed: true };
}

function toPlace({ project }: Asking, pull: PullRequest): Omit<PullRequestPlace, 'isTrusted'> {
  return {
    kind: 'pull_request',
    number: pull.number,
    branch: pull.head.ref,
    base: { branch: pull.base.ref, sha: pull.base.sha },
    sha: pull.head.sha,
    isQueue: false,
    isFork: pull.head.repo?.id !== project.source.repositoryId,
    isDraft: pull.draft === true,
    author: toPerson(pull.user),
  };
}

/** Never a bot: every analysis is started by a person. */
async function mayWrite({ deps, project, signal }: Asking, user: GithubUser): Promise<boolean> {
  const person = toPerson(user);
  if (person === null || isBot(user)) return false;
  return isAtLeast(await deps.permissions.roleOfPerson(person, project, signal), 'write');
}

/** Null: not known, such as where other CI than Actions tests a push without a pull request. */
async function findPusher(asking: Asking, sha: string): Promise<Person | null> {
  const isPush = (run: WorkflowRun) => run.event === 'push' && isOfDefault(asking, run);
  const known = recallRuns(asking, sha)?.find(isPush);
  const pushed = known ?? (await readWorkflowRuns(asking, sha)).find(isPush);
  return (await findWriter(asking, pushed?.actor)) ?? (await findWriter(asking, await findMerger(asking, sha)));
}

async function findWriter(asking: Asking, user: GithubUser): Promise<Person | null> {
  return user && (await mayWrite(asking, user)) ? toPerson(user) : null;
}

/** Of the pull request that became this very commit. */
async function findMerger(asking: Asking, sha: string): Promise<GithubUser> {
  const pulls = await ignoreUnknown(
    ask(asking, ({ rest }, place) => rest.repos.listPullRequestsAssociatedWithCommit({ ...place, commit_sha: sha })),
  );
  const { defaultBranch } = asking.project.source;
  const merged = pulls?.find(
    ({ merged_at: at, merge_commit_sha: to, base }) => Boolean(at) && to === sha && base.ref === defaultBranch,
  );
  if (merged === undefined) return null;
  const pull = await ignoreUnknown(
    ask(asking, ({ rest }, place) => rest.pulls.get({ ...place, pull_number: merged.number })),
  );
  return pull?.merged_by;
}
