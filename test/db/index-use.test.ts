// Which indexes SQLite reads by: what is asked often looks at its own rows alone, however many others there are.
import { Kysely } from 'kysely';
import { expect, it } from 'vitest';
import { createDatabase, type Database } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import type { Schema } from '../../src/db/schema.ts';
import { createSeal } from '../../src/db/seal.ts';
import { createSqliteDialect, openConnection, SQLITE_TABLES } from '../../src/db/sqlite-engine.ts';
import type { Store } from '../../src/db/store.ts';
import { storeVerbs } from '../../src/db/store-verbs.ts';
import { claimNextJob, createJobTable, releaseRunning } from '../../src/queue/job-table.ts';
import { acceptance, accepted, at, ground } from '../support/store-samples.ts';

type Verbs = ReturnType<typeof storeVerbs>;

interface Asked {
  readonly database: Database;
  readonly store: Verbs;
}

/** How SQLite carries out what `ask` asks of investigations and jobs; `prepare` is called before. */
async function plansOf<T>(
  ask: (asked: Asked, prepared: T | undefined) => Promise<unknown>,
  prepare?: (asked: Asked) => Promise<T>,
): Promise<readonly string[]> {
  const connection = openConnection(':memory:');
  const said = new Map<string, readonly unknown[]>();
  await using kysely = new Kysely<Schema>({
    dialect: createSqliteDialect(connection),
    log: ({ query }) => void said.set(query.sql, query.parameters),
  });
  await migrate(kysely, { form: SQLITE_TABLES, place: 'memory', mayBeAheadBy: 0 });
  const enqueuer = createJobTable();
  const database = createDatabase({ kysely, enqueuer, explain: (error) => error });
  const seal = createSeal(Buffer.alloc(32, 7));
  const asked = { database, store: storeVerbs({ database, seal, enqueuer, forgetErased: async () => {} }) };
  const prepared = await prepare?.(asked);
  said.clear();
  await ask(asked, prepared);
  const plans = [...said].flatMap(([text, values]) =>
    /^\s*(select|update|delete)/.test(text)
      ? connection.prepare<unknown[], { detail: string }>(`explain query plan ${text}`).all(...values)
      : [],
  );
  return plans
    .map(({ detail }) => detail)
    .filter((detail) => /^(SEARCH|SCAN) (investigations|jobs)\b/.test(detail))
    .filter((detail) => !detail.includes('INTEGER PRIMARY KEY'));
}

const page = { limit: 51 };
const ONE = ['prj_1'];

it.each<[string, string, (asked: Asked) => Promise<unknown>]>([
  [
    'waiting reports of all projects',
    'investigations_under_way (state=?)',
    ({ store }) => store.listInvestigations({ ...page, state: 'queued' }),
  ],
  [
    'waiting reports of a project',
    'investigations_under_way (state=? AND project_id=?)',
    ({ store }) => store.listInvestigations({ ...page, state: 'queued', projectIds: ONE }),
  ],
  [
    'what is under way of a project that access was lost to',
    'investigations_under_way (state=? AND project_id=?)',
    ({ store }) => store.listOpenInvestigations('prj_1'),
  ],
  [
    'ended ones of all projects',
    'investigations_ended_state (state=?)',
    ({ store }) => store.listInvestigations({ ...page, state: 'gave_up' }),
  ],
  [
    'ended ones of a project',
    'investigations_ended_of (project_id=? AND state=?)',
    ({ store }) => store.listInvestigations({ ...page, state: 'gave_up', projectIds: ONE }),
  ],
  [
    'those of a reference in one state',
    'investigations_reference (reference=?)',
    ({ store }) => store.listInvestigations({ ...page, state: 'concluded', reference: 'r' }),
  ],
  [
    'how many are under way in several projects',
    'investigations_under_way (state=? AND project_id=?)',
    ({ store }) => store.countByProject(['prj_1', 'prj_2', 'prj_3']),
  ],
  [
    'how many there were in each month',
    'investigations_made (project_id=? AND created_at>?)',
    ({ store }) => store.readUsage({ projectIds: ['prj_1', 'prj_2'], sinceMonth: '2026-01' }),
  ],
  [
    'how many an account began in a day',
    'investigations_made (project_id=? AND created_at>?)',
    ({ store }) => store.countInvestigationsSince('prj_1', { githubId: 1, since: at(0) }),
  ],
  ['jobs that were running', 'jobs_groups (state=?)', ({ database }) => database.write(releaseRunning)],
])('%s are found by %s', async (_, index, ask) => {
  const plans = await plansOf(ask);
  expect(plans).toHaveLength(1);
  expect(plans[0]).toContain(` INDEX ${index}`);
});

it('the next job is found by its moment, and the groups at their limit by what runs', async () => {
  const request = { kind: 'run', perGroup: 1, maxLost: 3 } as const;
  const plans = await plansOf(({ database }) => database.write((trx) => claimNextJob(trx, at(0), request)));
  expect(new Set(plans.map((plan) => plan.replace(/^.* INDEX /, '')))).toEqual(
    new Set(['jobs_due (kind=? AND state=? AND urgency=? AND run_at<?)', 'jobs_groups (state=? AND kind=?)']),
  );
});

it('a run that starts looks at its own investigations, not at all that wait', async () => {
  const plans = await plansOf<string>(
    ({ store }, runId = '') => store.startRun(runId, at(1)),
    async ({ store }) => (await accepted(store as Store, acceptance(await ground(store as Store)))).runId,
  );
  expect(plans.length).toBeGreaterThan(1);
  for (const plan of plans) expect(plan).toContain(' INDEX investigations_run_id (run_id=?)');
});
