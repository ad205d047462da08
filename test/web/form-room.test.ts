// Room for forms: what each may hold, and what all of them together may.
import { describe, expect, it } from 'vitest';
import { createFormRoom, FORM_BYTES } from '../../src/web/form-room.ts';
import { BASE, onGithub, type WebGround, webGround } from './web-ground.ts';

const KIB = 1_024;

/** A body that comes when it is told to. */
function slowBody(bytes: number) {
  let finish = () => {};
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new Uint8Array(bytes));
      finish = () => controller.close();
    },
  });
  const request = new Request(BASE, { method: 'POST', body: stream, duplex: 'half' } as RequestInit);
  return { request, finish: () => finish() };
}

async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

describe('room for forms', () => {
  it('is given to no further large one while it is full, and again afterwards; ordinary ones are always taken', async () => {
    const read = createFormRoom(300 * KIB);
    const first = slowBody(200 * KIB);
    const reading = read(first.request, FORM_BYTES.report);
    await settled();
    const second = () => read(new Request(BASE, { method: 'POST', body: 'x'.repeat(200 * KIB) }), FORM_BYTES.report);
    expect((await second()).kind).toBe('no_room');
    const ordinary = new Request(BASE, { method: 'POST', body: 'x'.repeat(FORM_BYTES.ordinary) });
    expect((await read(ordinary, FORM_BYTES.ordinary)).kind).toBe('read');
    first.finish();
    expect((await reading).kind).toBe('read');
    expect((await second()).kind).toBe('read');
  });

  it('is free again after a body that broke off', async () => {
    const read = createFormRoom(300 * KIB);
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(new Uint8Array(250 * KIB));
        controller.error(new Error('gone'));
      },
    });
    const request = new Request(BASE, { method: 'POST', body, duplex: 'half' } as RequestInit);
    expect((await read(request, FORM_BYTES.report)).kind).toBe('cut');
    const next = new Request(BASE, { method: 'POST', body: 'x'.repeat(250 * KIB) });
    expect((await read(next, FORM_BYTES.report)).kind).toBe('read');
  });

  it('is not given to what says of itself that it is too large', async () => {
    const { request } = slowBody(0);
    request.headers.set('content-length', String(FORM_BYTES.stranger + 1));
    expect((await createFormRoom()(request, FORM_BYTES.stranger)).kind).toBe('too_large');
  });
});

/** Sends a body as it is from a page of ours. */
function sendRaw(ground: WebGround, path: string, body: string, cookie = ''): Promise<Response> {
  const headers = {
    ...{ 'content-type': 'application/x-www-form-urlencoded', origin: BASE, 'sec-fetch-site': 'same-origin' },
    ...(cookie === '' ? {} : { cookie }),
  };
  return ground.web.fetch(new Request(`${BASE}${path}`, { method: 'POST', body, headers }));
}

const manyFields = (bytes: number) => 'a&'.repeat(Math.floor(bytes / 2));

describe('a form of as many fields as fit', () => {
  it.each([
    ['/sign-in/local', 'local'],
    ['/sign-in', 'github'],
  ] as const)('sent to %s by a stranger is answered, and refused beyond 4 KiB', async (path, kind) => {
    const signIn = { address: () => 'https://github.com/x', person: () => Promise.reject(new Error('unasked')) };
    const entrance = { ...onGithub(''), signIn };
    await using ground = await webGround(kind === 'github' ? { entrance } : {});
    expect((await sendRaw(ground, path, manyFields(FORM_BYTES.stranger))).status).toBe(400);
    expect((await sendRaw(ground, path, manyFields(FORM_BYTES.stranger + 2))).status).toBe(413);
  });

  it('sent by somebody who signed in is answered, and refused beyond 64 KiB', async () => {
    await using ground = await webGround();
    const send = (bytes: number) => sendRaw(ground, '/sign-out', manyFields(bytes), ground.visitor.cookie());
    expect((await send(FORM_BYTES.ordinary)).status).toBe(400);
    expect((await send(FORM_BYTES.ordinary + 2)).status).toBe(413);
    expect((await ground.visitor.get('/projects')).status).toBe(200);
  });

  it('sent as a report is answered, and refused beyond 12 MiB', async () => {
    await using ground = await webGround();
    const path = `/projects/${ground.projects[0]?.id}/reports`;
    const send = (bytes: number) => sendRaw(ground, path, manyFields(bytes), ground.visitor.cookie());
    expect((await send(FORM_BYTES.report)).status).toBe(400);
    const answer = await send(FORM_BYTES.report + 2);
    expect([answer.status, (await answer.text()).includes('12 MiB')]).toEqual([413, true]);
  });
});

it('says 503 where large reports take up all the room, and takes an ordinary form meanwhile', async () => {
  await using ground = await webGround();
  const path = `/projects/${ground.projects[0]?.id}/reports`;
  const held = Array.from({ length: 6 }, () => slowBody(11 * KIB * KIB));
  const answers = held.map(({ request: { body } }) => {
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      origin: BASE,
      cookie: ground.visitor.cookie(),
    };
    const init = { method: 'POST', body, headers, duplex: 'half' };
    return ground.web.fetch(new Request(`${BASE}${path}`, init as RequestInit));
  });
  const refused = await Promise.race(answers);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10']);
  expect((await ground.visitor.post('/sign-out')).status).toBe(303);
  for (const { finish } of held) finish();
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  // Without the proof none of them is taken.
  expect(statuses.toSorted()).toEqual([403, 403, 403, 403, 403, 503]);
});
