// Follows our own pull request: its state on GitHub, its checks, another attempt where they fail, and the hand-over to people.

import type { Check } from '../../core/check/index.ts';
import { getRepository } from '../../core/project/index.ts';
import { isRedHalf, refuteByChecks } from '../../core/proof/index.ts';
import { isEnded } from '../../core/report/index.ts';
import type { PostedPullRequest, PullRequestAttempt, ThreadRecord } from '../../core/thread/index.ts';
import { cancelInvestigation } from '../../services/index.ts';
import { listLatestChecks } from '../checks/index.ts';
import { openRepository, recoverFrom } from '../clients/index.ts';
import { listTitles, renderPullRequest } from '../render/index.ts';
import { beginAttempt } from './begin-attempt.ts';
import { findSilenceEnd, toPlace } from './decide.ts';
import { describeFixed, findRequester, toClosingTime } from './decide-fix.ts';
import {
  closeProof,
  type FollowedPullRequest,
  followRedHalf,
  handOverUnproven,
  proveFromChecks,
  settleProof,
} from './follow-proof.ts';
import type { LivePullRequest } from './github-writer.ts';
import { isAsSealed, sealText } from './marker.ts';
import { commitChange, mayStillWrite, prepareChange, readIssueOf } from './open-pull-request.ts';
import { handOver } from './post-comments.ts';
import { hasFix, loadFurther, loadResult, type Work } from './view.ts';
import { addFurther } from './whole-change.ts';

interface FollowedRecord {
  readonly record: ThreadRecord;
  /** When to look again unless something happens before; null: not at all. */
  readonly lookAt: string | null;
}

/** In case an event is missed. */
const POLL_MS = 600_000;
/** CI that hasn't started by then doesn't come. */
const NO_CHECKS_MS = 600_000;
/** A check that takes longer never ends. */
const CHECKS_MS = 3 * 24 * 3_600_000;
const ATTEMPT_MS = 60_000;

export async function followPostedPullRequest(work: Work): Promise<FollowedRecord> {
  const { github, view, deps } = work;
  const { record } = view;
  const posted = record.pullRequest;
  if (posted === null) return { record, lookAt: null };
  const live = await github.readPullRequest(posted.number);
  if (live.state !== 'open') {
    const attempts = await stopAttempt(work, posted);
    const closed = {
      ...(await closeProof(work, posted, live)),
      attempts,
      state: live.state,
      closedAt: toClosingTime(live, deps.now()),
    };
    await updateBody(work, live, { posted: closed, waitMs: null });
    return { record: { ...record, pullRequest: closed }, lookAt: null };
  }
  const judged = await judgeWithProof(work, posted, live);
  await updateBody(work, live, judged);
  const lookAt = judged.waitMs === null ? null : new Date(deps.now().getTime() + judged.waitMs).toISOString();
  const isHandedOver = judged.posted.handedOver !== posted.handedOver;
  const posts = isHandedOver ? [...record.posts, deps.now().toISOString()] : record.posts;
  return { record: { ...record, posts, pullRequest: await requestPullReview(work, judged, live) }, lookAt };
}

async function judgeWithProof(
  work: Work,
  posted: PostedPullRequest,
  live: LivePullRequest,
): Promise<FollowedPullRequest> {
  const { proof } = posted;
  if (proof === undefined) {
    const judged = await judgePullRequest(work, posted, live);
    const isNewlyGreen = judged.posted.checks === 'green' && posted.checks !== 'green';
    return isNewlyGreen ? await proveFromChecks(work, judged) : judged;
  }
  if (isRedHalf(proof)) return await followRedHalf(work, { posted, proof }, live);
  return await handOverUnproven(work, await settleProof(work, await judgePullRequest(work, posted, live), live));
}

