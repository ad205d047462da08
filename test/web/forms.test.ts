// Forms: only those of our own pages change anything.
import { describe, expect, it } from 'vitest';
import { webGround } from './web-ground.ts';

/** Any form will do: this one ends the session, so that it shows whether it was taken. */
async function signedInAfter(ground: Awaited<ReturnType<typeof webGround>>): Promise<boolean> {
  return (await ground.visitor.get('/projects')).status === 200;
}

describe('a form', () => {
  it.each([
    ['without the value that proves it', null],
    ['with another value', 'a'.repeat(43)],
    ['with an empty value', ''],
  ])('%s changes nothing', async (_what, formToken) => {
    await using ground = await webGround();
    expect((await ground.visitor.post('/sign-out', {}, { formToken })).status).toBe(403);
    expect(await signedInAfter(ground)).toBe(true);
  });

  it("with another session's value changes nothing", async () => {
    await using ground = await webGround();
    const other = await ground.signIn('mara', 7, 'admin');
    const formToken = /name="csrf_token" value="([^"]+)"/.exec(await other.page('/projects'))?.[1] ?? '';
    expect(formToken).toHaveLength(43);
    expect((await ground.visitor.post('/sign-out', {}, { formToken })).status).toBe(403);
    expect(await signedInAfter(ground)).toBe(true);
  });

  it.each([
    ['from another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['from a neighbour on the same site', { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:4000' }],
    ['from another origin, by a browser of old', { 'sec-fetch-site': null, origin: 'https://evil.example' }],
    ['from a page without an origin', { 'sec-fetch-site': 'cross-site', origin: 'null' }],
    ['from nobody knows where', { 'sec-fetch-site': null, origin: null }],
  ])('%s changes nothing, even with the right value', async (_what, headers) => {
    await using ground = await webGround();
    const given = Object.entries(headers).map(([name, value]) => [name, value ?? ''] as const);
    const answer = await ground.visitor.post('/sign-out', {}, { headers: Object.fromEntries(given) });
    expect(answer.status).toBe(403);
    expect(await signedInAfter(ground)).toBe(true);
  });

  it('from our own page is taken from browsers that send the one header or the other', async () => {
    for (const headers of [{ 'sec-fetch-site': '' }, { origin: '' }]) {
      await using ground = await webGround();
      expect((await ground.visitor.post('/sign-out', {}, { headers })).status).toBe(303);
    }
  });

  it('is taken as a form alone, and of a bounded size', async () => {
    await using ground = await webGround();
    const json = { 'content-type': 'application/json' };
    expect((await ground.visitor.post('/sign-out', {}, { headers: json })).status).toBe(415);
    expect((await ground.visitor.post('/sign-out', { text: 'a'.repeat(13 * 1_024 * 1_024) })).status).toBe(413);
    expect(await signedInAfter(ground)).toBe(true);
  });

  it('sent after the session ended says so, and changes nothing', async () => {
    await using ground = await webGround();
    const answer = await ground.stranger().post('/account/tokens', { name: 'x' }, { formToken: 'x' });
    expect(answer.status).toBe(401);
    expect(await answer.text()).toContain('nothing was changed');
  });
});
