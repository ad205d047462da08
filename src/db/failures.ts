// The ledger of failures: found by what they are, listed, counted, closed; and which checks passed last.
import {
  type Check,
  type Closing,
  type CommitRange,
  type Failure,
  type Finding,
  type LikeliestCommit,
  type RankedCommit,
  type Sighting,
  toCheckKey,
} from '../core/check/index.ts';
import { type Database, type Enqueuer, queryInChunks } from './database.ts';
import { enqueueCheckRunsOfFailure, enqueuePutBacksOfProject } from './put-backs.ts';
import { type Run, requireLease } from './runs.ts';
import type { FailureTable, Reader, Trx } from './schema.ts';
import {
  announceFailure,
  markFlaky,
  type NewFailure,
  type RecordedFailure,
  recordSightings,
  toFailure,
  toTime,
} from './sightings.ts';
import { enqueuePublish } from './threads.ts';

/** Several Apps may have checks of one name. */
export type CheckId = Pick<Check, 'app' | 'name'>;

/** A check passed at that commit. */
interface PassingCheck {
  readonly sha: string;
  readonly at: string;
  /** GitHub's number of the run; null: a commit status, or not known. */
  readonly runId: number | null;
}

export interface NewPassingCheck {
  readonly sha: string;
  readonly at: string;
  readonly check: CheckId;
  /** Absent: not known. */
  readonly runId?: number | null | undefined;
}

/** A commit of the default branch with its passing checks; `at`: when the last one ended. */
interface PassingHead {
  readonly sha: string;
  readonly checks: readonly CheckId[];
  readonly at: string;
  /** Failures that are red at this very commit: they stay open. Absent: none. */
  readonly red?: readonly string[];
}

type CommitPair = Pick<CommitRange, 'from' | 'to'>;

/** Where and how often a failure was seen. */
export interface FailureStatistics {
  /** Commits; of them those where it passed without a change; of these those of the default branch. */
  readonly heads: number;
  readonly flakyHeads: number;
  readonly flakyOnDefault: number;
  readonly pullRequests: number;
  /** Without those of pull requests. */
  readonly branches: number;
  /** On the default branch, ISO 8601; "": never. */
  readonly lastOnDefaultAt: string;
}

/** `likeliest`: null where none stands out. */
interface Ranking {
  readonly ranks: readonly RankedCommit[];
  readonly likeliest: LikeliestCommit | null;
}

type ExaminedRange = CommitPair & Partial<Pick<CommitRange, 'ranks' | 'likeliest' | 'test'>>;

interface FailuresOfTest {
  readonly failureIds: readonly string[];
  readonly shas: readonly string[];
}

interface StatisticsFilter {
  readonly isTrustedOnly: boolean;
  /** Only these commits; absent: all. */
  readonly shas?: readonly string[];
  /** What is looked at now, which does not count. */
  readonly besides: { readonly sha: string; readonly pullRequest: number | null; readonly branch: string };
}

interface FailureFilter {
  /** `flaky`: only those that passed by themselves, the most often first. Absent: the last seen first. */
  readonly sort?: 'flaky';
  readonly state?: Failure['state'];
  /** Only those that were seen on the default branch since they were last opened. */
  readonly isOnDefault?: true;
  /** Last seen at or after the one, and before the other; ISO 8601. */
  readonly since?: string;
  readonly until?: string;
  readonly limit: number;
  /** Id of the last one of the previous page. */
  readonly after?: string;
}

type DailySightingsFilter = { /** Such as `2026-11-20`. */ readonly since: string } & (
  | { readonly projectIds: readonly string[] }
  | { readonly failureIds: readonly string[] }
);

/** How many of something there were on a day. */
export interface DailyCount {
  /** Of what it is counted for, such as a project. */
  readonly id: string;
  /** Such as `2026-11-20`. */
  readonly day: string;
  readonly count: number;
}

export type FailureStore = ReturnType<typeof createFailureVerbs>;

