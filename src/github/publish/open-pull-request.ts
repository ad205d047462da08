// The pull request of a result: branch, one commit, draft. Each is looked for before it is made, so that none is ever made twice.

import { isAtLeast } from '../../core/account.ts';
import { getRepository } from '../../core/project.ts';
import type { SourcedIssue } from '../../core/shown-issue.ts';
import type { Person, PostedPullRequest, Subject, ThreadRecord } from '../../core/thread.ts';
import { type GithubCaller, GithubFailure } from '../clients/github-clients.ts';
import { renderCommitMessage, renderPullRequest } from '../render/pull-request.ts';

import { keepRecentPosts } from './decide.ts';
import { createRefusal, describeMended, toClosingTime } from './fix-standing.ts';
import { recoverFrom } from './github-calls.ts';
import { sealed } from './marker.ts';
import type { BranchHead, CommitFiles, CommitMessage, LivePullRequest } from './outbox.ts';
import { proveChange } from './prove-change.ts';
import type { Result, Work } from './view.ts';
import { toPlace } from './wanted-comment.ts';

/** The record with the pull request, or with the reason why there is none. */
export async function openPullRequest(work: Work): Promise<ThreadRecord> {
  const { result } = work.view;
  if (result === null) return work.view.record;
  return await recoverFrom(
    ['refused'],
    () => open(work, result),
    (error) => {
      work.deps.log.warn({ thread: work.view.thread.id, err: error }, 'GitHub refused a pull request');
      const status = error.status === null ? '' : ` (${error.status})`;
      return recordWithheld(
        work,
        `GitHub refused it${status}: a rule of the repository, or a permission that Causeway was not given.`,
      );
    },
  );
}

async function open(work: Work, result: Result): Promise<ThreadRecord> {
  const { issue } = result;
  const made = await findMade(work, issue);
  if (made !== null) return recordPullRequest(work, made, issue);
  const ground = await mayOpen(work);
  if (ground.kind === 'withheld') return recordWithheld(work, ground.reason);
  const change = await prepareChange(work, result, ground);
  if (change.kind === 'withheld') return recordWithheld(work, change.reason);
  if (!(await isStillAsked(work))) return work.view.record;
  const branch = await prepareBranch(work, issue, ground);
  if (branch === null) return recordWithheld(work, 'its branch name is taken. `/analyse retry` chooses another.');
  if (!branch.isCommitted) await commit(work, { issue, branch: branch.name, head: branch.head, files: change.files });
  const { title, body } = renderPullRequest({
    place: toPlace(work.view, 'pull-request'),
    issue,
    requestedBy: work.view.thread.fixRequest?.login ?? '',
    commentUrl: work.view.record.comment?.url ?? '',
    attempt: null,
    checks: 'waiting',
    ...describeMended(work.view, issue),
  });
  const request = await work.outbox.openPullRequest(
    { branch: branch.name, base: ground.base, title, body: sealed(body), isDraft: work.view.config.pullRequest.draft },
    work.signal,
  );
  return recordPullRequest(work, request, issue);
}

/** GitHub takes its time to answer: who asked for this result has not asked for a newer one. */
async function isStillAsked({ deps, view }: Work): Promise<boolean> {
  const now = await deps.store.findThread(view.thread.id);
  return now !== null && now.investigationId === view.storedInvestigationId && now.fixRequest !== null;
}

/** One that was opened before we could record it, whatever has become of it since; not the closed one in whose place another is asked for. */
async function findMade({ outbox, view, signal }: Work, issue: SourcedIssue): Promise<LivePullRequest | null> {
  for (const name of listBranchNames(view.thread.subject, issue.id)) {
    const head = await outbox.branch(name, signal);
    if (head === null) return null;
    if (readCarriedIssue(head, view.thread.id) !== issue.id) continue;
    const found = await outbox.pullRequestOf(name, signal);
    return found !== null && found.state !== 'open' && found.number === view.record.pullRequest?.number ? null : found;
  }
  return null;
}

type Change = Awaited<ReturnType<typeof proveChange>>;

/** The files of a commit that stands on `sha`, the head of `base`. */
export async function prepareChange(
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
  return await proveChange({ repository, changeSet, head, elsewhere, paths, redact }, signal);
}

interface Branch {
  readonly name: string;
  readonly head: string;
  /** Our commit stands on it already. */
  readonly isCommitted: boolean;
}