async function judgePullRequest(
  work: Work,
  posted: PostedPullRequest,
  live: LivePullRequest,
): Promise<FollowedPullRequest> {
  if (live.headSha !== posted.headSha) return await judgeMoved(work, posted, live);
  const last = posted.attempts.at(-1);
  if (last?.outcome === null) {
    const ended = await endAttempt(work, posted, last);
    // A pushed attempt has checks of its own, anything else is handed over: both with the next look.
    return ended === null ? { posted, waitMs: ATTEMPT_MS } : { posted: ended, waitMs: 0 };
  }
  if (posted.checks === 'moved') return { posted, waitMs: null };
  const checks = await readChecks(work, live.headSha);
  const failing = checks.filter(({ state }) => state === 'red');
  // What fails first may not be all.
  const isWaiting = checks.length === 0 || checks.some(({ state }) => state === 'waiting');
  const hasNone = checks.length === 0 && work.view.seesChecks;
  // What a workflow pushes with its own token starts none.
  if (hasNone && (await work.deps.clients.identity(work.signal)).isShared) {
    return { posted: { ...posted, checks: 'none' }, waitMs: null };
  }
  if (isWaiting) return judgeWaiting(work, posted, live, hasNone);
  return failing.length === 0 ? await judgeGreen(work, posted, live) : await judgeRed(work, posted, live, failing);
}

function judgeWaiting(
  { deps }: Work,
  posted: PostedPullRequest,
  live: LivePullRequest,
  hasNone: boolean,
): FollowedPullRequest {
  const age = deps.now().getTime() - Date.parse(posted.pushedAt ?? live.createdAt);
  const isLate = age >= (hasNone ? NO_CHECKS_MS : CHECKS_MS);
  if (hasNone && isLate) return { posted: { ...posted, checks: 'none' }, waitMs: null };
  const waitMs = hasNone ? NO_CHECKS_MS - age : POLL_MS;
  return { posted: { ...posted, checks: 'waiting' }, waitMs: isLate ? null : waitMs };
}

/** Either our own push that wasn't recorded, or somebody else's: then the branch is theirs. */
async function judgeMoved(work: Work, posted: PostedPullRequest, live: LivePullRequest): Promise<FollowedPullRequest> {
  const { github, view, deps } = work;
  const head = await github.readBranch(posted.branch);
  const isOnTop = head?.sha === live.headSha && head.parents.includes(posted.headSha);
  if (isOnTop && readIssueOf(head, view.thread.id) !== null) {
    const attempts = endAttempts(posted.attempts, 'pushed');
    const pushedAt = deps.now().toISOString();
    return { posted: { ...posted, headSha: live.headSha, pushedAt, attempts, checks: 'waiting' }, waitMs: 0 };
  }
  if (posted.checks === 'moved') return { posted, waitMs: null };
  return { posted: { ...posted, attempts: await stopAttempt(work, posted), checks: 'moved' }, waitMs: null };
}

async function judgeGreen(work: Work, posted: PostedPullRequest, live: LivePullRequest): Promise<FollowedPullRequest> {
  const { github, view, deps } = work;
  const green: FollowedPullRequest = { posted: { ...posted, checks: 'green' }, waitMs: null };
  if (!view.config.pullRequest.ready || posted.checks === 'green' || !live.isDraft) return green;
  const markReady = async (): Promise<FollowedPullRequest> => {
    await github.markReady(posted.nodeId);
    return { ...green, isMadeReady: true };
  };
  return await recoverFrom(['refused'], markReady, (error) => {
    deps.log.warn({ thread: view.thread.id, err: error }, 'GitHub refused to mark a pull request ready');
    return green;
  });
}