/** Stored per check: on a busy branch commits that do not contain the red one pass before it is looked at. */
const MOST_PASSING = 20;
/** With how many passing commits of one check a red commit is compared. */
const MOST_COMPARED = 3;
/** The newest commits that statistics look at. */
const MOST_HEADS = 1_000;

export function createFailureVerbs(database: Database) {
  const { jobs } = database;
  return {
    findFailure: (id: string): Promise<Failure | null> => database.read((reader) => findStoredFailure(reader, { id })),
    findFailureByFingerprint: (projectId: string, fingerprint: string): Promise<Failure | null> =>
      database.read((reader) => findStoredFailure(reader, { project_id: projectId, fingerprint })),
    listFailures: (projectIds: readonly string[], filter: FailureFilter): Promise<readonly Failure[]> =>
      database.read((reader) => readFailures(reader, projectIds, filter)),
    /**
     * Links red checks to their failure, each once by its key; created (with `id`) if the fingerprint is new.
     * - A closed failure is opened again, without its former investigation and thread, by a sighting from after its
     *   end; it keeps both within 24 hours in the pull request that they were started for, unless they brought nothing.
     * - A sighting may be moved: to the default branch when its commit is there, or to the pull request that was opened
     *   for it since.
     * - The headline is that of the first sighting, and then that of the first one on the default branch.
     *
     * `standing`: as it was before; `regression` only after it was closed by a passing default branch. Sightings that
     * were recorded before return what they returned then.
     */
    recordSightings: (failure: NewFailure, sightings: readonly Sighting[]): Promise<RecordedFailure> =>
      database.write((trx) => recordSightings(trx, jobs, failure, sightings)),
    /**
     * Of one failure or several together: each commit once however many of its checks were red, as far as its sightings
     * are still stored.
     */
    readFailureStatistics: (of: string | readonly string[], filter: StatisticsFilter): Promise<FailureStatistics> =>
      database.read((reader) => readFailureStatistics(reader, [of].flat(), filter)),
    /** Where that test failed, and with which failures, of the newest 1,000 heads. */
    findFailuresOfTest: (projectId: string, test: string): Promise<FailuresOfTest> =>
      database.read((reader) => findFailuresOfTest(reader, projectId, test)),
    /**
     * How many checks were red on each day (UTC) since then, as far as their sightings are still stored: of each project,
     * or of each failure. Days without any are left out; in no order.
     */
    readDailySightings: (filter: DailySightingsFilter): Promise<readonly DailyCount[]> =>
      database.read((reader) => readDailySightings(reader, filter)),
    /** A sighting was chance: the check passed at the same commit. Counted once for each key. */
    markFlaky: (failureId: string, keys: readonly string[]): Promise<void> =>
      database.write((trx) => markFlaky(trx, failureId, keys)),
    /** Null: no commits brought it. */
    async saveRange(failureId: string, range: CommitRange | null): Promise<void> {
      const saved = { commit_range: range && JSON.stringify(range) };
      await database.write((trx) => trx.updateTable('failures').set(saved).where('id', '=', failureId).execute());
    },
    /** Of the failures that the run is about; null: none, not known, or they differ in it. */
    async findRangeOfRun(runId: string): Promise<CommitRange | null> {
      const [first, ...others] = await database.read((reader) => listRangesOfRun(reader, runId));
      if (first === undefined) return null;
      const { from, to } = first.range;
      return others.every(({ range }) => range.from === from && range.to === to) ? first.range : null;
    },
    /**
     * For those of the run's failures whose range has these commits; where none of them stands out, what an earlier look
     * found stays. An older generation gets `lease_lost`.
     */
    saveRanking: (run: Run, { ranks, likeliest }: Ranking): Promise<void> =>
      database.write(async (trx) => {
        await requireLease(trx, run);
        for (const { id, range } of await listRangesOfRun(trx, run.id)) {
          const listed = new Set(range.commits.map(({ sha }) => sha));
          if (!ranks.every(({ sha }) => listed.has(sha))) continue;
          const isCut = range.total > range.commits.length;
          const saved = { ...range, ranks, ...(likeliest !== null && !isCut && { likeliest }) } satisfies CommitRange;
          await trx
            .updateTable('failures')
            .set({ commit_range: JSON.stringify(saved) })
            .where('id', '=', id)
            .execute();
        }
      }),
    /**
     * Adds what was found out about the range of a failure while it is the same; what is known by then stays. Returns
     * the range as it is then; null: it is another one, or none.
     */
    examineRange: (failureId: string, { from, to, ...found }: ExaminedRange): Promise<CommitRange | null> =>
      database.write(async (trx) => {
        const range = (await findStoredFailure(trx, { id: failureId }))?.range ?? null;
        if (range === null || range.from !== from || range.to !== to) return null;
        const examined: CommitRange = { ...found, ...range };
        await trx
          .updateTable('failures')
          .set({ commit_range: JSON.stringify(examined) })
          .where('id', '=', failureId)
          .execute();
        return examined;
      }),
    /** Whether a failure of the project is open that was seen on the default branch. */
    async hasOpenOnDefault(projectId: string): Promise<boolean> {
      const row = await database.read((reader) =>
        reader
          .selectFrom('failures')
          .select('id')
          .where('project_id', '=', projectId)
          .where('state', '=', 'open')
          .where('is_on_default', '=', 1)
          .limit(1)
          .executeTakeFirst(),
      );
      return row !== undefined;
    },
    /** Whether the failure is open, and was seen at this pull request since that last passed or was closed. */
    isOpenIn: (failureId: string, pullRequest: number): Promise<boolean> =>
      database.read((reader) => isOpenInPullRequest(reader, failureId, pullRequest)),
    /**
     * Which red commits of the default branch `closeFixedFailures` has to know of whether they lead to which passing
     * ones.
     */
    listPossibleFixes: (projectId: string, passing: PassingHead): Promise<readonly CommitPair[]> =>
      database.read((reader) => listPossibleFixes(reader, projectId, passing)),
    /**
     * Closes failures of the default branch if each check that had them, at each commit, passed later at another commit
     * that contains it, as `contained` says. Later is not enough: checks of an older commit may be slow. Passing at the
     * same commit is chance. Returns those closed.
     */
    closeFixedFailures: (
      projectId: string,
      passing: PassingHead & { readonly contained: readonly CommitPair[] },
      now: string,
    ): Promise<readonly Failure[]> =>
      database.write(async (trx) => {
        const closed = await closeFixedFailures(trx, jobs, projectId, { ...passing, now });
        // A pull request that fixes one of them has to say that it is not needed any more.
        const threadIds = closed.map(({ threadId }) => threadId);
        await enqueuePublish(trx, jobs, threadIds, { runAt: now });
        // And a revert that was opened for one of them; its check runs offer none any more.
        for (const { id: failureId } of closed) {
          await enqueueCheckRunsOfFailure(trx, jobs, { projectId, failureId, runAt: now });
        }
        if (closed.length > 0) await enqueuePutBacksOfProject(trx, jobs, projectId, now);
        return closed;
      }),
    /**
     * The pull request was closed, merged or passed at `at`; later sightings stay. Failures that were seen only in pull
     * requests that have ended are closed.
     */
    closeFailuresOfPullRequest: (projectId: string, number: number, at: string): Promise<void> =>
      database.write((trx) => closeFailuresOfPullRequest(trx, jobs, { projectId, number, at: toTime(at) })),
    /** A check of the default branch passed; the newest 20 of each check are stored. */
    recordPassingCheck: (projectId: string, passing: NewPassingCheck): Promise<void> =>
      recordPassingCheck(database, projectId, passing),
    /** When a check of the default branch last passed, ISO 8601, of each project where one has. */
    readLastPassing: (projectIds: readonly string[]): Promise<ReadonlyMap<string, string>> =>
      database.read((reader) => readLastPassing(reader, projectIds)),
    /** Newest first. */
    listPassingChecks: (projectId: string, check: CheckId): Promise<readonly PassingCheck[]> =>
      database.read((reader) => listPassingChecks(reader, projectId, check)),
  };
}

