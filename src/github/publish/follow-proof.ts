// Follows the proof of our own pull request: CI with the tests alone, then the fix, then CI with both; and how it ended.

import type { NamedCheck } from '../../core/check/index.ts';
import {
  type ChangedFile,
  type ChangeParts,
  endProof,
  type HalfOutcome,
  hashChange,
  isTestPath,
  listOwnTests,
  MOST_LOGS,
  type NotRun,
  noteChecks,
  notePassed,
  type ProofProgress,
  type ProofVerdict,
  pickCommits,
  splitChange,
} from '../../core/proof/index.ts';
import { isEnded } from '../../core/report/index.ts';
import type { PostedPullRequest } from '../../core/thread/index.ts';
import { cancelInvestigation } from '../../services/index.ts';
import { openRepository, recoverFrom } from '../clients/index.ts';
import { beginAttempt } from './begin-attempt.ts';
import { findSilenceEnd } from './decide.ts';
import { findRequester } from './decide-fix.ts';
import type { LivePullRequest } from './github-writer.ts';
import {
  commitChange,
  hasTestGuard,
  mayStillWrite,
  prepareChange,
  readIssueOf,
  readPart,
} from './open-pull-request.ts';
import { handOver } from './post-comments.ts';
import {
  collectRedHalf,
  HALF_MS,
  listChangedFiles,
  readGreenHalf,
  readNamedChecks,
  readRedHalf,
  toHalfPlace,
} from './read-halves.ts';
import { hasFix, loadResult, type Result, type Work } from './view.ts';

/** A pull request after a look at it. */
export interface FollowedPullRequest {
  readonly posted: PostedPullRequest;
  /** When to look again, in milliseconds; null: when something happens. */
  readonly waitMs: number | null;
  /** Names of checks that fail on the base as well. */
  readonly failingOnBase?: readonly string[];
  readonly isMadeReady?: boolean;
}

interface Proving {
  readonly posted: PostedPullRequest;
  readonly proof: ProofProgress;
}

const POLL_MS = 300_000;
const SECOND_TRY_MS = 60_000;

/** Only we push here until the fix is on the branch; somebody else's push ends it. */
export async function followRedHalf(
  work: Work,
  { posted, proof }: Proving,
  live: LivePullRequest,
): Promise<FollowedPullRequest> {
  if (live.headSha !== posted.headSha) return await adoptHead(work, { posted, proof }, live);
  if (proof.phase === 'second_try') return await followSecondTry(work, { posted, proof });
  const parts = await findParts(work, proof.secondTry?.issueId ?? posted.issueId);
  if (parts === null) return endFollowedProof(posted, proof, 'not_permitted');
  if (proof.phase === 'judged') return await pushFix(work, { posted, proof }, parts);
  if (proof.phase !== 'red') return { posted, waitMs: null };
  const at = toHalfPlace(work);
  const named = await readNamedChecks(at, posted.headSha);
  const { judgement, waitMs } = await readRedHalf(at, {
    base: await readNamedChecks(at, proof.base),
    named,
    ageMs: work.deps.now().getTime() - Date.parse(proof.since),
    own: listOwnTests(parts.test),
    report: readReportText(work),
    mayRepeat: !proof.hasRepeated,
  });
  switch (judgement.kind) {
    case 'wait':
      return { posted, waitMs: Math.min(POLL_MS, waitMs) };
    case 'repeat':
      return await repeatRedHalf(work, { posted, proof });
    case 'ended':
      if (judgement.verdict.state === 'not_reproduced') {
        return await settleGreenTests(work, { posted, proof }, judgement.verdict.checks, named);
      }
      return { posted: { ...posted, proof: toJudgedProgress(proof, judgement) }, waitMs: 0 };
    case 'red':
      return { posted: { ...posted, proof: toJudgedProgress(proof, judgement) }, waitMs: 0 };
  }
}

async function findParts({ deps }: Work, issueId: string): Promise<ChangeParts | null> {
  const changeSet = await deps.store.findChangeSet(issueId);
  return changeSet === null ? null : splitChange(changeSet);
}

function toJudgedProgress(proof: ProofProgress, outcome: HalfOutcome): ProofProgress {
  return { ...pickCommits(proof), phase: 'judged', outcome };
}

