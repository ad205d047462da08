// 100,000 Issues from SQLite to PostgreSQL by the command itself, killed at any moment and started again. ROUNDS: how many kills (8).
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { createSeal } from '../../src/db/seal.ts';
import { openSqliteStore } from '../../src/db/sqlite.ts';
import { createJobTable } from '../../src/queue/job-table.ts';
import { inspected } from '../contract/inspected.ts';
import { fillRecords } from '../support/filled-records.ts';
import { emptyDatabase } from '../support/postgres.ts';
import { PROGRAM, temporaryFolder } from '../support/service.ts';

const ISSUES = Number(process.env['ISSUES'] ?? 100_000);
const ROUNDS = Number(process.env['ROUNDS'] ?? 8);
const KEY = Buffer.alloc(32, 7);

/** Milliseconds of a whole move, within which the kills come. */
let whole = 30_000;

it('a move of many Issues in one go, and a backup of them, take this long', async () => {
  await using folder = await temporaryFolder();
  const file = path.join(folder.path, 'causeway.db');
  await fill(file);
  await using database = await emptyDatabase();
  const begun = performance.now();
  const child = move(file, database.url);
  expect(await once(child, 'exit')).toEqual([0, null]);
  whole = performance.now() - begun;
  const moved = whole / 1_000;
  const copying = performance.now();
  const backup = causeway(['backup', `${file}.copy`], { DATA_DIR: folder.path });
  expect(await once(backup, 'exit')).toEqual([0, null]);
  const copied = (performance.now() - copying) / 1_000;
  const megabytes = (await stat(file)).size / 1024 / 1024;
  process.stderr.write(`${ISSUES} issues, ${megabytes.toFixed(0)} MB: moved in ${moved.toFixed(1)} s, `);
  process.stderr.write(`backed up and checked in ${copied.toFixed(1)} s\n`);
});

it('a move of many Issues that is killed again and again ends with every record there once', async () => {
  await using folder = await temporaryFolder();
  const file = path.join(folder.path, 'causeway.db');
  await fill(file);
  await using database = await emptyDatabase();
  const lives: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const child = move(file, database.url);
    // From its first word on: what comes before is the start of Node.
    if (child.stderr !== null) await once(child.stderr, 'data');
    const begun = performance.now();
    const patience = (0.02 + 0.25 * Math.random()) * whole;
    const end = await Promise.race([once(child, 'exit'), sleep(patience, null, { ref: false })]);
    if (end !== null) break;
    child.kill('SIGKILL');
    await once(child, 'exit');
    lives.push(performance.now() - begun);
  }
  const begun = performance.now();
  const last = move(file, database.url);
  const said: string[] = [];
  last.stderr?.setEncoding('utf8').on('data', (text: string) => said.push(text));
  expect([await once(last, 'exit'), said.join('')]).toEqual([
    [0, null],
    expect.stringMatching(/Moved to|completed at/),
  ]);
  const seconds = (performance.now() - begun) / 1_000;
  const source = new Sqlite(file, { readonly: true });
  for (const table of ['issues', 'investigations', 'runs', 'steps', 'audit', 'transcript_entries']) {
    const there = await database.query<{ count: string }>(`select count(*) as count from ${table}`);
    expect([table, Number(there[0]?.count)]).toEqual([
      table,
      source.prepare<[], number>(`select count(*) from ${table}`).pluck().get(),
    ]);
  }
  source.close();
  process.stderr.write(
    `${ISSUES} issues, ${lives.length} kills after ${lives.map((ms) => (ms / 1_000).toFixed(1))} s\n`,
  );
  process.stderr.write(`the last life took ${seconds.toFixed(1)} s; rows of the source: ${rowsRead(said.join(''))}\n`);
});

async function fill(file: string): Promise<void> {
  const store = await openSqliteStore({ file, seal: createSeal(KEY), enqueuer: createJobTable() });
  await fillRecords(store, 60);
  const [account] = await store.listAccounts();
  const [project] = await store.listProjects({});
  await inspected(store.database).manyIssues(project?.id ?? '', account?.id ?? '', ISSUES);
  await store[Symbol.asyncDispose]();
  await writeFile(path.join(path.dirname(file), 'encryption.key'), KEY.toString('hex'));
}

function move(file: string, url: string): ChildProcess {
  return causeway(['move', '--from', `sqlite:${file}`], { DATABASE_URL: url, DATA_DIR: path.dirname(file) });
}

function causeway(args: readonly string[], env: Readonly<Record<string, string>>): ChildProcess {
  const stdio = ['ignore', 'ignore', 'pipe'] as const;
  return spawn(process.execPath, [PROGRAM, ...args], { env: { PATH: process.env['PATH'], ...env }, stdio: [...stdio] });
}

function rowsRead(said: string): string {
  return /read (\d+ rows)/.exec(said)?.[1] ?? 'unknown';
}
