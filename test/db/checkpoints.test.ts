// Checkpoints on a real file: no commit does them, and nothing of what they promise is lost by that.
import { statSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import { expect, it, vi } from 'vitest';
import { createCheckpoints } from '../../src/db/checkpoints.ts';
import { openSqliteStore } from '../../src/db/open-sqlite.ts';
import { createSeal } from '../../src/db/seal.ts';
import { openConnection } from '../../src/db/sqlite-engine.ts';
import { createJobTable } from '../../src/queue/job-table.ts';

const PATIENCE = { timeout: 30_000, interval: 5 };
/** More than a thousand pages. */
const MUCH = 'x'.repeat(6 * 1024 * 1024);

async function place() {
  await using opening = new AsyncDisposableStack();
  const folder = await mkdtemp(path.join(tmpdir(), 'causeway-checkpoints-'));
  opening.defer(() => rm(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'causeway.db');
  const connection = openConnection(file);
  connection.exec('create table texts (text text not null) strict');
  const checkpoints = createCheckpoints(connection, file);
  const close = async () => {
    await checkpoints[Symbol.asyncDispose]();
    connection.close();
  };
  opening.defer(close);
  const insert = connection.prepare('insert into texts (text) values (?)');
  const opened = opening.move();
  return {
    ...{ file, connection, checkpoints, close },
    commit: (text: string) => {
      insert.run(text);
      checkpoints.committed();
    },
    bytes: () => statSync(file).size,
    logBytes: () => statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Another process that has the file open, and is in the middle of reading it. */
function reading(file: string, what: 'texts' | 'nothing' = 'texts') {
  const other = new Sqlite(file);
  other.exec(what === 'texts' ? 'begin; select count(*) from texts' : 'select count(*) from texts');
  return { end: () => other.exec('commit'), [Symbol.dispose]: () => other.close() };
}

/** The log is empty after one of the next commits. */
async function emptied({ checkpoints, logBytes }: Awaited<ReturnType<typeof place>>): Promise<void> {
  const look = () => {
    checkpoints.committed();
    expect(logBytes()).toBe(0);
  };
  await vi.waitFor(look, PATIENCE);
}

it('a commit leaves a long log as it is, and the thread brings it into the file', async () => {
  await using at = await place();
  at.commit(MUCH);
  expect(at.bytes()).toBeLessThan(MUCH.length);
  await vi.waitFor(() => expect(at.bytes()).toBeGreaterThan(MUCH.length), PATIENCE);
});

it('a log begins anew once it is in the file, so that it stays short however much is written', async () => {
  await using at = await place();
  for (let time = 0; time < 30; time++) {
    at.commit(MUCH);
    // Nobody asks the thread while it has not told that it is done with the last.
    const look = () => {
      at.checkpoints.committed();
      expect(at.bytes()).toBeGreaterThan(MUCH.length * (time + 1));
    };
    await vi.waitFor(look, PATIENCE);
    // Almost always the thread has told it by then; a log that never begins anew is twice as long in the end.
    await wait(20);
  }
  expect(at.logBytes()).toBeLessThan(MUCH.length * 15);
});

it('what is erased while the thread is at work is gone from the log as well', async () => {
  await using at = await place();
  at.commit(MUCH);
  at.connection.exec('delete from texts');
  at.checkpoints.forget();
  await vi.waitFor(() => expect(at.logBytes()).toBe(0), PATIENCE);
});

it('a transaction under way when the thread ends is left alone, and what was to be forgotten is forgotten after it', async () => {
  await using at = await place();
  at.commit(MUCH);
  at.connection.exec('delete from texts');
  at.checkpoints.forget();
  at.connection.exec('begin immediate');
  await vi.waitFor(() => expect(at.bytes()).toBeGreaterThan(MUCH.length), PATIENCE);
  // The thread has told it by then.
  await wait(500);
  expect(at.logBytes()).toBeGreaterThan(0);
  at.connection.exec('commit');
  await emptied(at);
});

it('while another process reads, the thread is not asked again and again for what it cannot do', async () => {
  let answers = 0;
  const listen = (worker: Worker) => worker.on('message', () => (answers += 1));
  process.on('worker', listen);
  await using at = await place();
  using reader = reading(at.file);
  for (let time = 0; time < 3; time++) at.commit(MUCH);
  await vi.waitFor(() => expect(answers).toBeGreaterThan(1), PATIENCE);
  await wait(500);
  process.off('worker', listen);
  // That it is ready, and how far it came, once for what was committed before that and at most once for the rest.
  expect(answers).toBeLessThan(4);
  reader.end();
  at.commit(MUCH);
  await vi.waitFor(() => expect(at.bytes()).toBeGreaterThan(MUCH.length * 3), PATIENCE);
});

it('what is to be forgotten is forgotten as soon as nobody reads any more', async () => {
  await using at = await place();
  at.commit('secret');
  using reader = reading(at.file);
  at.connection.exec('delete from texts');
  at.checkpoints.forget();
  expect(at.logBytes()).toBeGreaterThan(0);
  reader.end();
  await emptied(at);
});

it('what is to be forgotten is forgotten before it is closed, also beside another process', async () => {
  await using at = await place();
  using _another = reading(at.file, 'nothing');
  at.commit(MUCH);
  at.connection.exec('delete from texts');
  at.checkpoints.forget();
  await at.close();
  expect(at.logBytes()).toBe(0);
});

it('a log that a killed process has left is emptied when the store is opened', async () => {
  await using at = await place();
  at.commit('secret');
  at.connection.exec('delete from texts');
  const left = path.join(path.dirname(at.file), 'left.db');
  for (const end of ['', '-wal']) await copyFile(`${at.file}${end}`, `${left}${end}`);
  const options = { file: left, seal: createSeal(Buffer.alloc(32)), enqueuer: createJobTable() };
  await using _store = await openSqliteStore(options);
  expect(statSync(`${left}-wal`).size).toBe(0);
});

it('closed while the thread is at work everything is in the file', async () => {
  await using at = await place();
  at.commit(MUCH);
  await at.close();
  expect(at.logBytes()).toBe(0);
  const other = new Sqlite(at.file, { readonly: true });
  expect(other.prepare('select count(*), sum(length(text)) from texts').raw().get()).toEqual([1, MUCH.length]);
  other.close();
});

it('what the thread was asked to do it does before it is ended', async () => {
  await using at = await place();
  at.commit(MUCH);
  await at.checkpoints[Symbol.asyncDispose]();
  expect(at.bytes()).toBeGreaterThan(MUCH.length);
});

it('in memory there is no log, and nothing to do', async () => {
  const connection = openConnection(':memory:');
  await using checkpoints = createCheckpoints(connection, ':memory:');
  connection.exec('create table texts (text text not null) strict');
  expect(() => checkpoints.committed()).not.toThrow();
});
