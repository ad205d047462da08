// Subscriptions in the account area: what is listed and offered, what a form may ask for, and whose they are.
import { describe, expect, it } from 'vitest';
import { contentOf, formTo, linksOf, rowsOf } from './read-page.ts';
import { repository, type Visitor, type WebGround, webGround } from './web-ground.ts';

const LIST = '/account/subscriptions';
const FORM = `${LIST}/new`;
const TABLE = 'Subscriptions, newest first';
const ADDRESS = 'https://hooks.example.org/services/T0/B0/hardly-guessable';

type Fields = Record<string, string | readonly string[]>;

/** Fills the form in and sends it. */
async function add(visitor: Visitor, changes: Fields = {}): Promise<Response> {
  const { fields } = formTo(await visitor.page(FORM), LIST);
  return visitor.post(LIST, { ...fields, url: ADDRESS, ...changes });
}

async function only({ store, visitor }: WebGround) {
  const [subscription, ...more] = await store.listSubscriptions(visitor.account.id);
  if (subscription === undefined || more.length > 0) throw new Error(`there are ${more.length + 1} or none`);
  return subscription;
}

describe('the form for a subscription', () => {
  it('proposes results of all projects, signed', async () => {
    await using ground = await webGround({ projects: ['local/app', 'local/shop'] });
    const page = await ground.visitor.page(FORM);
    const { fields } = formTo(page, LIST);
    expect([fields.format, fields.project, fields.type, fields.origin]).toEqual([
      ...[['standard'], [''], ['issue.created'], ['label', 'check', 'api']],
    ]);
    expect(contentOf(page)).toContain('local/shop');
  });

  it('shows the secret of a signed one once, and the address of none', async () => {
    await using ground = await webGround();
    const made = await add(ground.visitor, {
      project: ground.projects[0]!.id,
      type: ['issue.failed', 'issue.created'],
    });
    const page = await made.text();
    const [secret = ''] = /whsec_[\w+/=]+/.exec(page) ?? [];
    const { id, types, origins, projectId } = await only(ground);
    expect([made.status, types, origins.length]).toEqual([200, ['issue.created', 'issue.failed'], 3]);
    expect((await ground.store.openSubscription(id, ''))?.secrets).toEqual([secret]);
    expect(projectId).toBe(ground.projects[0]!.id);
    for (const path of [LIST, `${LIST}/${id}`, '/audit']) {
      const shown = await ground.visitor.page(path);
      expect(shown).not.toMatch(/hardly|whsec_/);
    }
    expect(rowsOf(await ground.visitor.page(LIST), TABLE)).toEqual([
      [
        ...['hooks.example.org …able', 'Standard Webhooks', 'local/app', 'issue.created, issue.failed'],
        ...['none yet', 'active'],
      ],
    ]);
    expect(ground.lines.join()).not.toMatch(/hardly|whsec_/);
  });

  it.each([
    [{ url: '' }, 'Enter an address'],
    [{ url: 'https://10.0.0.1:22/x' }, 'CALLBACK_ALLOW'],
    [{ url: 'ftp://hooks.example.org/' }, 'must begin with https'],
    [{ url: 'http://hooks.example.org:80/' }, 'Use https://. Your administrator can allow other hosts.'],
    [{ format: 'irc' }, 'Choose one of these'],
    [{ type: [] }, 'Choose at least one event'],
    [{ type: ['issue.exploded'] }, 'Choose at least one event'],
    [{ origin: [] }, 'Choose at least one'],
    [{ project: 'prj_00000000000000000000' }, 'no longer have access'],
  ] as const)('refuses %j with its reason, and keeps what was filled in', async (changes, reason) => {
    await using ground = await webGround();
    const answer = await add(ground.visitor, { origin: ['api'], ...changes });
    const page = await answer.text();
    expect([answer.status, contentOf(page).includes(reason)]).toEqual([422, true]);
    if (!('origin' in changes)) expect(formTo(page, LIST).fields.origin).toEqual(['api']);
    expect(await ground.store.listSubscriptions(ground.visitor.account.id)).toEqual([]);
  });

  it('counts once, needs a recent sign-in, and stops at fifty', async () => {
    await using ground = await webGround();
    const { fields } = formTo(await ground.visitor.page(FORM), LIST);
    const send = () => ground.visitor.post(LIST, { ...fields, url: ADDRESS, format: 'slack' });
    const first = await send();
    const { id } = await only(ground);
    expect([first.status, first.headers.get('Location')]).toEqual([303, `${LIST}/${id}?done=added`]);
    expect((await send()).status).toBe(409);
    await only(ground);
    for (let count = 1; count < 50; count++) await add(ground.visitor, { format: 'slack' });
    expect(await (await add(ground.visitor)).text()).toContain('the limit');
    ground.clock.now = new Date(ground.clock.now.getTime() + 31 * 60_000);
    expect((await ground.visitor.get(FORM)).status).toBe(303);
    expect((await send()).status).toBe(403);
  });
});