/** The tests pass without the fix: once more with that knowledge, where CI has not run twice already. */
async function settleGreenTests(
  work: Work,
  { posted, proof }: Proving,
  checks: readonly string[],
  named: readonly NamedCheck[],
): Promise<FollowedPullRequest> {
  const isSpent = proof.secondTry !== undefined || (proof.phase === 'red' && proof.hasRepeated);
  const { attempts } = work.view.config.pullRequest;
  if (isSpent || attempts === 0 || !(await mayPush(work, posted))) {
    return { posted: { ...posted, proof: toUnreproduced(proof, checks) }, waitMs: 0 };
  }
  const green = named.map(({ latest }) => latest).filter(({ name }) => checks.includes(name));
  const investigationId = await beginAttempt(work, posted, { kind: 'green', checks: green });
  const secondTry = { investigationId, issueId: null };
  const next: ProofProgress = { ...pickCommits(proof), secondTry, phase: 'second_try', checks };
  return { posted: { ...posted, proof: next }, waitMs: SECOND_TRY_MS };
}

function toUnreproduced(proof: ProofProgress, checks: readonly string[]): ProofProgress {
  const isSecondTry = proof.phase === 'red' && proof.secondTry !== undefined;
  const verdict: ProofVerdict = { state: 'not_reproduced', checks, ...(isSecondTry && { isSecondTry }) };
  return toJudgedProgress(proof, { kind: 'ended', verdict });
}

/** Its Issue is recorded before its test is pushed, so that the push is recognised after a crash. */
async function followSecondTry(
  work: Work,
  { posted, proof }: Proving & { readonly proof: { readonly phase: 'second_try' } },
): Promise<FollowedPullRequest> {
  const { store } = work.deps;
  const { secondTry, checks } = proof;
  const withoutTest: FollowedPullRequest = { posted: { ...posted, proof: toUnreproduced(proof, checks) }, waitMs: 0 };
  if (secondTry === undefined) return withoutTest;
  if (secondTry.issueId !== null) return (await pushSecondTest(work, { posted, proof })) ?? withoutTest;
  const investigation = await store.findInvestigation(secondTry.investigationId);
  if (investigation !== null && !isEnded(investigation.outcome)) return { posted, waitMs: SECOND_TRY_MS };
  const result = investigation === null ? null : await loadResult(store, investigation);
  if (result === null || !(await isUsable(work, posted, result))) return withoutTest;
  const next: ProofProgress = { ...proof, secondTry: { ...secondTry, issueId: result.issue.id } };
  return { posted: { ...posted, proof: next }, waitMs: 0 };
}

/** It has a test, and nothing that a person must read first; the first test, which shows nothing, may be changed. */
async function isUsable(work: Work, posted: PostedPullRequest, { issue }: Result): Promise<boolean> {
  const first = (await findParts(work, posted.issueId))?.test.files ?? [];
  const own = new Set(first.filter(({ kind }) => kind === 'added').map(({ path }) => path));
  const isHarmless = issue.analysis.guards.every(({ rule, file }) => rule.startsWith('person/tests-') && own.has(file));
  return hasFix(issue) && isHarmless && (await findParts(work, issue.id)) !== null;
}

/** On top of the first test. Null: it can't be pushed. */
async function pushSecondTest(work: Work, { posted, proof }: Proving): Promise<FollowedPullRequest | null> {
  const { view, deps } = work;
  const { branch, headSha } = posted;
  const parts = await findParts(work, proof.secondTry?.issueId ?? '');
  const issue = view.published;
  if (parts === null || issue === null || !(await mayPush(work, posted))) return null;
  const change = await prepareChange(work, { issue, changeSet: parts.test }, { branch, sha: headSha, analysed: null });
  if (change.kind === 'withheld') {
    deps.log.info({ thread: view.thread.id, reason: change.reason }, 'the test of a second try cannot be pushed');
    return null;
  }
  const push = () => commitChange(work, issue, { branch, head: headSha, files: change.files, part: 'test' });
  const sha = await recoverFrom<string | null>(['refused'], push, (error) => {
    deps.log.warn({ thread: view.thread.id, err: error }, 'GitHub refused the push of a second test');
    return null;
  });
  if (sha === null) return null;
  return { posted: addTest(posted, proof, sha, deps.now().toISOString()), waitMs: POLL_MS };
}

