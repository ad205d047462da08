// The pull request of a result: branch, first commit, draft. Each is looked for before it is made, so that none is made twice.

import type { ChangeSet } from 'causeway-diff';
import { ChecksClosed } from '../../core/check/index.ts';
import type { SourcedIssue } from '../../core/issue/index.ts';
import { findScopeOf, isAtLeast, type Person } from '../../core/project/index.ts';
import { type ChangeParts, type NotRun, type ProofProgress, splitChange } from '../../core/proof/index.ts';
import type { PostedPullRequest, Subject, Thread, ThreadRecord, WithheldReason } from '../../core/thread/index.ts';
import { ignoreUnknown, openRepository, type RepositoryCaller, recoverFrom } from '../clients/index.ts';
import { renderCommitMessage, renderPullRequest, renderTestCommitMessage, type ShownProof } from '../render/index.ts';
import { toPlace } from './decide.ts';
import { createRefusal, describeFixed, toClosingTime } from './decide-fix.ts';
import type { BranchHead, CommitFiles, LivePullRequest, NewCommitMessage } from './github-writer.ts';
import { sealText } from './marker.ts';
import { countPost } from './post-comments.ts';
import { type PublishableChange, proveChange } from './prove-change.ts';
import type { Result, View, Work } from './view.ts';

interface WithheldChange {
  readonly kind: 'withheld';
  readonly reason: WithheldReason;
}

/** The branch that a pull request is merged into, and its head. */
interface Base {
  readonly kind: 'base';
  readonly branch: string;
  readonly sha: string;
  /** The default branch, which was analysed, if the configuration names another base; null otherwise. */
  readonly analysed: string | null;
}

interface PreparedPullRequest {
  readonly kind: 'prepared';
  readonly base: Base;
  readonly files: CommitFiles;
  readonly plan: ProofPlan;
  readonly title: string;
  readonly body: string;
}

const PREFIX = 'causeway/';
const SHORT_ID = 6;
const MOST_NAMES = 3;

/** The record with the pull request, or with the reason why there is none. */
export async function openPullRequest(work: Work): Promise<ThreadRecord> {
  const { view, deps } = work;
  const { result } = view;
  if (result === null) return view.record;
  const opened = await recoverFrom<Opened | WithheldChange | null>(
    ['refused'],
    () => open(work, result),
    async (error) => {
      // A setting, which the comment names: no fault.
      if (NOT_BY_ACTIONS.test(error.said)) return await leaveNoBranch(work, result.issue);
      deps.log.warn({ thread: view.thread.id, err: error }, 'GitHub refused a pull request');
      return withhold({ code: 'github_refused', status: error.status });
    },
  );
  if (opened === null) return view.record;
  if (opened.kind === 'withheld') return { ...view.record, withheld: createRefusal(view.thread, opened.reason) };
  const { live, proof } = opened;
  const pullRequest: PostedPullRequest = {
    number: live.number,
    url: live.url,
    nodeId: live.nodeId,
    branch: live.branch,
    base: live.base,
    headSha: live.headSha,
    issueId: result.issue.id,
    state: live.state,
    checks: 'waiting',
    attempts: [],
    handedOver: null,
    ...(view.failure !== null && { range: view.failure.range }),
    ...(view.thread.fixRequest !== null && { requestedBy: view.thread.fixRequest }),
    ...(live.closedAt !== null && { closedAt: toClosingTime(live, deps.now()) }),
    ...(proof !== null && { proof }),
  };
  return { ...view.record, pullRequest, withheld: null, posts: countPost(work) };
}

/** How GitHub says that the setting is off, which it does only when the branch is there. */
const NOT_BY_ACTIONS = /not permitted to create or approve pull requests/i;

async function leaveNoBranch({ github, view }: Work, issue: SourcedIssue): Promise<WithheldChange> {
  for (const name of listBranchNames(view.thread.subject, issue.id)) {
    const head = await github.readBranch(name);
    if (head !== null && readIssueOf(head, view.thread.id) === issue.id) await github.deleteBranch(name);
  }
  return withhold({ code: 'not_by_actions' });
}

