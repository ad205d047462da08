// Security credentials: tokens, the webhook signing secret and sessions, as their owner sees and ends them.
import { describe, expect, it } from 'vitest';
import { CausewayError } from '../../src/core/errors.ts';
import { createWeb } from '../../src/web/create-web.ts';
import type { WebDeps } from '../../src/web/web-deps.ts';
import { token } from '../support/store-samples.ts';
import { contentOf, formsOf, formTo, linksOf, mainOf, rowsOf } from './read-page.ts';
import { BASE, repository, type WebGround, webGround } from './web-ground.ts';

const PAGE = '/account/security-credentials';
const KEPT = 'Active tokens';
const REVOKED = 'Revoked tokens';
const BROWSERS = 'Active sessions';
const HOUR = 3_600_000;

function later(ground: WebGround, ms: number): void {
  ground.clock.now = new Date(ground.clock.now.getTime() + ms);
}

async function addToken({ store, visitor }: WebGround, changes: Parameters<typeof token>[1] = {}, of = visitor) {
  const record = token(of.account.id, changes);
  await store.addToken(record, record.id);
  return record;
}

describe('the list of tokens', () => {
  it('says what to do where there is none', async () => {
    await using ground = await webGround();
    const page = await ground.visitor.page(PAGE);
    expect(contentOf(page)).toContain('You have no tokens yet. Create one');
    expect(linksOf(page)).toContainEqual({ href: '/account/tokens/new', words: 'Create new auth token' });
    expect(rowsOf(page, KEPT)).toEqual([]);
  });

  it('shows the scopes, projects and dates of each', async () => {
    await using ground = await webGround({ projects: ['local/app', 'local/shop'] });
    const [app, shop] = ground.projects;
    const one = await addToken(ground, { name: 'ci', expiresAt: '2026-12-01T00:00:00.000Z' });
    await ground.store.touchToken(one.id, '2026-11-20T09:58:00.000Z');
    const two = await addToken(ground, {
      name: 'old',
      expiresAt: '2026-11-20T09:59:59.000Z',
      projectIds: [app!.id, shop!.id],
    });
    expect(rowsOf(await ground.visitor.page(PAGE), KEPT)).toEqual([
      [
        `old ${two.id} created 2026-11-20 10:00 UTC`,
        'issues:read, projects:read',
        'local/app, local/shop',
        'never',
        'expired 2026-11-20 09:59 UTC',
        'Revoke old',
      ],
      [
        `ci ${one.id} created 2026-11-20 10:00 UTC`,
        'issues:read, projects:read',
        'all projects',
        '2026-11-20 09:58 UTC',
        '2026-12-01 00:00 UTC',
        'Revoke ci',
      ],
    ]);
  });

  it('folds revoked ones at the end, without a button', async () => {
    await using ground = await webGround();
    const { id } = await addToken(ground, { name: 'gone' });
    await ground.store.revokeToken(id, ground.visitor.account.id, '2026-11-20T10:00:00.000Z');
    const page = await ground.visitor.page(PAGE);
    expect(contentOf(page)).toContain('All your tokens are revoked.');
    expect(mainOf(page)).toMatch(/<details id="revoked"><summary>1 revoked token<\/summary>/);
    expect(rowsOf(page, REVOKED)[0]).toEqual([
      `gone ${id} created 2026-11-20 10:00 UTC`,
      'issues:read, projects:read',
      'all projects',
      'never',
      'never',
      'revoked 2026-11-20 10:00 UTC',
    ]);
    expect(formsOf(page).filter(({ action }) => action.includes(id))).toEqual([]);
  });

  it('counts projects of a bound that the person does not see now, and names none of them', async () => {
    await using ground = await webGround({
      repositories: [repository('octo/shop'), repository('octo/app', { isPrivate: false })],
    });
    const reader = await ground.signIn('rita', 71, 'read');
    const projectIds = ground.projects.map(({ id }) => id);
    await addToken(ground, { projectIds }, reader);
    const page = await reader.page(PAGE);
    expect(rowsOf(page, KEPT)[0]?.[2]).toBe('octo/shop, 1 project not visible to you');
    expect(page).not.toContain('octo/app');
  });

  it('is there, with its buttons, while GitHub does not answer', async () => {
    await using ground = await webGround();
    const { id } = await addToken(ground, { projectIds: ['prj_1', ground.projects[0]!.id] });
    const permissions: WebDeps['permissions'] = {
      roleOf: async () => {
        throw new CausewayError('github_failed', 'GitHub does not answer.');
      },
    };
    const web = createWeb({ ...ground.deps, permissions });
    const answer = await web.fetch(new Request(BASE + PAGE, { headers: { cookie: ground.visitor.cookie() } }));
    const page = await answer.text();
    expect(rowsOf(page, KEPT)[0]?.[2]).toContain('2 projects (GitHub is not answering');
    expect(formTo(page, `/account/tokens/${id}/revoke`).buttons).toEqual(['Revoke ci']);
  });

  it('shows nothing of another account', async () => {
    await using ground = await webGround();
    const other = await ground.signIn('mara', 7, 'admin');
    const { id } = await addToken(ground, { name: 'hers' }, other);
    const page = await ground.visitor.page(PAGE);
    expect(page).not.toContain(id);
    expect(rowsOf(page, BROWSERS)).toHaveLength(1);
  });
});