describe('one subscription', () => {
  it('sends one example at a time, and shows it under deliveries', async () => {
    await using ground = await webGround();
    await add(ground.visitor, { format: 'teams' });
    const { id } = await only(ground);
    const example = () => ground.visitor.post(`${LIST}/${id}/example`);
    expect((await example()).headers.get('Location')).toBe(`${LIST}/${id}?done=example`);
    expect((await example()).status).toBe(409);
    const delivery = (await only(ground)).lastDelivery!;
    const page = await ground.visitor.page(`/account/deliveries/${delivery.id}`);
    expect(contentOf(page)).toContain('About an example');
    expect(contentOf(page)).toContain('"example": true');
    expect(contentOf(page)).toContain('Messages are not signed');
    await ground.store.recordAttempt(delivery.id, { state: 'dead', error: 'status_500: No.', at: '', ms: 1 });
    expect(contentOf(await ground.visitor.page(LIST))).toContain('failed');
    expect((await ground.visitor.post(`/account/deliveries/${delivery.id}/resend`)).status).toBe(303);
  });

  it('rotates its secret once a form, with both signing for a day', async () => {
    await using ground = await webGround();
    await add(ground.visitor);
    const { id } = await only(ground);
    const page = await ground.visitor.page(`${LIST}/${id}`);
    const { fields } = formTo(page, `${LIST}/${id}/rotate`);
    const rotated = await ground.visitor.post(`${LIST}/${id}/rotate`, fields);
    const [secret = ''] = /whsec_[\w+/=]+/.exec(await rotated.text()) ?? [];
    const secrets = async (at: string) => (await ground.store.openSubscription(id, at))?.secrets;
    expect((await secrets('2026-11-21T09:59:00.000Z'))?.[0]).toBe(secret);
    expect(await secrets('2026-11-21T09:59:00.000Z')).toHaveLength(2);
    expect(await secrets('2026-11-21T10:01:00.000Z')).toEqual([secret]);
    expect((await ground.visitor.post(`${LIST}/${id}/rotate`, fields)).status).toBe(409);
  });

  it('of another account is the same as an unknown one, whatever is asked of it', async () => {
    await using ground = await webGround();
    await add(ground.visitor);
    const { id } = await only(ground);
    const other = await ground.signIn('mara', 7, 'admin');
    expect(linksOf(await other.page(LIST)).map(({ href }) => href)).not.toContain(`${LIST}/${id}`);
    for (const wanted of [id, `sub_${'0'.repeat(20)}`, 'sub_%00', 'evt_1']) {
      expect((await other.get(`${LIST}/${wanted}`)).status).toBe(404);
      for (const act of ['example', 'delete']) expect((await other.post(`${LIST}/${wanted}/${act}`)).status).toBe(404);
    }
    expect((await ground.visitor.post(`${LIST}/${id}/delete`)).status).toBe(303);
    expect(await ground.store.listSubscriptions(ground.visitor.account.id)).toEqual([]);
    expect(contentOf(await ground.visitor.page('/audit'))).toContain('deleted a subscription');
  });

  it('says that its project is out of sight, without its name', async () => {
    await using ground = await webGround({ repositories: [repository('octo/secret')] });
    const mara = await ground.signIn('mara', 7, 'admin');
    await add(mara, { project: ground.projects[0]!.id, format: 'slack' });
    ground.roles.set(mara.account.id, 'none');
    const page = contentOf(await mara.page(LIST));
    expect(page).toContain('not visible to you');
    expect(page).toContain('no access to its project');
    expect(page).not.toContain('secret');
  });
});
