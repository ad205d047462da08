// Sightings: red checks linked to their failure, each once by its key, and how they change it.
import type { Selectable } from 'kysely';
import {
  type Closing,
  type Failure,
  type Finding,
  type Sighting,
  toCheckKey,
  toFailureView,
} from '../core/check/index.ts';
import { toSubjectKey } from '../core/thread/index.ts';
import { type Enqueuer, queryInChunks } from './database.ts';
import { addEvents } from './events.ts';
import type { FailureTable, Trx } from './schema.ts';

type Standing = Finding['standing'];

export interface NewFailure {
  readonly id: string;
  readonly projectId: string;
  readonly fingerprint: string;
  readonly headline: string;
  /** When its opening is announced to subscribers; absent: it is from the past and not announced. */
  readonly announcedAt?: string;
  /** Keys of sightings that fail at this moment, on a head that is being judged. Absent: none. */
  readonly redNow?: readonly string[];
}

/** A sighting as it was recorded before. */
interface KnownSighting {
  readonly standing: Standing;
  readonly opening: number;
  readonly isOnDefault: boolean;
  readonly pullRequest: number | null;
  readonly isOver: boolean;
}

/** A sighting that belongs to another place now. */
interface MovedSighting {
  readonly sighting: Sighting;
  /** Whether it keeps the failure open as that was opened last. */
  readonly isLive: boolean;
}

/** Within this time a failure that returns in its pull request keeps its investigation. */
const RELAPSE_MS = 24 * 60 * 60 * 1_000;
/** The newest names of checks, branches and pull requests that a failure keeps. */
const MOST_NAMES = 20;
/** Rows of one insert. */
const BATCH = 200;

/** `opening`: the one that the sightings belong to, of several the last. */
export interface RecordedFailure {
  readonly failure: Failure;
  readonly standing: Standing;
  readonly opening: number;
}

