// Follows our own pull request on its live head: whose it is by now, what its checks say, and what comes of that.
import { repositoryOf } from '../../core/project.ts';
import type { PostedPullRequest, PullRequestAttempt, ThreadRecord } from '../../core/thread.ts';
import { cancelInvestigation } from '../../services/end-early.ts';
import { GithubFailure } from '../clients/github-clients.ts';
import { askReviewers } from './ask-reviewers.ts';
import { beginAttempt, endAttempt } from './attempt.ts';
import { issueCarriedBy } from './commit-trailers.ts';
import type { Work } from './deps.ts';
import { silentUntil } from './desired.ts';
import { closingTime, personBehind } from './fix-request.ts';
import { handOver } from './hand-over.ts';
import { mayStillWrite } from './may-open.ts';
import type { LivePullRequest } from './outbox.ts';
import { bringUpToDate } from './pull-request-body.ts';
import { type Check, type ChecksOf, readChecks, redOf, verdictOf } from './read-checks.ts';

export interface Followed {
  readonly record: ThreadRecord;
  /** When to look again unless something happens before; null: not at all. */
  readonly lookAt: string | null;
}

/** A pull request as it is recorded and as it is, and where its checks are read. */
export interface Following {
  readonly posted: PostedPullRequest;
  readonly live: LivePullRequest;
  readonly of: ChecksOf;
}

interface Judged {
  readonly posted: PostedPullRequest;
  readonly waitMs: number | null;
  /** Red checks that are red on the base as well. */
  readonly notOurs: readonly Check[];
  /** Whether it was marked ready for review just now. */
  readonly isMadeReady?: boolean;
}

/** An event may be missed; after some days nothing is awaited any more from a check that never ends. */
const POLL_MS = 600_000;
/** CI that has not begun by then does not come. */
const NO_CHECKS_MS = 600_000;
const PATIENCE_MS = 3 * 24 * 3_600_000;
const ATTEMPT_MS = 60_000;

export async function follow(work: Work, posted: PostedPullRequest): Promise<Followed> {
  const { outbox, view, signal, deps } = work;
  const live = await outbox.pullRequest(posted.number, signal);
  if (live === null) return { record: view.record, lookAt: null };
  if (live.state !== 'open') {
    const attempts = await stopped(work, posted);
    const pullRequest = { ...posted, attempts, state: live.state, closedAt: closingTime(live, deps.now()) };
    return { record: { ...view.record, pullRequest }, lookAt: null };
  }
  const { appId } = await deps.clients.identity(signal);
  const caller = deps.clients.repository(view.project.source, 'read');
  const following = { posted, live, of: { caller, place: repositoryOf(view.project), appId } };
  const judged = await judge(work, following);
  await bringUpToDate(work, { ...following, posted: judged.posted }, judged.notOurs);
  const lookAt = judged.waitMs === null ? null : new Date(deps.now().getTime() + judged.waitMs).toISOString();
  const posts = judged.posted.handedOver === posted.handedOver ? [] : [deps.now().toISOString()];
  const pullRequest = await withReviewers(work, judged, live);
  const record = { ...view.record, posts: [...view.record.posts, ...posts], pullRequest };
  return { record, lookAt };
}

/** Asked once, as soon as it is no draft; not where it is somebody else's by now. */
async function withReviewers(work: Work, { posted, isMadeReady }: Judged, live: LivePullRequest) {
  const isDraft = live.isDraft && isMadeReady !== true;
  if (isDraft || posted.isReviewAsked === true || posted.checks === 'moved') return posted;
  await askReviewers(work, posted.number);
  return { ...posted, isReviewAsked: true };
}

async function judge(work: Work, following: Following): Promise<Judged> {
  const { posted, live } = following;
  if (live.headSha !== posted.headSha) return await moved(work, following);
  const running = posted.attempts.at(-1);
  if (running?.outcome === null) {
    const ended = await endAttempt(work, following, running);
    // What is pushed now has checks of its own, what was not is handed over: both with the next look.
    return ended === null ? settled(posted, ATTEMPT_MS) : settled(ended, 0);
  }
  if (posted.checks === 'moved') return settled(posted);
  const checks = await readChecks(following.of, live.headSha, work.signal);
  const verdict = verdictOf(checks);
  if (verdict === 'red') return await onRed(work, following, redOf(checks));
  if (verdict === 'green') return await onGreen(work, following);
  const age = work.deps.now().getTime() - Date.parse(posted.pushedAt ?? live.createdAt);
  if (checks.length === 0 && work.view.seesChecks) return onNone(posted, age);
  return settled({ ...posted, checks: 'waiting' }, age < PATIENCE_MS ? POLL_MS : null);
}

