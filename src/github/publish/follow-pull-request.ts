// Follows our own pull request on its live head: whose it is by now, what its checks say, and what comes of that.

import type { RestEndpointMethodTypes } from '@octokit/rest';
import { getRepository } from '../../core/project.ts';
import type { PostedPullRequest, PullRequestAttempt, ThreadRecord } from '../../core/thread.ts';
import { cancelInvestigation } from '../../services/accept-report.ts';
import type { GithubCaller } from '../clients/github-clients.ts';
import { renderPullRequest } from '../render/pull-request.ts';
import { beginAttempt, endAttempt } from './attempt.ts';
import { handOver } from './comment-effects.ts';
import { findSilenceEnd } from './decide.ts';
import { describeMended, findRequester, toClosingTime } from './fix-standing.ts';
import { readPages, recoverFrom } from './github-calls.ts';
import { isAsSealed, sealed } from './marker.ts';
import { mayStillWrite, readCarriedIssue } from './open-pull-request.ts';
import type { LivePullRequest, Reviewers } from './outbox.ts';
import type { Work } from './view.ts';
import { toPlace } from './wanted-comment.ts';

interface Followed {
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

export async function follow(work: Work): Promise<Followed> {
  const { outbox, view, signal, deps } = work;
  const posted = view.record.pullRequest;
  if (posted === null) return { record: view.record, lookAt: null };
  const live = await outbox.pullRequest(posted.number, signal);
  if (live === null) return { record: view.record, lookAt: null };
  if (live.state !== 'open') {
    const attempts = await stopAttempt(work, posted);
    const pullRequest = { ...posted, attempts, state: live.state, closedAt: toClosingTime(live, deps.now()) };
    return { record: { ...view.record, pullRequest }, lookAt: null };
  }
  const { appId } = await deps.clients.identity(signal);
  const caller = deps.clients.repository(view.project.source, 'read');
  const following = { posted, live, of: { caller, place: getRepository(view.project), appId } };
  const judged = await judge(work, following);
  await updateBody(work, { ...following, posted: judged.posted }, judged.notOurs);
  const lookAt = judged.waitMs === null ? null : new Date(deps.now().getTime() + judged.waitMs).toISOString();
  const posts = judged.posted.handedOver === posted.handedOver ? [] : [deps.now().toISOString()];
  const pullRequest = await askForReview(work, judged, live);
  const record = { ...view.record, posts: [...view.record.posts, ...posts], pullRequest };
  return { record, lookAt };
}

/** Asked once, as soon as it is no draft; not where it is somebody else's by now. */
async function askForReview(work: Work, { posted, isMadeReady }: Judged, live: LivePullRequest) {
  const isDraft = live.isDraft && isMadeReady !== true;
  if (isDraft || posted.isReviewAsked === true || posted.checks === 'moved') return posted;
  await askReviewers(work, posted.number);
  return { ...posted, isReviewAsked: true };
}

async function judge(work: Work, following: Following): Promise<Judged> {
  const { posted, live } = following;
  if (live.headSha !== posted.headSha) return await judgeMoved(work, following);
  const running = posted.attempts.at(-1);
  if (running?.outcome === null) {
    const ended = await endAttempt(work, following, running);
    // What is pushed now has checks of its own, what was not is handed over: both with the next look.
    return ended === null ? settle(posted, ATTEMPT_MS) : settle(ended, 0);
  }
  if (posted.checks === 'moved') return settle(posted);
  const checks = await readChecks(following.of, live.headSha, work.signal);
  const verdict = toVerdict(checks);
  if (verdict === 'red') return await judgeRed(work, following, keepRed(checks));
  if (verdict === 'green') return await judgeGreen(work, following);
  const age = work.deps.now().getTime() - Date.parse(posted.pushedAt ?? live.createdAt);
  if (checks.length === 0 && work.view.seesChecks) return judgeNone(posted, age);
  return settle({ ...posted, checks: 'waiting' }, age < PATIENCE_MS ? POLL_MS : null);
}

/** Where one comes all the same, GitHub tells of it. */
function judgeNone(posted: PostedPullRequest, age: number): Judged {
  if (age >= NO_CHECKS_MS) return settle({ ...posted, checks: 'none' });
  return settle({ ...posted, checks: 'waiting' }, NO_CHECKS_MS - age);
}

function settle(posted: PostedPullRequest, waitMs: number | null = null): Judged {
  return { posted, waitMs, notOurs: [] };
}

/** Our own push that was not recorded, or somebody else's: then it is theirs. */
async function judgeMoved(work: Work, { posted, live }: Following): Promise<Judged> {
  const { outbox, view, signal } = work;
  const head = await outbox.branch(posted.branch, signal);
  const isOurs =
    head?.sha === live.headSha &&
    head.parents.includes(posted.headSha) &&
    readCarriedIssue(head, view.thread.id) !== null;
  if (isOurs) {
    const attempts = endAttempts(posted.attempts, 'pushed');
    const pushedAt = work.deps.now().toISOString();
    return settle({ ...posted, headSha: live.headSha, pushedAt, attempts, checks: 'waiting' }, 0);
  }
  if (posted.checks === 'moved') return settle(posted);
  return settle({ ...posted, attempts: await stopAttempt(work, posted), checks: 'moved' });
}

async function judgeGreen({ outbox, view, deps, signal }: Work, { posted, live }: Following): Promise<Judged> {
  const green = settle({ ...posted, checks: 'green' });
  if (!view.config.pullRequest.ready || posted.checks === 'green' || !live.isDraft) return green;
  const markReady = async (): Promise<Judged> => {
    await outbox.markReady(posted.nodeId, signal);
    return { ...green, isMadeReady: true };
  };
  return await recoverFrom(['refused'], markReady, (error) => {
    deps.log.warn({ thread: view.thread.id, err: error }, 'GitHub refused to mark a pull request ready');
    return green;
  });
}

async function judgeRed(work: Work, following: Following, red: readonly Check[]): Promise<Judged> {
  const { live, of } = following;
  const posted: PostedPullRequest = { ...following.posted, checks: 'red' };
  const before = new Set(keepRed(await readChecks(of, live.baseSha, work.signal)).map(({ name }) => name));
  const ours = red.filter(({ name }) => !before.has(name));
  const notOurs = red.filter(({ name }) => before.has(name));
  if (ours.length === 0 || posted.handedOver !== null) return { posted, waitMs: null, notOurs };
  if (await mayTryAgain(work, posted)) {
    const attempt = await beginAttempt(work, following, ours);
    return { posted: { ...posted, attempts: [...posted.attempts, attempt] }, waitMs: ATTEMPT_MS, notOurs };
  }
  const silent = findSilenceEnd(work.view);
  if (silent !== null) return { posted, waitMs: Date.parse(silent) - work.view.now.getTime(), notOurs };
  return { posted: { ...posted, handedOver: await handOver(work, posted, ours) }, waitMs: null, notOurs };
}

/** A head that was tried once is not tried again. */
async function mayTryAgain(work: Work, posted: PostedPullRequest): Promise<boolean> {
  const { attempts, headSha } = posted;
  const { opens, config } = work.view;
  if (!opens || attempts.length >= config.pullRequest.attempts) return false;
  if (attempts.some((attempt) => attempt.headSha === headSha)) return false;
  return await mayStillWrite(work, findRequester(posted, work.view.thread));
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

export interface Check {
  readonly name: string;
  readonly url: string;
  readonly state: 'waiting' | 'green' | 'red';
  /** What it says of itself; "" for nothing. */
  readonly output: string;
  /** Of a check run; null for a status. */
  readonly runId: number | null;
  /** Of GitHub Actions: the number is also that of the job, which has a log. */
  readonly isAction: boolean;
}

interface ChecksOf {
  readonly caller: GithubCaller;
  readonly place: { readonly owner: string; readonly repo: string };
  /** Ours, whose own checks say nothing. */
  readonly appId: number;
}

type Run = RestEndpointMethodTypes['checks']['listForRef']['response']['data']['check_runs'][number];

type Status = RestEndpointMethodTypes['repos']['getCombinedStatusForRef']['response']['data']['statuses'][number];

const PAGE = 100;

const MOST_PAGES = 5;

const RED = new Set(['failure', 'timed_out', 'startup_failure']);

/** Somebody must do something before it can end. */
const UNDECIDED = new Set(['action_required', 'stale']);

/** `ref` is a full sha. The latest of each name; those that were cancelled say nothing, nor does what we may not read. */
async function readChecks(of: ChecksOf, ref: string, signal: AbortSignal): Promise<readonly Check[]> {
  // An installation may have granted the one without the other.
  const runs = await recoverFrom(
    ['refused'],
    () => readCheckRuns(of, ref, signal),
    () => [],
  );
  const statuses = await recoverFrom(
    ['refused'],
    () => readStatuses(of, ref, signal),
    () => [],
  );
  return [...runs, ...statuses];
}

async function readCheckRuns(of: ChecksOf, ref: string, signal: AbortSignal): Promise<readonly Check[]> {
  const list = { ...of.place, ref, filter: 'latest' as const };
  const runs = await readPages(MOST_PAGES, async (page) => {
    const { data } = await of.caller.call(
      ({ rest }, request) => rest.checks.listForRef({ ...list, ...page, request }),
      signal,
    );
    return data.check_runs;
  });
  return runs.filter(({ app, conclusion }) => app?.id !== of.appId && conclusion !== 'cancelled').map(fromRun);
}

async function readStatuses(of: ChecksOf, ref: string, signal: AbortSignal): Promise<readonly Check[]> {
  const { data } = await of.caller.call(
    ({ rest }, request) => rest.repos.getCombinedStatusForRef({ ...of.place, ref, per_page: PAGE, request }),
    signal,
  );
  return data.statuses.map(fromStatus);
}

/** Red is only said when all have ended: what fails first may not be all. A commit without any check is waited with. */
function toVerdict(checks: readonly Check[]): 'waiting' | 'green' | 'red' {
  if (checks.length === 0 || checks.some(({ state }) => state === 'waiting')) return 'waiting';
  return checks.some(({ state }) => state === 'red') ? 'red' : 'green';
}

function keepRed(checks: readonly Check[]): readonly Check[] {
  return checks.filter(({ state }) => state === 'red');
}

function fromRun({ id, name, html_url, status, conclusion, output, app }: Run): Check {
  const isOpen = status !== 'completed' || UNDECIDED.has(conclusion ?? '');
  return {
    name,
    url: html_url ?? '',
    state: isOpen ? 'waiting' : RED.has(conclusion ?? '') ? 'red' : 'green',
    output: [output.title, output.summary, output.text].filter((part) => part !== null && part !== '').join('\n'),
    runId: id,
    isAction: app?.slug === 'github-actions',
  };
}

function fromStatus({ context, state, target_url, description }: Status): Check {
  return {
    name: context,
    url: target_url ?? '',
    state: state === 'pending' ? 'waiting' : state === 'success' ? 'green' : 'red',
    output: description ?? '',
    runId: null,
    isAction: false,
  };
}

/** `notOurs`: red checks that are red on the base as well. */
async function updateBody(work: Work, following: Following, notOurs: readonly Check[]): Promise<void> {
  const { view, outbox, signal } = work;
  const { posted, live } = following;
  if (view.published === null || !isAsSealed(live.body)) return;
  const { body } = renderPullRequest({
    place: toPlace(view, 'pull-request'),
    issue: view.published,
    requestedBy: findRequester(posted, view.thread)?.login ?? '',
    commentUrl: view.record.comment?.url ?? '',
    attempt: await findLastPushed(following, signal),
    checks: posted.checks,
    ...describeMended(view, view.published, posted),
  });
  const text = sealed(notOurs.length === 0 ? body : `${describeNotOurs(notOurs, live.base)}\n\n${body}`);
  if (text !== live.body) await outbox.updatePullRequest(posted.number, text, signal);
}

async function findLastPushed({ posted, of }: Following, signal: AbortSignal) {
  const pushed = posted.attempts.filter(({ outcome }) => outcome === 'pushed');
  const last: PullRequestAttempt | undefined = pushed.at(-1);
  if (last === undefined) return null;
  const red = keepRed(await readChecks(of, last.headSha, signal));
  return { number: pushed.length, failedChecks: red.map(({ name }) => name) };
}

function describeNotOurs(checks: readonly Check[], base: string): string {
  const names = checks.slice(0, 10).map(({ name }) => quoteCode(name));
  return `Red on ${quoteCode(base)} as well, so not because of this change: ${names.join(', ')}.`;
}

function quoteCode(text: string): string {
  return `\`${text.replace(/[`\r\n]/g, ' ').slice(0, 100)}\``;
}

