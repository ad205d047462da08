// The rows by which jobs are claimed say what the jobs say, whatever was done to them in whatever order.
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import type { NewJob } from '../../src/core/queue.ts';
import { openSqliteStore } from '../../src/db/open-sqlite.ts';
import { createSeal } from '../../src/db/seal.ts';
import { type Claim, type ClaimEnd, claim, endClaim } from '../../src/queue/claims.ts';
import { createJobTable } from '../../src/queue/job-table.ts';
import { freeAll, freeExpired } from '../../src/queue/leases.ts';
import { reviveDead } from '../../src/queue/revive-dead.ts';

const moment = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
const NOW = moment(5);

const subject = fc.integer({ min: 0, max: 6 });
const runAt = fc.integer({ min: 0, max: 9 }).map(moment);

const job: fc.Arbitrary<NewJob> = fc.record({
  kind: fc.constantFrom('delivery', 'run'),
  subject: subject.map((number) => `subject ${number}`),
  group: fc.constant(''),
  runAt,
  urgency: fc.constantFrom('person', 'automatic'),
  organisation: fc.constantFrom('', 'one', 'two'),
});
// A subject stays in its group; its organisation may change.
const grouped = job.map((each) => ({ ...each, group: `group ${Number(each.subject.slice(8)) % 3}` }));

const end: fc.Arbitrary<ClaimEnd> = fc.oneof(
  fc.constantFrom('done', 'dead', 'handed-back').map((kind) => ({ kind }) as ClaimEnd),
  fc.record({ kind: fc.constantFrom('later', 'failed'), runAt }),
);

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('enqueue'), jobs: fc.array(grouped, { maxLength: 3 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('claim'), kind: fc.constantFrom('delivery', 'run') }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('end'), at: fc.nat(), end }) },
  fc.record({ do: fc.constant('remove'), jobs: fc.array(grouped, { maxLength: 2 }) }),
  fc.record({ do: fc.constant('revive'), kind: fc.constantFrom('delivery', 'run') }),
  fc.record({ do: fc.constant('free'), isAll: fc.boolean() }),
) as fc.Arbitrary<Step>;

type Kind = 'delivery' | 'run';
type Step =
  | { readonly do: 'enqueue'; readonly jobs: readonly NewJob[] }
  | { readonly do: 'claim'; readonly kind: Kind }
  | { readonly do: 'end'; readonly at: number; readonly end: ClaimEnd }
  | { readonly do: 'remove'; readonly jobs: readonly NewJob[] }
  | { readonly do: 'revive'; readonly kind: Kind }
  | { readonly do: 'free'; readonly isAll: boolean };