async function judgeRed(
  work: Work,
  before: PostedPullRequest,
  live: LivePullRequest,
  failing: readonly Check[],
): Promise<FollowedPullRequest> {
  const { view } = work;
  const posted: PostedPullRequest = { ...before, checks: 'red' };
  const onBase = (await readChecks(work, live.baseSha)).filter(({ state }) => state === 'red').map(({ name }) => name);
  const ours = failing.filter(({ name }) => !onBase.includes(name));
  const failingOnBase = failing.map(({ name }) => name).filter((name) => onBase.includes(name));
  if (ours.length === 0 || posted.handedOver !== null) return { posted, waitMs: null, failingOnBase };
  if (await mayTryAgain(work, posted)) {
    const { headSha } = posted;
    const investigationId = await beginAttempt(work, posted, { kind: 'red', checks: ours });
    const attempts = [...posted.attempts, { headSha, investigationId, outcome: null }];
    return { posted: { ...posted, attempts }, waitMs: ATTEMPT_MS, failingOnBase };
  }
  const silent = findSilenceEnd(view);
  if (silent !== null) return { posted, waitMs: Date.parse(silent) - view.now.getTime(), failingOnBase };
  const handedOver = await handOver(work, posted, ours);
  const red = { base: live.baseSha, head: live.headSha, checks: ours.map(({ name }) => name) };
  const proof = refuteByChecks(posted.proof, red);
  return { posted: { ...posted, handedOver, proof }, waitMs: null, failingOnBase };
}

/** Once for each head. */
async function mayTryAgain(work: Work, posted: PostedPullRequest): Promise<boolean> {
  const { attempts, headSha } = posted;
  const { opens, config, thread } = work.view;
  if (!opens || attempts.length >= config.pullRequest.attempts) return false;
  if (attempts.some((attempt) => attempt.headSha === headSha)) return false;
  return await mayStillWrite(work, findRequester(posted, thread));
}

async function stopAttempt({ deps }: Work, { attempts }: PostedPullRequest): Promise<readonly PullRequestAttempt[]> {
  const last = attempts.at(-1);
  if (last?.outcome !== null) return attempts;
  await cancelInvestigation(deps, last.investigationId);
  return endAttempts(attempts, 'nothing');
}

function endAttempts(
  attempts: readonly PullRequestAttempt[],
  outcome: NonNullable<PullRequestAttempt['outcome']>,
): readonly PullRequestAttempt[] {
  return attempts.map((attempt) => (attempt.outcome === null ? { ...attempt, outcome } : attempt));
}

/** Not where people have edited the body. */
async function updateBody(
  work: Work,
  live: LivePullRequest,
  { posted, failingOnBase = [] }: FollowedPullRequest,
): Promise<void> {
  const { view, github, deps } = work;
  if (view.published === null || !isAsSealed(live.body)) return;
  const place = toPlace(view, 'pull-request');
  const { published: issue } = view;
  const changeSet = await deps.store.findChangeSet(issue.id);
  const whole = addFurther({ issue, changeSet }, await loadFurther(deps.store, posted), posted);
  const pushed = posted.attempts.filter(({ outcome }) => outcome === 'pushed');
  const last = pushed.at(-1);
  const failed =
    last === undefined ? [] : (await readChecks(work, last.headSha)).filter(({ state }) => state === 'red');
  const { body, title } = renderPullRequest({
    place,
    issue: whole.issue,
    requestedBy: findRequester(posted, view.thread)?.login ?? '',
    commentUrl: view.record.comment?.url ?? '',
    attempt: last === undefined ? null : { number: pushed.length, failedChecks: failed.map(({ name }) => name) },
    checks: posted.checks,
    failingOnBase: { base: live.base, names: failingOnBase },
    ...describeFixed(view, view.published, posted),
    proof: posted.proof ?? null,
    posted,
  });
  const text = sealText(body);
  const titles = await Promise.all(listTitles(view.published, place).map((one) => deps.redactor.redact(one)));
  // Not where people have edited it.
  const isRetitled = titles.includes(live.title) && live.title !== (await deps.redactor.redact(title));
  if (text === live.body && !isRetitled) return;
  await github.updatePullRequest(posted.number, text, isRetitled ? title : undefined);
}

