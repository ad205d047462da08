// What a commit is the head of now: the default branch, a pull request, the merge queue, another branch, or nothing.

import type { HeadPlace } from '../../core/check/index.ts';
import { isAtLeast, type Person } from '../../core/project/index.ts';
import { type GithubUser, ignoreRefused, ignoreUnknown, isBot, readPages, toPerson } from '../clients/index.ts';
import { locateCommit } from './commit-range.ts';
import { findTip, type Inquiry, isOfDefault, readWorkflowRuns, recallRuns, type WorkflowRun } from './workflow-runs.ts';

interface NotedPlace {
  readonly sha: string;
  /** As an event named it, which may be a fork's; "" for none. */
  readonly branch: string;
  /** The pull request that it belonged to before, where that is known. */
  readonly pullRequest?: number | null;
}

/** What lists and single answers of GitHub share. */
interface ListedPullRequest {
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

const MAX_PAGES = 2;

/** Null: superseded. Mostly one or two calls; a fork's head takes up to six. */
export async function findPlace(inquiry: Inquiry, head: NotedPlace): Promise<HeadPlace | null> {
  const { sha, branch } = head;
  const isNamedDefault = branch === inquiry.project.source.defaultBranch;
  const onDefault = isNamedDefault ? await findOnDefault(inquiry, sha) : null;
  if (onDefault !== null) return onDefault;
  const queue = parseQueueBranch(branch);
  if (queue !== null && (await isQueued(inquiry, head))) return await findQueuePlace(inquiry, queue);
  const pulls = await listPullsOfCommit(inquiry, sha);
  const heads = pulls.filter((pull) => pull.head.sha === sha);
  const open = chooseOpen(heads, inquiry);
  if (open !== null) return await toOpenPlace(inquiry, open);
  const [closed] = heads;
  if (closed !== undefined) return toClosedPlace(inquiry, closed);
  // A status names no branch where the commit is a fork's, or where too many branches contain it.
  if (branch === '') return (await findOnDefault(inquiry, sha)) ?? (await findForkPlace(inquiry, head));
  if (isNamedDefault || (await findTip(inquiry, branch)) !== sha) return await findForkPlace(inquiry, head);
  const former = await findClosedAt(inquiry, head);
  return former === null ? { kind: 'branch', branch } : toClosedPlace(inquiry, former);
}

/**
 * A fork's branch may have the name of our default branch, so what counts is whether that contains the commit. The
 * commits of a merged pull request still belong to it, unless they were pushed as they are.
 */
async function findOnDefault(inquiry: Inquiry, sha: string): Promise<HeadPlace | null> {
  const { defaultBranch: branch } = inquiry.project.source;
  const tip = branch === '' ? null : await findTip(inquiry, branch);
  if (tip === null) return null;
  const isTip = tip === sha;
  const where = isTip ? 'on' : await locateCommit(inquiry, { sha, tip });
  if (where === 'outside') return null;
  if (where === 'merged' && !(await readWorkflowRuns(inquiry, sha)).some((run) => isOfDefault(inquiry, run))) {
    return null;
  }
  return { kind: 'default', branch, pushedBy: await findPusher(inquiry, sha), ...(!isTip && { isBehind: true }) };
}

async function listPullsOfCommit({ read }: Inquiry, sha: string) {
  const found = await ignoreUnknown(
    read(({ rest }, place) =>
      rest.repos.listPullRequestsAssociatedWithCommit({ ...place, commit_sha: sha, per_page: 100 }),
    ),
  );
  return found ?? [];
}

async function readListedPull({ read }: Inquiry, number: number): Promise<ListedPullRequest | null> {
  return await ignoreUnknown(read(({ rest }, place) => rest.pulls.get({ ...place, pull_number: number })));
}

/** Several pull requests may have one head: those for the default branch come first. */
function chooseOpen(pulls: readonly ListedPullRequest[], { project }: Inquiry): ListedPullRequest | null {
  const open = pulls.filter(({ state }) => state === 'open').toSorted((a, b) => a.number - b.number);
  return open.find(({ base }) => base.ref === project.source.defaultBranch) ?? open[0] ?? null;
}

/** A branch often outlives its pull request. */
async function findClosedAt({ read }: Inquiry, { sha, branch }: NotedPlace): Promise<ListedPullRequest | null> {
  const order = { state: 'closed', sort: 'updated', direction: 'desc' } as const;
  const closed = await read(({ rest }, place) =>
    rest.pulls.list({ ...place, head: `${place.owner}:${branch}`, ...order }),
  );
  return closed.find(({ head }) => head.sha === sha) ?? null;
}

/** GitHub finds no pull request by a commit that only a fork has, so the recently updated ones are searched. */
async function findForkPlace(
  inquiry: Inquiry,
  { sha, pullRequest = null }: NotedPlace,
): Promise<PullRequestPlace | null> {
  const order = { state: 'open', sort: 'updated', direction: 'desc' } as const;
  const { items } = await readPages(MAX_PAGES, (page) =>
    inquiry.read(({ rest }, place) => rest.pulls.list({ ...place, ...order, ...page })),
  );
  const open = chooseOpen(
    items.filter(({ head }) => head.sha === sha),
    inquiry,
  );
  if (open !== null) return await toOpenPlace(inquiry, open);
  const former = pullRequest === null ? null : await readListedPull(inquiry, pullRequest);
  return former?.state === 'closed' && former.head.sha === sha ? toClosedPlace(inquiry, former) : null;
}

interface QueueBranch {
  readonly base: string;
  readonly number: number;
  /** The commit that the pull request is tried on top of. */
  readonly baseSha: string;
}

const QUEUE = /^gh-readonly-queue\/(.+)\/pr-(\d{1,9})-([0-9a-f]{40})$/;
/** Events of this repository's own branches only. */
const OWN_EVENTS = new Set(['merge_group', 'push']);

function parseQueueBranch(branch: string): QueueBranch | null {
  const [, base, number, baseSha] = QUEUE.exec(branch) ?? [];
  if (base === undefined || number === undefined || baseSha === undefined) return null;
  return { base, number: Number(number), baseSha };
}

/**
 * A fork may use any branch name, and must not speak for another pull request: so the branch exists in this repository,
 * or Actions ran for it as for one of this repository.
 */
async function isQueued(inquiry: Inquiry, { sha, branch }: NotedPlace): Promise<boolean> {
  if ((await findTip(inquiry, branch)) === sha) return true;
  const of = { head_sha: sha, branch, per_page: 20 };
  const found = await ignoreRefused(
    inquiry.read(({ rest }, place) => rest.actions.listWorkflowRunsForRepo({ ...place, ...of })),
  );
  return (found?.workflow_runs ?? []).some(({ event, head_branch }) => OWN_EVENTS.has(event) && head_branch === branch);
}

async function findQueuePlace(inquiry: Inquiry, { base, number, baseSha }: QueueBranch): Promise<HeadPlace | null> {
  const pull = await readListedPull(inquiry, number);
  if (pull === null) return null;
  const place = pull.state === 'open' ? await toOpenPlace(inquiry, pull) : toClosedPlace(inquiry, pull);
  return { ...place, base: { branch: base, sha: baseSha }, isQueue: true };
}

async function toOpenPlace(inquiry: Inquiry, pull: ListedPullRequest): Promise<PullRequestPlace> {
  const place = toPullRequestPlace(inquiry, pull);
  // Nothing starts automatically for a fork, so its author's role isn't needed.
  if (place.isFork) return { ...place, isTrusted: false };
  return {
    ...place,
    isTrusted: await mayWrite(inquiry, place.isBot ? await findHeadPusher(inquiry, pull) : pull.user),
  };
}

/** Who pushed the head of a bot's pull request, by its first run: later ones may have been started by other people. */
async function findHeadPusher(inquiry: Inquiry, { head }: ListedPullRequest): Promise<GithubUser> {
  const isPush = ({ event, branch, isOwn }: WorkflowRun) =>
    isOwn && branch === head.ref && (event === 'push' || event === 'pull_request');
  const known = recallRuns(inquiry, head.sha)?.findLast(isPush);
  return (known ?? (await readWorkflowRuns(inquiry, head.sha)).findLast(isPush))?.actor ?? null;
}

function toClosedPlace(inquiry: Inquiry, pull: ListedPullRequest): PullRequestPlace {
  return { ...toPullRequestPlace(inquiry, pull), isTrusted: false, isClosed: true };
}

function toPullRequestPlace({ project }: Inquiry, { number, head, base, draft, user }: ListedPullRequest) {
  return {
    kind: 'pull_request' as const,
    number,
    branch: head.ref,
    base: { branch: base.ref, sha: base.sha },
    sha: head.sha,
    isQueue: false,
    isFork: head.repo?.id !== project.source.repositoryId,
    isDraft: draft === true,
    author: toPerson(user),
    ...(isBot(user) && { isBot: true }),
  };
}

/** Never a bot: every analysis is started by a person. */
async function mayWrite({ deps, project, signal }: Inquiry, user: GithubUser): Promise<boolean> {
  const person = toPerson(user);
  if (person === null || isBot(user)) return false;
  return isAtLeast(await deps.permissions.roleOfPerson(person, project, signal), 'write');
}

/** Who pushed or merged the commit. Null: not known, such as where other CI tests a push without a pull request. */
async function findPusher(inquiry: Inquiry, sha: string): Promise<Person | null> {
  const isPush = (run: WorkflowRun) => run.event === 'push' && isOfDefault(inquiry, run);
  const known = recallRuns(inquiry, sha)?.find(isPush);
  const push = known ?? (await readWorkflowRuns(inquiry, sha)).find(isPush);
  if (push?.actor && (await mayWrite(inquiry, push.actor))) return toPerson(push.actor);
  const merger = await findMerger(inquiry, sha);
  return merger && (await mayWrite(inquiry, merger)) ? toPerson(merger) : null;
}

/** Of the pull request that became this very commit. */
async function findMerger(inquiry: Inquiry, sha: string): Promise<GithubUser> {
  const { defaultBranch } = inquiry.project.source;
  const merged = (await listPullsOfCommit(inquiry, sha)).find(
    ({ merged_at: at, merge_commit_sha: to, base }) => Boolean(at) && to === sha && base.ref === defaultBranch,
  );
  if (merged === undefined) return null;
  const pull = await ignoreUnknown(
    inquiry.read(({ rest }, place) => rest.pulls.get({ ...place, pull_number: merged.number })),
  );
  return pull?.merged_by;
}