/** Where one comes all the same, GitHub tells of it. */
function onNone(posted: PostedPullRequest, age: number): Judged {
  if (age >= NO_CHECKS_MS) return settled({ ...posted, checks: 'none' });
  return settled({ ...posted, checks: 'waiting' }, NO_CHECKS_MS - age);
}

function settled(posted: PostedPullRequest, waitMs: number | null = null): Judged {
  return { posted, waitMs, notOurs: [] };
}

/** Our own push that was not recorded, or somebody else's: then it is theirs. */
async function moved(work: Work, { posted, live }: Following): Promise<Judged> {
  const { outbox, view, signal } = work;
  const head = await outbox.branch(posted.branch, signal);
  const isOurs =
    head?.sha === live.headSha &&
    head.parents.includes(posted.headSha) &&
    issueCarriedBy(head, view.thread.id) !== null;
  if (isOurs) {
    const attempts = withOutcome(posted.attempts, 'pushed');
    const pushedAt = work.deps.now().toISOString();
    return settled({ ...posted, headSha: live.headSha, pushedAt, attempts, checks: 'waiting' }, 0);
  }
  if (posted.checks === 'moved') return settled(posted);
  return settled({ ...posted, attempts: await stopped(work, posted), checks: 'moved' });
}

async function onGreen({ outbox, view, deps, signal }: Work, { posted, live }: Following): Promise<Judged> {
  const green = settled({ ...posted, checks: 'green' });
  if (!view.config.pullRequest.ready || posted.checks === 'green' || !live.isDraft) return green;
  try {
    await outbox.markReady(posted.nodeId, signal);
    return { ...green, isMadeReady: true };
  } catch (error) {
    if (!(error instanceof GithubFailure) || error.kind !== 'refused') throw error;
    deps.log.warn({ thread: view.thread.id, err: error }, 'GitHub refused to mark a pull request ready');
    return green;
  }
}

async function onRed(work: Work, following: Following, red: readonly Check[]): Promise<Judged> {
  const { live, of } = following;
  const posted: PostedPullRequest = { ...following.posted, checks: 'red' };
  const before = new Set(redOf(await readChecks(of, live.baseSha, work.signal)).map(({ name }) => name));
  const ours = red.filter(({ name }) => !before.has(name));
  const notOurs = red.filter(({ name }) => before.has(name));
  if (ours.length === 0 || posted.handedOver !== null) return { posted, waitMs: null, notOurs };
  if (await mayTryAgain(work, posted)) {
    const attempt = await beginAttempt(work, following, ours);
    return { posted: { ...posted, attempts: [...posted.attempts, attempt] }, waitMs: ATTEMPT_MS, notOurs };
  }
  const silent = silentUntil(work.view);
  if (silent !== null) return { posted, waitMs: Date.parse(silent) - work.view.now.getTime(), notOurs };
  return { posted: { ...posted, handedOver: await handOver(work, posted, ours) }, waitMs: null, notOurs };
}

/** A head that was tried once is not tried again. */
async function mayTryAgain(work: Work, posted: PostedPullRequest): Promise<boolean> {
  const { attempts, headSha } = posted;
  const { opens, config } = work.view;
  if (!opens || attempts.length >= config.pullRequest.attempts) return false;
  if (attempts.some((attempt) => attempt.headSha === headSha)) return false;
  return await mayStillWrite(work, personBehind(posted, work.view.thread));
}

async function stopped({ deps }: Work, { attempts }: PostedPullRequest): Promise<readonly PullRequestAttempt[]> {
  const last = attempts.at(-1);
  if (last?.outcome !== null) return attempts;
  await cancelInvestigation(deps, last.investigationId);
  return withOutcome(attempts, 'nothing');
}

function withOutcome(
  attempts: readonly PullRequestAttempt[],
  outcome: NonNullable<PullRequestAttempt['outcome']>,
): readonly PullRequestAttempt[] {
  return attempts.map((attempt) => (attempt.outcome === null ? { ...attempt, outcome } : attempt));
}
