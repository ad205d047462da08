// The write-ahead log on a real file: SQLite keeps it short, and an erasure empties it.
import { statSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { createSeal } from '../../src/db/seal.ts';
import { openSqliteStore } from '../../src/db/sqlite.ts';
import { createJobTable } from '../../src/queue/job-table.ts';
import { acceptance, accepted, conclusion, ground, NOW, started } from '../support/store-samples.ts';

async function openPlace() {
  const folder = await mkdtemp(path.join(tmpdir(), 'causeway-log-'));
  const file = path.join(folder, 'causeway.db');
  const open = (at = file) =>
    openSqliteStore({ file: at, seal: createSeal(Buffer.alloc(32)), enqueuer: createJobTable() });
  return {
    ...{ folder, file, open },
    countLogBytes: (at = file) => statSync(`${at}-wal`, { throwIfNoEntry: false })?.size ?? 0,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

async function concludeOne(store: Awaited<ReturnType<typeof openSqliteStore>>, fingerprint: string) {
  const { runId } = await accepted(store, acceptance(await ground(store), { fingerprint }));
  const [issueId = ''] = await store.conclude(await started(store, runId), conclusion(), NOW);
  return issueId;
}

it('an erasure empties the log, and one that another process kept from it makes up for it on the next', async () => {
  await using place = await openPlace();
  await using store = await place.open();
  await store.eraseIssue(await concludeOne(store, 'a'), NOW);
  expect(place.countLogBytes()).toBe(0);
  const issueId = await concludeOne(store, 'b');
  const last = await concludeOne(store, 'c');
  const reader = new Sqlite(place.file);
  reader.exec('begin; select count(*) from issues');
  await store.eraseIssue(issueId, NOW);
  expect(place.countLogBytes()).toBeGreaterThan(0);
  reader.exec('commit');
  reader.close();
  await store.eraseIssue(last, NOW);
  expect(place.countLogBytes()).toBe(0);
});

it('waits for a transaction under way', async () => {
  await using place = await openPlace();
  await using store = await place.open();
  const issueId = await concludeOne(store, 'a');
  const gate = Promise.withResolvers<void>();
  const erasing = store.eraseIssue(issueId, NOW);
  const writing = store.database.write(() => gate.promise);
  // Nothing tells when the erasure waits for it; one that comes late for that is only the easier case.
  setTimeout(gate.resolve, 50);
  await Promise.all([erasing, writing]);
  expect(place.countLogBytes()).toBe(0);
});

it('a log that a killed process has left is emptied when the store is opened, and on closing beside another process', async () => {
  await using place = await openPlace();
  const store = await place.open();
  await concludeOne(store, 'a');
  const left = path.join(place.folder, 'left.db');
  for (const end of ['', '-wal']) await copyFile(`${place.file}${end}`, `${left}${end}`);
  const other = new Sqlite(place.file);
  other.prepare('select count(*) from issues').get();
  await store[Symbol.asyncDispose]();
  expect(place.countLogBytes()).toBe(0);
  other.close();
  expect(place.countLogBytes(left)).toBeGreaterThan(0);
  await using _store = await place.open(left);
  expect(place.countLogBytes(left)).toBe(0);
});
