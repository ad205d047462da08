// The handler of `backfill` jobs: reads a project's red checks of the last days without a model, page by page, into the
// ledger and a forecast.
import { judgeCheck } from '../ci/judge.ts';
import { ALL_OUTPUT, type Check, type PastCheck } from '../core/check.ts';
import type { Failure } from '../core/failure.ts';
import { createId } from '../core/ids.ts';
import { type GithubProject, isGithubProject } from '../core/project.ts';
import type { JobHandler, JobResult } from '../core/queue.ts';
import type { Backfill, Forecast } from '../db/backfills.ts';
import type { Store } from '../db/store.ts';
import { cleanChecks, OUTSIDE_OUTPUT, readCheckTexts } from './checks/check-texts.ts';
import { runCheckJob } from './checks/look.ts';
import { readKnownFailure, type SeenAt, toHistory, toSighting } from './checks/sightings.ts';
import type { CheckServices } from './services.ts';

const DONE: JobResult = { kind: 'done' };
/** Calls to GitHub for the past of one project. */
const MOST_CALLS = 500;
const MOST_LOGS = 200;

type BackfillServices = Omit<CheckServices, 'source' | 'lexicons' | 'changes'>;

interface PastReading {
  readonly services: BackfillServices;
  readonly project: GithubProject;
  readonly signal: AbortSignal;
}

/** Each page is stored with its successor, so that a crash costs one page; each red check counts once. */
export function createBackfillHandler(given: BackfillServices): JobHandler {
  const services = { ...given, checks: cleanChecks(given.checks, given.redactor) };
  const { log, store } = services;
  const allowance = createCallAllowance();
  return {
    handle: async (job, signal) => {
      const project = await store.findProject(job.subject);
      if (project === null || !isGithubProject(project)) return DONE;
      const work = () => readPast({ services, project, signal }, allowance);
      return await runCheckJob(services, work, async (error) => {
        log.warn({ project: project.id, err: error }, 'the red checks of the past cannot be read');
        const backfill = await store.findBackfill(project.id);
        if (backfill?.state === 'waiting') await endBackfill(services, project, backfill);
      });
    },
    dead: async (job, error) => {
      log.error({ project: job.subject, err: error }, 'failed to read the red checks of the past');
    },
  };
}

async function readPast(reading: PastReading, allowance: CallAllowance): Promise<JobResult> {
  const { services, project, signal } = reading;
  const { store, checks, now } = services;
  const { installationId } = project.source;
  for (;;) {
    const backfill = await store.findBackfill(project.id);
    if (backfill?.state !== 'waiting') return DONE;
    signal.throwIfAborted();
    const begun = now().getTime();
    const readyAt = allowance.findReady(installationId, begun);
    if (readyAt > begun) return { kind: 'later', runAt: new Date(readyAt).toISOString() };
    const { since, cursor, calls } = backfill;
    const page = await checks.listPast(project, { since, cursor, mostCalls: MOST_CALLS - calls }, signal);
    const spent = await recordPast(reading, page.checks, { calls: calls + page.calls, checks: backfill.checks });
    allowance.spend(installationId, spent.calls - calls, begun);
    const after = { ...backfill, ...spent, cursor: page.next ?? cursor };
    // The last page and the end are one write, or the page could be counted twice.
    if (page.next === null || spent.calls >= MOST_CALLS) await endBackfill(services, project, after);
    else await store.saveBackfill(after, now().toISOString());
  }
}

async function endBackfill({ store, now, log }: BackfillServices, project: GithubProject, backfill: Backfill) {
  const forecast = await makeForecast(store, backfill);
  await store.saveBackfill({ ...backfill, state: 'done', forecast }, now().toISOString());
  const { calls, checks, since } = backfill;
  log.info({ project: project.name, since, calls, redChecks: checks, forecast }, 'read the red checks of the past');
}

/**
 * The calls to GitHub and the red checks so far; checks are counted without being read once their calls are used up.
 */
async function recordPast(
  reading: PastReading,
  past: readonly PastCheck[],
  { calls, checks }: Pick<Backfill, 'calls' | 'checks'>,
): Promise<Pick<Backfill, 'calls' | 'checks'>> {
  const spent = { calls, checks };
  for (const one of past) {
    reading.signal.throwIfAborted();
    const cost = countCalls(one.check);
    const isRead = cost === 0 || (spent.checks < MOST_LOGS && spent.calls + cost <= MOST_CALLS);
    spent.checks += 1;
    if (!isRead) continue;
    spent.calls += cost;
    await recordOne(reading, one);
  }
  return spent;
}

