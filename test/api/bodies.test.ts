// Hostile bodies, names and headers: a clear refusal or an exact record, and never a fault of ours.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiGround, apiGround, bodyOf, requestOf } from './api-ground.ts';

let ground: ApiGround;
beforeAll(async () => {
  ground = await apiGround();
});
afterAll(() => ground[Symbol.asyncDispose]());

const post = (
  raw: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
  headers: Record<string, string> = {},
) => ground.call('POST', '/api/v1/issues/', { raw, headers });
const bytes = (...values: number[]) => new Uint8Array(values);
const report = (data: string) => JSON.stringify({ data, projectId: ground.project.id });

describe('the type of a body', () => {
  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
    'application/json ; charset=utf8 ; x=y',
  ])('may be %s', async (type) => {
    expect((await post(report('x'), { 'Content-Type': type })).status).toBe(202);
  });

  it.each([
    'text/plain',
    'application/json; charset=utf-16',
    'application/json; charset=iso-8859-1',
    'application/jsonp',
    'application/problem+json',
    'application/json, application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    ';',
  ])('is refused with 415: %s', async (type) => {
    expect((await post(report('x'), { 'Content-Type': type })).status).toBe(415);
  });

  it.each(['gzip', 'br', 'deflate', 'identity, gzip', 'x'])(
    'is refused with 415 where it is encoded: %s',
    async (coding) => {
      expect((await post(report('x'), { 'Content-Encoding': coding })).status).toBe(415);
    },
  );
});

describe('a body', () => {
  it.each<[string, string | Uint8Array<ArrayBuffer>]>([
    ['nothing', ''],
    ['half an object', '{"data":'],
    ['a trailing comma', '{"data":"x",}'],
    ['a deep array', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['65 levels', `${'['.repeat(65)}${']'.repeat(65)}`],
    ['a lone continuation byte', bytes(0x22, 0x80, 0x22)],
    ['UTF-16', new Uint8Array(Buffer.from('\ufeff{"data":"x"}', 'utf16le'))],
  ])('of %s is 400', async (_name, raw) => {
    expect((await post(raw)).status).toBe(400);
  });

  it.each([
    ['null', 'null'],
    ['a number', '1e400'],
    ['a text', '"data"'],
    ['64 levels', `${'['.repeat(64)}"[[[\\"[[["${']'.repeat(64)}`],
    ['a key of prototypes', '{"__proto__":{"data":"x"},"data":"x","projectId":"y"}'],
    ['half a pair as an escape', '{"data":"\\ud800","projectId":"\\udfff"}'],
    ['an array for a text', '{"data":["x"],"projectId":{"id":1}}'],
    ['1,000 unknown fields', `{${Array.from({ length: 1_000 }, (_, i) => `"f${i}":1`)}}`],
    ['a key of 1 MB', `{"${'k'.repeat(1_000_000)}":1}`],
  ])('of %s is 422', async (_name, raw) => {
    const answer = await post(raw);
    expect(answer.status).toBe(422);
    expect((await answer.text()).length).toBeLessThan(50_000);
    expect(({} as Record<string, unknown>)['data']).toBeUndefined();
  });

  it('is refused with 413 before it ends', async () => {
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        sent += 65_536;
        controller.enqueue(new Uint8Array(65_536).fill(0x20));
      },
    });
    expect((await post(endless)).status).toBe(413);
    expect(sent).toBeLessThan(9_000_000);
  });

  it('is refused with 413 by its declared length, unread', async () => {
    let pulled = 0;
    const unread = new ReadableStream<Uint8Array>({ pull: () => void pulled++ }, { highWaterMark: 0 });
    expect((await post(unread, { 'Content-Length': '1000000000' })).status).toBe(413);
    expect(pulled).toBe(0);
  });
});

const NAUGHTY: readonly string[] = [
  '\u0000',
  '\u0001\u0008\u000b\u000c\u001b[31m\u007f',
  '\u202eevil\u202c \u2066x\u2069',
  '👾 🙇 💁🏽 👩‍👩‍👧‍👦 🏳️‍🌈 🇺🇸',
  '\u{10ffff}\u{e0001}\u{1f468}',
  '"><img src=x onerror=alert(1)>',
  '%00 %0d%0a %2e%2e%2f %ff',
  '../../../etc/passwd',
  '__proto__',
  'https://user:pass@example.com/#x',
  'https://example.com/\r\nX: y',
  '\r\nSet-Cookie: a=b',
  '\ud83d',
  'a'.repeat(70_000),
  '\\"\\\\/\b\f\n\r\t',
];

describe.each(NAUGHTY.map((text) => [JSON.stringify(text).slice(0, 40), text]))('the text %s', (_name, text) => {
  it('is stored exactly as data, or refused', async () => {
    const answer = await post(report(text));
    const sound = text.isWellFormed() && /\S/.test(text);
    expect(answer.status).toBe(sound ? 202 : 422);
    if (!sound) return;
    const id = answer.headers.get('Location')?.split('/').at(-2) ?? '';
    const issue = await bodyOf(await ground.call('GET', `/api/v1/issues/${await ground.conclude(id)}/`));
    expect(issue.analysis.report).toBe(text.replaceAll('\u0000', '\ufffd'));
  });

  it('is no fault of ours in any other place', async () => {
    const body = { data: 'x', projectId: ground.project.id };
    for (const [name, allowed] of [
      ['projectId', [422]],
      ['callbackUrl', [422]],
      ['reference', [202, 422]],
      ['revision', [202, 422]],
    ] as const) {
      const answer = await ground.call('POST', '/api/v1/issues/', { body: { ...body, [name]: text } });
      expect(allowed).toContain(answer.status);
    }
    const encoded = encodeURIComponent(text.toWellFormed()).slice(0, 8_000);
    for (const path of ['issues', 'projects', 'investigations']) {
      const answer = await ground.api.fetch(requestOf('GET', `/api/v1/${path}/${encoded}/`, { token: ground.token }));
      expect([404, 405, 200]).toContain(answer.status);
    }
    for (const name of ['projectId', 'state', 'reference', 'limit', 'cursor', 'wait']) {
      const answer = await ground.call('GET', `/api/v1/investigations/?${name}=${encoded}`);
      expect([200, 401, 422]).toContain(answer.status);
    }
    // Only these characters can stand in a header at all.
    const header = text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '').slice(0, 8_000);
    for (const name of ['Idempotency-Key', 'Last-Event-ID', 'X-Request-Id', 'Accept', 'User-Agent']) {
      const answer = await ground.call('POST', '/api/v1/issues/', { body, headers: { [name]: header } });
      expect([202, 422]).toContain(answer.status);
    }
  });
});