/** Null where all names are somebody else's. */
async function prepareBranch(
  { outbox, view, signal }: Work,
  issue: SourcedIssue,
  { base, sha }: { readonly base: string; readonly sha: string },
): Promise<Branch | null> {
  for (const name of listBranchNames(view.thread.subject, issue.id)) {
    const head = await outbox.branch(name, signal);
    if (head === null) {
      await outbox.createBranch(name, sha, signal);
      return { name, head: sha, isCommitted: false };
    }
    if (readCarriedIssue(head, view.thread.id) === issue.id) return { name, head: head.sha, isCommitted: true };
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
  readonly issue: SourcedIssue;
  readonly branch: string;
  readonly head: string;
  readonly files: CommitFiles;
}

/** Full sha of the new commit. */
export function commit({ outbox, view, signal }: Work, { issue, branch, head, files }: Commit): Promise<string> {
  const { id: threadId, subject } = view.thread;
  const message = addTrailers(renderCommitMessage(issue, subject), { threadId, issueId: issue.id });
  return outbox.commit({ branch, expectedHead: head, message, files }, signal);
}

function recordPullRequest({ view, deps }: Work, live: LivePullRequest, issue: SourcedIssue): ThreadRecord {
  const now = deps.now();
  const pullRequest: PostedPullRequest = {
    ...{ number: live.number, url: live.url, nodeId: live.nodeId, branch: live.branch, base: live.base },
    ...{ headSha: live.headSha, issueId: issue.id, state: live.state, checks: 'waiting' },
    ...{ attempts: [], handedOver: null },
    ...(view.failure !== null && { range: view.failure.range }),
    ...(view.thread.fixRequest !== null && { requestedBy: view.thread.fixRequest }),
    ...(live.closedAt !== null && { closedAt: toClosingTime(live, now) }),
  };
  const posts = [...keepRecentPosts(view.record.posts, now), now.toISOString()];
  return { ...view.record, pullRequest, withheld: null, posts };
}

function recordWithheld({ view }: Work, reason: string): ThreadRecord {
  return { ...view.record, withheld: createRefusal(view.thread, reason) };
}

/** The branch that a pull request is to be merged into, and where it stands. */
type Ground =
  /** `analysed`: the default branch, where the base is another one that the configuration names; null otherwise. */
  | { readonly kind: 'base'; readonly base: string; readonly sha: string; readonly analysed: string | null }
  | { readonly kind: 'withheld'; readonly reason: string };

type Place = ReturnType<typeof getRepository>;

interface Asking {
  readonly caller: GithubCaller;
  readonly place: Place;
  readonly signal: AbortSignal;
}

const RIVALS = `query ($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) {
    issue(number: $number) {
      closedByPullRequestsReferences(first: 20) { nodes { number state headRefName author { __typename } } }
    }
  }
}`;

interface Rivals {
  readonly repository: {
    readonly issue: {
      readonly closedByPullRequestsReferences: { readonly nodes: readonly (Rival | null)[] | null } | null;
    } | null;
  } | null;
}

interface Rival {
  readonly number: number;
  readonly state: string;
  readonly headRefName: string;
  readonly author: { readonly __typename: string } | null;
}

async function mayOpen(work: Work): Promise<Ground> {
  const { deps, view, signal } = work;
  const { subject } = view.thread;
  const place = getRepository(view.project);
  const asking: Asking = { caller: deps.clients.repository(view.project.source, 'read'), place, signal };
  const { data } = await asking.caller.call(({ rest }, request) => rest.repos.get({ ...place, request }), signal);
  if (data.archived) return withhold('the repository is archived.');
  if (!(await mayStillWrite(work, view.thread.fixRequest)))
    return withhold('whoever asked for it has no write access (any more).');
  const own = await findOwnOpen(work);
  if (own !== null) return withhold(`#${own} of an earlier analysis is still open. Close it, then \`/analyse retry\`.`);
  const against = await checkSubject(work, asking, subject);
  if (against !== null) return withhold(against);
  const base = subject.kind === 'failure' ? data.default_branch : view.config.pullRequest.base || data.default_branch;
  const ground = await findBase(asking, subject, base);
  const isOther = ground.kind === 'base' && subject.kind !== 'pull_request' && base !== data.default_branch;
  return isOther ? { ...ground, analysed: data.default_branch } : ground;
}

/** Asked anew before everything that runs the repository's CI with its secrets. */
export async function mayStillWrite({ deps, view, signal }: Work, person: Person | null): Promise<boolean> {
  return person !== null && isAtLeast(await deps.permissions.roleNow(person, view.project, signal), 'write');
}

/** Number of a pull request of ours for the same subject, be it recorded or not. That of this very result has been looked for before. */
async function findOwnOpen({ outbox, view, signal }: Work): Promise<number | null> {
  const { thread, record } = view;
  const known = record.pullRequest;
  if (known?.state === 'open') return known.number;
  // People may have opened it again.
  if (known && (await outbox.pullRequest(known.number, signal))?.state === 'open') return known.number;
  const prefix = toBranchPrefix(thread.subject);
  for (const name of prefix === null ? [] : await outbox.branchesNamed(prefix, signal)) {
    const head = await outbox.branch(name, signal);
    if (head === null || readCarriedIssue(head, thread.id) === null) continue;
    const found = await outbox.pullRequestOf(name, signal);
    if (found?.state === 'open') return found.number;
  }
  return null;
}

function withhold(reason: string): Ground {
  return { kind: 'withheld', reason };
}

async function checkSubject({ deps }: Work, asking: Asking, subject: Subject): Promise<string | null> {
  if (subject.kind === 'issue') return await checkIssue(asking, subject.number);
  if (subject.kind !== 'failure') return null;
  // As it is by now: it may have turned green while GitHub was asked.
  const failure = await deps.store.findFailure(subject.failureId);
  return failure?.state === 'open' ? null : 'the checks are green again: nothing is left to mend.';
}

async function checkIssue({ caller, place, signal }: Asking, number: number): Promise<string | null> {
  const { data } = await caller.call(
    ({ rest }, request) => rest.issues.get({ ...place, issue_number: number, request }),
    signal,
  );
  if (data.state !== 'open') return 'the issue was closed meanwhile.';
  const found = await caller.call(
    (octokit, request) => octokit.graphql<Rivals>(RIVALS, { ...place, number, request }),
    signal,
  );
  const nodes = found.repository?.issue?.closedByPullRequestsReferences?.nodes ?? [];
  const rival = nodes.find((one) => one?.state === 'OPEN' && !isOwn(one));
  return rival ? `#${rival.number} is already open for this issue.` : null;
}

/** Ours is found again by its branch, and then taken over. */
function isOwn({ headRefName, author }: Rival): boolean {
  return isOurBranch(headRefName) && author?.__typename === 'Bot';
}

/** On a pull request the change goes on top of its branch, if that is in this repository. */
async function findBase(asking: Asking, subject: Subject, base: string): Promise<Ground> {
  if (subject.kind !== 'pull_request') return await readHead(asking, base);
  const { caller, place, signal } = asking;
  const { data } = await caller.call(
    ({ rest }, request) => rest.pulls.get({ ...place, pull_number: subject.number, request }),
    signal,
  );
  if (data.state !== 'open') return withhold('the pull request was closed meanwhile.');
  if (data.head.repo?.id !== data.base.repo.id) return withhold('its branch is in a fork, to which nothing is pushed.');
  return await readHead(asking, data.head.ref);
}

async function readHead({ caller, place, signal }: Asking, base: string): Promise<Ground> {
  try {
    const { data } = await caller.call(
      ({ rest }, request) => rest.git.getRef({ ...place, ref: `heads/${base}`, request }),
      signal,
    );
    return { kind: 'base', base, sha: data.object.sha, analysed: null };
  } catch (error) {
    if (!(error instanceof GithubFailure) || error.status !== 404) throw error;
    return withhold(`there is no branch \`${base.replaceAll('`', '')}\`.`);
  }
}

const PREFIX = 'causeway/';

const SHORT = 6;

const NAMES = 3;

/** In the order in which they are tried: somebody else may have one of that name. */
export function listBranchNames(subject: Subject, issueId: string): readonly string[] {
  const random = issueId.slice(issueId.indexOf('_') + 1).replace(/[^0-9A-Za-z]/g, '');
  return Array.from({ length: NAMES }, (_, index) => {
    const short = random.slice(index * SHORT, (index + 1) * SHORT);
    return `${PREFIX}${describeSubject(subject)}-${short}`;
  });
}

/** What the names of all branches for this subject begin with; null where each has a name of its own. */
function toBranchPrefix(subject: Subject): string | null {
  return subject.kind === 'report' ? null : `${PREFIX}${describeSubject(subject)}-`;
}

export function isOurBranch(name: string): boolean {
  return name.startsWith(PREFIX);
}

function describeSubject(subject: Subject): string {
  switch (subject.kind) {
    case 'issue':
      return `issue-${subject.number}`;
    case 'pull_request':
      return `pull-${subject.number}`;
    case 'failure':
    case 'report':
      return subject.kind;
  }
}

interface Carries {
  readonly threadId: string;
  readonly issueId: string;
}

/** What makes CI leave a commit out. */
const SKIPS = /\[(skip|no|ci|actions)([ -])(ci|skip|actions)\]/gi;

export function addTrailers({ headline, body }: CommitMessage, { threadId, issueId }: Carries): CommitMessage {
  const text = body
    .replace(SKIPS, '($1$2$3)')
    .replace(/^skip-checks:/gim, 'skip checks:')
    .trimEnd();
  const trailers = `Causeway-Thread: ${threadId}\nCauseway-Issue: ${issueId}`;
  return { headline: headline.replace(SKIPS, '($1$2$3)'), body: text === '' ? trailers : `${text}\n\n${trailers}` };
}

/** The Issue that the commit carries out; null where it is not ours, or another thread's. */
export function readCarriedIssue(head: BranchHead, threadId: string): string | null {
  const [, thread, issue] =
    /^Causeway-Thread: (thr_[0-9A-Za-z]+)\nCauseway-Issue: (iss_[0-9A-Za-z]+)\s*$/m.exec(head.message) ?? [];
  return head.isOurs && thread === threadId && issue !== undefined ? issue : null;
}
