// The handler of `backfill` jobs: reads a project's red checks of the last days without a model, page by page, into the ledger and a forecast.

import { judgeCheck } from '../ci/judge.ts';
import type { ReadCheck } from '../ci/read-check.ts';
import { type Check, type Checks, ChecksBusy, ChecksClosed, type PastCheck } from '../core/check.ts';
import type { Failure } from '../core/failure.ts';
import { createId } from '../core/ids.ts';
import { type GithubProject, isGithubProject } from '../core/project.ts';
import type { JobHandler, JobResult } from '../core/queue.ts';
import type { Backfill, BackfillStore, FailureStore, Forecast, Store } from '../db/store.ts';
import type { Log } from '../log.ts';
import type { Redactor } from '../redact/redactor.ts';
import type { CheckReading } from './checks/check-reader.ts';
import { cleanPast, OUTSIDE_LOG_BYTES, readCheckTexts } from './checks/check-texts.ts';
import { readKnown, type SeenAt, toHistory, toSighting } from './checks/sightings.ts';

export interface BackfillDeps {
  readonly store: Store;
  readonly checks: Pick<Checks, 'past' | 'said'>;
  readonly readCheck: CheckReading;
  readonly redactor: Pick<Redactor, 'redact' | 'redactJson'>;
  /** While it says so nothing is read. */
  readonly paused: () => boolean;
  readonly now: () => Date;
  readonly log: Log;
}

interface PacedDeps extends BackfillDeps {
  readonly pace: PastPace;
}

const DONE: JobResult = { kind: 'done' };

/** How soon a paused house looks whether it may go on. */
const PAUSED_MS = 15_000;

/** Calls to GitHub for one project's past. */
const MOST_CALLS = 500;

/** Each page is kept with where to go on, so that a crash costs one page; each red check counts once, whoever tells of it. */
export function createBackfillHandler(given: BackfillDeps): JobHandler {
  const { said } = given.checks;
  const deps: PacedDeps = {
    ...given,
    checks: { said, ...cleanPast(given.checks, given.redactor) },
    pace: createPastPace(),
  };
  return {
    handle: async (job, signal) => {
      if (deps.paused()) return { kind: 'later', runAt: new Date(deps.now().getTime() + PAUSED_MS).toISOString() };
      const project = await deps.store.findProject(job.subject);
      return project === null || !isGithubProject(project) ? DONE : await tryToRead(deps, project, signal);
    },
    dead: async (job, error) => {
      deps.log.error({ project: job.subject, err: error }, 'the red checks of the past could not be read');
    },
  };
}

async function tryToRead(deps: PacedDeps, project: GithubProject, signal: AbortSignal): Promise<JobResult> {
  try {
    return await readPast(deps, project, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ChecksBusy) return { kind: 'later', runAt: error.retryAt.toISOString() };
    if (!(error instanceof ChecksClosed)) throw error;
    deps.log.warn({ project: project.id, err: error }, 'the red checks of the past cannot be read');
    const backfill = await findOpen(deps, project);
    if (backfill !== null) await endBackfill(deps, project, backfill);
  }
  return DONE;
}

async function readPast(deps: PacedDeps, project: GithubProject, signal: AbortSignal): Promise<JobResult> {
  const { installationId } = project.source;
  for (let backfill = await findOpen(deps, project); backfill !== null; backfill = await findOpen(deps, project)) {
    signal.throwIfAborted();
    const now = deps.now().getTime();
    const readyAt = deps.pace.readyAt(installationId, now);
    if (readyAt > now) return { kind: 'later', runAt: new Date(readyAt).toISOString() };
    const { since, cursor } = backfill;
    const mostCalls = MOST_CALLS - backfill.calls;
    const page = await deps.checks.past(project, { since, cursor, mostCalls }, signal);
    const before = { calls: backfill.calls + page.calls, checks: backfill.checks, mostCalls: MOST_CALLS };
    const spent = await rememberPast({ deps, project, signal }, page.checks, before);
    deps.pace.spent(installationId, spent.calls - backfill.calls, now);
    const after = { ...backfill, ...spent, cursor: page.next ?? cursor };
    // The last page and the end are one write: between two, the page would be counted again.
    if (page.next === null || spent.calls >= MOST_CALLS) await endBackfill(deps, project, after);
    else await deps.store.saveBackfill(after, deps.now().toISOString());
  }
  return DONE;
}

/** Null: there is none, or it has ended. */
async function findOpen({ store }: BackfillDeps, project: GithubProject): Promise<Backfill | null> {
  const backfill = await store.findBackfill(project.id);
  return backfill?.state === 'waiting' ? backfill : null;
}

async function endBackfill(deps: BackfillDeps, project: GithubProject, backfill: Backfill): Promise<void> {
  const forecast = await makeForecast(deps.store, backfill);
  await deps.store.saveBackfill({ ...backfill, state: 'done', forecast }, deps.now().toISOString());
  const { calls, checks, since } = backfill;
  deps.log.info(
    { project: project.name, since, calls, redChecks: checks, forecast },
    'read the red checks of the past',
  );
}

interface Past {
  readonly deps: {
    readonly store: FailureStore;
    readonly checks: Pick<Checks, 'said'>;
    readonly readCheck: CheckReading;
    readonly redactor: Pick<Redactor, 'redact' | 'redactJson'>;
    readonly now: () => Date;
  };
  readonly project: GithubProject;
  readonly signal: AbortSignal;
}

interface Spent {
  /** Calls to GitHub so far; red checks so far. */
  readonly calls: number;
  readonly checks: number;
}

const MOST_LOGS = 200;

