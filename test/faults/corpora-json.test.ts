// JSONTestSuite, whole, as bodies over the wire to a real server: what is no JSON is 400, what is JSON is judged by its values.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startServer } from '../../src/api/server.ts';
import { createLog } from '../../src/log.ts';
import { type ApiGround, apiGround } from '../api/api-ground.ts';
import { haveCorpora, jsonFiles } from '../support/corpora.ts';

const have = haveCorpora();

describe.runIf(have)('every file of JSONTestSuite as a body', () => {
  let ground: ApiGround;
  let server: RunningServer;
  beforeAll(async () => {
    ground = await apiGround();
    const log = createLog({ level: 'info', destination: { write: () => {} } });
    server = await startServer({ fetch: ground.api.fetch, host: '127.0.0.1', port: 0, loopbackOnly: true, log });
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await ground[Symbol.asyncDispose]();
  });

  async function post(bytes: Uint8Array<ArrayBuffer>): Promise<number> {
    const headers = { Authorization: `Bearer ${ground.token}`, 'Content-Type': 'application/json' };
    const answer = await fetch(`${server.address}/api/v1/issues/`, { method: 'POST', headers, body: bytes });
    expect(answer.headers.get('Content-Type')).toBe('application/problem+json');
    await answer.arrayBuffer();
    return answer.status;
  }

  it('is 400 where it must be refused, 422 where it must be accepted, one of both where either may be', async () => {
    const wanted = { y: [422], n: [400], i: [400, 422] };
    const files = jsonFiles();
    const wrong: string[] = [];
    for (const { name, kind, bytes } of files) {
      const status = await post(bytes);
      if (!wanted[kind].includes(status)) wrong.push(`${name}: ${status}`);
    }
    expect(wrong).toEqual([]);
    expect(files.filter(({ kind }) => kind !== 'i').length).toBeGreaterThanOrEqual(283);
    expect(await ground.store.listInvestigations({ limit: 1 })).toEqual([]);
  });

  it('stands for any text too: as data of a report it is stored to the byte where it is UTF-8', async () => {
    for (const { name, bytes } of jsonFiles()) {
      const text = Buffer.from(bytes).toString('utf8');
      if (!/\S/.test(text) || bytes.length > 50_000) continue;
      const issueId = await ground.conclude(await ground.report(text, { fresh: true }));
      const answer = await ground.call('GET', `/api/v1/issues/${issueId}/`);
      const issue = (await answer.json()) as { readonly analysis: { readonly report: string } };
      expect([name, issue.analysis.report]).toEqual([name, text.replaceAll('\0', '\ufffd')]);
    }
  });
});