/** Refusals are logged: a pull request without reviewers is one all the same. */
async function askReviewers(work: Work, number: number): Promise<void> {
  const all = sortReviewers(work);
  const each = [
    ...all.people.map((login) => ({ people: [login], teams: [] })),
    ...all.teams.map((slug) => ({ people: [], teams: [slug] })),
  ];
  if (each.length === 0 || (await ask(work, number, all)) || each.length === 1) return;
  for (const one of each) await ask(work, number, one);
}

/** `organisation/team` is a team of the repository's owner: those of others cannot be asked. */
function sortReviewers({ view, deps }: Work): Reviewers {
  const owner = getRepository(view.project).owner.toLowerCase();
  const people: string[] = [];
  const teams: string[] = [];
  for (const name of view.config.pullRequest.reviewers) {
    const [organisation = '', slug] = name.split('/');
    if (slug === undefined) people.push(name);
    else if (organisation.toLowerCase() === owner) teams.push(slug);
    else deps.log.warn({ thread: view.thread.id, reviewer: name }, 'a team of another organisation cannot be asked');
  }
  return { people, teams };
}

async function ask({ outbox, view, deps, signal }: Work, number: number, reviewers: Reviewers): Promise<boolean> {
  const request = async () => {
    await outbox.requestReviewers(number, reviewers, signal);
    return true;
  };
  return await recoverFrom(['refused'], request, (error) => {
    deps.log.warn({ thread: view.thread.id, err: error, ...reviewers }, 'GitHub refused to ask for reviews');
    return false;
  });
}