export async function recordSightings(
  trx: Trx,
  jobs: Enqueuer,
  wanted: NewFailure,
  sightings: readonly Sighting[],
): Promise<RecordedFailure> {
  const before = await ensureFailure(trx, wanted, sightings);
  const all = [...new Map(sightings.map((sighting) => [sighting.key, sighting])).values()];
  const known = await findKnown(trx, before.id, all);
  const fresh = sortByTime(all.filter(({ key }) => !known.has(key)));
  const moved = findMoved(all, known, { opening: before.opening, redNow: wanted.redNow ?? [] });
  const answered = all.map(({ key }) => known.get(key)?.standing).find((standing) => standing !== undefined);
  const there = applyMoves(before, moved);
  const standing = decideStanding(there, fresh, answered ?? null);
  const openings = [...known.values()].map(({ opening }) => opening);
  if (fresh.length + moved.length === 0) return { failure: before, standing, opening: Math.max(...openings) };
  const reopening = fresh.filter((sighting) => isReopened(there, sighting));
  const opened = reopening.length === 0 ? there : reopen(there, await keepsInvestigation(trx, there, reopening));
  const counted = fresh.reduce(countSighting, opened);
  const wasOnDefault = before.isOnDefault && before.opening === counted.opening;
  // Before the default branch, an untrusted change may have written the headline.
  const after = counted.isOnDefault && !wasOnDefault ? { ...counted, headline: wanted.headline } : counted;
  const row = await trx
    .updateTable('failures')
    .set(toColumns(after))
    .where('id', '=', after.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await insertSightings(trx, after, fresh, standing);
  await moveSightings(trx, after.id, moved);
  const failure = toFailure(row);
  await announceOpening(trx, jobs, { before, failure, standing, now: wanted.announcedAt });
  const opening = Math.max(...openings, ...fresh.map((sighting) => toOpening(after, sighting)));
  return { failure, standing, opening };
}

interface FailureOpening {
  readonly before: Failure;
  readonly failure: Failure;
  readonly standing: Standing;
  readonly now: string | undefined;
}

async function announceOpening(
  trx: Trx,
  jobs: Enqueuer,
  { before, failure, standing, now }: FailureOpening,
): Promise<void> {
  const isOpened = before.hits === 0 || (before.state === 'closed' && failure.state === 'open');
  if (!isOpened || now === undefined) return;
  const type = standing === 'regression' ? 'failure.regressed' : 'failure.opened';
  await announceFailure(trx, jobs, failure, { type, now });
}

/** Of a change of its state. */
export async function announceFailure(
  trx: Trx,
  jobs: Enqueuer,
  failure: Failure,
  { type, now }: { readonly type: `failure.${'opened' | 'closed' | 'regressed'}`; readonly now: string },
): Promise<void> {
  const about = { projectId: failure.projectId, origin: 'check', investigationId: '', now } as const;
  await addEvents(trx, jobs, { type, data: toFailureView(failure) }, about);
}

async function ensureFailure(trx: Trx, wanted: NewFailure, sightings: readonly Sighting[]): Promise<Failure> {
  const { id, projectId, fingerprint, headline } = wanted;
  const row = await trx
    .selectFrom('failures')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('fingerprint', '=', fingerprint)
    .executeTakeFirst();
  if (row) return toFailure(row);
  const [first] = sortByTime(sightings);
  if (first === undefined) throw new Error('a failure needs at least one sighting');
  const created: Failure = {
    id,
    projectId,
    fingerprint,
    headline,
    state: 'open',
    opening: 1,
    isOnDefault: false,
    hits: 0,
    flakyHits: 0,
    firstSeen: first,
    lastSeen: first,
    checkNames: [],
    branches: [],
    pullRequests: [],
    investigationId: null,
    threadId: null,
    closed: null,
    range: null,
  };
  await trx
    .insertInto('failures')
    .values({ id, project_id: projectId, fingerprint, ...toColumns(created) })
    .execute();
  return created;
}

async function findKnown(
  trx: Trx,
  failureId: string,
  sightings: readonly Sighting[],
): Promise<ReadonlyMap<string, KnownSighting>> {
  const keys = sightings.map(({ key }) => key);
  const rows = await queryInChunks(keys, (some) =>
    trx.selectFrom('sightings').selectAll().where('failure_id', '=', failureId).where('key', 'in', some).execute(),
  );
  return new Map(
    rows.map((row): [string, KnownSighting] => [
      row.key,
      {
        standing: row.standing,
        opening: row.opening,
        isOnDefault: row.is_on_default === 1,
        pullRequest: row.pull_request,
        isOver: row.is_over === 1,
      },
    ]),
  );
}

function sortByTime(sightings: readonly Sighting[]): readonly Sighting[] {
  return sightings.toSorted((a, b) => (toTime(a.at) < toTime(b.at) ? -1 : 1));
}

function findMoved(
  sightings: readonly Sighting[],
  known: ReadonlyMap<string, KnownSighting>,
  { opening, redNow }: { readonly opening: number; readonly redNow: readonly string[] },
): readonly MovedSighting[] {
  return sightings.flatMap((sighting) => {
    const before = known.get(sighting.key);
    const isRed = redNow.includes(sighting.key);
    if (before === undefined || !isMoved(sighting, before, isRed)) return [];
    return [{ sighting, isLive: sighting.isOnDefault || (isRed && before.opening === opening) }];
  });
}

/** To the default branch, or to the pull request that was opened (again) for a commit that was judged before. */
function isMoved(sighting: Sighting, before: KnownSighting, isRed: boolean): boolean {
  if (before.isOnDefault) return false;
  if (sighting.isOnDefault) return true;
  return sighting.pullRequest !== null && (before.pullRequest === null || (before.isOver && isRed));
}

/** The end of the former pull request was not an end of the moved sightings: it is one commit. */
function applyMoves(failure: Failure, moved: readonly MovedSighting[]): Failure {
  const isOpenAfterAll = failure.closed?.by === 'pull_request' && moved.some(({ isLive }) => isLive);
  const open: Failure =
    isOpenAfterAll && failure.state === 'closed' ? { ...failure, state: 'open', closed: null } : failure;
  return moved.map(({ sighting }) => sighting).reduce(moveSighting, open);
}

function moveSighting(failure: Failure, sighting: Sighting): Failure {
  if (sighting.isOnDefault)
    return { ...failure, isOnDefault: failure.isOnDefault || isSightingCurrent(failure, sighting) };
  const { key, pullRequest } = sighting;
  return {
    ...failure,
    firstSeen: failure.firstSeen.key === key ? sighting : failure.firstSeen,
    lastSeen: failure.lastSeen.key === key ? sighting : failure.lastSeen,
    pullRequests: pullRequest === null ? failure.pullRequests : addName(failure.pullRequests, pullRequest, true),
  };
}

/** A sighting from before the failure was closed does not belong to the failure as it is, or would be opened again. */
function isSightingCurrent({ closed }: Failure, { at }: Sighting): boolean {
  return closed === null || toTime(at) > toTime(closed.at);
}

function toOpening(failure: Failure, sighting: Sighting): number {
  return isSightingCurrent(failure, sighting) ? failure.opening : failure.opening - 1;
}

function isReopened(failure: Failure, sighting: Sighting): boolean {
  return failure.state === 'closed' && isSightingCurrent(failure, sighting);
}

/** A closed pull request says nothing of the base: only a passing default branch makes a failure a regression. */
function decideStanding(failure: Failure, fresh: readonly Sighting[], answered: Standing | null): Standing {
  if (fresh.some((sighting) => isReopened(failure, sighting))) {
    return failure.closed?.by === 'green' ? 'regression' : 'new';
  }
  return answered ?? (failure.hits === 0 ? 'new' : 'known');
}

function reopen(failure: Failure, keepsFindings: boolean): Failure {
  return {
    ...failure,
    state: 'open',
    opening: failure.opening + 1,
    range: null,
    isOnDefault: false,
    ...(keepsFindings ? {} : { investigationId: null, threadId: null }),
  };
}

/** Red again soon in the pull request that it was investigated for: that investigation is not paid for twice. */
async function keepsInvestigation(trx: Trx, failure: Failure, reopening: readonly Sighting[]): Promise<boolean> {
  const { closed } = failure;
  const number = reopening[0]?.pullRequest ?? null;
  if (closed?.by !== 'pull_request' || number === null) return false;
  const isRelapse = ({ pullRequest, at }: Sighting) =>
    pullRequest === number && Date.parse(at) - Date.parse(closed.at) <= RELAPSE_MS;
  if (!reopening.every(isRelapse)) return false;
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

function countSighting(failure: Failure, sighting: Sighting): Failure {
  const isNewest = toTime(sighting.at) >= toTime(failure.lastSeen.at);
  const isOldest = toTime(sighting.at) < toTime(failure.firstSeen.at);
  const { pullRequest, branch } = sighting;
  return {
    ...failure,
    hits: failure.hits + 1,
    isOnDefault: failure.isOnDefault || (sighting.isOnDefault && isSightingCurrent(failure, sighting)),
    firstSeen: isOldest ? sighting : failure.firstSeen,
    lastSeen: isNewest ? sighting : failure.lastSeen,
    checkNames: addName(failure.checkNames, sighting.checkName, isNewest),
    branches: branch === '' ? failure.branches : addName(failure.branches, branch, isNewest),
    pullRequests: pullRequest === null ? failure.pullRequests : addName(failure.pullRequests, pullRequest, isNewest),
  };
}

/** Newest first; the name of an older sighting is added at the end. */
function addName<T>(names: readonly T[], name: T, isNewest: boolean): readonly T[] {
  if (!isNewest && names.includes(name)) return names;
  const others = names.filter((other) => other !== name);
  return (isNewest ? [name, ...others] : [...others, name]).slice(0, MOST_NAMES);
}

async function insertSightings(
  trx: Trx,
  failure: Failure,
  fresh: readonly Sighting[],
  standing: Standing,
): Promise<void> {
  const rows = fresh.map((sighting) => ({
    failure_id: failure.id,
    key: sighting.key,
    standing,
    check_key: toCheckKey({ app: sighting.app, name: sighting.checkName }),
    opening: toOpening(failure, sighting),
    sha: sighting.sha,
    branch: sighting.branch,
    pull_request: sighting.pullRequest,
    is_over: 0 as const,
    is_on_default: toBit(sighting.isOnDefault),
    is_trusted: toBit(sighting.isTrusted),
    is_flaky: 0 as const,
    seen_at: toTime(sighting.at),
  }));
  for (let from = 0; from < rows.length; from += BATCH) {
    await trx
      .insertInto('sightings')
      .values(rows.slice(from, from + BATCH))
      .execute();
  }
}

async function moveSightings(trx: Trx, failureId: string, moved: readonly MovedSighting[]): Promise<void> {
  for (const { sighting } of moved) {
    await trx
      .updateTable('sightings')
      .set({
        branch: sighting.branch,
        pull_request: sighting.pullRequest,
        is_over: 0,
        is_on_default: toBit(sighting.isOnDefault),
        is_trusted: toBit(sighting.isTrusted),
      })
      .where('failure_id', '=', failureId)
      .where('key', '=', sighting.key)
      .execute();
  }
}

/** Counts those of the keys that were recorded and not counted as chance before. */
export async function markFlaky(trx: Trx, failureId: string, keys: readonly string[]): Promise<void> {
  const marked = await queryInChunks([...new Set(keys)], (some) =>
    trx
      .updateTable('sightings')
      .set({ is_flaky: 1 })
      .where('failure_id', '=', failureId)
      .where('key', 'in', some)
      .where('is_flaky', '=', 0)
      .returning('key')
      .execute(),
  );
  if (marked.length === 0) return;
  const row = await trx
    .updateTable('failures')
    .set(({ eb }) => ({ flaky_hits: eb('flaky_hits', '+', marked.length) }))
    .where('id', '=', failureId)
    .returningAll()
    .executeTakeFirstOrThrow();
  const wasChance = new Set(marked.map(({ key }) => key));
  const tell = (seen: Sighting): Sighting => (wasChance.has(seen.key) ? { ...seen, verdict: 'flaky' } : seen);
  const { firstSeen, lastSeen } = toFailure(row);
  await trx
    .updateTable('failures')
    .set({ first_seen: JSON.stringify(tell(firstSeen)), last_seen: JSON.stringify(tell(lastSeen)) })
    .where('id', '=', failureId)
    .execute();
}

function toBit(value: boolean): 0 | 1 {
  return value ? 1 : 0;
}

export function toFailure(row: Selectable<FailureTable>): Failure {
  const { closed_sha: sha, closed_at: at, closed_by: by } = row;
  const closed: Closing | null = sha === null || at === null || by === null ? null : { sha, at, by };
  const seenIn: Pick<Failure, 'checkNames' | 'branches' | 'pullRequests'> = JSON.parse(row.seen_in);
  return {
    id: row.id,
    projectId: row.project_id,
    fingerprint: row.fingerprint,
    headline: row.headline,
    state: row.state,
    opening: row.opening,
    isOnDefault: row.is_on_default === 1,
    hits: row.hits,
    flakyHits: row.flaky_hits,
    firstSeen: JSON.parse(row.first_seen),
    lastSeen: JSON.parse(row.last_seen),
    checkNames: seenIn.checkNames,
    branches: seenIn.branches,
    pullRequests: seenIn.pullRequests,
    investigationId: row.investigation_id,
    threadId: row.thread_id,
    closed,
    range: row.commit_range === null ? null : JSON.parse(row.commit_range),
  };
}

/** All columns that may change. */
function toColumns(failure: Failure) {
  const { checkNames, branches, pullRequests, closed, range } = failure;
  return {
    headline: failure.headline,
    state: failure.state,
    opening: failure.opening,
    is_on_default: toBit(failure.isOnDefault),
    hits: failure.hits,
    flaky_hits: failure.flakyHits,
    first_seen: JSON.stringify(failure.firstSeen),
    last_seen: JSON.stringify(failure.lastSeen),
    last_seen_at: toTime(failure.lastSeen.at),
    seen_in: JSON.stringify({ checkNames, branches, pullRequests }),
    investigation_id: failure.investigationId,
    thread_id: failure.threadId,
    closed_sha: closed?.sha ?? null,
    closed_at: closed && toTime(closed.at),
    closed_by: closed?.by ?? null,
    commit_range: range && JSON.stringify(range),
  };
}

/** With milliseconds, so that texts compare as times do: GitHub leaves them out. */
export function toTime(at: string): string {
  const ms = Date.parse(at);
  return Number.isNaN(ms) ? at : new Date(ms).toISOString();
}