describe('revoking a token', () => {
  it('ends it, and says so', async () => {
    await using ground = await webGround();
    const { id } = await addToken(ground);
    const form = formTo(await ground.visitor.page(PAGE), `/account/tokens/${id}/revoke`);
    expect(form.method).toBe('post');
    const answer = await ground.visitor.post(form.action, form.fields);
    expect([answer.status, answer.headers.get('Location')]).toEqual([303, `${PAGE}?done=revoked`]);
    expect(contentOf(await ground.visitor.page(`${PAGE}?done=revoked`))).toContain('Token revoked');
    expect((await ground.store.listTokens(ground.visitor.account.id))[0]?.revokedAt).toBe('2026-11-20T10:00:00.000Z');
  });

  it('twice changes nothing the second time', async () => {
    await using ground = await webGround();
    const { id } = await addToken(ground);
    await ground.visitor.post(`/account/tokens/${id}/revoke`);
    later(ground, 60_000);
    const again = await ground.visitor.post(`/account/tokens/${id}/revoke`);
    expect(again.headers.get('Location')).toBe(`${PAGE}?done=already`);
    expect((await ground.store.listTokens(ground.visitor.account.id))[0]?.revokedAt).toBe('2026-11-20T10:00:00.000Z');
  });

  it('of another account is the same as an unknown one', async () => {
    await using ground = await webGround();
    const other = await ground.signIn('mara', 7, 'admin');
    const { id } = await addToken(ground, {}, other);
    const answers = await Promise.all(
      [id, `tok_${'0'.repeat(20)}`, '%00', 'iss_1'].map(async (each) => {
        const answer = await ground.visitor.post(`/account/tokens/${each}/revoke`);
        return [answer.status, await answer.text()];
      }),
    );
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(answers[0]?.[0]).toBe(404);
    expect((await ground.store.listTokens(other.account.id))[0]?.revokedAt).toBeNull();
  });
});

describe('active sessions', () => {
  it('lists each browser, marks this one, and offers to end the others', async () => {
    await using ground = await webGround();
    const first = ground.visitor;
    later(ground, HOUR);
    const second = await ground.signIn('mara', 7, 'admin');
    const twin = await ground.signIn('mara', 7, 'admin');
    const rows = rowsOf(await twin.page(PAGE), BROWSERS);
    expect(rows).toEqual([
      ['unknown browser this browser', '2026-11-20 11:00 UTC', '2026-11-20 11:00 UTC', 'Sign out of this browser'],
      ['unknown browser', '2026-11-20 11:00 UTC', '2026-11-20 11:00 UTC', 'End the session of 2026-11-20 11:00 UTC'],
    ]);
    const [session] = (await ground.store.listSessions(twin.account.id)).slice(1);
    const ended = await twin.post(`/account/sessions/${session!.id}/end`);
    expect(ended.headers.get('Location')).toBe(`${PAGE}?done=ended`);
    expect((await second.get(PAGE)).headers.get('Location')).toMatch(/^\/sign-in/);
    expect([(await twin.get(PAGE)).status, (await first.get(PAGE)).status]).toEqual([200, 200]);
  });

  it('ends no session of another account, which is the same as an unknown one', async () => {
    await using ground = await webGround();
    const other = await ground.signIn('mara', 7, 'admin');
    const [session] = await ground.store.listSessions(other.account.id);
    const answers = await Promise.all(
      [session!.id, `ses_${'0'.repeat(20)}`].map((id) => ground.visitor.post(`/account/sessions/${id}/end`)),
    );
    expect(answers.map(({ status }) => status)).toEqual([404, 404]);
    expect(await answers[0]!.text()).toBe(await answers[1]!.text());
    expect((await other.get(PAGE)).status).toBe(200);
  });
});

const SHOW = '/account/signing-secret/show';
const ROTATE = '/account/signing-secret/rotate';
const FIRST = 'whsec_bG9jYWwgc2VjcmV0';

async function rotate({ visitor }: WebGround): Promise<Response> {
  return visitor.post(ROTATE, formTo(await visitor.page(PAGE), ROTATE).fields);
}

function secrets({ store, visitor, clock }: WebGround): Promise<readonly string[]> {
  return store.listSigningSecrets(visitor.account.id, clock.now.toISOString());
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
    const [entry] = await ground.store.listAuditEntries({
      accountId: ground.visitor.account.id,
      projectIds: [],
      limit: 1,
    });
    expect(entry?.verb).toBe('secret.shown');
    expect(contentOf(await ground.visitor.page('/audit'))).toContain('viewed the webhook signing secret');
    ground.store.recordSecretShown = async () => {
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
    expect(contentOf(page)).toContain('stays valid until 2026-11-21 10:00 UTC');
    expect(contentOf(await (await ground.visitor.post(SHOW)).text())).toContain(
      'stays valid until 2026-11-21 10:00 UTC',
    );
    ground.deps.log.error({ said: newest }, 'something else');
    expect(ground.lines.join('')).not.toContain(newest);
    const entries = await ground.store.listAuditEntries({
      accountId: ground.visitor.account.id,
      projectIds: [],
      limit: 2,
    });
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
});
