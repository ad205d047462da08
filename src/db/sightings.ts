// Sightings: red checks linked to their failure, each once by its key, and what they make of it.
import type { Insertable, Selectable } from 'kysely';
import { checkKey } from '../core/check.ts';
import type { Closing, CommitRange, Failure, Sighting } from '../core/failure.ts';
import type { Finding } from '../core/head.ts';
import { toSubjectKey } from '../core/thread.ts';
import type { FailureTable, Trx } from './schema.ts';
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
    .where('threads.subject_key', '=', toSubjectKey({ kind: 'pull_request', number }))
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

/** Of the names that a failure was seen under, the newest tell enough. */
const MOST_NAMES = 20;

/** The oldest first. */
function inOrder(sightings: readonly Sighting[]): readonly Sighting[] {
  return sightings.toSorted((a, b) => (moment(a.at) < moment(b.at) ? -1 : 1));
}

/** A failure that nothing is known of yet but where it was seen first. */
function newFailure(named: Pick<Failure, 'id' | 'projectId' | 'fingerprint' | 'headline'>, first: Sighting): Failure {
  const { id, projectId, fingerprint, headline } = named;
  return {
    ...{ id, projectId, fingerprint, headline, state: 'open', opening: 1, isOnDefault: false },
    ...{ hits: 0, flakyHits: 0, firstSeen: first, lastSeen: first },
    ...{ checkNames: [], branches: [], pullRequests: [] },
    ...{ investigationId: null, threadId: null, closed: null, range: null },
  };
}

/**
 * The failure after sightings that were not counted before, in whatever order they come. `keepsResult`: opened anew, it is still told of by
 * what was begun for it before.
 */
function afterSightings(failure: Failure, fresh: readonly Sighting[], keepsResult: boolean): Failure {
  const opened = openedBy(failure, fresh).length > 0 ? openedAnew(failure, keepsResult) : failure;
  return inOrder(fresh).reduce(afterOne, opened);
}

/**
 * The failure after sightings were found to be of the default branch, or of a live pull request, by now. The end of the pull request that they
 * were of was none of theirs, and what was begun for it goes on: it is one commit.
 */
function afterMove(failure: Failure, moved: readonly Moved[]): Failure {
  const goesOn = failure.closed?.by === 'pull_request' && moved.some(({ isLive }) => isLive);
  const open: Failure = goesOn && failure.state === 'closed' ? { ...failure, state: 'open', closed: null } : failure;
  return moved.reduce((after, { sighting }) => movedTo(after, sighting), open);
}

function movedTo(failure: Failure, sighting: Sighting): Failure {
  if (sighting.isOnDefault) {
    return { ...failure, isOnDefault: failure.isOnDefault || isOfNow(failure, sighting) };
  }
  const { key, pullRequest } = sighting;
  return {
    ...failure,
    // Whose it was first is said by its pull request.
    firstSeen: failure.firstSeen.key === key ? sighting : failure.firstSeen,
    lastSeen: failure.lastSeen.key === key ? sighting : failure.lastSeen,
    pullRequests: pullRequest === null ? failure.pullRequests : withName(failure.pullRequests, pullRequest, true),
  };
}

/** Where it was seen before, anybody may have had a hand in its words: those of the default branch are the branch's own. */
function withHeadline(before: Failure, after: Failure, headline: string): Failure {
  const wasThere = before.isOnDefault && before.opening === after.opening;
  return after.isOnDefault && !wasThere ? { ...after, headline } : after;
}

const RELAPSE_MS = 24 * 60 * 60 * 1_000;

/** The pull request that the sightings open the failure anew in, soon after it was over there; null: none, or several. */
function relapsedIn(failure: Failure, fresh: readonly Sighting[]): number | null {
  const opening = openedBy(failure, fresh);
  const number = opening[0]?.pullRequest ?? null;
  const { closed } = failure;
  if (closed?.by !== 'pull_request') return null;
  const isSoon = ({ at }: Sighting) => Date.parse(at) - Date.parse(closed.at) <= RELAPSE_MS;
  return opening.every((sighting) => sighting.pullRequest === number && isSoon(sighting)) ? number : null;
}

function openedBy(failure: Failure, fresh: readonly Sighting[]): readonly Sighting[] {
  return fresh.filter((sighting) => opensAnew(failure, sighting));
}

/** Whether the sighting is of the failure as it is, or would be opened anew: what was seen before its end is not. */
function isOfNow({ closed }: Failure, { at }: Sighting): boolean {
  return closed === null || moment(at) > moment(closed.at);
}

function opensAnew(failure: Failure, sighting: Sighting): boolean {
  return failure.state === 'closed' && isOfNow(failure, sighting);
}

/** Its pull request was closed or green, and said nothing of the base: only a green default branch makes it a regression. */
function standingOf(
  failure: Failure,
  fresh: readonly Sighting[],
  told: Finding['standing'] | null,
): Finding['standing'] {
  if (openedBy(failure, fresh).length > 0) return failure.closed?.by === 'green' ? 'regression' : 'new';
  if (told !== null) return told;
  return failure.hits === 0 ? 'new' : 'known';
}

function openedAnew(failure: Failure, keepsResult: boolean): Failure {
  const forgotten = {
    range: null,
    isOnDefault: false,
    ...(keepsResult ? {} : { investigationId: null, threadId: null }),
  };
  return { ...failure, state: 'open', opening: failure.opening + 1, ...forgotten };
}

