// What GitHub sent and what people wrote there, as it lies in the SQLite file.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqlite } from '../contract/sqlite-place.ts';
import {
  acceptance,
  accepted,
  at,
  conclusion,
  delivery,
  githubGround,
  NOW,
  opening,
  record,
  started,
  trigger,
} from '../support/store-samples.ts';

const canary = 'canary-91c2';

describe('in a SQLite file', () => {
  let folder = '';
  let file = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'causeway-github-'));
    file = join(folder, 'causeway.db');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const traces = async () => {
    const files = await Promise.all([file, `${file}-wal`].map((name) => readFile(name)));
    return files.some((bytes) => bytes.includes(canary));
  };

  it('the body of a delivery is sealed to its id, and gone when it was handled', async () => {
    await using opened = await openSqlite(file);
    const { store } = opened;
    const times = { now: NOW, meaningSince: NOW };
    for (const id of ['a', 'b']) await store.acceptDelivery(delivery(id, { body: `${canary} ${id}` }), times);
    expect(await traces()).toBe(false);
    const connection = new Sqlite(file);
    connection.exec("update deliveries set body = (select body from deliveries where id = 'b') where id = 'a'");
    await expect(store.findDelivery('a')).rejects.toMatchObject({ code: 'store_unusable' });
    expect((await store.findDelivery('b'))?.body).toBe(`${canary} b`);
    await store.endDelivery('a', 'failed', 'it is not ours');
    await store.endDelivery('b', 'done', '');
    const rows = connection.prepare('select body, detail from deliveries order by id').all();
    connection.close();
    expect(rows).toEqual([
      { body: null, detail: 'it is not ours' },
      { body: null, detail: '' },
    ]);
  });

  it('no trace of an erased Issue is left in its thread, also in the log beside it', async () => {
    await using opened = await openSqlite(file);
    const { store } = opened;
    const base = await githubGround(store);
    const thread = opening('thr_1', { trigger: trigger({ guidance: canary }) });
    const { runId, investigationId } = await accepted(store, acceptance(base, { thread }));
    const [issueId = ''] = await store.conclude(await started(store, runId), conclusion(), NOW);
    const withheld = { investigationId, reason: { code: 'not_text', path: canary } as const, request: '' };
    await store.saveThreadRecord('thr_1', record({ withheld, held: { comment: canary, pullRequest: canary } }), NOW);
    expect(await traces()).toBe(true);
    await store.eraseIssue(issueId, at(1));
    expect(await traces()).toBe(false);
  });
});
