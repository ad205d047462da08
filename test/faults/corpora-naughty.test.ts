// The Big List of Naughty Strings, whole, in every place of the API and of the account area where a stranger's text can stand.

import { createRedactor } from 'causeway-redact';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer } from '../../src/api/server.ts';
import { createLog } from '../../src/log.ts';
import { type ApiGround, apiGround, requestOf } from '../api/api-ground.ts';
import { openBrowser } from '../support/browser.ts';
import { haveCorpora, naughtyStrings } from '../support/corpora.ts';
import { type WebGround, webGround } from '../web/web-ground.ts';

const have = haveCorpora();
const all = have ? naughtyStrings() : [];

/** Only these characters can stand in a header at all. */
const asHeader = (text: string) => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '').trim();

describe.runIf(have)('every naughty string, handed to the API', () => {
  let ground: ApiGround;
  beforeAll(async () => {
    ground = await apiGround();
  });
  afterAll(() => ground[Symbol.asyncDispose]());

  async function post(fields: object, headers: Record<string, string> = {}): Promise<number> {
    const body = { data: 'x', projectId: ground.project.id, ...fields };
    return (await ground.call('POST', '/api/v1/issues/', { body, headers })).status;
  }

  it('as data is stored to the byte, but for what redaction cuts out', async () => {
    await using redactor = createRedactor({ exactValues: () => [] });
    const cut: string[] = [];
    let stored = 0;
    for (const text of all) {
      if (!/\S/u.test(text)) {
        expect([text, await post({ data: text })]).toEqual([text, 422]);
        continue;
      }
      const issueId = await ground.conclude(await ground.report(text, { fresh: true }));
      const answer = await ground.call('GET', `/api/v1/issues/${issueId}/`);
      const { analysis } = (await answer.json()) as { readonly analysis: { readonly report: string } };
      const plain = text.replaceAll('\0', '\ufffd');
      const clean = await redactor.redact(plain);
      if (clean !== plain) cut.push(text);
      expect(analysis.report).toBe(clean);
      stored += 1;
    }
    expect(stored).toBeGreaterThan(500);
    // None of them holds a secret, so that none may be touched.
    expect(cut).toEqual([]);
  });

  it('in any other field, header, path or query is accepted or refused, and no fault of ours', async () => {
    for (const text of all) {
      expect([text, await post({ projectId: text })]).toEqual([text, 422]);
      expect([text, await post({ callbackUrl: text })]).toEqual([text, 422]);
      expect([202, 422]).toContain(await post({ reference: text }));
      expect([202, 422]).toContain(await post({ revision: text }));
      const name = asHeader(text).slice(0, 8_000);
      for (const header of ['Idempotency-Key', 'Last-Event-ID', 'User-Agent', 'X-Request-Id', 'Accept']) {
        expect([202, 422]).toContain(await post({ data: `of ${text.length}` }, { [header]: name }));
      }
      const encoded = encodeURIComponent(text.toWellFormed());
      for (const path of ['issues', 'projects', 'investigations']) {
        const request = requestOf('GET', `/api/v1/${path}/${encoded}/`, { token: ground.token });
        expect([200, 404, 405]).toContain((await ground.api.fetch(request)).status);
      }
      for (const key of ['projectId', 'state', 'reference', 'limit', 'cursor']) {
        const answer = await ground.call('GET', `/api/v1/investigations/?${key}=${encoded}`);
        expect([200, 422]).toContain(answer.status);
      }
    }
    expect(ground.log.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });

  it('as Authorization is 401 and never a fault', async () => {
    for (const text of all) {
      const headers = { Authorization: `Bearer ${asHeader(text)}` };
      expect((await ground.call('GET', '/api/v1/projects/', { token: null, headers })).status).toBe(401);
    }
  });
});

describe.runIf(have)('every naughty string, typed into the account area', () => {
  let ground: WebGround;
  beforeAll(async () => {
    ground = await webGround();
  });
  afterAll(() => ground[Symbol.asyncDispose]());

  /** The text as the worker gets it of the report that was handed in. */
  async function storedText(answer: Response): Promise<string | undefined> {
    const id = answer.headers.get('Location')?.split('/').at(-1) ?? '';
    const runId = (await ground.store.findInvestigation(id))?.runId ?? '';
    return (await ground.store.startRun(runId, ground.clock.now.toISOString()))?.text;
  }

  it('as the text of a report, the name of a token and the filter of projects is an answer, and no fault', async () => {
    const project = ground.projects[0]?.id ?? '';
    const csrf = /name="csrf_token" value="([^"]+)"/.exec(await ground.visitor.page('/projects'))?.[1] ?? null;
    const keyOf = async (page: string) =>
      /name="form_key" value="([^"]+)"/.exec(await ground.visitor.page(page))?.[1] ?? '';
    const send = (path: string, fields: Readonly<Record<string, string | readonly string[]>>) =>
      ground.visitor.post(path, fields, { formToken: csrf });
    for (const text of all) {
      const form_key = await keyOf(`/projects/${project}/reports/new`);
      const report = await send(`/projects/${project}/reports`, { form_key, text, reference: text, revision: text });
      expect([303, 400]).toContain(report.status);
      if (report.status === 303 && !text.includes('\r'))
        expect(await storedText(report)).toBe(text.replaceAll('\0', '\ufffd'));
      const token = {
        form_key: await keyOf('/account/tokens/new'),
        name: text,
        scope: ['issues:read'],
        bound: 'all',
        expiry: '7',
      };
      expect([200, 422]).toContain((await send('/account/tokens', token)).status);
      const page = await ground.visitor.get(`/projects?q=${encodeURIComponent(text.toWellFormed())}`);
      expect(page.status).toBe(200);
    }
    expect((await ground.store.listTokens(ground.visitor.account.id)).length).toBeGreaterThan(400);
    expect(ground.lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });

  it('is inert in a real browser on every page that shows it: nothing runs, nothing is fetched, no dialog opens', async () => {
    const { investigationId, issueId } = await ground.concluded({ text: all.join('\n') });
    await using browser = await openBrowser();
    const { page, faults } = await browser.page();
    const asked: string[] = [];
    const dialogs: string[] = [];
    page.on('dialog', async (dialog) => {
      dialogs.push(dialog.message());
      await dialog.dismiss();
    });
    const paths = [
      `/issues/${issueId}`,
      `/investigations/${investigationId}`,
      `/projects/${ground.projects[0]?.id}`,
      '/account/credentials',
      '/account/audit',
      ...all
        .filter((text) => /[<&"']/.test(text))
        .slice(0, 60)
        .map((text) => `/projects?q=${encodeURIComponent(text.toWellFormed())}`),
    ];
    page.on('request', (request) => asked.push(new URL(request.url()).origin));
    const cookies = ground.visitor.cookie().split('; ');
    const log = createLog({ level: 'fatal', destination: { write: () => {} } });
    const fetch = (request: Request) => ground.web.fetch(request);
    await using server = await startServer({ fetch, host: '127.0.0.1', port: 0, loopbackOnly: true, log });
    await page.context().addCookies(
      cookies.map((pair) => {
        const at = pair.indexOf('=');
        return { name: pair.slice(0, at), value: pair.slice(at + 1), url: server.address };
      }),
    );
    const seen: number[] = [];
    for (const path of paths) {
      const answer = await page.goto(`${server.address}${path}`, { waitUntil: 'load' });
      seen.push(answer?.status() ?? 0);
      if (seen.length === 1) expect(await page.locator('main').textContent()).toContain('<script>alert(');
    }
    expect(seen.filter((status) => status === 200).length).toBeGreaterThan(paths.length - 4);
    expect([dialogs, [...new Set(asked)]]).toEqual([[], [server.address]]);
    expect(faults.filter((fault) => !/404|EventSource|events/.test(fault))).toEqual([]);
  });
});