async function findStoredFailure(
  reader: Reader,
  key: Partial<Pick<FailureTable, 'id' | 'project_id' | 'fingerprint'>>,
): Promise<Failure | null> {
  const row = await reader
    .selectFrom('failures')
    .selectAll()
    .where((expression) => expression.and(key))
    .executeTakeFirst();
  return row ? toFailure(row) : null;
}

async function readFailures(
  reader: Reader,
  projectIds: readonly string[],
  { sort, state, isOnDefault, since, until, limit, after }: FailureFilter,
): Promise<readonly Failure[]> {
  if (projectIds.length === 0) return [];
  const order = sort === 'flaky' ? 'flaky_hits' : 'last_seen_at';
  let query = reader
    .selectFrom('failures')
    .selectAll()
    .where('project_id', 'in', projectIds)
    .orderBy(order, 'desc')
    .orderBy('seq', 'desc')
    .limit(limit);
  if (sort === 'flaky') query = query.where('flaky_hits', '>', 0);
  if (state !== undefined) query = query.where('state', '=', state);
  if (isOnDefault) query = query.where('is_on_default', '=', 1);
  if (since !== undefined) query = query.where('last_seen_at', '>=', since);
  if (until !== undefined) query = query.where('last_seen_at', '<', until);
  if (after !== undefined) {
    const last = await reader.selectFrom('failures').select([order, 'seq']).where('id', '=', after).executeTakeFirst();
    if (last === undefined) return [];
    query = query.where(({ or, and, eb }) =>
      or([eb(order, '<', last[order]), and([eb(order, '=', last[order]), eb('seq', '<', last.seq)])]),
    );
  }
  return (await query.execute()).map(toFailure);
}