function readReportText({ view }: Work): string {
  const { published } = view;
  return published === null ? '' : `${published.analysis.report}\n${published.problem}`;
}

/** A push of our own that wasn't recorded; or somebody else's, after which the branch is theirs. */
async function adoptHead(work: Work, { posted, proof }: Proving, live: LivePullRequest): Promise<FollowedPullRequest> {
  const { github, view, deps } = work;
  const head = await github.readBranch(posted.branch);
  const isOnTop = head?.sha === live.headSha && head.parents.includes(posted.headSha);
  if (!isOnTop || readIssueOf(head, view.thread.id) !== posted.issueId) {
    return endMoved(await stopSecondTry(work, posted), proof);
  }
  const now = deps.now().toISOString();
  if (readPart(head) === 'test') return { posted: addTest(posted, proof, head.sha, now), waitMs: 0 };
  return { posted: addFix(posted, proof, head.sha, now), waitMs: 0 };
}

/** The same tests once more, or those of a second try: CI does not run without the fix a third time. */
function addTest(
  posted: PostedPullRequest,
  proof: ProofProgress,
  testCommit: string,
  since: string,
): PostedPullRequest {
  const next: ProofProgress = { ...pickCommits(proof), testCommit, phase: 'red', since, hasRepeated: true };
  return { ...posted, headSha: testCommit, proof: next };
}

function addFix(posted: PostedPullRequest, proof: ProofProgress, fixCommit: string, now: string): PostedPullRequest {
  const commits = { ...pickCommits(proof), fixCommit };
  const outcome = proof.phase === 'judged' ? proof.outcome : null;
  const next: ProofProgress =
    outcome?.kind === 'red'
      ? { ...commits, phase: 'green', red: outcome.half }
      : { ...commits, phase: 'ended', verdict: outcome?.verdict ?? NOT_PERMITTED, diffHash: '' };
  return { ...posted, headSha: fixCommit, pushedAt: now, checks: 'waiting', proof: next };
}

const NOT_PERMITTED: ProofVerdict = { state: 'not_run', because: 'not_permitted' };

/** An empty commit, since the checks of a commit can't be run again without the permission to write Actions. */
async function repeatRedHalf(work: Work, { posted, proof }: Proving): Promise<FollowedPullRequest> {
  const { view, deps } = work;
  const { branch, headSha } = posted;
  if (view.published === null || !(await mayPush(work, posted)))
    return endFollowedProof(posted, proof, 'not_permitted');
  const files = { written: [], removed: [], hasExecutables: false };
  const sha = await commitChange(work, view.published, { branch, head: headSha, files, part: 'test' });
  return { posted: addTest(posted, proof, sha, deps.now().toISOString()), waitMs: POLL_MS };
}

/** Whatever the tests have shown: people get the whole change to look at. */
async function pushFix(work: Work, { posted, proof }: Proving, parts: ChangeParts): Promise<FollowedPullRequest> {
  const { view, deps } = work;
  const { branch, headSha } = posted;
  const issue = view.published;
  if (issue === null || !(await mayPush(work, posted))) return endFollowedProof(posted, proof, 'not_permitted');
  const change = await prepareChange(work, { issue, changeSet: parts.fix }, { branch, sha: headSha, analysed: null });
  if (change.kind === 'withheld') {
    deps.log.info({ thread: view.thread.id, reason: change.reason }, 'the fix cannot be pushed on top of its test');
    return endFollowedProof(posted, proof, 'not_permitted');
  }
  const push = () => commitChange(work, issue, { branch, head: headSha, files: change.files, part: 'fix' });
  const pushed = await recoverFrom<string | null>(['refused'], push, (error) => {
    deps.log.warn({ thread: view.thread.id, err: error }, 'GitHub refused the push of a fix');
    return null;
  });
  if (pushed === null) {
    const head = await work.github.readBranch(branch);
    return head?.sha === headSha ? endFollowedProof(posted, proof, 'not_permitted') : endMoved(posted, proof);
  }
  return { posted: addFix(posted, proof, pushed, deps.now().toISOString()), waitMs: POLL_MS };
}

async function mayPush(work: Work, posted: PostedPullRequest): Promise<boolean> {
  return work.view.opens && (await mayStillWrite(work, findRequester(posted, work.view.thread)));
}

