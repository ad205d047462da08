// Red checks as they are linked to their failure, each once by its key.
import { checkKey } from '../core/check.ts';
import type { Failure, Sighting } from '../core/failure.ts';
import type { Finding } from '../core/head.ts';
import { subjectKey } from '../core/thread.ts';
import { failureColumns, failureFrom, failureRow, moment } from './failure-rows.ts';
import {
  afterMove,
  afterSightings,
  inOrder,
  isOfNow,
  newFailure,
  relapsedIn,
  standingOf,
  withHeadline,
} from './ledger.ts';
import { type Counted, movedOf, moveSightings } from './moved-sightings.ts';
import type { Trx } from './schema.ts';
import type { FailureStore } from './store.ts';

type Recording = FailureStore['recordSightings'];
type Wanted = Parameters<Recording>[0];

/** So many are asked for or written by one statement. */
const PART = 200;

export async function recordSightings(
  trx: Trx,
  wanted: Wanted,
  sightings: readonly Sighting[],
): Promise<Awaited<ReturnType<Recording>>> {
  const before = await failureOf(trx, wanted, sightings);
  const counted = await countedOf(trx, before.id, sightings);
  const all = unique(sightings);
  const fresh = all.filter(({ key }) => !counted.has(key));
  const moved = movedOf(all, counted, { opening: before.opening, redNow: wanted.redNow });
  const told = all.map(({ key }) => counted.get(key)?.standing).find((standing) => standing !== undefined);
  const there = afterMove(before, moved);
  const standing = standingOf(there, fresh, told ?? null);
  if (fresh.length + moved.length === 0) return { failure: before, standing };
  const seen = afterSightings(there, fresh, await keepsResult(trx, there, fresh));
  const after = withHeadline(before, seen, wanted.headline);
  const row = await trx
    .updateTable('failures')
    .set(failureColumns(after))
    .where('id', '=', after.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await insertSightings(trx, after, { fresh, standing });
  await moveSightings(trx, after.id, moved);
  return { failure: failureFrom(row), standing };
}

/** Red again soon in the pull request that it was looked into for: what that has found, or may still find, is not paid for twice. */
async function keepsResult(trx: Trx, failure: Failure, fresh: readonly Sighting[]): Promise<boolean> {
  const number = relapsedIn(failure, fresh);
  if (number === null) return false;
  const row = await trx
    .selectFrom('failures')
    .innerJoin('threads', 'threads.id', 'failures.thread_id')
    .innerJoin('investigations', 'investigations.id', 'failures.investigation_id')
    .select('failures.id')
    .where('failures.id', '=', failure.id)
    .where('threads.subject_key', '=', subjectKey({ kind: 'pull_request', number }))
    .where('investigations.state', 'in', ['queued', 'running', 'concluded'])
    .executeTakeFirst();
  return row !== undefined;
}

async function failureOf(trx: Trx, wanted: Wanted, sightings: readonly Sighting[]): Promise<Failure> {
  const { projectId, fingerprint } = wanted;
  const row = await trx
    .selectFrom('failures')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('fingerprint', '=', fingerprint)
    .executeTakeFirst();
  if (row) return failureFrom(row);
  const [first] = inOrder(sightings);
  if (first === undefined) throw new Error('a failure is made of at least one sighting');
  const made = newFailure(wanted, first);
  await trx.insertInto('failures').values(failureRow(made)).execute();
  return made;
}

function unique(sightings: readonly Sighting[]): readonly Sighting[] {
  return [...new Map(sightings.map((sighting) => [sighting.key, sighting])).values()];
}

/** What was answered for those that were recorded before, by key: looked at again, a head is told the same. */
async function countedOf(
  trx: Trx,
  failureId: string,
  sightings: readonly Sighting[],
): Promise<ReadonlyMap<string, Counted>> {
  const counted = new Map<string, Counted>();
  for (const keys of parts(sightings.map(({ key }) => key))) {
    const rows = await trx
      .selectFrom('sightings')
      .select(['key', 'standing', 'opening', 'is_on_default', 'pull_request', 'is_over'])
      .where('failure_id', '=', failureId)
      .where('key', 'in', keys)
      .execute();
    for (const { key, standing, opening, pull_request: pullRequest, ...row } of rows) {
      const isOnDefault = row.is_on_default === 1;
      counted.set(key, { standing, opening, isOnDefault, pullRequest, isOver: row.is_over === 1 });
    }
  }
  return counted;
}

async function insertSightings(
  trx: Trx,
  failure: Failure,
  { fresh, standing }: { readonly fresh: readonly Sighting[]; readonly standing: Finding['standing'] },
): Promise<void> {
  for (const part of parts(fresh)) {
    await trx
      .insertInto('sightings')
      .values(
        part.map((sighting) => ({
          ...{ failure_id: failure.id, key: sighting.key, standing, check_key: keyOf(sighting) },
          // One of before its end belongs to no opening that anybody asks about.
          opening: isOfNow(failure, sighting) ? failure.opening : failure.opening - 1,
          ...{ sha: sighting.sha, branch: sighting.branch, pull_request: sighting.pullRequest, is_over: 0 as const },
          is_on_default: sighting.isOnDefault ? (1 as const) : (0 as const),
          is_trusted: sighting.isTrusted ? (1 as const) : (0 as const),
          ...{ is_flaky: 0 as const, seen_at: moment(sighting.at) },
        })),
      )
      .execute();
  }
}

function keyOf({ app, checkName: name }: Sighting): string {
  return checkKey({ app, name });
}

/** Counts those of the keys that were recorded and not counted as chance before. */
export async function markFlaky(trx: Trx, failureId: string, keys: readonly string[]): Promise<void> {
  let count = 0;
  for (const part of parts([...new Set(keys)])) {
    const marked = await trx
      .updateTable('sightings')
      .set({ is_flaky: 1 })
      .where('failure_id', '=', failureId)
      .where('key', 'in', part)
      .where('is_flaky', '=', 0)
      .returning('key')
      .execute();
    count += marked.length;
  }
  if (count === 0) return;
  await trx
    .updateTable('failures')
    .set(({ eb }) => ({ flaky_hits: eb('flaky_hits', '+', count) }))
    .where('id', '=', failureId)
    .execute();
}

function parts<T>(all: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / PART) }, (_, i) => all.slice(i * PART, (i + 1) * PART));
}