async function readLastPassing(reader: Reader, projectIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await queryInChunks(projectIds, (some) =>
    reader
      .selectFrom('passing_checks')
      .select(({ fn }) => ['project_id', fn.max('passed_at').as('at')])
      .where('project_id', 'in', some)
      .groupBy('project_id')
      .execute(),
  );
  return new Map(rows.map((row) => [row.project_id, row.at]));
}

async function listPossibleFixes(
  reader: Reader,
  projectId: string,
  passing: PassingHead,
): Promise<readonly CommitPair[]> {
  const pairs = new Map<string, CommitPair>();
  for (const reds of await listRedChecks(reader, projectId, passing)) {
    // A failure with a check that did not pass since cannot be closed.
    if (reds.some(({ passedAt }) => passedAt.length === 0)) continue;
    for (const { sha: from, passedAt } of reds) {
      for (const to of passedAt.slice(0, MOST_COMPARED)) pairs.set(`${from} ${to}`, { from, to });
    }
  }
  return [...pairs.values()];
}

async function closeFixedFailures(
  trx: Trx,
  jobs: Enqueuer,
  projectId: string,
  { contained, now, ...passing }: PassingHead & { readonly contained: readonly CommitPair[]; readonly now: string },
): Promise<readonly Failure[]> {
  const pairs = new Set(contained.map(({ from, to }) => `${from} ${to}`));
  const closed: Failure[] = [];
  for (const reds of await listRedChecks(trx, projectId, passing)) {
    const isFixed = reds.every(({ sha, passedAt }) => passedAt.some((to) => pairs.has(`${sha} ${to}`)));
    const [first] = reds;
    if (!isFixed || first === undefined) continue;
    const closing = { sha: passing.sha, at: toTime(passing.at), by: 'green' } as const;
    closed.push(await closeFailure(trx, jobs, first.failureId, { ...closing, now }));
  }
  return closed;
}

