// The shared work: taking a run for a new generation, and its steps.
import type { InvestigationStep } from '../core/evidence.ts';
import { spendReserved } from './costs.ts';
import type { Database } from './database.ts';
import { leaseLost } from './lease.ts';
import type { Reader, Trx } from './schema.ts';
import { settingsFrom } from './settings-text.ts';
import type { InvestigationStore, RecordedStep, Run } from './store.ts';
import { appendEntry } from './transcripts.ts';

export function runVerbs(database: Database): Pick<InvestigationStore, 'startRun' | 'recordStep' | 'steps'> {
  return {
    startRun: (runId, now) => database.write((trx) => startRun(trx, runId, now)),
    recordStep: (run, step, now, entryOf) => database.write((trx) => recordStep(trx, run, { step, now, entryOf })),
    steps: (runId, after) => database.read((reader) => steps(reader, runId, after)),
  };
}

async function startRun(trx: Trx, runId: string, now: string): Promise<Run | null> {
  const row = await trx
    .updateTable('runs')
    .set((expression) => ({ state: 'running', generation: expression('generation', '+', 1) }))
    .where('id', '=', runId)
    .where('state', '!=', 'ended')
    .returningAll()
    .executeTakeFirst();
  if (!row) return null;
  await spendReserved(trx, runId);
  await forgetSteps(trx, runId);
  await trx
    .updateTable('investigations')
    .set({ state: 'running', outcome: JSON.stringify({ state: 'running' }) })
    .where('run_id', '=', runId)
    .where('state', '=', 'queued')
    .execute();
  const callers = trx
    .selectFrom('investigations')
    .where('run_id', '=', runId)
    .where('state', '=', 'running')
    .orderBy('seq')
    .limit(1);
  const oldest = await callers.select(['id', 'text', 'guidance', 'settings']).executeTakeFirstOrThrow();
  const distrusted = await callers.select('id').where('is_trusted', '=', 0).executeTakeFirst();
  return {
    id: row.id,
    projectId: row.project_id,
    accountId: row.account_id,
    fingerprint: row.fingerprint,
    revision: row.revision,
    fresh: row.fresh === 1,
    isTrusted: distrusted === undefined,
    settings: settingsFrom(oldest.settings),
    text: oldest.text + oldest.guidance,
    generation: row.generation,
    startedAt: now,
    acceptedAt: row.created_at,
    investigationId: oldest.id,
  };
}

/** Without a transcript everything is looked up anew; with one the run goes on where it stood. */
async function forgetSteps(trx: Trx, runId: string): Promise<void> {
  const goesOn = await trx
    .selectFrom('transcript_entries')
    .select('seq')
    .where('run_id', '=', runId)
    .executeTakeFirst();
  if (goesOn) return;
  await trx.deleteFrom('steps').where('run_id', '=', runId).execute();
  await trx.updateTable('runs').set({ step_count: 0 }).where('id', '=', runId).execute();
}

async function recordStep(
  trx: Trx,
  run: Run,
  { step, now, entryOf }: { step: InvestigationStep; now: string; entryOf: ((number: number) => string) | undefined },
): Promise<RecordedStep> {
  const row = await trx
    .updateTable('runs')
    .set((expression) => ({ step_count: expression('step_count', '+', 1) }))
    .where('id', '=', run.id)
    .where('state', '=', 'running')
    .where('generation', '=', run.generation)
    .returning('step_count')
    .executeTakeFirst();
  if (!row) throw leaseLost(run.id);
  const { action, result, analysis } = step;
  const number = row.step_count;
  await trx.insertInto('steps').values({ run_id: run.id, number, action, result, analysis, created_at: now }).execute();
  if (entryOf) await appendEntry(trx, run.id, { entry: entryOf(number), now });
  return { number, action, result, analysis };
}

function steps(reader: Reader, runId: string, after: number): Promise<readonly RecordedStep[]> {
  return reader
    .selectFrom('steps')
    .select(['number', 'action', 'result', 'analysis'])
    .where('run_id', '=', runId)
    .where('number', '>', after)
    .orderBy('number')
    .execute();
}