/** Null: it isn't requested any more. */
async function open(work: Work, result: Result): Promise<Opened | WithheldChange | null> {
  const { github, view, deps } = work;
  const { issue } = result;
  const made = await findMade(work, issue);
  if (made !== null) return await addProof(work, result, made);
  const prepared = await preparePullRequest(work, result);
  if (prepared.kind === 'withheld') return prepared;
  // GitHub takes its time to answer, and a request for this result isn't one for a newer result.
  const now = await deps.store.findThread(view.thread.id);
  if (now?.investigationId !== view.storedInvestigationId || now.fixRequest === null) return null;
  const { base, files, plan, title, body } = prepared;
  const branch = await prepareBranch(work, issue, base);
  if (branch === null) return withhold({ code: 'branch_taken' });
  if (!branch.isCommitted) {
    const first = await prepareFirst(work, { issue, parts: plan.kind === 'parts' ? plan.parts : null, base, files });
    await commitChange(work, issue, { branch: branch.name, head: branch.head, ...first });
  }
  const isDraft = view.config.pullRequest.draft;
  const request = { branch: branch.name, base: base.branch, title, body: sealText(body), isDraft };
  const live = await github.openPullRequest(request);
  return await addProof(work, result, live);
}

interface First {
  readonly issue: SourcedIssue;
  readonly parts: ChangeParts | null;
  readonly base: Base;
  /** Of the whole change. */
  readonly files: CommitFiles;
}

/** The first commit: the tests alone where they are to prove the fix. */
async function prepareFirst(
  work: Work,
  { issue, parts, base, files }: First,
): Promise<Pick<NewPart, 'files' | 'part'>> {
  const test = parts === null ? null : await prepareChange(work, { issue, changeSet: parts.test }, base);
  return test?.kind === 'files' ? { files: test.files, part: 'test' } : { files, part: 'whole' };
}

interface Opened {
  readonly kind: 'opened';
  readonly live: LivePullRequest;
  readonly proof: ProofProgress | null;
}

/** `parts`: the tests are to run without the fix first. Otherwise it is one commit. */
type ProofPlan =
  | { readonly kind: 'parts'; readonly parts: ChangeParts }
  | { readonly kind: 'not_run'; readonly because: NotRun; readonly tests: readonly string[] }
  /** There is nothing to prove it with, or that isn't wanted. */
  | { readonly kind: 'none' };

async function planProof(work: Work, { changeSet }: Result, sha: string): Promise<ProofPlan> {
  const { view } = work;
  const { proof } = view.config.pullRequest;
  const { kind } = view.thread.subject;
  // A fix for failing checks has them as its red half.
  const isOfChecks = kind === 'failure' || kind === 'pull_request';
  const parts = proof === 'off' || isOfChecks || changeSet === null ? null : splitChange(changeSet);
  if (parts === null) return { kind: 'none' };
  const because = await findHeadObstacle(work, sha);
  if (because === null) return { kind: 'parts', parts };
  return { kind: 'not_run', because, tests: parts.test.files.map(({ path }) => path) };
}

async function findHeadObstacle(work: Work, sha: string): Promise<NotRun | null> {
  const { config, seesChecks } = work.view;
  if (!config.pullRequest.draft) return 'drafts_off';
  if ((await work.deps.clients.identity(work.signal)).isShared) return 'own_token';
  if (!seesChecks) return 'unseen';
  return (await hasCi(work, sha)) ? null : 'no_ci';
}

/** Without any, the pull request would only wait for it. */
async function hasCi({ deps, view, signal }: Work, sha: string): Promise<boolean> {
  try {
    if ((await deps.checks.listAll(view.project, sha, signal)).length > 0) return true;
  } catch (error) {
    if (!(error instanceof ChecksClosed)) throw error;
  }
  const repository = await deps.source.open(view.project, signal);
  const { entries } = await repository.tree(sha).files(signal);
  return entries.some(({ path }) => CI_FILE.test(path));
}

const CI_FILE =
  /^(?:\.github\/workflows\/|\.circleci\/|\.buildkite\/|\.woodpecker|\.(?:travis|cirrus|drone|appveyor)\.yml$|appveyor\.yml$|azure-pipelines\.yml$|Jenkinsfile$)/;

