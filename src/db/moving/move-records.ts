// A move from SQLite to PostgreSQL: table after table, in batches, and then every row of both is held against the other.
import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CausewayError } from '../../core/errors.ts';
import type { NewJob } from '../../core/queue.ts';
import type { Database } from '../database.ts';
import type { Enqueuer } from '../enqueuer.ts';
import { createChecksum } from './checksum.ts';
import { type MoveSource, positionOf } from './source.ts';
import type { Table } from './tables.ts';
import { advance, beginMove, countOn, endMove, insertRows, progressOf, rowsOf } from './target.ts';

export interface Move {
  readonly source: MoveSource;
  readonly target: Database;
  /** The one that the target's queue goes by. */
  readonly enqueuer: Enqueuer;
  readonly now: () => Date;
  /** Told of each thing that is done, in words that end without a full stop. */
  readonly say: (words: string) => void;
  readonly signal: AbortSignal;
}

export interface Moved {
  readonly rows: number;
  readonly tables: number;
  /** That wait to be done. */
  readonly jobs: number;
  /** That were given up, and still are. */
  readonly deadJobs: number;
}

/** Parts of the progress under which the jobs go: no table is called so. */
const JOBS = '(jobs)';
const DEAD_JOBS = '(dead jobs)';
const JOBS_AT_ONCE = 200;

/**
 * Goes on where an earlier one stood. Throws `conflict` where the target holds anything else or the source was written to, `store_unusable`
 * where the two are not equal at the end, and the signal's reason.
 */
export async function moveRecords(move: Move): Promise<Moved> {
  const { source, target, enqueuer, now, say } = move;
  const sums = await readSource(move);
  await beginMove(target, source.tables, fingerprint(sums, move));
  for (const table of source.tables) await copyTable(move, table);
  const jobs = source.jobs();
  const deadJobs = source.deadJobs();
  await copyJobs(move, { part: JOBS, jobs, write: enqueuer.enqueue });
  await copyJobs(move, { part: DEAD_JOBS, jobs: deadJobs, write: enqueuer.bury });
  say(`jobs: ${jobs.length} that wait to be done, ${deadJobs.length} that were given up, and still are`);
  let rows = 0;
  for (const table of source.tables) rows += await compare(move, table, sums.get(table.name) ?? '');
  if (source.wasWritten()) throw writtenMeanwhile();
  await endMove(target, now().toISOString());
  return { rows, tables: source.tables.length, jobs: jobs.length, deadJobs: deadJobs.length };
}

type Sums = ReadonlyMap<string, string>;

async function readSource({ source, say, signal }: Move): Promise<Sums> {
  const sums = new Map<string, string>();
  let rows = 0;
  for (const table of source.tables) {
    const sum = createChecksum(table);
    for (const batch of source.batches(table, null)) {
      sum.add(batch);
      await breathe(signal);
    }
    sums.set(table.name, sum.text());
    rows += sum.rows;
  }
  say(`read ${counted(rows, 'row')} in ${counted(source.tables.length, 'table')}`);
  return sums;
}

/** By what it holds: a source that was written to is another one. */
function fingerprint(sums: Sums, { source }: Move): string {
  return createHash('sha256')
    .update(JSON.stringify([[...sums], source.jobs(), source.deadJobs()]))
    .digest('hex');
}

async function copyTable({ source, target, say, signal }: Move, table: Table): Promise<void> {
  const part = table.name;
  const { position, isDone } = await progressOf(target, part);
  if (isDone) return say(`${part}: there already`);
  let from = position;
  let rows = 0;
  for (const batch of source.batches(table, position)) {
    const last = batch.at(-1);
    if (last === undefined) break;
    const to = positionOf(table, last);
    await advance(target, { part, from, to }, (trx) => insertRows(trx, table, batch));
    from = to;
    rows += batch.length;
    await breathe(signal);
  }
  const end = { part, from, to: null };
  await advance(target, end, (trx) =>
    table.isCounted ? countOn(trx, table, source.lastGiven(table)) : Promise.resolve(),
  );
  if (rows > 0) say(`${part}: ${counted(rows, 'row')} copied${position === null ? '' : ', the rest of them'}`);
}

interface JobPart {
  readonly part: string;
  readonly jobs: readonly NewJob[];
  readonly write: Enqueuer['enqueue'];
}

/** Each batch once: how far it has come is written with it. */
async function copyJobs({ target, say, signal }: Move, { part, jobs, write }: JobPart): Promise<void> {
  const { position, isDone } = await progressOf(target, part);
  if (isDone) return say(`${part.slice(1, -1)}: there already`);
  let from = position;
  for (let done = Number(position?.[0] ?? 0); done < jobs.length; ) {
    const some = jobs.slice(done, done + JOBS_AT_ONCE);
    done += some.length;
    const to = [done];
    await advance(target, { part, from, to }, (trx) => write(trx, some));
    from = to;
    await breathe(signal);
  }
  await advance(target, { part, from, to: null }, async () => {});
}

/** Returns the number of rows. */
async function compare({ target, say, signal }: Move, table: Table, expected: string): Promise<number> {
  const sum = createChecksum(table);
  for await (const batch of rowsOf(target, table)) {
    sum.add(batch);
    signal.throwIfAborted();
  }
  if (sum.text() !== expected) throw unequal(table, { expected, found: sum.text() });
  if (sum.rows > 0) say(`${table.name}: ${counted(sum.rows, 'row')} checked, equal to the original`);
  return sum.rows;
}

function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** Reading SQLite takes the thread: whoever wants to stop is heard in between. */
async function breathe(signal: AbortSignal): Promise<void> {
  await nextTurn();
  signal.throwIfAborted();
}

function unequal({ name }: Table, sums: { readonly expected: string; readonly found: string }): CausewayError {
  const rows = (sum: string) => sum.split(' ')[0];
  return new CausewayError(
    'store_unusable',
    `The table ${name} is not the same on both sides (${rows(sums.expected)} rows in the source, ${rows(sums.found)} in the target): ` +
      'somebody else writes to the target, or changed it. Move into a new, empty database; the source is as it was.',
  );
}

function writtenMeanwhile(): CausewayError {
  return new CausewayError(
    'conflict',
    'The source was written to while it was moved (by a "causeway token" beside it, perhaps), and that is not in the target. ' +
      'Move into a new, empty database, and leave the source alone meanwhile.',
  );
}
