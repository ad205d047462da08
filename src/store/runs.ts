// The shared work: taking a run for a new generation, and its steps.
import { CausewayError } from '../domain/errors.ts';
import type { InvestigationStep } from '../domain/evidence.ts';
import type { InvestigationStore, RecordedStep, Run } from '../ports/store.ts';
import type { Database } from './database.ts';
import type { Reader, Trx } from './schema.ts';

export function runVerbs(database: Database): Pick<InvestigationStore, 'startRun' | 'recordStep' | 'steps'> {
  return {
    startRun: (runId, now) => database.write((trx) => startRun(trx, runId, now)),
    recordStep: (run, step, now) => database.write((trx) => recordStep(trx, run, { step, now })),
    steps: (runId, after) => database.read((reader) => steps(reader, runId, after)),
  };
}

/** What a late worker gets for every write: its run was taken over, has ended, or was erased. */
export function leaseLost(runId: string): CausewayError {
  return new CausewayError(
    'lease_lost',
    `The run ${runId} was taken over, has ended or was erased; what this worker found is dropped. Stop working on it.`,
  );
}

async function startRun(trx: Trx, runId: string, now: string): Promise<Run | null> {
  const row = await trx
    .updateTable('runs')
    .set((expression) => ({ state: 'running', generation: expression('generation', '+', 1), step_count: 0 }))
    .where('id', '=', runId)
    .where('state', '!=', 'ended')
    .returningAll()
    .executeTakeFirst();
  if (!row) return null;
  await trx.deleteFrom('steps').where('run_id', '=', runId).execute();
  await trx
    .updateTable('investigations')
    .set({ state: 'running', outcome: JSON.stringify({ state: 'running' }) })
    .where('run_id', '=', runId)
    .where('state', '=', 'queued')
    .execute();
  const { text } = await trx
    .selectFrom('investigations')
    .select('text')
    .where('run_id', '=', runId)
    .where('state', '=', 'running')
    .orderBy('seq')
    .executeTakeFirstOrThrow();
  return {
    id: row.id,
    projectId: row.project_id,
    accountId: row.account_id,
    fingerprint: row.fingerprint,
    revision: row.revision,
    fresh: row.fresh === 1,
    text,
    generation: row.generation,
    startedAt: now,
  };
}

async function recordStep(
  trx: Trx,
  run: Run,
  { step, now }: { readonly step: InvestigationStep; readonly now: string },
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
