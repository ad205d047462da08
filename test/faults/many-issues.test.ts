// The API under numbers: 100,000 issues in one project, and 10,000 tokens that are none over one connection.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer } from '../../src/api/server.ts';
import { createToken } from '../../src/core/account/account.ts';
import { createLog } from '../../src/log.ts';
import { type ApiGround, apiGround, bodyOf } from '../api/api-ground.ts';
import { acceptance, conclusion, NOW } from '../support/store-samples.ts';

const ISSUES = 100_000;
/** Equal reports share a run: so many at a time are concluded by one. */
const TOGETHER = 500;

describe('a project with 100,000 issues', () => {
  let ground: ApiGround;
  beforeAll(async () => {
    ground = await apiGround();
    const base = { account: ground.account, project: ground.project };
    for (let round = 0; round < ISSUES / TOGETHER; round++) {
      let runId = '';
      for (let each = 0; each < TOGETHER; each++) {
        const accepted = await ground.store.accept(acceptance(base, { fingerprint: `f${round}`, text: `r${round}` }));
        if (accepted.kind === 'accepted') runId = accepted.runId;
      }
      const run = await ground.store.startRun(runId, NOW);
      if (run !== null) await ground.store.conclude(run, conclusion(), NOW);
    }
  }, 1_800_000);
  afterAll(() => ground[Symbol.asyncDispose]());

  it('is answered whole, again and again, and pages of other lists stay whole', async () => {
    const path = `/api/v1/projects/${ground.project.id}/`;
    const before = process.memoryUsage().rss;
    const times: number[] = [];
    for (let asked = 0; asked < 20; asked++) {
      const began = performance.now();
      const answer = await ground.api.fetch(
        new Request(`http://127.0.0.1:3000${path}`, { headers: { Authorization: `Bearer ${ground.token}` } }),
      );
      const { issueIds } = await bodyOf(answer);
      times.push(performance.now() - began);
      expect(new Set(issueIds).size).toBe(ISSUES);
    }
    const middle = times.toSorted((a, b) => a - b)[10] ?? 0;
    const grown = (process.memoryUsage().rss - before) / 1024 / 1024;
    process.stderr.write(`100,000 issues: p50 ${middle.toFixed(0)} ms, worst ${Math.max(...times).toFixed(0)} ms, `);
    process.stderr.write(`memory +${grown.toFixed(0)} MB over 20 answers\n`);
    // Wide: it is some tens of milliseconds, and 2.6 MB a time.
    expect(middle).toBeLessThan(2_000);
    expect(grown).toBeLessThan(400);
    const page = await ground.call('GET', '/api/v1/investigations/?limit=100');
    expect(((await page.json()) as readonly unknown[]).length).toBe(100);
    expect(page.headers.get('Link')).toContain('cursor=');
  });
});

describe('10,000 invalid tokens from one address', () => {
  it('are 401 each, and the rate of a valid one is untouched', async () => {
    await using ground = await apiGround({ limits: { callsPerMinute: 5, creationsPerMinute: 2 } });
    const log = createLog({ level: 'error', destination: { write: () => {} } });
    await using server = await startServer({
      ...{ fetch: ground.api.fetch, host: '127.0.0.1', port: 0, loopbackOnly: true, log },
    });
    const ask = async (token: string) => {
      const headers = { Authorization: `Bearer ${token}` };
      const answer = await fetch(`${server.address}/api/v1/projects/`, { headers });
      await answer.arrayBuffer();
      return answer.status;
    };
    const seen = new Map<number, number>();
    for (let sent = 0; sent < 10_000; sent += 20) {
      const statuses = await Promise.all(Array.from({ length: 20 }, () => ask(createToken())));
      for (const status of statuses) seen.set(status, (seen.get(status) ?? 0) + 1);
    }
    expect([...seen]).toEqual([[401, 10_000]]);
    for (let calls = 0; calls < 5; calls++) expect(await ask(ground.token)).toBe(200);
    expect(await ask(ground.token)).toBe(429);
  });
});
