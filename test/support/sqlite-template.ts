// SQLite databases with the schema of today, copied from one: making that schema anew is 20 ms of processor time, a copy is 3 ms.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSeal } from '../../src/db/seal.ts';
import { openSqliteStore, type SqliteStore } from '../../src/db/sqlite.ts';
import { createJobTable } from '../../src/queue/job-table.ts';

type StoreOptions = Omit<Parameters<typeof openSqliteStore>[0], 'file'>;

/** A store with a file of its own, which goes with it. */
export async function migratedStore(options: StoreOptions): Promise<SqliteStore> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-store-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const file = join(folder, 'causeway.db');
    await writeMigrated(file);
    const store = await openSqliteStore({ ...options, file });
    const dispose = async () => {
      await store[Symbol.asyncDispose]();
      await remove();
    };
    return { ...store, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Makes the file, as a store leaves it that was opened once and closed. */
export async function writeMigrated(file: string): Promise<void> {
  template ??= newTemplate();
  await writeFile(file, await template, { mode: 0o600 });
}

let template: Promise<Buffer> | undefined;

async function newTemplate(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-template-'));
  try {
    const file = join(folder, 'causeway.db');
    const store = await openSqliteStore({ file, seal: createSeal(Buffer.alloc(32)), enqueuer: createJobTable() });
    await store[Symbol.asyncDispose]();
    return await readFile(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