function endFollowedProof(posted: PostedPullRequest, proof: ProofProgress, because: NotRun): FollowedPullRequest {
  return { posted: { ...posted, proof: endProof(proof, { state: 'not_run', because }) }, waitMs: null };
}

function endMoved(posted: PostedPullRequest, proof: ProofProgress): FollowedPullRequest {
  const { posted: ended } = endFollowedProof(posted, proof, 'pushed');
  return { posted: { ...ended, checks: 'moved' }, waitMs: null };
}

/** Of a pull request that was closed or merged. */
export async function closeProof(
  work: Work,
  posted: PostedPullRequest,
  live: LivePullRequest,
): Promise<PostedPullRequest> {
  const { proof } = posted;
  if (proof === undefined) return posted;
  if (proof.phase === 'ended') return dropStale(posted, live);
  if (proof.phase === 'green' && live.headSha === posted.headSha) return await settleLast(work, posted, proof);
  return endFollowedProof(await stopSecondTry(work, posted), proof, 'closed').posted;
}

/** Its checks may have ended before it was merged, without a look in between. */
async function settleLast(
  work: Work,
  posted: PostedPullRequest,
  proof: ProofProgress & { readonly phase: 'green' },
): Promise<PostedPullRequest> {
  const at = toHalfPlace(work);
  const base = await readNamedChecks(at, proof.base);
  const judgement = await readGreenHalf(at, { half: proof.red, base, head: posted.headSha, isLate: false });
  if (judgement.kind !== 'ended') return endFollowedProof(posted, proof, 'closed').posted;
  const settled: ProofProgress = { ...proof, fixCommit: posted.headSha };
  return { ...posted, checks: 'green', proof: await certify(work, settled, judgement.verdict) };
}

/** What was proven is one commit: of another head it says nothing. */
function dropStale(posted: PostedPullRequest, live: LivePullRequest): PostedPullRequest {
  const { proof, headSha } = posted;
  if (proof?.phase !== 'ended' || proof.verdict.state !== 'proven') return posted;
  if (live.headSha === proof.fixCommit && headSha === proof.fixCommit) return posted;
  return (headSha === proof.fixCommit ? endMoved(posted, proof) : endFollowedProof(posted, proof, 'moved')).posted;
}

async function stopSecondTry({ deps }: Work, posted: PostedPullRequest): Promise<PostedPullRequest> {
  const { proof } = posted;
  if (proof?.phase === 'second_try' && proof.secondTry?.issueId === null) {
    await cancelInvestigation(deps, proof.secondTry.investigationId);
  }
  return posted;
}

/** Tests that pass without the fix show nothing: people take over, with one comment. */
export async function handOverUnproven(work: Work, judged: FollowedPullRequest): Promise<FollowedPullRequest> {
  const { posted } = judged;
  const { proof, checks, handedOver } = posted;
  const isUnreproduced = proof?.phase === 'ended' && proof.verdict.state === 'not_reproduced';
  if (!isUnreproduced || checks === 'moved' || handedOver !== null) return judged;
  const silent = findSilenceEnd(work.view);
  if (silent !== null) return { ...judged, waitMs: Date.parse(silent) - work.view.now.getTime() };
  return { ...judged, posted: { ...posted, handedOver: await handOver(work, posted, []) } };
}

/** The green half, after the checks of the fix, or of a further attempt, were judged. */
export async function settleProof(
  work: Work,
  judged: FollowedPullRequest,
  live: LivePullRequest,
): Promise<FollowedPullRequest> {
  const { posted } = judged;
  const { proof, checks, headSha } = posted;
  if (proof?.phase === 'ended') return { ...judged, posted: await noteCi(work, dropStale(posted, live), live) };
  if (proof?.phase !== 'green') return judged;
  if (checks === 'moved') return { ...judged, posted: endFollowedProof(posted, proof, 'pushed').posted };
  const age = work.deps.now().getTime() - Date.parse(posted.pushedAt ?? live.createdAt);
  const isLate = age >= HALF_MS || checks === 'none';
  if (headSha !== live.headSha || (checks === 'waiting' && !isLate)) return judged;
  const at = toHalfPlace(work);
  const base = await readNamedChecks(at, proof.base);
  const judgement = await readGreenHalf(at, { half: proof.red, base, head: headSha, isLate });
  if (judgement.kind === 'wait' || (judgement.kind === 'red' && mayTurn(posted))) return judged;
  const verdict: ProofVerdict =
    judgement.kind === 'ended'
      ? judgement.verdict
      : { state: 'fails_otherwise', because: { code: 'still_red', checks: judgement.checks } };
  const settled: ProofProgress = { ...proof, fixCommit: headSha };
  return { ...judged, posted: { ...posted, proof: await certify(work, settled, verdict) } };
}

