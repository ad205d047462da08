// The handler of `backfill` jobs: reads a project's red checks of the last days without a model, page by page, into the ledger and a forecast.

import { type Checks, ChecksBusy, ChecksClosed } from '../core/check.ts';
import { type GithubProject, isGithubProject } from '../core/project.ts';
import type { JobHandler, JobResult } from '../core/queue.ts';
import type { Backfill, Store } from '../db/store.ts';
import type { Log } from '../log.ts';

import type { Redactor } from '../redact/redactor.ts';
import type { CheckReading } from './checks/check-reader.ts';
import { cleanPast } from './checks/clean-checks.ts';
import { forecastOf } from './checks/forecast.ts';
import { createPastPace, type PastPace } from './checks/past-pace.ts';
import { rememberPast } from './checks/remember-past.ts';

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
      const project = await deps.store.project(job.subject);
      return project === null || !isGithubProject(project) ? DONE : await tried(deps, project, signal);
    },
    dead: async (job, error) => {
      deps.log.error({ project: job.subject, err: error }, 'the red checks of the past could not be read');
    },
  };
}

async function tried(deps: PacedDeps, project: GithubProject, signal: AbortSignal): Promise<JobResult> {
  try {
    return await readPast(deps, project, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ChecksBusy) return { kind: 'later', runAt: error.retryAt.toISOString() };
    if (!(error instanceof ChecksClosed)) throw error;
    deps.log.warn({ project: project.id, err: error }, 'the red checks of the past cannot be read');
    const backfill = await openOne(deps, project);
    if (backfill !== null) await end(deps, project, backfill);
  }
  return DONE;
}

async function readPast(deps: PacedDeps, project: GithubProject, signal: AbortSignal): Promise<JobResult> {
  const { installationId } = project.source;
  for (let backfill = await openOne(deps, project); backfill !== null; backfill = await openOne(deps, project)) {
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
    if (page.next === null || spent.calls >= MOST_CALLS) await end(deps, project, after);
    else await deps.store.saveBackfill(after, deps.now().toISOString());
  }
  return DONE;
}

/** Null: there is none, or it has ended. */
async function openOne({ store }: BackfillDeps, project: GithubProject): Promise<Backfill | null> {
  const backfill = await store.backfill(project.id);
  return backfill?.state === 'waiting' ? backfill : null;
}

async function end(deps: BackfillDeps, project: GithubProject, backfill: Backfill): Promise<void> {
  const forecast = await forecastOf(deps.store, backfill);
  await deps.store.saveBackfill({ ...backfill, state: 'done', forecast }, deps.now().toISOString());
  const { calls, checks, since } = backfill;
  deps.log.info(
    { project: project.name, since, calls, redChecks: checks, forecast },
    'read the red checks of the past',
  );
}