function afterOne(failure: Failure, sighting: Sighting): Failure {
  const isNewest = moment(sighting.at) >= moment(failure.lastSeen.at);
  const isOldest = moment(sighting.at) < moment(failure.firstSeen.at);
  const { pullRequest, branch } = sighting;
  return {
    ...failure,
    hits: failure.hits + 1,
    isOnDefault: failure.isOnDefault || (sighting.isOnDefault && isOfNow(failure, sighting)),
    firstSeen: isOldest ? sighting : failure.firstSeen,
    lastSeen: isNewest ? sighting : failure.lastSeen,
    checkNames: withName(failure.checkNames, sighting.checkName, isNewest),
    branches: branch === '' ? failure.branches : withName(failure.branches, branch, isNewest),
    pullRequests: pullRequest === null ? failure.pullRequests : withName(failure.pullRequests, pullRequest, isNewest),
  };
}

/** The newest stands first; one of the past comes behind those that are there. */
function withName<T>(names: readonly T[], name: T, isNewest: boolean): readonly T[] {
  if (!isNewest && names.includes(name)) return names;
  const others = names.filter((other) => other !== name);
  return (isNewest ? [name, ...others] : [...others, name]).slice(0, MOST_NAMES);
}

/** A sighting as it was recorded before. */
interface Counted {
  readonly standing: Finding['standing'];
  readonly opening: number;
  readonly isOnDefault: boolean;
  readonly pullRequest: number | null;
  readonly isOver: boolean;
}

interface Moved {
  /** As it is told now. */
  readonly sighting: Sighting;
  /** Whether it keeps the failure open as that was opened last. */
  readonly isLive: boolean;
}

/** `opening`: of the failure as it is. `redNow`: keys of those that are red at this moment. */
function movedOf(
  sightings: readonly Sighting[],
  counted: ReadonlyMap<string, Counted>,
  { opening, redNow = [] }: { readonly opening: number; readonly redNow: readonly string[] | undefined },
): readonly Moved[] {
  const red = new Set(redNow);
  return sightings.flatMap((sighting) => {
    const before = counted.get(sighting.key);
    const isRed = red.has(sighting.key);
    if (before === undefined || !isMoved(sighting, before, isRed)) return [];
    return [{ sighting, isLive: sighting.isOnDefault || (isRed && before.opening === opening) }];
  });
}

/**
 * What is of the default branch stays there. A pull request may be opened for a commit that was judged before, or again, or another in its
 * place: what passed there since does not bring it back.
 */
function isMoved(sighting: Sighting, before: Counted, isRed: boolean): boolean {
  if (before.isOnDefault) return false;
  if (sighting.isOnDefault) return true;
  return sighting.pullRequest !== null && (before.pullRequest === null || (before.isOver && isRed));
}

/** Where they are of now. */
async function moveSightings(trx: Trx, failureId: string, moved: readonly Moved[]): Promise<void> {
  for (const { sighting } of moved) {
    await trx
      .updateTable('sightings')
      .set({
        ...{ branch: sighting.branch, pull_request: sighting.pullRequest, is_over: 0 },
        is_on_default: sighting.isOnDefault ? 1 : 0,
        is_trusted: sighting.isTrusted ? 1 : 0,
      })
      .where('failure_id', '=', failureId)
      .where('key', '=', sighting.key)
      .execute();
  }
}

type SeenIn = Pick<Failure, 'checkNames' | 'branches' | 'pullRequests'>;

export function failureFrom(row: Selectable<FailureTable>): Failure {
  const seenIn: SeenIn = JSON.parse(row.seen_in);
  const firstSeen: Sighting = JSON.parse(row.first_seen);
  const lastSeen: Sighting = JSON.parse(row.last_seen);
  const range: CommitRange | null = row.commit_range === null ? null : JSON.parse(row.commit_range);
  return {
    ...{ id: row.id, projectId: row.project_id, fingerprint: row.fingerprint, headline: row.headline },
    ...{ state: row.state, opening: row.opening, isOnDefault: row.is_on_default === 1 },
    ...{ hits: row.hits, flakyHits: row.flaky_hits, firstSeen, lastSeen },
    ...{ checkNames: seenIn.checkNames, branches: seenIn.branches, pullRequests: seenIn.pullRequests },
    ...{ investigationId: row.investigation_id, threadId: row.thread_id },
    ...{ closed: closingFrom(row), range },
  };
}

type ClosedColumns = Pick<Selectable<FailureTable>, 'closed_sha' | 'closed_at' | 'closed_by'>;

function closingFrom({ closed_sha: sha, closed_at: at, closed_by: by }: ClosedColumns): Closing | null {
  return sha === null || at === null || by === null ? null : { sha, at, by };
}

/** A new row. */
function failureRow(failure: Failure): Insertable<FailureTable> {
  const { id, projectId, fingerprint } = failure;
  return { id, project_id: projectId, fingerprint, ...failureColumns(failure) };
}

/** All columns that may change. */
function failureColumns(failure: Failure) {
  const { checkNames, branches, pullRequests, firstSeen, lastSeen, closed, range } = failure;
  return {
    ...{ headline: failure.headline, state: failure.state, opening: failure.opening },
    is_on_default: failure.isOnDefault ? (1 as const) : (0 as const),
    ...{ hits: failure.hits, flaky_hits: failure.flakyHits, first_seen: JSON.stringify(firstSeen) },
    ...{ last_seen: JSON.stringify(lastSeen), last_seen_at: moment(lastSeen.at) },
    ...{ seen_in: JSON.stringify({ checkNames, branches, pullRequests } satisfies SeenIn) },
    ...{ investigation_id: failure.investigationId, thread_id: failure.threadId },
    ...{ closed_sha: closed?.sha ?? null, closed_at: closed && moment(closed.at), closed_by: closed?.by ?? null },
    commit_range: range && JSON.stringify(range),
  };
}

/** A time as all others are written, so that texts compare as moments do: GitHub leaves the milliseconds out. */
export function moment(at: string): string {
  const ms = Date.parse(at);
  return Number.isNaN(ms) ? at : new Date(ms).toISOString();
}