/** A check that was red at a commit of the default branch since its failure was opened. */
interface RedCheck {
  readonly failureId: string;
  readonly sha: string;
  /**
   * Other commits where the check passed after that, the one given first, then the newest. Not every check runs at
   * every commit.
   */
  readonly passedAt: readonly string[];
}

/** The red checks of each open failure of the default branch, but for those that are red at the commit given. */
async function listRedChecks(
  reader: Reader,
  projectId: string,
  passing: PassingHead,
): Promise<readonly (readonly RedCheck[])[]> {
  const sightings = await reader
    .selectFrom('failures')
    .innerJoin('sightings', (join) =>
      join
        .onRef('sightings.failure_id', '=', 'failures.id')
        .onRef('sightings.opening', '=', 'failures.opening')
        .on('sightings.is_on_default', '=', 1),
    )
    .select(({ fn }) => ['failures.id', 'sightings.check_key', 'sightings.sha', fn.max('seen_at').as('seen_at')])
    .where('failures.project_id', '=', projectId)
    .where('failures.state', '=', 'open')
    .where('failures.is_on_default', '=', 1)
    .groupBy(['failures.id', 'failures.seq', 'sightings.check_key', 'sightings.sha'])
    .orderBy('failures.seq')
    .execute();
  if (sightings.length === 0) return [];
  const passed = await reader
    .selectFrom('passing_checks')
    .select(['check_key', 'sha', 'passed_at'])
    .where('project_id', '=', projectId)
    .orderBy('passed_at', 'desc')
    .execute();
  const at = toTime(passing.at);
  const keys = new Set(passing.checks.map(toCheckKey));
  const reds = sightings
    .filter(({ id }) => !passing.red?.includes(id))
    .map(({ id, check_key: key, sha, seen_at: seenAt }): RedCheck => {
      const here = keys.has(key) ? [passing.sha] : [];
      const others = passed.filter((one) => one.check_key === key && one.passed_at > seenAt).map((one) => one.sha);
      const shas = seenAt >= at ? [] : [...new Set([...here, ...others])];
      return { failureId: id, sha, passedAt: shas.filter((one) => one !== sha) };
    });
  return [...Map.groupBy(reds, (red) => red.failureId).values()];
}

async function closeFailuresOfPullRequest(
  trx: Trx,
  jobs: Enqueuer,
  { projectId, number, at }: { readonly projectId: string; readonly number: number; readonly at: string },
): Promise<void> {
  const open = trx.selectFrom('failures').select('id').where('project_id', '=', projectId).where('state', '=', 'open');
  const ended = await trx
    .updateTable('sightings')
    .set({ is_over: 1 })
    .where('pull_request', '=', number)
    .where('is_over', '=', 0)
    .where('seen_at', '<=', at)
    .where('failure_id', 'in', open)
    .returning('failure_id')
    .execute();
  for (const id of new Set(ended.map((row) => row.failure_id))) {
    const failure = await findStoredFailure(trx, { id });
    if (failure === null || failure.isOnDefault || (await isOpenInPullRequest(trx, id))) continue;
    await closeFailure(trx, jobs, id, { sha: failure.lastSeen.sha, at, by: 'pull_request', now: at });
  }
}

/** Whether it is open in this pull request, or, without one, in any. */
async function isOpenInPullRequest(reader: Reader, failureId: string, pullRequest?: number): Promise<boolean> {
  let seen = reader
    .selectFrom('failures')
    .innerJoin('sightings', (join) =>
      join
        .onRef('sightings.failure_id', '=', 'failures.id')
        .onRef('sightings.opening', '=', 'failures.opening')
        .on('sightings.is_over', '=', 0),
    )
    .select('failures.id')
    .where('failures.id', '=', failureId)
    .where('failures.state', '=', 'open')
    .where('sightings.pull_request', 'is not', null)
    .limit(1);
  if (pullRequest !== undefined) seen = seen.where('sightings.pull_request', '=', pullRequest);
  return (await seen.executeTakeFirst()) !== undefined;
}