/** Whether its proof has begun follows from the commit at its head, so that this is known after a crash as well. */
async function addProof(work: Work, result: Result, live: LivePullRequest): Promise<Opened> {
  const { github, deps } = work;
  const head = live.state === 'open' ? await github.readBranch(live.branch) : null;
  const [base] = head?.parents ?? [];
  if (head === null || base === undefined) return { kind: 'opened', live, proof: null };
  if (readPart(head) !== 'test') {
    const plan = await planProof(work, result, base);
    return { kind: 'opened', live, proof: plan.kind === 'not_run' ? toUnrun(plan, base, head.sha) : null };
  }
  const commits = { base, testCommit: head.sha };
  const since = deps.now().toISOString();
  const because = hasTestGuard(result.issue) ? 'guarded' : live.isDraft ? null : 'no_drafts';
  const proof: ProofProgress =
    because === null
      ? { ...commits, phase: 'red', since, hasRepeated: false }
      : { ...commits, phase: 'judged', outcome: { kind: 'ended', verdict: { state: 'not_run', because } } };
  return { kind: 'opened', live: { ...live, headSha: head.sha }, proof };
}

/** Whether the change touches what decides which tests run, or what they expect: then passing checks prove nothing. */
export function hasTestGuard({ analysis }: SourcedIssue): boolean {
  return analysis.guards.some(({ rule }) => /^person\/(?!large|hidden-text)/.test(rule));
}

function toUnrun(
  { because, tests }: Extract<ProofPlan, { readonly kind: 'not_run' }>,
  base: string,
  fixCommit: string,
): ProofProgress {
  const verdict = { state: 'not_run', because, tests } as const;
  return { base, testCommit: '', phase: 'ended', fixCommit, verdict, diffHash: '' };
}

/** What the first body says of the proof. The fix has no commit yet, which the text doesn't name. */
function describePlan(plan: ProofPlan, base: string): ShownProof {
  if (plan.kind === 'not_run') return toUnrun(plan, base, '');
  return plan.kind === 'parts' ? 'opening' : null;
}

/** Writes nothing. */
export async function preparePullRequest(work: Work, result: Result): Promise<PreparedPullRequest | WithheldChange> {
  const { view } = work;
  const { issue } = result;
  const base = await findBaseOfChange(work, result);
  if (base.kind === 'withheld') return base;
  const change = await prepareChange(work, result, base);
  if (change.kind === 'withheld') return change;
  const plan = await planProof(work, result, base.sha);
  const text = renderPullRequest({
    place: toPlace(view, 'pull-request'),
    issue,
    requestedBy: view.thread.fixRequest?.login ?? '',
    commentUrl: view.record.comment?.url ?? '',
    attempt: null,
    checks: 'waiting',
    ...describeFixed(view, issue, null),
    proof: describePlan(plan, base.sha),
  });
  return { kind: 'prepared', base, files: change.files, plan, ...text };
}

/** The pull request of this result that was opened but not recorded; not a closed one after which another was requested. */
async function findMade({ github, view }: Work, issue: SourcedIssue): Promise<LivePullRequest | null> {
  for (const name of listBranchNames(view.thread.subject, issue.id)) {
    const head = await github.readBranch(name);
    if (head === null) return null;
    if (readIssueOf(head, view.thread.id) !== issue.id) continue;
    const found = await github.findPullRequest(name);
    return found?.state !== 'open' && found?.number === view.record.pullRequest?.number ? null : found;
  }
  return null;
}

/** The files of a commit on top of the base. */
export async function prepareChange(
  { deps, view, signal }: Work,
  { changeSet }: Result,
  { branch, sha: head, analysed }: Omit<Base, 'kind'>,
): Promise<PublishableChange> {
  if (changeSet === null) return withhold({ code: 'change_deleted' });
  const repository = await deps.source.open(view.project, signal);
  for (const sha of [head, changeSet.base]) {
    if (await repository.ensureCommit(sha, signal)) continue;
    return withhold({ code: 'commit_gone', sha });
  }
  const { paths } = view.config;
  const redact = (text: string) => deps.redactor.redact(text);
  const otherBase = analysed === null ? null : { base: branch, analysed };
  return await proveChange({ repository, changeSet, head, otherBase, paths, redact }, signal);
}

