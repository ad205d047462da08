// The pull request of a result: branch, one commit, draft. Each is looked for before it is made, so that none is ever made twice.
import type { Issue } from '../../core/issue.ts';
import type { PostedPullRequest, ThreadRecord } from '../../core/thread.ts';
import { GithubFailure } from '../clients/github-clients.ts';
import { commitMessage } from '../render/commit-message.ts';
import { pullRequestText } from '../render/pull-request-text.ts';
import { behind } from './behind.ts';
import { branchNames } from './branch-name.ts';
import { changeToPublish } from './change-to-publish.ts';
import { issueCarriedBy, withTrailers } from './commit-trailers.ts';
import type { Result, Work } from './deps.ts';
import { recentPosts } from './desired.ts';
import { closingTime, refusal } from './fix-request.ts';
import { sealed } from './marker.ts';
import { type Ground, mayOpen } from './may-open.ts';
import type { CommitFiles, LivePullRequest } from './outbox.ts';
import { placeOf } from './place-of.ts';

/** The record with the pull request, or with the reason why there is none. */
export async function openPullRequest(work: Work): Promise<ThreadRecord> {
  const { result } = work.view;
  if (result === null) return work.view.record;
  try {
    return await open(work, result);
  } catch (error) {
    if (!(error instanceof GithubFailure) || error.kind !== 'refused') throw error;
    work.deps.log.warn({ thread: work.view.thread.id, err: error }, 'GitHub refused a pull request');
    const status = error.status === null ? '' : ` (${error.status})`;
    return withheld(
      work,
      `GitHub refused it${status}: a rule of the repository, or a permission that Causeway was not given.`,
    );
  }
}

async function open(work: Work, result: Result): Promise<ThreadRecord> {
  const { issue } = result;
  const made = await findMade(work, issue);
  if (made !== null) return recorded(work, made, issue);
  const ground = await mayOpen(work);
  if (ground.kind === 'withheld') return withheld(work, ground.reason);
  const change = await changeFor(work, result, ground);
  if (change.kind === 'withheld') return withheld(work, change.reason);
  if (!(await isStillAsked(work))) return work.view.record;
  const branch = await preparedBranch(work, issue, ground);
  if (branch === null) return withheld(work, 'its branch name is taken. `/analyse retry` chooses another.');
  if (!branch.isCommitted) await commit(work, { issue, branch: branch.name, head: branch.head, files: change.files });
  const { title, body } = pullRequestText({
    place: placeOf(work.view, 'pull-request'),
    issue,
    requestedBy: work.view.thread.fixRequest?.login ?? '',
    commentUrl: work.view.record.comment?.url ?? '',
    attempt: null,
    checks: 'waiting',
    ...behind(work.view, issue),
  });
  const request = await work.outbox.openPullRequest(
    { branch: branch.name, base: ground.base, title, body: sealed(body), isDraft: work.view.config.pullRequest.draft },
    work.signal,
  );
  return recorded(work, request, issue);
}

/** GitHub takes its time to answer: who asked for this result has not asked for a newer one. */
async function isStillAsked({ deps, view }: Work): Promise<boolean> {
  const now = await deps.store.thread(view.thread.id);
  return now !== null && now.investigationId === view.storedInvestigationId && now.fixRequest !== null;
}

/** One that was opened before we could record it, whatever has become of it since; not the closed one in whose place another is asked for. */
async function findMade({ outbox, view, signal }: Work, issue: Issue): Promise<LivePullRequest | null> {
  for (const name of branchNames(view.thread.subject, issue.id)) {
    const head = await outbox.branch(name, signal);
    if (head === null) return null;
    if (issueCarriedBy(head, view.thread.id) !== issue.id) continue;
    const found = await outbox.pullRequestOf(name, signal);
    return found !== null && found.state !== 'open' && found.number === view.record.pullRequest?.number ? null : found;
  }
  return null;
}

type Change = Awaited<ReturnType<typeof changeToPublish>>;

/** The files of a commit that stands on `sha`, the head of `base`. */
export async function changeFor(
  { deps, view, signal }: Work,
  { changeSet }: Result,
  { sha: head, base, analysed }: Omit<Extract<Ground, { kind: 'base' }>, 'kind'>,
): Promise<Change> {
  if (changeSet === null) return { kind: 'withheld', reason: 'the change was erased.' };
  const repository = await deps.source.open(view.project, signal);
  for (const sha of [head, changeSet.base]) {
    if (await repository.bring(sha, signal)) continue;
    return {
      kind: 'withheld',
      reason: `commit ${sha.slice(0, 7)} cannot be read any more. \`/analyse retry\` looks again.`,
    };
  }
  const { paths } = view.config;
  const redact = (text: string) => deps.redactor.redact(text);
  const elsewhere = analysed === null ? null : { base, analysed };
  return await changeToPublish({ repository, changeSet, head, elsewhere, paths, redact }, signal);
}

interface Branch {
  readonly name: string;
  readonly head: string;
  /** Our commit stands on it already. */
  readonly isCommitted: boolean;
}

/** Null where all names are somebody else's. */
async function preparedBranch(
  { outbox, view, signal }: Work,
  issue: Issue,
  { base, sha }: { readonly base: string; readonly sha: string },
): Promise<Branch | null> {
  for (const name of branchNames(view.thread.subject, issue.id)) {
    const head = await outbox.branch(name, signal);
    if (head === null) {
      await outbox.createBranch(name, sha, signal);
      return { name, head: sha, isCommitted: false };
    }
    if (issueCarriedBy(head, view.thread.id) === issue.id) return { name, head: head.sha, isCommitted: true };
    if (head.sha === sha) return { name, head: sha, isCommitted: false };
    // Made before a crash, and the base has moved on since.
    if (await outbox.isPartOf(name, base, signal)) {
      await outbox.moveBranch(name, sha, signal);
      return { name, head: sha, isCommitted: false };
    }
  }
  return null;
}

interface Commit {
  readonly issue: Issue;
  readonly branch: string;
  readonly head: string;
  readonly files: CommitFiles;
}

/** Full sha of the new commit. */
export function commit({ outbox, view, signal }: Work, { issue, branch, head, files }: Commit): Promise<string> {
  const { id: threadId, subject } = view.thread;
  const message = withTrailers(commitMessage(issue, subject), { threadId, issueId: issue.id });
  return outbox.commit({ branch, expectedHead: head, message, files }, signal);
}

function recorded({ view, deps }: Work, live: LivePullRequest, issue: Issue): ThreadRecord {
  const now = deps.now();
  const pullRequest: PostedPullRequest = {
    ...{ number: live.number, url: live.url, nodeId: live.nodeId, branch: live.branch, base: live.base },
    ...{ headSha: live.headSha, issueId: issue.id, state: live.state, checks: 'waiting' },
    ...{ attempts: [], handedOver: null },
    ...(view.failure !== null && { range: view.failure.range }),
    ...(view.thread.fixRequest !== null && { requestedBy: view.thread.fixRequest }),
    ...(live.closedAt !== null && { closedAt: closingTime(live, now) }),
  };
  const posts = [...recentPosts(view.record.posts, now), now.toISOString()];
  return { ...view.record, pullRequest, withheld: null, posts };
}

function withheld({ view }: Work, reason: string): ThreadRecord {
  return { ...view.record, withheld: refusal(view.thread, reason) };
}