/**
 * Closes up to `limit` open failures that were not seen since then, such as of a check that was renamed; returns how
 * many.
 */
export async function closeUnseen(
  trx: Trx,
  jobs: Enqueuer,
  { unseenSince, now, limit }: { readonly unseenSince: string; readonly now: string; readonly limit: number },
): Promise<number> {
  const rows = await trx
    .selectFrom('failures')
    .selectAll()
    .where('state', '=', 'open')
    .where('last_seen_at', '<', unseenSince)
    .limit(limit)
    .execute();
  for (const { id, lastSeen } of rows.map(toFailure)) {
    await closeFailure(trx, jobs, id, { sha: lastSeen.sha, at: now, by: 'unseen', now });
  }
  return rows.length;
}

async function closeFailure(
  trx: Trx,
  jobs: Enqueuer,
  id: string,
  { sha, at, by, now }: Closing & { readonly now: string },
): Promise<Failure> {
  const row = await trx
    .updateTable('failures')
    .set({ state: 'closed', closed_sha: sha, closed_at: at, closed_by: by })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  const failure = toFailure(row);
  await announceFailure(trx, jobs, failure, { type: 'failure.closed', now });
  return failure;
}

/** GitHub reports every passing check: one that says nothing new takes no write lock. */
async function recordPassingCheck(database: Database, projectId: string, passing: NewPassingCheck): Promise<void> {
  const { check, sha, runId = null } = passing;
  const at = toTime(passing.at);
  const known = await database.read((reader) => listPassingChecks(reader, projectId, check));
  const oldest = known[MOST_PASSING - 1];
  if (oldest !== undefined && oldest.at >= at) return;
  if (known.some((one) => one.sha === sha && one.at >= at)) return;
  const key = toCheckKey(check);
  await database.write(async (trx) => {
    await trx
      .insertInto('passing_checks')
      .values({ project_id: projectId, check_key: key, sha, passed_at: at, run_id: runId })
      .onConflict((conflict) =>
        conflict
          .columns(['project_id', 'check_key', 'sha'])
          .doUpdateSet({ passed_at: at, run_id: runId })
          .where('passing_checks.passed_at', '<', at),
      )
      .execute();
    const kept = await listPassingChecks(trx, projectId, check);
    await trx
      .deleteFrom('passing_checks')
      .where('project_id', '=', projectId)
      .where('check_key', '=', key)
      .where(
        'sha',
        'not in',
        kept.map((one) => one.sha),
      )
      .execute();
  });
}

async function listPassingChecks(reader: Reader, projectId: string, check: CheckId): Promise<readonly PassingCheck[]> {
  const rows = await reader
    .selectFrom('passing_checks')
    .select(['sha', 'passed_at', 'run_id'])
    .where('project_id', '=', projectId)
    .where('check_key', '=', toCheckKey(check))
    .orderBy('passed_at', 'desc')
    .orderBy('sha')
    .limit(MOST_PASSING)
    .execute();
  return rows.map((row) => ({ sha: row.sha, at: row.passed_at, runId: row.run_id }));
}

async function readDailySightings(reader: Reader, filter: DailySightingsFilter): Promise<readonly DailyCount[]> {
  const { since } = filter;
  const isOfFailures = 'failureIds' in filter;
  const rows = await queryInChunks(isOfFailures ? filter.failureIds : filter.projectIds, (some) => {
    const seen = reader
      .selectFrom('failures')
      .innerJoin('sightings', 'sightings.failure_id', 'failures.id')
      .select(({ fn, lit }) => [
        fn<string>('substr', ['sightings.seen_at', lit(1), lit(10)]).as('day'),
        fn.countAll<number>().as('count'),
      ])
      // Says nothing new, and leaves out failures of long ago by their index.
      .where('failures.last_seen_at', '>=', since)
      .where('sightings.seen_at', '>=', since)
      .groupBy('day');
    return isOfFailures
      ? seen.select('failures.id').where('failures.id', 'in', some).groupBy('failures.id').execute()
      : seen
          .select('failures.project_id as id')
          .where('failures.project_id', 'in', some)
          .groupBy('failures.project_id')
          .execute();
  });
  return rows.map(({ id, day, count }) => ({ id, day, count: Number(count) }));
}