/** Null: all names are taken by others. */
async function prepareBranch(
  { github, view }: Work,
  issue: SourcedIssue,
  { branch: base, sha }: Base,
): Promise<{ readonly name: string; readonly head: string; readonly isCommitted: boolean } | null> {
  for (const name of listBranchNames(view.thread.subject, issue.id)) {
    const head = await github.readBranch(name);
    if (head === null) {
      await github.createBranch(name, sha);
      return { name, head: sha, isCommitted: false };
    }
    if (readIssueOf(head, view.thread.id) === issue.id) return { name, head: head.sha, isCommitted: true };
    if (head.sha === sha) return { name, head: sha, isCommitted: false };
    // Made before a crash, and the base has moved on since.
    if (await github.isPartOf(name, base)) {
      await github.moveBranch(name, sha);
      return { name, head: sha, isCommitted: false };
    }
  }
  return null;
}

/** `test`: CI runs it without the fix. */
type ChangePart = 'whole' | 'test' | 'fix';

interface NewPart {
  readonly branch: string;
  readonly head: string;
  readonly files: CommitFiles;
  readonly part: ChangePart;
}

/** Full sha of the new commit. */
export function commitChange(
  { github, view }: Work,
  issue: SourcedIssue,
  { branch, head, files, part }: NewPart,
): Promise<string> {
  const words = part === 'test' ? renderTestCommitMessage(issue) : renderCommitMessage(issue, view.thread.subject);
  const message = addTrailers(words, view.thread.id, issue.id, part);
  return github.commit({ branch, expectedHead: head, message, files });
}

function withhold(reason: WithheldReason): WithheldChange {
  return { kind: 'withheld', reason };
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
      readonly closedByPullRequestsReferences: {
        readonly nodes:
          | readonly ({
              readonly number: number;
              readonly state: string;
              readonly headRefName: string;
              readonly author: { readonly __typename: string } | null;
            } | null)[]
          | null;
      } | null;
    } | null;
  } | null;
}

/** All that can be said against a pull request, and where it would go otherwise. */
async function findBaseOfChange(work: Work, { changeSet }: Result): Promise<Base | WithheldChange> {
  const { deps, view, signal } = work;
  const { subject, fixRequest } = view.thread;
  const read = openRepository(deps, view.project, 'read', signal);
  const { archived, default_branch: main } = await read(({ rest }, place) => rest.repos.get({ ...place }));
  if (archived) return withhold({ code: 'archived' });
  if (!(await mayStillWrite(work, fixRequest))) {
    return withhold({ code: 'no_write_access' });
  }
  const own = await findOwnOpen(work);
  if (own !== null) {
    return withhold({ code: 'earlier_open', number: own });
  }
  if (subject.kind === 'pull_request') return await findStackedBase(read, subject.number);
  if (subject.kind === 'failure') {
    // It may have been fixed during the calls above.
    const failure = await deps.store.findFailure(subject.failureId);
    if (failure?.state !== 'open') return withhold({ code: 'checks_pass' });
    return await readBase(read, main, null);
  }
  const reason = subject.kind === 'issue' ? await findRival(read, subject.number) : null;
  if (reason !== null) return withhold(reason);
  const base = chooseBase(view.config, changeSet) || main;
  return await readBase(read, base, base === main ? null : main);
}

/** That of the scope that has all changed files, or else that of the repository; "": the default branch. */
function chooseBase({ scopes, pullRequest }: View['config'], changeSet: ChangeSet | null): string {
  const changed = (changeSet?.files ?? []).map(({ path }) => findScopeOf(scopes, path));
  const [scope = null] = changed;
  const isWhole = scope !== null && changed.every((other) => other === scope);
  return isWhole && scope.base !== '' ? scope.base : pullRequest.base;
}

/** The change goes on top of the pull request's branch, if that is in this repository. */
async function findStackedBase(read: RepositoryCaller, number: number): Promise<Base | WithheldChange> {
  const { state, head, base } = await read(({ rest }, place) => rest.pulls.get({ ...place, pull_number: number }));
  if (state !== 'open') return withhold({ code: 'pull_request_closed' });
  if (head.repo?.id !== base.repo.id) return withhold({ code: 'fork' });
  return await readBase(read, head.ref, null);
}

async function readBase(
  read: RepositoryCaller,
  branch: string,
  analysed: string | null,
): Promise<Base | WithheldChange> {
  const ref = await ignoreUnknown(read(({ rest }, place) => rest.git.getRef({ ...place, ref: `heads/${branch}` })));
  if (ref === null) return withhold({ code: 'no_branch', branch });
  return { kind: 'base', branch, sha: ref.object.sha, analysed };
}

