// Making a token: what may be asked for, what is shown once, and that the value is nowhere else.
import { describe, expect, it } from 'vitest';
import { DEFAULT_SCOPES, hashToken, isTokenForm } from '../../src/core/account/account.ts';
import { contentOf, formTo, linksOf, mainOf, type SeenForm } from './read-page.ts';
import { repository, type Visitor, type WebGround, webGround } from './web-ground.ts';

const FORM = '/account/tokens/new';
const ACTION = '/account/tokens';

type Fields = Record<string, string | readonly string[]>;

async function openForm(visitor: Visitor): Promise<SeenForm> {
  return formTo(await visitor.page(FORM), ACTION);
}

/** Fills the form in and sends it. */
async function send(visitor: Visitor, changes: Fields = {}): Promise<Response> {
  const { fields } = await openForm(visitor);
  return visitor.post(ACTION, { ...fields, name: 'ci', ...changes });
}

function tokenIn(page: string): string {
  return /cwy_[0-9A-Za-z]{36}/.exec(page)?.[0] ?? '';
}

async function onlyToken({ store, visitor }: WebGround) {
  const [token, ...more] = await store.listTokens(visitor.account.id);
  expect(more).toEqual([]);
  return token!;
}

describe('the form for a new token', () => {
  it('offers what a new token may do by default, all projects and ninety days', async () => {
    await using ground = await webGround({ projects: ['local/app', 'local/shop'] });
    const page = await ground.visitor.page(FORM);
    const { fields, method } = formTo(page, ACTION);
    expect(method).toBe('post');
    expect([fields.name, fields.scope, fields.bound, fields.project, fields.expiry]).toEqual([
      [''],
      [...DEFAULT_SCOPES],
      ['all'],
      undefined,
      ['90'],
    ]);
    for (const words of ['local/app', 'local/shop', 'pull-requests:write', 'in 90 days (2027-02-18)', 'never']) {
      expect(contentOf(page)).toContain(words);
    }
  });

  it('asks for a sign-in that is not older than half an hour', async () => {
    await using ground = await webGround();
    const { fields } = await openForm(ground.visitor);
    ground.clock.now = new Date(ground.clock.now.getTime() + 31 * 60_000);
    const again = await ground.visitor.get(FORM);
    expect([again.status, again.headers.get('Location')]).toEqual([
      303,
      '/sign-in?return=%2Faccount%2Ftokens%2Fnew&again=1',
    ]);
    expect((await ground.visitor.post(ACTION, { ...fields, name: 'ci' })).status).toBe(403);
    expect(await ground.store.listTokens(ground.visitor.account.id)).toEqual([]);
  });
});

