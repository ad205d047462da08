// Before the sign-in: how much strangers may ask for, and that whoever has to wait comes in afterwards.
import { describe, expect, it } from 'vitest';
import type { Person } from '../../src/core/thread.ts';

import { onGithub, type WebGround, webGround } from './web-ground.ts';

const MARA: Person = { id: 7, login: 'mara' };

/** GitHub, which says who came when `answer` does. */
function groundWith(answer: () => Promise<Person>): Promise<WebGround> {
  const address = ({ state }: { readonly state: string }) => `https://github.com/login?state=${state}`;
  return webGround({ signInMethod: { ...onGithub(''), signIn: { address, person: answer } } });
}

/** A browser that has been at GitHub, and the address with which it comes back. */
async function cameBack(ground: WebGround) {
  const browser = ground.stranger();
  const out = await browser.post('/sign-in', {}, { formToken: null });
  const state = new URL(out.headers.get('location') ?? '').searchParams.get('state');
  return { ...browser, address: `/account/callback?code=x&state=${state}` };
}

function later(ground: WebGround, seconds: number): void {
  ground.clock.now = new Date(ground.clock.now.getTime() + seconds * 1_000);
}

describe('ways back from GitHub', () => {
  it('beyond sixty a minute wait, and are as good as before after the wait', async () => {
    let asked = 0;
    await using ground = await groundWith(async () => {
      asked += 1;
      return MARA;
    });
    for (let count = 0; count < 60; count++) {
      const { get, address } = await cameBack(ground);
      expect((await get(address)).status).toBe(303);
    }
    const { get, address } = await cameBack(ground);
    const refused = await get(address);
    expect([refused.status, asked]).toEqual([429, 60]);
    later(ground, Number(refused.headers.get('retry-after')));
    const taken = await get(address);
    expect([taken.status, taken.headers.get('location')]).toEqual([303, '/projects']);
  });

  it('that are not ours count for nothing: nobody shuts others out with them', async () => {
    await using ground = await groundWith(async () => MARA);
    for (let count = 0; count <= 60; count++) {
      expect((await ground.stranger().get('/account/callback?code=x&state=y')).status).toBe(400);
    }
    const { get, address } = await cameBack(ground);
    expect((await get(address)).status).toBe(303);
  });

  it('are exchanged eight at a time, and one that has to wait comes in later', async () => {
    const waiting: ((person: Person) => void)[] = [];
    await using ground = await groundWith(() => new Promise((resolve) => waiting.push(resolve)));
    const answers: Promise<Response>[] = [];
    for (let count = 0; count < 8; count++) {
      const { get, address } = await cameBack(ground);
      answers.push(get(address));
    }
    await expect.poll(() => waiting.length).toBe(8);
    const ninth = await cameBack(ground);
    const refused = await ninth.get(ninth.address);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10']);
    for (const resolve of waiting.splice(0)) resolve(MARA);
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(answers.map(() => 303));
    const again = ninth.get(ninth.address);
    await expect.poll(() => waiting.length).toBe(1);
    waiting[0]?.(MARA);
    expect((await again).status).toBe(303);
  });
});

describe('forms of a sign-in', () => {
  it.each(['/sign-in', '/sign-in/local'])('sent to %s are bounded for all strangers together', async (path) => {
    await using ground = path === '/sign-in' ? await groundWith(async () => MARA) : await webGround();
    const send = () => ground.stranger().post(path, { code: 'x' }, { formToken: null });
    for (let count = 0; count < 600; count++) expect((await send()).status).not.toBe(429);
    const refused = await send();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
    later(ground, 60);
    expect((await send()).status).not.toBe(429);
    // Who signed in before notices nothing.
    expect((await ground.visitor.get('/projects')).status).toBe(200);
  });
});
