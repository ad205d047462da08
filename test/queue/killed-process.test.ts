// Jobs of a process that was killed.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqlite } from '../contract/sqlite-place.ts';
import { patience } from '../support/patience.ts';
import { job, plenty, recorder } from '../support/queue-samples.ts';
import { storeProcess } from '../support/store-process.ts';

const all = { run: plenty, webhook: plenty };

describe('the jobs of a killed process', () => {
  let folder = '';
  let file = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'causeway-kill-'));
    file = join(folder, 'causeway.db');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function enqueue(...subjects: readonly string[]): Promise<void> {
    await using opened = await openSqlite(file);
    await opened.enqueue(...subjects.map((subject) => job(subject)));
  }

  it('run again at once at the next start, before those that waited behind them', async () => {
    const subjects = ['a', 'b', 'c', 'd', 'e', 'f'];
    await enqueue(...subjects);
    const child = storeProcess(['work', file, 'hang']);
    const lines = [await child.line(), await child.line(), await child.line(), await child.line()];
    expect(lines.toSorted()).toEqual(['try a 1', 'try b 1', 'try c 1', 'try d 1']);
    await child.kill();
    await using opened = await openSqlite(file);
    const { handled, handlers } = recorder();
    await using worker = opened.queue({}).work(handlers, { ...all, run: { concurrency: 1, perGroup: 1 } });
    await worker.waitUntilIdle(patience());
    expect(handled.map((one) => one.subject)).toEqual(subjects);
    expect(handled.map((one) => one.attempt)).toEqual([2, 2, 2, 2, 1, 1]);
  });

  it('are buried after twelve tries where they are what kills it, and others go on', async () => {
    await enqueue('poison');
    for (let attempt = 1; attempt <= 12; attempt++) {
      await using child = storeProcess(['work', file, 'die']);
      expect(await child.line()).toBe(`try poison ${attempt}`);
      await child.ended;
    }
    await enqueue('good');
    await using opened = await openSqlite(file);
    const { handled, deaths, handlers } = recorder();
    const queue = opened.queue({});
    await using worker = queue.work(handlers, all);
    await worker.waitUntilIdle(patience());
    expect(handled.map((one) => one.subject)).toEqual(['good']);
    expect(deaths).toMatchObject([{ job: { subject: 'poison', attempt: 13 }, error: { code: 'internal' } }]);
    expect(await queue.countJobs()).toEqual({ waiting: 0, running: 0, dead: 1 });
  });
});