/** A status needs no call. */
function countCalls({ runId, app, annotations }: Check): number {
  if (runId === null) return 0;
  return (app === 'github-actions' ? 1 : 0) + (annotations > 0 ? 1 : 0);
}

async function recordOne(reading: PastReading, { sha, branch, pullRequest, check }: PastCheck): Promise<void> {
  const { services, project, signal } = reading;
  const { store, redactor, readCheck, now } = services;
  const isOnDefault = pullRequest === null && branch === project.source.defaultBranch;
  // The authors of past pull requests are not looked up.
  const where: SeenAt = { sha, branch, pullRequest, isOnDefault, isTrusted: isOnDefault };
  const texts = await readCheckTexts(reading, check, {
    ...(isOnDefault ? ALL_OUTPUT : OUTSIDE_OUTPUT),
    artifactBytes: 0,
  });
  const { log, annotations } = texts.words;
  const read = await readCheck({ name: check.name, output: texts.output, log, annotations });
  signal.throwIfAborted();
  const known = await readKnownFailure(store, project.id, read.fingerprint, where);
  const { verdict } = judgeCheck({
    ...{ name: check.name, conclusion: check.conclusion, read, isOnDefault, passedHere: false, changed: null },
    base: { name: '', state: 'unknown', sameCause: null },
    history: toHistory(known, where, ''),
  });
  const headline = await redactor.redact(read.excerpt.headline);
  const at = now().toISOString();
  const failure = { id: createId('fal'), projectId: project.id, fingerprint: read.fingerprint, headline };
  await store.recordSightings(failure, [toSighting(check, where, verdict, at)]);
}

/** GitHub grants each installation at least 5,000 calls an hour; a fifth of them goes to the past. */
const CALLS_AN_HOUR = 1_000;
const MS_A_CALL = 3_600_000 / CALLS_AN_HOUR;
/** Below this a page waits until there are so many again. */
const LEAST_CALLS = 50;

interface CallAllowance {
  /** When the next page may be read, in milliseconds. */
  findReady(installationId: number, now: number): number;
  spend(installationId: number, calls: number, now: number): void;
}

/** In memory: after a start the allowance is full. */
export function createCallAllowance(): CallAllowance {
  const left = new Map<number, { readonly calls: number; readonly at: number }>();
  const countLeft = (installationId: number, now: number): number => {
    const { calls, at } = left.get(installationId) ?? { calls: CALLS_AN_HOUR, at: now };
    return Math.min(CALLS_AN_HOUR, calls + Math.max(0, now - at) / MS_A_CALL);
  };
  return {
    findReady: (id, now) => now + Math.max(0, LEAST_CALLS - countLeft(id, now)) * MS_A_CALL,
    spend: (id, calls, now) => void left.set(id, { calls: countLeft(id, now) - calls, at: now }),
  };
}

/** From the 14 days that were read to a month. */
const SCALE = 30 / 14;
/** US dollars of an investigation where none was made yet. */
const NOMINAL_COST = 0.15;
const PAGE = 100;

async function makeForecast(store: Store, { projectId, since, checks }: Backfill): Promise<Forecast> {
  const failures: Failure[] = [];
  for (let isOld = false; !isOld; ) {
    const after = failures.at(-1)?.id;
    const page = await store.listFailures([projectId], { limit: PAGE, ...(after !== undefined && { after }) });
    failures.push(...page);
    isOld = page.length < PAGE || page.some(({ lastSeen }) => lastSeen.at < since);
  }
  const distinct = failures.filter((failure) => failure.firstSeen.at >= since && isWorthInvestigating(failure)).length;
  const investigations = Math.round(distinct * SCALE);
  const cost = (await store.readMeanCost()) ?? NOMINAL_COST;
  return {
    redChecks: Math.round(checks * SCALE),
    investigations,
    usd: Math.round(investigations * cost * 100) / 100,
  };
}

/** An investigation begins for what is new and says what is wrong, on the default branch or a pull request. */
function isWorthInvestigating({ headline, firstSeen, isOnDefault, pullRequests }: Failure): boolean {
  const isCode = firstSeen.verdict === 'code' || firstSeen.verdict === 'inconclusive';
  return isCode && headline !== '' && (isOnDefault || pullRequests.length > 0);
}