/** Once, as soon as it isn't a draft and unless others have pushed. A pull request without reviewers is one all the same. */
async function requestPullReview(work: Work, { posted, isMadeReady }: FollowedPullRequest, live: LivePullRequest) {
  const isDraft = live.isDraft && isMadeReady !== true;
  const isEarly = posted.proof !== undefined && isRedHalf(posted.proof);
  if (isDraft || isEarly || posted.isReviewAsked === true || posted.checks === 'moved') return posted;
  const { people, teams } = sortReviewers(work);
  const request = (logins: readonly string[], slugs: readonly string[]): Promise<boolean> =>
    recoverFrom(
      ['refused'],
      () => work.github.requestReviewers(posted.number, logins, slugs).then(() => true),
      (error) => {
        const { thread } = work.view;
        work.deps.log.warn({ thread: thread.id, err: error, logins, slugs }, 'GitHub refused a request for reviews');
        return false;
      },
    );
  const count = people.length + teams.length;
  // One name that GitHub doesn't know makes it refuse all.
  if (count > 0 && !(await request(people, teams)) && count > 1) {
    for (const login of people) await request([login], []);
    for (const slug of teams) await request([], [slug]);
  }
  return { ...posted, isReviewAsked: true };
}

/** `organisation/team` has to be a team of the repository's owner. */
function sortReviewers({ view, deps }: Work) {
  const owner = getRepository(view.project).owner.toLowerCase();
  const people: string[] = [];
  const teams: string[] = [];
  for (const name of view.config.pullRequest.reviewers) {
    const [organisation = '', team] = name.split('/');
    if (team === undefined) people.push(name);
    else if (organisation.toLowerCase() === owner) teams.push(team);
    else deps.log.warn({ thread: view.thread.id, reviewer: name }, 'a team of another organisation cannot review');
  }
  return { people, teams };
}

/** Permissions for both kinds of checks may be missing. */
function readChecks({ deps, view, signal }: Work, sha: string): Promise<readonly Check[]> {
  const read = openRepository(deps, view.project, 'read', signal);
  return recoverFrom<readonly Check[]>(
    ['refused'],
    () => listLatestChecks(deps, { read, signal }, sha),
    () => [],
  );
}

/** The pull request after the attempt, whose change is pushed unless a person has to read it first; null while it runs. */
async function endAttempt(
  work: Work,
  posted: PostedPullRequest,
  attempt: PullRequestAttempt,
): Promise<PostedPullRequest | null> {
  const { deps, view } = work;
  const investigation = await deps.store.findInvestigation(attempt.investigationId);
  if (investigation !== null && !isEnded(investigation.outcome)) return null;
  const pushed = investigation === null ? null : await pushAttempt(work, posted, investigation);
  const end = (outcome: 'pushed' | 'nothing') => [...posted.attempts.slice(0, -1), { ...attempt, outcome }];
  if (pushed === null) return { ...posted, attempts: end('nothing') };
  deps.log.info({ thread: view.thread.id, pullRequest: posted.number }, 'pushed another attempt');
  const pushedAt = deps.now().toISOString();
  return { ...posted, headSha: pushed, pushedAt, checks: 'waiting', attempts: end('pushed') };
}

async function pushAttempt(
  work: Work,
  posted: PostedPullRequest,
  investigation: Parameters<typeof loadResult>[1],
): Promise<string | null> {
  const { deps, view } = work;
  const { branch, headSha } = posted;
  const result = await loadResult(deps.store, investigation);
  if (result === null || !hasFix(result.issue) || result.issue.analysis.guards.length > 0) return null;
  if (!view.opens || !(await mayStillWrite(work, findRequester(posted, view.thread)))) return null;
  const change = await prepareChange(work, result, { branch, sha: headSha, analysed: null });
  if (change.kind === 'withheld') {
    deps.log.info({ thread: view.thread.id, reason: change.reason }, 'another attempt cannot be pushed');
    return null;
  }
  const push = () => commitChange(work, result.issue, { branch, head: headSha, files: change.files, part: 'whole' });
  return await recoverFrom<string | null>(['refused'], push, (error) => {
    deps.log.warn({ thread: view.thread.id, err: error }, 'GitHub refused the push of another attempt');
    return null;
  });
}
