// The webhook signing secret: shown to whoever signed in a moment ago, rotated once per form, and nowhere else.
import { describe, expect, it } from 'vitest';
import { contentOf, formTo, linksOf, mainOf } from './read-page.ts';
import { type WebGround, webGround } from './web-ground.ts';

const PAGE = '/account/security-credentials';
const SHOW = '/account/signing-secret/show';
const ROTATE = '/account/signing-secret/rotate';
const FIRST = 'whsec_bG9jYWwgc2VjcmV0';
const HOUR = 3_600_000;

async function rotate({ visitor }: WebGround): Promise<Response> {
  return visitor.post(ROTATE, formTo(await visitor.page(PAGE), ROTATE).fields);
}

function secrets({ store, visitor, clock }: WebGround): Promise<readonly string[]> {
  return store.signingSecrets(visitor.account.id, clock.now.toISOString());
}

function later(ground: WebGround, ms: number): void {
  ground.clock.now = new Date(ground.clock.now.getTime() + ms);
}

describe('the signing secret', () => {
  it('is not on the page of credentials, which says what it is for and that it was never rotated', async () => {
    await using ground = await webGround();
    const page = await ground.visitor.page(PAGE);
    expect(page).not.toContain('whsec_');
    expect(contentOf(page)).toContain('There is one for the account.');
    expect(contentOf(page)).toContain('Last rotated never');
    expect(formTo(page, SHOW).buttons).toEqual(['Show the signing secret']);
    expect(formTo(page, ROTATE).buttons).toEqual(['Rotate the signing secret']);
  });

  it('is shown on request, in the answer itself, which nothing keeps', async () => {
    await using ground = await webGround();
    const answer = await ground.visitor.post(SHOW);
    const page = await answer.text();
    expect([answer.status, answer.headers.get('Cache-Control')]).toEqual([200, 'no-store']);
    expect(page.split(FIRST)).toHaveLength(2);
    expect(contentOf(page)).toContain('Webhook signing secret');
    expect(/<title>.*<\/title>/.exec(page)?.[0]).not.toContain('whsec_');
    ground.deps.log.error({ said: FIRST }, 'something else');
    expect(ground.lines.join('')).not.toContain(FIRST);
  });

  it('is shown only after that was noted in the audit log', async () => {
    await using ground = await webGround();
    await ground.visitor.post(SHOW);
    const [entry] = await ground.store.auditEntries({ accountId: ground.visitor.account.id, projectIds: [], limit: 1 });
    expect(entry?.verb).toBe('secret.shown');
    expect(contentOf(await ground.visitor.page('/audit'))).toContain('viewed the webhook signing secret');
    ground.store.noteSecretShown = async () => {
      throw new Error('the disk is full');
    };
    const answer = await ground.visitor.post(SHOW);
    expect([answer.status, (await answer.text()).includes(FIRST)]).toEqual([500, false]);
  });

  it('is rotated to a new one, which is shown, while the one before it signs for another day', async () => {
    await using ground = await webGround();
    const answer = await rotate(ground);
    const page = await answer.text();
    const [newest, before] = await secrets(ground);
    expect([answer.status, answer.headers.get('Cache-Control'), before]).toEqual([200, 'no-store', FIRST]);
    expect(page).toContain(newest);
    expect(page).not.toContain(FIRST);
    expect(contentOf(page)).toContain('also signs until 2026-11-21 10:00 UTC');
    expect(contentOf(await (await ground.visitor.post(SHOW)).text())).toContain(
      'also signs until 2026-11-21 10:00 UTC',
    );
    ground.deps.log.error({ said: newest }, 'something else');
    expect(ground.lines.join('')).not.toContain(newest);
    const entries = await ground.store.auditEntries({ accountId: ground.visitor.account.id, projectIds: [], limit: 2 });
    expect(entries.map(({ verb }) => verb)).toEqual(['secret.shown', 'secret.rotated']);
  });

  it('is in no line of the log, even where the store fails over it', async () => {
    await using ground = await webGround();
    let made = '';
    ground.store.rotateSigningSecret = async ({ secret }) => {
      made = secret;
      throw new Error(`could not write ${secret}`);
    };
    const answer = await rotate(ground);
    expect([answer.status, made.startsWith('whsec_')]).toEqual([500, true]);
    expect(ground.lines.join('')).toContain('could not write [redacted]');
    expect(ground.lines.join('') + (await answer.text())).not.toContain(made);
  });

  it('is rotated by the same form again where the store failed the first time', async () => {
    await using ground = await webGround();
    const { fields } = formTo(await ground.visitor.page(PAGE), ROTATE);
    const whole = ground.store.rotateSigningSecret;
    ground.store.rotateSigningSecret = async () => {
      throw new Error('the disk is full');
    };
    expect((await ground.visitor.post(ROTATE, fields)).status).toBe(500);
    ground.store.rotateSigningSecret = whole;
    expect((await ground.visitor.post(ROTATE, fields)).status).toBe(200);
    expect((await ground.visitor.post(ROTATE, fields)).status).toBe(409);
    expect(await secrets(ground)).toHaveLength(2);
  });

  it('is told as two until the day is over', async () => {
    await using ground = await webGround();
    await rotate(ground);
    const during = contentOf(await ground.visitor.page(PAGE));
    expect(during).toContain('Two secrets sign until 2026-11-21 10:00 UTC');
    expect(during).toContain('Last rotated 2026-11-20 10:00 UTC');
    expect(during).toContain('the oldest stops signing at once');
    // Sessions end after 12 hours without use.
    for (let hour = 0; hour < 24; hour += 6) {
      later(ground, 6 * HOUR);
      await ground.visitor.page(PAGE);
    }
    expect(contentOf(await ground.visitor.page(PAGE))).not.toContain('Two secrets');
    expect(await secrets(ground)).toHaveLength(1);
  });

  it('is rotated once by a form that is sent twice: what receivers hold would stop signing', async () => {
    await using ground = await webGround();
    const { fields } = formTo(await ground.visitor.page(PAGE), ROTATE);
    const answers = await Promise.all([ground.visitor.post(ROTATE, fields), ground.visitor.post(ROTATE, fields)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await secrets(ground))[1]).toBe(FIRST);
    const again = await ground.visitor.post(ROTATE, fields);
    expect(contentOf(await again.text())).toContain('nothing was rotated a second time');
  });

  it.each([SHOW, ROTATE])('needs a recent sign-in: %s', async (path) => {
    await using ground = await webGround();
    const { fields } = formTo(await ground.visitor.page(PAGE), path);
    later(ground, 31 * 60_000);
    const answer = await ground.visitor.post(path, fields);
    expect(answer.status).toBe(403);
    expect(await answer.text()).not.toContain('whsec_');
    expect(await secrets(ground)).toEqual([FIRST]);
    const page = await ground.visitor.page(PAGE);
    expect(mainOf(page)).not.toContain('/account/signing-secret/');
    expect(linksOf(page).map(({ href }) => href)).toContain(`/sign-in?return=${encodeURIComponent(PAGE)}&again=1`);
  });

  it.each([SHOW, ROTATE])('is neither shown nor changed by a form from elsewhere, nor by a link: %s', async (path) => {
    await using ground = await webGround();
    const { fields } = formTo(await ground.visitor.page(PAGE), path);
    const foreign = await ground.visitor.post(path, fields, { headers: { 'sec-fetch-site': 'cross-site' } });
    const forged = await ground.visitor.post(path, { ...fields, csrf_token: [] }, { formToken: null });
    expect([foreign.status, forged.status, (await ground.visitor.get(path)).status]).toEqual([403, 403, 405]);
    expect(await secrets(ground)).toEqual([FIRST]);
  });
});