/** What was spent by then. Those that there are no calls left for are counted, not read. Throws what `Checks.said` throws. */
async function rememberPast(
  past: Past,
  checks: readonly PastCheck[],
  { mostCalls, ...spent }: Spent & { readonly mostCalls: number },
): Promise<Spent> {
  let calls = spent.calls;
  let seen = spent.checks;
  for (const one of checks) {
    past.signal.throwIfAborted();
    const cost = countCalls(one.check);
    const isRead = cost === 0 || (seen < MOST_LOGS && calls + cost <= mostCalls);
    seen += 1;
    if (!isRead) continue;
    calls += cost;
    await rememberOne(past, one);
  }
  return { calls, checks: seen };
}

/** A log is asked for and then fetched; a status has said all with itself. */
function countCalls({ runId, app, annotations }: Check): number {
  if (runId === null) return 0;
  return (app === 'github-actions' ? 1 : 0) + (annotations > 0 ? 1 : 0);
}

async function rememberOne({ deps, project, signal }: Past, { sha, branch, pullRequest, check }: PastCheck) {
  const isOnDefault = pullRequest === null && branch === project.source.defaultBranch;
  // Whose a pull request was is not asked any more.
  const where: SeenAt = { sha, branch, pullRequest, isOnDefault, isTrusted: isOnDefault };
  const logBytes = isOnDefault ? undefined : OUTSIDE_LOG_BYTES;
  const { output, words } = await readCheckTexts({ deps, project, signal, logBytes }, check);
  const texts = { name: check.name, output, log: words.log, annotations: words.annotations };
  const read = await deps.readCheck(texts);
  signal.throwIfAborted();
  const { verdict } = await judgePast({ deps, project, signal }, { check, read, where });
  const headline = await deps.redactor.redact(read.excerpt.headline);
  const now = deps.now().toISOString();
  await deps.store.recordSightings(
    { id: createId('fal'), projectId: project.id, fingerprint: read.fingerprint, headline },
    [toSighting(check, where, verdict, now)],
    now,
  );
}

/** The newest is read first, so that the ledger says nothing yet of what was before it. */
async function judgePast(
  { deps, project }: Past,
  { check, read, where }: { readonly check: Check; readonly read: ReadCheck; readonly where: SeenAt },
) {
  const known = await readKnown(deps.store, { projectId: project.id, fingerprint: read.fingerprint }, where);
  return judgeCheck({
    ...{ name: check.name, conclusion: check.conclusion, read, isOnDefault: where.isOnDefault },
    ...{ passedHere: false, base: { name: '', state: 'unknown', sameCause: null }, changed: null },
    history: toHistory(known, where, ''),
  });
}

interface PastPace {
  /** When the next page may be read for that installation, in milliseconds; now or before: at once. */
  readyAt(installationId: number, now: number): number;
  spent(installationId: number, calls: number, now: number): void;
}

/** GitHub gives every installation 5,000 calls an hour at the least; a fifth of them goes to the past, two repositories' share at once. */
const CALLS_AN_HOUR = 1_000;

const MS_A_CALL = 3_600_000 / CALLS_AN_HOUR;

/** Below this it waits until there are so many again. */
const LEAST_CALLS = 50;

/** Known to this process alone: a new start begins with a full allowance. */
export function createPastPace(): PastPace {
  const left = new Map<number, { readonly calls: number; readonly at: number }>();
  const allowed = (installationId: number, now: number): number => {
    const known = left.get(installationId);
    return known === undefined
      ? CALLS_AN_HOUR
      : Math.min(CALLS_AN_HOUR, known.calls + Math.max(0, now - known.at) / MS_A_CALL);
  };
  return {
    readyAt: (installationId, now) => {
      const missing = LEAST_CALLS - allowed(installationId, now);
      return missing <= 0 ? now : now + missing * MS_A_CALL;
    },
    spent: (installationId, calls, now) =>
      void left.set(installationId, { calls: allowed(installationId, now) - calls, at: now }),
  };
}

/** The seen days as 30. */
const SCALE = 30 / 14;

/** US dollars of an investigation where none was made yet. */
const NOMINAL_COST = 0.15;

const PAGE = 100;

async function makeForecast(
  store: Pick<FailureStore, 'listFailures'> & Pick<BackfillStore, 'readMeanCost'>,
  { projectId, since, checks }: Backfill,
): Promise<Forecast> {
  const distinct = (await readFailuresSince(store, projectId, since)).filter(isWorthwhile).length;
  const investigations = Math.round(distinct * SCALE);
  const cost = (await store.readMeanCost()) ?? NOMINAL_COST;
  return {
    redChecks: Math.round(checks * SCALE),
    investigations,
    usd: Math.round(investigations * cost * 100) / 100,
  };
}

/** An investigation begins for what is new and says what is wrong, on the default branch or a pull request. */
function isWorthwhile({ headline, firstSeen, isOnDefault, pullRequests }: Failure): boolean {
  const isCode = firstSeen.verdict === 'code' || firstSeen.verdict === 'inconclusive';
  return isCode && headline !== '' && (isOnDefault || pullRequests.length > 0);
}

async function readFailuresSince(
  store: Pick<FailureStore, 'listFailures'>,
  projectId: string,
  since: string,
): Promise<readonly Failure[]> {
  const all: Failure[] = [];
  for (let after: string | undefined; ; after = all.at(-1)?.id) {
    const page = await store.listFailures(projectId, { limit: PAGE, ...(after === undefined ? {} : { after }) });
    all.push(...page);
    const isOld = page.some(({ lastSeen }) => lastSeen.at < since);
    if (page.length < PAGE || isOld) return all.filter(({ firstSeen }) => firstSeen.at >= since);
  }
}
