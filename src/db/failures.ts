// The ledger of failures: found by what they are, listed, closed; and what was green last.
import type { Failure } from '../core/failure.ts';
import { closeGreen, closeOfPullRequest, isOpenIn, mendings } from './closing-failures.ts';
import type { Database } from './database.ts';
import type { Enqueuer } from './enqueuer.ts';
import { failureFrom } from './failure-rows.ts';
import { lastGreens, noteGreen } from './greens.ts';
import { habits } from './habits.ts';
import { rangeOfRun, saveLikeliest } from './save-likeliest.ts';
import type { FailureTable, Reader } from './schema.ts';
import { markFlaky, recordSightings } from './sightings.ts';
import type { FailureStore } from './store.ts';
import { nudgeThreads } from './thread-rows.ts';

export function failureVerbs(database: Database, enqueuer: Enqueuer): FailureStore {
  return {
    failure: (id) => database.read((reader) => oneFailure(reader, { id })),
    failureOf: (projectId, fingerprint) =>
      database.read((reader) => oneFailure(reader, { project_id: projectId, fingerprint })),
    failures: (projectId, filter) => database.read((reader) => failures(reader, projectId, filter)),
    recordSightings: (failure, sightings) => database.write((trx) => recordSightings(trx, failure, sightings)),
    habits: (failureId, of) => database.read((reader) => habits(reader, failureId, of)),
    markFlaky: (failureId, keys) => database.write((trx) => markFlaky(trx, failureId, keys)),
    async saveRange(failureId, range) {
      const saved = { commit_range: JSON.stringify(range) };
      await database.write((trx) => trx.updateTable('failures').set(saved).where('id', '=', failureId).execute());
    },
    rangeOfRun: (runId) => database.read((reader) => rangeOfRun(reader, runId)),
    saveLikeliest: (run, likeliest) => database.write((trx) => saveLikeliest(trx, run, likeliest)),
    hasOpenOnDefault: (projectId) => database.read((reader) => hasOpenOnDefault(reader, projectId)),
    isOpenIn: (failureId, pullRequest) => database.read((reader) => isOpenIn(reader, failureId, pullRequest)),
    begunSince: (projectId, by) => database.read((reader) => begunSince(reader, projectId, by)),
    mendings: (projectId, green) => database.read((reader) => mendings(reader, projectId, green)),
    closeGreen: (projectId, green, now) =>
      database.write(async (trx) => {
        const closed = await closeGreen(trx, projectId, green);
        // A pull request that mends one of them has to say that nothing waits for it any more.
        await nudgeThreads(
          trx,
          closed.map(({ threadId }) => threadId),
          { enqueuer, runAt: now },
        );
        return closed;
      }),
    closeOfPullRequest: (projectId, number, at) =>
      database.write((trx) => closeOfPullRequest(trx, projectId, number, at)),
    noteGreen: (projectId, green) => noteGreen(database, projectId, green),
    lastGreens: (projectId, check) => database.read((reader) => lastGreens(reader, projectId, check)),
  };
}

type Key = Partial<Pick<FailureTable, 'id' | 'project_id' | 'fingerprint'>>;

async function oneFailure(reader: Reader, key: Key): Promise<Failure | null> {
  const row = await reader
    .selectFrom('failures')
    .selectAll()
    .where((expression) => expression.and(key))
    .executeTakeFirst();
  return row ? failureFrom(row) : null;
}

async function failures(
  reader: Reader,
  projectId: string,
  { state, limit, after }: Parameters<FailureStore['failures']>[1],
): Promise<readonly Failure[]> {
  let query = reader
    .selectFrom('failures')
    .selectAll('failures')
    .where('failures.project_id', '=', projectId)
    .orderBy('failures.last_seen_at', 'desc')
    .orderBy('failures.seq', 'desc')
    .limit(limit);
  if (state !== undefined) query = query.where('failures.state', '=', state);
  if (after !== undefined) {
    query = query
      .innerJoin('failures as last', (join) => join.on('last.id', '=', after))
      .where(({ or, and, eb, ref }) =>
        or([
          eb('failures.last_seen_at', '<', ref('last.last_seen_at')),
          and([eb('failures.last_seen_at', '=', ref('last.last_seen_at')), eb('failures.seq', '<', ref('last.seq'))]),
        ]),
      ) as typeof query;
  }
  const rows = await query.execute();
  return rows.map(failureFrom);
}

async function hasOpenOnDefault(reader: Reader, projectId: string): Promise<boolean> {
  const row = await reader
    .selectFrom('failures')
    .select('id')
    .where('project_id', '=', projectId)
    .where('state', '=', 'open')
    .where('is_on_default', '=', 1)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

async function begunSince(
  reader: Reader,
  projectId: string,
  { githubId, since }: Parameters<FailureStore['begunSince']>[1],
): Promise<number> {
  const account = reader.selectFrom('accounts').select('id').where('github_id', '=', githubId);
  const { count } = await reader
    .selectFrom('investigations')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('project_id', '=', projectId)
    .where('account_id', 'in', account)
    .where('created_at', '>', since)
    .executeTakeFirstOrThrow();
  return Number(count);
}