/** Why an issue gets no pull request: it is closed, or a person has opened one. */
async function findRival(read: RepositoryCaller, number: number): Promise<WithheldReason | null> {
  const issue = await read(({ rest }, place) => rest.issues.get({ ...place, issue_number: number }));
  if (issue.state !== 'open') return { code: 'issue_closed' };
  const found = await read(async (octokit, { owner, repo, request }) => ({
    data: await octokit.graphql<Rivals>(RIVALS, { owner, repo, number, request }),
  }));
  const nodes = found.repository?.issue?.closedByPullRequestsReferences?.nodes ?? [];
  // Ours is found by its branch.
  const rival = nodes.find(
    (one) => one?.state === 'OPEN' && !(isOurBranch(one.headRefName) && one.author?.__typename === 'Bot'),
  );
  return rival ? { code: 'rival_open', number: rival.number } : null;
}

/** Checked again before everything that runs the repository's CI, which has its secrets. */
export async function mayStillWrite({ deps, view, signal }: Work, person: Person | null): Promise<boolean> {
  return person !== null && isAtLeast(await deps.permissions.roleNow(person, view.project, signal), 'write');
}

/** Number of an open pull request of ours for the same subject, recorded or not. */
async function findOwnOpen({ github, view }: Work): Promise<number | null> {
  const { thread, record } = view;
  const known = record.pullRequest;
  // People may have reopened it.
  if (known !== null && (known.state === 'open' || (await github.readPullRequest(known.number)).state === 'open')) {
    return known.number;
  }
  if (thread.subject.kind === 'report') return null;
  for (const name of await github.listBranches(`${PREFIX}${describePullRequestSubject(thread.subject)}-`)) {
    const head = await github.readBranch(name);
    if (head === null || readIssueOf(head, thread.id) === null) continue;
    const found = await github.findPullRequest(name);
    if (found?.state === 'open') return found.number;
  }
  return null;
}

/** In the order in which they are tried, because a name may be taken. */
export function listBranchNames(subject: Subject, issueId: string): readonly string[] {
  const random = issueId.slice(issueId.indexOf('_') + 1).replace(/[^0-9A-Za-z]/g, '');
  return Array.from({ length: MOST_NAMES }, (_, index) => {
    const short = random.slice(index * SHORT_ID, (index + 1) * SHORT_ID);
    return `${PREFIX}${describePullRequestSubject(subject)}-${short}`;
  });
}

export function isOurBranch(name: string): boolean {
  return name.startsWith(PREFIX);
}

function describePullRequestSubject(subject: Subject): string {
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

/** Makes CI skip a commit. */
const SKIPS = /\[(skip|no|ci|actions)([ -])(ci|skip|actions)\]/gi;

/** The trailers by which `readIssueOf` recognises our commit. */
export function addTrailers(
  { headline, body }: NewCommitMessage,
  threadId: Thread['id'],
  issueId: string,
  part: ChangePart = 'whole',
): NewCommitMessage {
  const text = body
    .replace(SKIPS, '($1$2$3)')
    .replace(/^skip-checks:/gim, 'skip checks:')
    .trimEnd();
  const suffix = part === 'whole' ? '' : `\nCauseway-Part: ${part}`;
  const trailers = `Causeway-Thread: ${threadId}\nCauseway-Issue: ${issueId}${suffix}`;
  return { headline: headline.replace(SKIPS, '($1$2$3)'), body: text === '' ? trailers : `${text}\n\n${trailers}` };
}

/** Of a commit that `readIssueOf` recognises. */
export function readPart(head: Pick<BranchHead, 'message' | 'isOurs'>): ChangePart {
  return /^Causeway-Part: test\s*$/m.test(head.message)
    ? 'test'
    : /^Causeway-Part: fix\s*$/m.test(head.message)
      ? 'fix'
      : 'whole';
}

/** Id of the Issue that a commit implements; null where the commit isn't ours, or another thread's. */
export function readIssueOf(head: Pick<BranchHead, 'message' | 'isOurs'>, threadId: string): string | null {
  const [, thread, issue] =
    /^Causeway-Thread: (thr_[0-9A-Za-z]+)\nCauseway-Issue: (iss_[0-9A-Za-z]+)\s*$/m.exec(head.message) ?? [];
  return head.isOurs && thread === threadId && issue !== undefined ? issue : null;
}
