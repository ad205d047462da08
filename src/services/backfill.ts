// The handler of `backfill` jobs: a project's red checks of the days before it was known go into the ledger, and what
// they would have cost into a forecast.
import { createId } from '../core/ids.ts';
import { type PastReader, summariseForecast } from '../core/past.ts';
import { type GithubProject, isGithubProject } from '../core/project/index.ts';
import type { JobHandler, JobResult } from '../core/queue.ts';
import { runCheckJob } from './checks/look.ts';
import { toSighting } from './checks/sightings.ts';
import { MOST_CALLS, makeForecast, NOMINAL_COST, readPast } from './forecast.ts';
import type { CheckServices } from './services.ts';

const DONE: JobResult = { kind: 'done' };

type BackfillServices = Omit<CheckServices, 'source' | 'lexicons' | 'changes'> & {
  readonly checks: CheckServices['checks'] & PastReader;
};

/** A crash reads it all once more; each red check counts once. */
export function createBackfillHandler(services: BackfillServices): JobHandler {
  const { log, store, now } = services;
  const allowance = createCallAllowance();
  return {
    handle: async (job, signal) => {
      const project = await store.findProject(job.subject);
      if (project === null || !isGithubProject(project)) return DONE;
      const { installationId } = project.source;
      const work = async (): Promise<JobResult> => {
        const begun = now().getTime();
        const readyAt = allowance.findReady(installationId, begun);
        if (readyAt > begun) return { kind: 'later', runAt: new Date(readyAt).toISOString() };
        allowance.spend(installationId, await recordPast(services, project, signal), begun);
        return DONE;
      };
      return await runCheckJob(services, work, async (error) => {
        log.warn({ project: project.id, err: error }, 'the red checks of the past cannot be read');
        const backfill = await store.findBackfill(project.id);
        if (backfill?.state === 'waiting')
          await store.saveBackfill({ ...backfill, state: 'done' }, now().toISOString());
      });
    },
    dead: async (job, error) => {
      log.error({ project: job.subject, err: error }, 'failed to read the red checks of the past');
    },
  };
}

/** Returns the calls to GitHub. Throws ChecksBusy before anything is recorded. */
async function recordPast(services: BackfillServices, project: GithubProject, signal: AbortSignal): Promise<number> {
  const { store, now, log } = services;
  const backfill = await store.findBackfill(project.id);
  if (backfill?.state !== 'waiting') return 0;
  const read = await readPast(services, { project, since: backfill.since, isPatient: true }, signal);
  const at = now().toISOString();
  // The oldest first, as they would have been seen.
  for (const { past, where, verdict, fingerprint, headline } of read.judged.toReversed()) {
    signal.throwIfAborted();
    const failure = { id: createId('fal'), projectId: project.id, fingerprint, headline };
    const sighting = toSighting(past.check, where, verdict, at);
    const recorded = await store.recordSightings(failure, [sighting]);
    if (past.passedAgain) await store.markFlaky(recorded.failure.id, [sighting.key]);
  }
  const forecast = makeForecast(read, (await store.readMeanCost()) ?? NOMINAL_COST);
  await store.saveBackfill({ ...backfill, state: 'done', forecast }, now().toISOString());
  const words = { project: project.name, since: read.found.from, calls: read.calls };
  log.info(words, `read the last 14 days of ${project.name}: ${summariseForecast(forecast)}`);
  return read.calls;
}

/** GitHub grants each installation at least 5,000 calls an hour; a fifth of them goes to the past. */
const CALLS_AN_HOUR = 1_000;
const MS_A_CALL = 3_600_000 / CALLS_AN_HOUR;

interface CallAllowance {
  /** When the next project may be read, in milliseconds. */
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
    findReady: (id, now) => now + Math.max(0, MOST_CALLS - countLeft(id, now)) * MS_A_CALL,
    spend: (id, calls, now) => void left.set(id, { calls: countLeft(id, now) - calls, at: now }),
  };
}