async function findFailuresOfTest(reader: Reader, projectId: string, test: string): Promise<FailuresOfTest> {
  const newest = reader.selectFrom('heads as named').select('named.seq').where('named.project_id', '=', projectId);
  const rows = await reader
    .selectFrom('heads')
    .innerJoin('findings', 'findings.head_id', 'heads.id')
    .select(['heads.sha', 'findings.finding'])
    .where('heads.seq', 'in', () => newest.orderBy('named.seq', 'desc').limit(MOST_HEADS))
    // A backslash of JSON would quote what follows it in a pattern.
    .where('findings.finding', 'like', `%${JSON.stringify(test).replaceAll('\\', '_')}%`)
    .execute();
  const found = rows.flatMap(({ sha, finding }) => {
    const { failureId, excerpt }: Pick<Finding, 'failureId' | 'excerpt'> = JSON.parse(finding);
    return excerpt.tests.includes(test) ? [{ failureId, sha }] : [];
  });
  return { failureIds: [...new Set(found.map((one) => one.failureId))], shas: found.map(({ sha }) => sha) };
}

async function readFailureStatistics(
  reader: Reader,
  failureIds: readonly string[],
  { isTrustedOnly, shas, besides }: StatisticsFilter,
): Promise<FailureStatistics> {
  let query = reader
    .selectFrom('sightings')
    .select(({ fn }) => [
      'sha',
      'branch',
      'pull_request',
      fn.max('is_on_default').as('is_on_default'),
      fn.max('is_flaky').as('is_flaky'),
      fn.max('seen_at').as('seen_at'),
    ])
    .where('failure_id', 'in', failureIds)
    .where('sha', '!=', besides.sha)
    .groupBy(['sha', 'branch', 'pull_request'])
    .orderBy('seen_at', 'desc')
    .limit(MOST_HEADS);
  if (isTrustedOnly) query = query.where('is_trusted', '=', 1);
  if (shas !== undefined) query = query.where('sha', 'in', shas);
  const rows = await query.execute();
  const countShas = (some: typeof rows) => new Set(some.map(({ sha }) => sha)).size;
  const flaky = rows.filter((row) => row.is_flaky === 1);
  const numbers = new Set(rows.map((row) => row.pull_request));
  const branches = new Set(rows.filter((row) => row.pull_request === null).map(({ branch }) => branch));
  return {
    heads: countShas(rows),
    flakyHeads: countShas(flaky),
    flakyOnDefault: countShas(flaky.filter((row) => row.is_on_default === 1)),
    pullRequests: [...numbers].filter((number) => number !== null && number !== besides.pullRequest).length,
    branches: [...branches].filter((branch) => branch !== '' && branch !== besides.branch).length,
    lastOnDefaultAt: rows.find((row) => row.is_on_default === 1)?.seen_at ?? '',
  };
}

async function listRangesOfRun(
  reader: Reader,
  runId: string,
): Promise<readonly { readonly id: string; readonly range: CommitRange }[]> {
  const rows = await reader
    .selectFrom('failures')
    .innerJoin('investigations', 'investigations.id', 'failures.investigation_id')
    .select(['failures.id', 'failures.commit_range'])
    .where('investigations.run_id', '=', runId)
    .orderBy('failures.id')
    .execute();
  return rows.flatMap(({ id, commit_range }) =>
    commit_range === null ? [] : [{ id, range: JSON.parse(commit_range) }],
  );
}
