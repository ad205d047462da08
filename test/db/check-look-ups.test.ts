// What is asked at every check event takes no write lock of the SQLite file.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqlite } from '../contract/sqlite-place.ts';
import { at, githubGround, ofActions } from '../support/store-samples.ts';

describe('at a check event', () => {
  let folder = '';
  let file = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'causeway-checks-'));
    file = join(folder, 'causeway.db');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('a green check that says nothing newer is known without a write, as is whether anything is red or open', async () => {
    await using opened = await openSqlite(file);
    const { store } = opened;
    const { project } = await githubGround(store);
    const green = { check: ofActions('test'), sha: 'a', at: at(5) };
    await store.recordPassingCheck(project.id, green);
    const writer = new Sqlite(file, { timeout: 0 });
    try {
      // Another process holds the lock: whoever needs it waits for five seconds, and fails.
      writer.exec('begin immediate');
      await store.recordPassingCheck(project.id, green);
      await store.recordPassingCheck(project.id, { ...green, at: at(4) });
      expect(await store.hasRedHead(project.id, { branch: 'main', pullRequests: [5] })).toBe(false);
      expect(await store.hasOpenOnDefault(project.id)).toBe(false);
      expect(await store.listPassingChecks(project.id, ofActions('test'))).toEqual([
        { sha: 'a', at: at(5), runId: null },
      ]);
    } finally {
      writer.close();
    }
  });
});