async function queue() {
  const jobs = createJobTable();
  const store = await openSqliteStore({ file: ':memory:', seal: createSeal(Buffer.alloc(32)), enqueuer: jobs });
  const { database } = store;
  const held: Claim[] = [];
  const lookFor = { owner: 'worker', perGroup: 2, lastButFor: null, now: NOW, leaseUntil: NOW };
  const steps: { readonly [Name in Step['do']]: (step: Extract<Step, { do: Name }>) => Promise<unknown> } = {
    enqueue: (step) => database.write((trx) => jobs.enqueue(trx, step.jobs)),
    claim: async ({ kind }) => {
      const claimed = await claim(database, { ...lookFor, kind });
      if (claimed !== null) held.push(claimed);
    },
    end: async (step) => {
      const [one] = held.splice(step.at % Math.max(held.length, 1), 1);
      if (one !== undefined) await endClaim(database, one, step.end);
    },
    remove: (step) =>
      database.write(async (trx) => {
        for (const { kind, subject } of step.jobs) await jobs.remove(trx, kind, [subject]);
      }),
    revive: ({ kind }) => database.write((trx) => reviveDead(trx, kind, NOW)),
    free: ({ isAll }) => (isAll ? freeAll(database) : freeExpired(database, moment(6), [])),
  };
  return {
    take: (step: Step) => (steps[step.do] as (step: Step) => Promise<unknown>)(step),
    jobs: () => database.read((reader) => reader.selectFrom('jobs').selectAll().execute()),
    groups: () => database.read((reader) => reader.selectFrom('job_groups').selectAll().execute()),
    organisations: () => database.read((reader) => reader.selectFrom('job_organisations').selectAll().execute()),
    /** Rows that the work has written. */
    written: async (work: () => Promise<unknown>) => {
      const all = () =>
        database.read((reader) => sql<{ rows: number }>`select total_changes() as rows`.execute(reader));
      const before = await all();
      await work();
      return (await all()).rows[0]!.rows - before.rows[0]!.rows;
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

type Queue = Awaited<ReturnType<typeof queue>>;
type JobRow = Awaited<ReturnType<Queue['jobs']>>[number];

const earliest = (moments: readonly (string | null)[]) => moments.filter((at) => at !== null).toSorted()[0] ?? null;

/** What a group's row has to say of its jobs. */
function groupOf(jobs: readonly JobRow[]) {
  const inOrder = jobs.toSorted((one, other) => one.run_at.localeCompare(other.run_at) || one.seq - other.seq);
  const waiting = inOrder.filter(({ state }) => state === 'waiting');
  const running = jobs.filter(({ state }) => state === 'running');
  const [person] = waiting.filter(({ urgency }) => urgency === 'person');
  const [automatic] = waiting.filter(({ urgency }) => urgency === 'automatic');
  const works = running.map(({ organisation }) => organisation).toSorted();
  return {
    kind: jobs[0]?.kind,
    group_key: jobs[0]?.group_key,
    running: running.length,
    organisation: (person ?? automatic)?.organisation ?? works.at(-1) ?? '',
    next_at: waiting[0]?.run_at ?? null,
    next_person_at: person?.run_at ?? null,
    next_automatic_at: automatic?.run_at ?? null,
  };
}

async function expectTold(at: Queue): Promise<void> {
  const alive = (await at.jobs()).filter(({ state }) => state !== 'dead');
  const byGroup = Map.groupBy(alive, ({ kind, group_key }) => `${kind} ${group_key}`);
  const groups = await at.groups();
  const told = [...byGroup.values()].map(groupOf);
  expect(groups).toHaveLength(told.length);
  expect(groups).toEqual(expect.arrayContaining(told));
  const organisations = await at.organisations();
  for (const { kind, organisation, ...row } of organisations) {
    const mine = told.filter((group) => group.kind === kind && group.organisation === organisation);
    expect(row).toMatchObject({
      running: mine.reduce((sum, { running }) => sum + running, 0),
      next_person_at: earliest(mine.map((group) => group.next_person_at)),
      next_automatic_at: earliest(mine.map((group) => group.next_automatic_at)),
    });
  }
  const names = organisations.map(({ kind, organisation }) => `${kind} ${organisation}`);
  expect(names).toEqual(expect.arrayContaining(told.map(({ kind, organisation }) => `${kind} ${organisation}`)));
}

it('groups and organisations say what their jobs say after every step', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      await using at = await queue();
      for (const one of steps) {
        await at.take(one);
        await expectTold(at);
      }
    }),
    { numRuns: 60 },
  );
});

it('a job behind others of its group is the only row that is written', async () => {
  await using at = await queue();
  const one = (minute: number): NewJob => ({
    ...{ kind: 'run', subject: `subject ${minute}`, group: 'group', runAt: moment(minute) },
    ...{ urgency: 'person', organisation: 'one' },
  });
  const added = (minute: number) => at.written(() => at.take({ do: 'enqueue', jobs: [one(minute)] }));
  expect(await added(3)).toBe(3);
  expect(await added(4)).toBe(1);
  expect(await added(2)).toBe(3);
  await expectTold(at);
});