/** What is said of the proof follows checks that came after it had ended. */
async function noteCi(work: Work, posted: PostedPullRequest, live: LivePullRequest): Promise<PostedPullRequest> {
  const { proof, checks, headSha } = posted;
  if (proof?.phase !== 'ended' || checks === 'moved' || headSha !== live.headSha) return posted;
  if (checks === 'green') return { ...posted, proof: await noteSeen(work, notePassed(proof), headSha) };
  return { ...posted, proof: await noteSeen(work, proof, headSha) };
}

async function noteSeen(work: Work, proof: ProofProgress & { readonly phase: 'ended' }, sha: string) {
  if (proof.verdict.state !== 'not_run' || proof.fixCommit === null) return proof;
  return noteChecks(
    proof,
    (await readNamedChecks(toHalfPlace(work), sha)).map(({ latest }) => latest),
  );
}

/** A fix for failing checks has its red half already: the checks of the commit that it is made for. Its tests stay as they were. */
export async function proveFromChecks(work: Work, judged: FollowedPullRequest): Promise<FollowedPullRequest> {
  const { posted } = judged;
  const { subject } = work.view.thread;
  const isOfChecks = subject.kind === 'failure' || subject.kind === 'pull_request';
  if (!isOfChecks || work.view.config.pullRequest.proof === 'off') return judged;
  if (work.view.published === null || hasTestGuard(work.view.published)) return judged;
  const [firstAttempt] = posted.attempts;
  const base = await readParent(work, firstAttempt?.headSha ?? posted.headSha);
  if (base === null) return judged;
  const at = toHalfPlace(work);
  const changed = await listChangedFiles(at, base, posted.headSha);
  if (changed.some(({ path, status }) => status !== 'added' && isTestPath(path))) return judged;
  const named = await readNamedChecks(at, base);
  const failing = named.map(({ latest }) => latest).filter(({ state }) => state === 'red');
  // Whose logs name the tests that failed.
  const red = await collectRedHalf(at, failing.slice(0, MOST_LOGS), ({ tests }) => (tests.length === 0 ? null : tests));
  if (red.checks.length === 0) return judged;
  const judgement = await readGreenHalf(at, { half: red, base: named, head: posted.headSha, isLate: false });
  if (judgement.kind !== 'ended') return judged;
  const proof = { base, testCommit: base, fixCommit: posted.headSha, phase: 'green', red } as const;
  return { ...judged, posted: { ...posted, proof: await certify(work, proof, judgement.verdict) } };
}

async function readParent({ deps, view, signal }: Work, sha: string): Promise<string | null> {
  const read = openRepository(deps, view.project, 'read', signal);
  const { parents } = await read(({ rest }, place) => rest.git.getCommit({ ...place, commit_sha: sha }));
  return parents[0]?.sha ?? null;
}

/** Whether a further attempt may follow. */
function mayTurn({ attempts, checks, handedOver }: PostedPullRequest): boolean {
  return attempts.at(-1)?.outcome === null || (checks === 'red' && handedOver === null);
}

/** What is proven is the whole change, whose tests are those that failed. */
async function certify(work: Work, proof: ProofProgress & { readonly phase: 'green' }, verdict: ProofVerdict) {
  if (verdict.state !== 'proven') return endProof(proof, verdict);
  const tests = await listChangedFiles(toHalfPlace(work), proof.base, proof.testCommit);
  const fix = await listChangedFiles(toHalfPlace(work), proof.testCommit, proof.fixCommit);
  const changesTests = ({ path, status }: ChangedFile) =>
    tests.some((test) => test.path === path) || (status !== 'added' && isTestPath(path));
  if (fix.some(changesTests)) {
    return endProof(proof, { state: 'fails_otherwise', because: { code: 'tests_changed' } });
  }
  return endProof(proof, verdict, hashChange(await listChangedFiles(toHalfPlace(work), proof.base, proof.fixCommit)));
}
