// The ledger of failures: found by what they are, listed, counted, closed; and which checks passed last.

import { checkKey } from '../core/check.ts';
import type { Closing, CommitRange, Failure, LikeliestCommit } from '../core/failure.ts';
import type { Database } from './database.ts';
import type { Enqueuer } from './enqueuer.ts';
import { requireLease } from './runs.ts';
import type { FailureTable, Reader, Trx } from './schema.ts';
import { failureFrom, markFlaky, moment, recordSightings } from './sightings.ts';
import type { CheckId, FailureStatistics, FailureStore, NewPassingCheck, PassingCheck, Run } from './store.ts';
import { nudgeThreads } from './threads.ts';

export function createFailureVerbs(database: Database, enqueuer: Enqueuer): FailureStore {
  return {
    findFailure: (id) => database.read((reader) => oneFailure(reader, { id })),
    findFailureByFingerprint: (projectId, fingerprint) =>
      database.read((reader) => oneFailure(reader, { project_id: projectId, fingerprint })),
    listFailures: (projectId, filter) => database.read((reader) => failures(reader, projectId, filter)),
    recordSightings: (failure, sightings) => database.write((trx) => recordSightings(trx, failure, sightings)),
    readFailureStatistics: (failureId, of) => database.read((reader) => habits(reader, failureId, of)),
    markFlaky: (failureId, keys) => database.write((trx) => markFlaky(trx, failureId, keys)),
    async saveRange(failureId, range) {
      const saved = { commit_range: JSON.stringify(range) };
      await database.write((trx) => trx.updateTable('failures').set(saved).where('id', '=', failureId).execute());
    },
    findRangeOfRun: (runId) => database.read((reader) => rangeOfRun(reader, runId)),
    saveLikeliestCommit: (run, likeliest) => database.write((trx) => saveLikeliest(trx, run, likeliest)),
    hasOpenOnDefault: (projectId) => database.read((reader) => hasOpenOnDefault(reader, projectId)),
    isOpenIn: (failureId, pullRequest) => database.read((reader) => isOpenIn(reader, failureId, pullRequest)),
    countInvestigationsSince: (projectId, by) => database.read((reader) => begunSince(reader, projectId, by)),
    listPossibleFixes: (projectId, green) => database.read((reader) => mendings(reader, projectId, green)),
    closeFixedFailures: (projectId, green, now) =>
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
    closeFailuresOfPullRequest: (projectId, number, at) =>
      database.write((trx) => closeOfPullRequest(trx, projectId, number, at)),
    recordPassingCheck: (projectId, green) => noteGreen(database, projectId, green),
    listPassingChecks: (projectId, check) => database.read((reader) => lastGreens(reader, projectId, check)),
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
  { state, limit, after }: Parameters<FailureStore['listFailures']>[1],
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
  { githubId, since }: Parameters<FailureStore['countInvestigationsSince']>[1],
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

type GreenChecks = Parameters<FailureStore['listPossibleFixes']>[1];

type Ends = Pick<CommitRange, 'from' | 'to'>;

/** A red commit may have to be held against so many green ones of one check. */
const MOST_TRIED = 3;

async function mendings(reader: Reader, projectId: string, green: GreenChecks): Promise<readonly Ends[]> {
  const pairs = new Map<string, Ends>();
  for (const reds of await mendable(reader, projectId, green)) {
    // One of whose checks none is green since cannot be closed: nothing is to be asked about it.
    if (reds.some(({ greens }) => greens.length === 0)) continue;
    for (const { sha: from, greens } of reds) {
      for (const to of greens.slice(0, MOST_TRIED)) pairs.set(`${from} ${to}`, { from, to });
    }
  }
  return [...pairs.values()];
}

async function closeGreen(
  trx: Trx,
  projectId: string,
  { contained, ...green }: Parameters<FailureStore['closeFixedFailures']>[1],
): Promise<readonly Failure[]> {
  const leads = new Set(contained.map(({ from, to }) => `${from} ${to}`));
  const isMended = ({ sha, greens }: Red) => greens.some((to) => leads.has(`${sha} ${to}`));
  const closed: Failure[] = [];
  for (const reds of await mendable(trx, projectId, green)) {
    const [first] = reds;
    if (first === undefined || !reds.every(isMended)) continue;
    closed.push(await close(trx, first.failureId, { sha: green.sha, at: moment(green.at), by: 'green' }));
  }
  return closed;
}

/** A check that was red at a commit of the default branch since its failure was opened. */
interface Red {
  readonly failureId: string;
  readonly sha: string;
  /** Other commits that the check was green at after that, this one first, then the newest. Not every check runs at every commit. */
  readonly greens: readonly string[];
}

/** Of each open failure of the default branch its red checks, but where it is red at that very commit. */
async function mendable(reader: Reader, projectId: string, green: GreenChecks): Promise<readonly (readonly Red[])[]> {
  const rows = await redOnDefault(reader, projectId);
  const noted = rows.length === 0 ? [] : await notedGreens(reader, projectId);
  const at = moment(green.at);
  const keys = new Set(green.checks.map(checkKey));
  const failures = new Map<string, Red[]>();
  for (const { id, check_key: key, sha, seen_at: seenAt } of rows) {
    if (green.red?.includes(id)) continue;
    const here = keys.has(key) ? [green.sha] : [];
    const others = noted.filter((one) => one.check_key === key && one.passed_at > seenAt).map((one) => one.sha);
    // Red and green at one commit is chance, or another run of that name: nothing was mended between them.
    const greens = seenAt >= at ? [] : [...new Set([...here, ...others])].filter((green) => green !== sha);
    failures.set(id, [...(failures.get(id) ?? []), { failureId: id, sha, greens }]);
  }
  return [...failures.values()];
}

async function redOnDefault(reader: Reader, projectId: string) {
  return await reader
    .selectFrom('failures')
    .innerJoin('sightings', (join) =>
      join
        .onRef('sightings.failure_id', '=', 'failures.id')
        .onRef('sightings.opening', '=', 'failures.opening')
        .on('sightings.is_on_default', '=', 1),
    )
    .select(({ fn }) => [
      'failures.id',
      'sightings.check_key',
      'sightings.sha',
      fn.max('sightings.seen_at').as('seen_at'),
    ])
    .where('failures.project_id', '=', projectId)
    .where('failures.state', '=', 'open')
    .where('failures.is_on_default', '=', 1)
    .groupBy(['failures.id', 'failures.seq', 'sightings.check_key', 'sightings.sha'])
    .orderBy('failures.seq')
    .execute();
}

async function notedGreens(reader: Reader, projectId: string) {
  return await reader
    .selectFrom('passing_checks')
    .select(['check_key', 'sha', 'passed_at'])
    .where('project_id', '=', projectId)
    .orderBy('passed_at', 'desc')
    .execute();
}

/** With no word of its own: the commit is the one that it was last seen at. Branches without a pull request keep nothing open. */
async function closeOfPullRequest(trx: Trx, projectId: string, number: number, at: string): Promise<void> {
  const open = trx.selectFrom('failures').select('id').where('project_id', '=', projectId).where('state', '=', 'open');
  const over = await trx
    .updateTable('sightings')
    .set({ is_over: 1 })
    .where('pull_request', '=', number)
    .where('is_over', '=', 0)
    .where('seen_at', '<=', moment(at))
    .where('failure_id', 'in', open)
    .returning('failure_id')
    .execute();
  for (const id of new Set(over.map((row) => row.failure_id))) {
    const row = await trx.selectFrom('failures').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const { isOnDefault, lastSeen } = failureFrom(row);
    if (isOnDefault || (await isOpenIn(trx, id, null))) continue;
    await close(trx, id, { sha: lastSeen.sha, at: moment(at), by: 'pull_request' });
  }
}

/** Null: in any. */
async function isOpenIn(reader: Reader, failureId: string, pullRequest: number | null): Promise<boolean> {
  const seen = reader
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
  const row = await (pullRequest === null
    ? seen
    : seen.where('sightings.pull_request', '=', pullRequest)
  ).executeTakeFirst();
  return row !== undefined;
}

/** Up to `limit` open failures that nobody has seen since then, such as of a check that was renamed; returns how many. */
export async function closeUnseen(
  trx: Trx,
  { unseenSince, now, limit }: { readonly unseenSince: string; readonly now: string; readonly limit: number },
): Promise<number> {
  const rows = await trx
    .selectFrom('failures')
    .selectAll()
    .where('state', '=', 'open')
    .where('last_seen_at', '<', unseenSince)
    .limit(limit)
    .execute();
  for (const { id, lastSeen } of rows.map(failureFrom)) {
    await close(trx, id, { sha: lastSeen.sha, at: now, by: 'unseen' });
  }
  return rows.length;
}

async function close(trx: Trx, id: string, { sha, at, by }: Closing): Promise<Failure> {
  const row = await trx
    .updateTable('failures')
    .set({ state: 'closed', closed_sha: sha, closed_at: at, closed_by: by })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return failureFrom(row);
}

/** On a busy branch commits that are not among the forebears of a red one turn green before that is looked at. */
const MOST_GREENS = 20;

/** GitHub tells of every green check: what says nothing new takes no write lock. */
async function noteGreen(database: Database, projectId: string, green: NewPassingCheck): Promise<void> {
  const at = moment(green.at);
  const known = await database.read((reader) => lastGreens(reader, projectId, green.check));
  if (known.some((one) => one.sha === green.sha && one.at >= at)) return;
  const oldest = known[MOST_GREENS - 1];
  if (oldest !== undefined && oldest.at >= at) return;
  await database.write((trx) => putGreen(trx, projectId, { ...green, at }));
}

async function putGreen(trx: Trx, projectId: string, { check, sha, at, runId = null }: NewPassingCheck): Promise<void> {
  const key = checkKey(check);
  await trx
    .insertInto('passing_checks')
    .values({ project_id: projectId, check_key: key, sha, passed_at: at, run_id: runId })
    .onConflict((conflict) =>
      conflict
        .columns(['project_id', 'check_key', 'sha'])
        .doUpdateSet({ passed_at: at, run_id: runId })
        // Somebody else may have noted a newer one since it was looked for.
        .where('passing_checks.passed_at', '<', at),
    )
    .execute();
  const kept = (await lastGreens(trx, projectId, check)).map((green) => green.sha);
  await trx
    .deleteFrom('passing_checks')
    .where('project_id', '=', projectId)
    .where('check_key', '=', key)
    .where('sha', 'not in', kept)
    .execute();
}

async function lastGreens(reader: Reader, projectId: string, check: CheckId): Promise<readonly PassingCheck[]> {
  const rows = await reader
    .selectFrom('passing_checks')
    .select(['sha', 'passed_at', 'run_id'])
    .where('project_id', '=', projectId)
    .where('check_key', '=', checkKey(check))
    .orderBy('passed_at', 'desc')
    .orderBy('sha')
    .limit(MOST_GREENS)
    .execute();
  return rows.map((row) => ({ sha: row.sha, at: row.passed_at, runId: row.run_id }));
}

type Asked = Parameters<FailureStore['readFailureStatistics']>[1];

/** Of a failure that is seen every hour, the newest tell enough. */
const MOST_HEADS = 1_000;

async function habits(
  reader: Reader,
  failureId: string,
  { isTrustedOnly, besides }: Asked,
): Promise<FailureStatistics> {
  const seen = reader
    .selectFrom('sightings')
    .select(({ fn }) => [
      'sha',
      'branch',
      'pull_request',
      fn.max('is_on_default').as('is_on_default'),
      fn.max('is_flaky').as('is_flaky'),
      fn.max('seen_at').as('seen_at'),
    ])
    .where('failure_id', '=', failureId)
    .where('sha', '!=', besides.sha)
    .groupBy(['sha', 'branch', 'pull_request'])
    .orderBy('seen_at', 'desc')
    .limit(MOST_HEADS);
  const rows = await (isTrustedOnly ? seen.where('is_trusted', '=', 1) : seen).execute();
  const shas = (some: typeof rows) => new Set(some.map(({ sha }) => sha)).size;
  const flaky = rows.filter((row) => row.is_flaky === 1);
  const numbers = new Set(rows.map((row) => row.pull_request));
  const pushed = rows.filter((row) => row.pull_request === null).map(({ branch }) => branch);
  return {
    heads: shas(rows),
    flakyHeads: shas(flaky),
    flakyOnDefault: shas(flaky.filter((row) => row.is_on_default === 1)),
    pullRequests: [...numbers].filter((number) => number !== null && number !== besides.pullRequest).length,
    branches: [...new Set(pushed)].filter((branch) => branch !== '' && branch !== besides.branch).length,
    lastOnDefaultAt: rows.find((row) => row.is_on_default === 1)?.seen_at ?? '',
  };
}

/** Null where there is none, or where the failures that share the run differ in it. */
async function rangeOfRun(reader: Reader, runId: string): Promise<CommitRange | null> {
  const [first, ...others] = (await rangesOf(reader, runId)).map(({ range }) => range);
  return others.every(({ from, to }) => from === first?.from && to === first.to) ? (first ?? null) : null;
}

/** A failure that was opened anew meanwhile has another range, or none. */
async function saveLikeliest(trx: Trx, run: Run, likeliest: LikeliestCommit): Promise<void> {
  await requireLease(trx, run);
  for (const { id, range } of await rangesOf(trx, run.id)) {
    // Of a range that is cut it may be any of those that are left out.
    if (range.total > range.commits.length || !range.commits.some(({ sha }) => sha === likeliest.sha)) continue;
    const saved = { commit_range: JSON.stringify({ ...range, likeliest } satisfies CommitRange) };
    await trx.updateTable('failures').set(saved).where('id', '=', id).execute();
  }
}

async function rangesOf(
  reader: Reader | Trx,
  runId: string,
): Promise<readonly { readonly id: string; readonly range: CommitRange }[]> {
  const rows = await reader
    .selectFrom('failures')
    .innerJoin('investigations', 'investigations.id', 'failures.investigation_id')
    .select(['failures.id', 'failures.commit_range'])
    .where('investigations.run_id', '=', runId)
    .orderBy('failures.id')
    .execute();
  return rows.flatMap(({ id, commit_range }) => {
    const range: CommitRange | null = commit_range === null ? null : JSON.parse(commit_range);
    return range === null ? [] : [{ id, range }];
  });
}