describe('making a token', () => {
  it('shows it once, in the answer itself, and keeps only its hash', async () => {
    await using ground = await webGround();
    const answer = await send(ground.visitor, { name: 'laptop' });
    const page = await answer.text();
    const value = tokenIn(page);
    expect(isTokenForm(value)).toBe(true);
    expect([answer.status, answer.headers.get('Cache-Control'), answer.headers.get('Location')]).toEqual([
      200,
      'no-store',
      null,
    ]);
    expect(page.split(value)).toHaveLength(2);
    expect(contentOf(page)).toContain('You won’t see it again.');
    expect(/<title>.*<\/title>/.exec(page)?.[0]).not.toContain('cwy_');
    const found = await ground.store.findTokenByHash(hashToken(value));
    expect(found?.token).toMatchObject({
      ...{ name: 'laptop', scopes: DEFAULT_SCOPES, projectIds: null, expiresAt: '2027-02-18T10:00:00.000Z' },
      ...{ accountId: ground.visitor.account.id, lastUsedAt: null, revokedAt: null },
    });
    expect(await ground.visitor.page('/account/security-credentials')).not.toContain(value);
    expect(ground.lines.join('')).not.toContain(value);
    expect(
      JSON.stringify(
        await ground.store.listAuditEntries({ accountId: ground.visitor.account.id, projectIds: [], limit: 9 }),
      ),
    ).not.toContain(value);
  });

  it('takes its value out of any line of the log from then on', async () => {
    await using ground = await webGround();
    const value = tokenIn(await (await send(ground.visitor)).text());
    ground.deps.log.error({ said: `with ${value} in it` }, 'something else');
    expect(ground.lines.at(-1)).toContain('with [redacted] in it');
  });

  it('shows a call that begins with what the token may do, and never with the token in it', async () => {
    await using ground = await webGround();
    const page = contentOf(await (await send(ground.visitor)).text());
    expect(page).toContain('read -rs TOKEN');
    expect(page).toContain("curl -i 'http://127.0.0.1:3000/api/v1/issues/'");
    expect(page).toContain('-H "Authorization: Bearer $TOKEN"');
    expect(page).toContain(`"projectId": "${ground.projects[0]?.id}"`);
    const lists = contentOf(await (await send(ground.visitor, { scope: ['projects:read'] })).text());
    expect(lists).toContain("/api/v1/projects/'");
    expect(lists).not.toContain('/api/v1/issues/');
    const follows = contentOf(await (await send(ground.visitor, { scope: ['issues:read'] })).text());
    expect(follows).toContain(`/api/v1/investigations/?projectId=${ground.projects[0]?.id}'`);
    const opens = contentOf(await (await send(ground.visitor, { scope: ['pull-requests:write'] })).text());
    expect(opens).toContain("/api/v1/issues/ISSUE_ID/pull-request/'");
  });

  it('offers one that only reads for a coding agent, with a line to set it up', async () => {
    await using ground = await webGround();
    const form = await ground.visitor.page(`${FORM}?for=agent`);
    const checked = [...form.matchAll(/name="scope" value="([\w:-]+)" checked/g)].map(([, scope]) => scope);
    expect(checked).toEqual(['issues:read', 'projects:read']);
    const page = contentOf(await (await send(ground.visitor, { scope: checked as string[] })).text());
    expect(page).toContain("claude mcp add --transport http causeway 'http://127.0.0.1:3000/mcp'");
    expect(page).not.toContain('start investigations');
    expect(contentOf(await (await send(ground.visitor)).text())).toContain(
      'This token lets it start investigations too',
    );
    expect(contentOf(await (await send(ground.visitor, { scope: ['webhooks:write'] })).text())).not.toContain('/mcp');
  });

  it.each([
    ['7', '2026-11-27T10:00:00.000Z'],
    ['365', '2027-11-20T10:00:00.000Z'],
    ['never', null],
  ])('lets it live as long as was chosen: %s', async (expiry, expiresAt) => {
    await using ground = await webGround();
    await send(ground.visitor, { expiry });
    expect((await onlyToken(ground)).expiresAt).toBe(expiresAt);
  });

  it('binds it to the chosen projects, and its example is about one of them', async () => {
    await using ground = await webGround({ projects: ['local/app', 'local/shop'] });
    const shop = ground.projects.find(({ name }) => name === 'local/shop')!;
    const page = contentOf(await (await send(ground.visitor, { bound: 'chosen', project: [shop.id] })).text());
    expect((await onlyToken(ground)).projectIds).toEqual([shop.id]);
    expect(page).toContain(`"projectId": "${shop.id}"`);
  });

  it('makes one token of a form that is sent twice, and says so', async () => {
    await using ground = await webGround();
    const { fields } = await openForm(ground.visitor);
    const form = { ...fields, name: 'ci' };
    const answers = await Promise.all([ground.visitor.post(ACTION, form), ground.visitor.post(ACTION, form)]);
    const again = await ground.visitor.post(ACTION, form);
    expect([...answers, again].map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect(contentOf(await again.text())).toContain('no second token was created');
    await onlyToken(ground);
  });

  it('uses the form up only when it makes a token: a faulty one is sent again as it is', async () => {
    await using ground = await webGround();
    const { fields } = await openForm(ground.visitor);
    const faulty = await ground.visitor.post(ACTION, { ...fields, name: '' });
    const shown = formTo(await faulty.text(), ACTION);
    expect(shown.fields.form_key).toEqual(fields.form_key);
    expect((await ground.visitor.post(ACTION, { ...shown.fields, name: 'ci' })).status).toBe(200);
  });

  it.each([
    ['', 'no key'],
    ['short', 'another form'],
    ['a'.repeat(23), 'a longer one'],
  ])('refuses a form key that no page of ours has made: %s', async (key) => {
    await using ground = await webGround();
    expect((await send(ground.visitor, { form_key: key })).status).toBe(400);
    expect(await ground.store.listTokens(ground.visitor.account.id)).toEqual([]);
  });
});

describe('a faulty form for a token', () => {
  it('names each fault next to its field, keeps what was typed, and creates nothing', async () => {
    await using ground = await webGround({ projects: ['local/app', 'local/shop'] });
    const changes = { name: 'n'.repeat(101), scope: [], bound: 'chosen', project: [], expiry: '1' };
    const answer = await send(ground.visitor, changes);
    const page = await answer.text();
    expect(answer.status).toBe(422);
    for (const words of [
      'at most 100 characters',
      'at least one scope',
      'at least one project',
      'Choose one of these',
    ]) {
      // Once above the form, once beside the field.
      expect(contentOf(page).split(words)).toHaveLength(3);
    }
    expect(formTo(page, ACTION).fields).toMatchObject({ name: ['n'.repeat(101)], bound: ['chosen'] });
    expect(formTo(page, ACTION).fields.scope).toBeUndefined();
    expect(page).toMatch(/<input id="name"[^>]*aria-invalid="true" aria-describedby="name-fault name-hint"/);
    expect(linksOf(page).map(({ href }) => href)).toEqual(
      expect.arrayContaining(['#name', '#scope', '#projects', '#expiry']),
    );
    expect(await ground.store.listTokens(ground.visitor.account.id)).toEqual([]);
  });

  it('treats a project that the person does not see like an unknown one', async () => {
    await using ground = await webGround({ repositories: [repository('octo/shop')] });
    const nobody = await ground.signIn('noah', 72, 'none');
    const id = ground.projects[0]!.id;
    const absent = `prj_${'0'.repeat(id.length - 4)}`;
    const pages = await Promise.all(
      [id, absent].map(async (project) => {
        const answer = await send(nobody, { bound: 'chosen', project: [project] });
        return [answer.status, contentOf(await answer.text()).replaceAll(project, 'ID')];
      }),
    );
    expect(pages[0]).toEqual(pages[1]);
    expect(pages[0]?.[0]).toBe(422);
    expect(await ground.store.listTokens(nobody.account.id)).toEqual([]);
  });
});

describe('the name of a token', () => {
  it.each([
    ['turned around', 'safe\u202Egnp.exe', 'safegnp.exe'],
    ['of several lines', 'one\r\ntwo\u2028three', 'one two three'],
    ['with colours', '\u001b[31mred\u001b[0m', 'red'],
    ['that is markup', '<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
  ])('%s is stored and shown inert', async (_what, name, inert) => {
    await using ground = await webGround();
    const page = await (await send(ground.visitor, { name })).text();
    expect((await onlyToken(ground)).name).toBe(inert);
    for (const shown of [page, await ground.visitor.page('/account/security-credentials')]) {
      expect(contentOf(shown)).toContain(inert);
      expect(mainOf(shown)).not.toMatch(/<img|[\u202e\u001b\u2028]/);
    }
  });

  it.each([
    ['10 kB long', 'x'.repeat(10_240)],
    ['of nothing that can be seen', '\u200b\u202e \u0007'],
    ['empty', '  '],
  ])('%s is refused', async (_what, name) => {
    await using ground = await webGround();
    const answer = await send(ground.visitor, { name });
    const page = await answer.text();
    expect([answer.status, page.length < 20_000]).toEqual([422, true]);
    expect(await ground.store.listTokens(ground.visitor.account.id)).toEqual([]);
  });
});
