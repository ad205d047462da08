// How failures end: the default branch is green again, the pull requests that had them are done, or nobody has seen them for long.
import { checkKey } from '../core/check.ts';
import type { Closing, CommitRange, Failure } from '../core/failure.ts';
import { failureFrom, moment } from './failure-rows.ts';
import type { Reader, Trx } from './schema.ts';
import type { FailureStore } from './store.ts';

type Green = Parameters<FailureStore['mendings']>[1];
type Ends = Pick<CommitRange, 'from' | 'to'>;

/** A red commit may have to be held against so many green ones of one check. */
const MOST_TRIED = 3;

export async function mendings(reader: Reader, projectId: string, green: Green): Promise<readonly Ends[]> {
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

export async function closeGreen(
  trx: Trx,
  projectId: string,
  { contained, ...green }: Parameters<FailureStore['closeGreen']>[1],
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
async function mendable(reader: Reader, projectId: string, green: Green): Promise<readonly (readonly Red[])[]> {
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
export async function closeOfPullRequest(trx: Trx, projectId: string, number: number, at: string): Promise<void> {
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
export async function isOpenIn(reader: Reader, failureId: string, pullRequest: number | null): Promise<boolean> {
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
