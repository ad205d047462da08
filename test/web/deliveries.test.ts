// Deliveries: what a person sees of their webhooks, and having one sent again.
import { describe, expect, it } from 'vitest';
import type { Webhook } from '../../src/core/account/webhook.ts';
import type { Conclusion } from '../../src/core/issue/issue.ts';
import { acceptance, accepted, at, conclusion, NOW, started } from '../support/store-samples.ts';
import { contentOf, formsOf, formTo, linksOf, mainOf, rowsOf } from './read-page.ts';
import { repository, type Visitor, type WebGround, webGround } from './web-ground.ts';

const PAGE = '/account/deliveries';
const LIST = 'Deliveries, newest first';
const ATTEMPTS = 'Attempts, newest first';
const ADDRESS = 'https://user:pw@hooks.example.org:8443/in/box?key=secret#part';

interface Sending {
  readonly callbackUrl?: string;
  readonly conclusion?: Partial<Conclusion>;
  readonly of?: Visitor;
}

/** A report of the visitor that has ended, with the webhook that is due. */
async function sent(ground: WebGround, { callbackUrl = ADDRESS, of = ground.visitor, ...more }: Sending = {}) {
  const base = { account: of.account, project: ground.projects[0]! };
  const wanted = acceptance(base, { callbackUrl, fingerprint: `${callbackUrl} ${Math.random()}` });
  const { runId } = await accepted(ground.store, wanted);
  const [issueId = ''] = await ground.store.conclude(
    await started(ground.store, runId),
    conclusion(more.conclusion),
    NOW,
  );
  const [webhook] = await ground.store.listWebhooks(of.account.id, 1);
  return { webhook: webhook!, issueId, investigationId: wanted.investigationId };
}

async function fail({ store }: WebGround, { id }: Webhook, state: 'pending' | 'dead' = 'pending'): Promise<void> {
  await store.recordAttempt(id, {
    state,
    error: 'status_500: The receiver answered with status 500.',
    at: at(10),
    ms: 1_540,
  });
}

async function deliver({ store }: WebGround, { id }: Webhook): Promise<void> {
  await store.recordAttempt(id, { state: 'delivered', error: '', at: at(20), ms: 120 });
}

describe('the list of deliveries', () => {
  it('says what to do where there is none', async () => {
    await using ground = await webGround();
    expect(contentOf(await ground.visitor.page(PAGE))).toContain('Add a callbackUrl to a report');
  });

  it('shows the state of each, and not the whole address', async () => {
    await using ground = await webGround();
    const { webhook, investigationId } = await sent(ground);
    await fail(ground, webhook);
    const page = await ground.visitor.page(PAGE);
    expect(rowsOf(page, LIST)).toEqual([
      [
        `${webhook.id}issue.created`,
        'pending status_500: The receiver answered with status 500.',
        '1',
        'hooks.example.org:8443/in… (the rest is not shown)',
        investigationId,
        '2026-11-20 10:00 UTC',
      ],
    ]);
    expect(page).not.toMatch(/box|secret=|key=|pw@|user:/);
    expect(linksOf(page).map(({ href }) => href)).toEqual([
      '/account/subscriptions',
      ...[PAGE, `${PAGE}?state=dead`],
      `${PAGE}/${webhook.id}`,
      `/investigations/${investigationId}`,
    ]);
  });

  it('shows none of another account', async () => {
    await using ground = await webGround();
    const { webhook } = await sent(ground);
    const other = await ground.signIn('mara', 7, 'admin');
    expect(await other.page(PAGE)).not.toContain(webhook.id);
  });

  it('can be filtered for failed ones', async () => {
    await using ground = await webGround();
    expect(contentOf(await ground.visitor.page(`${PAGE}?state=dead`))).toContain('No failed deliveries.');
    const dead: string[] = [];
    for (let number = 0; number < 102; number++) {
      const { webhook } = await sent(ground, { callbackUrl: `https://hooks.example.org/${number}` });
      if (number === 50) await deliver(ground, webhook);
      else await fail(ground, webhook, 'dead');
      if (number !== 50) dead.unshift(webhook.id);
    }
    const page = await ground.visitor.page(`${PAGE}?state=dead`);
    expect(idsOn(page)).toEqual(dead.slice(0, 100));
    const older = linksOf(page).find(({ words }) => words === 'Older')?.href ?? '';
    expect(idsOn(await ground.visitor.page(older.replaceAll('&amp;', '&')))).toEqual(dead.slice(100));
    expect(mainOf(page)).toContain(`<a href="${PAGE}?state=dead" aria-current="true">Failed</a>`);
    expect(contentOf(await ground.visitor.page(`${PAGE}?state=<b>`))).not.toContain('<b>');
  });

  it.each([
    ['https://hooks.example.org', 'hooks.example.org/'],
    ['https://hooks.example.org/in', 'hooks.example.org/in'],
    ['https://hooks.example.org/in?k=1', 'hooks.example.org/in… (the rest is not shown)'],
    ['https://hooks.example.org/services/T0/B0/x', 'hooks.example.org/services… (the rest is not shown)'],
    ['https://hooks.example.org/0123456789abcdef0123456789', 'hooks.example.org/… (the rest is not shown)'],
  ])('shows no more of an address than is safe to show: %s', async (callbackUrl, shown) => {
    await using ground = await webGround();
    const { webhook } = await sent(ground, { callbackUrl });
    expect(rowsOf(await ground.visitor.page(PAGE), LIST)[0]?.[3]).toBe(shown);
    expect(contentOf(await ground.visitor.page(`${PAGE}/${webhook.id}`))).toContain(`To ${shown} About`);
  });
});

/** Of the deliveries that are listed. */
function idsOn(page: string): readonly string[] {
  return linksOf(page).flatMap(({ words }) => (words.startsWith('evt_') ? [words] : []));
}

describe('one delivery', () => {
  it('shows every attempt, and the current body', async () => {
    await using ground = await webGround();
    const { webhook, issueId } = await sent(ground);
    await fail(ground, webhook);
    await deliver(ground, webhook);
    const page = await ground.visitor.page(`${PAGE}/${webhook.id}`);
    expect(rowsOf(page, ATTEMPTS)).toEqual([
      ['2', '2026-11-20 10:00 UTC', '120 ms', 'delivered'],
      ['1', '2026-11-20 10:00 UTC', '1.5 s', 'not delivered status_500: The receiver answered with status 500.'],
    ]);
    expect(contentOf(page)).toContain(`"type": "issue.created", "timestamp": "${NOW}", "data": { "id": "${issueId}"`);
    expect(mainOf(page)).toMatch(/<details id="payload"><summary>/);
    expect(page).not.toMatch(/key=secret|pw@/);
  });

  it('contains no markup and nothing invisible, whatever the Issue says', async () => {
    await using ground = await webGround();
    const { webhook } = await sent(ground, { conclusion: { problem: '</pre><script>alert(1)</script>\u202e' } });
    const page = mainOf(await ground.visitor.page(`${PAGE}/${webhook.id}`));
    expect(page).not.toMatch(/<script|\u202e/);
    expect(page).toContain('&lt;/pre&gt;&lt;script&gt;');
  });

  it('of another account is the same as an unknown one', async () => {
    await using ground = await webGround();
    const { webhook } = await sent(ground);
    await deliver(ground, webhook);
    const other = await ground.signIn('mara', 7, 'admin');
    const ids = [webhook.id, `evt_${'0'.repeat(20)}`, 'evt_%00', 'tok_1'];
    const pages = await Promise.all(ids.map(async (id) => (await other.get(`${PAGE}/${id}`)).text()));
    const resent = await Promise.all(ids.map(async (id) => (await other.post(`${PAGE}/${id}/resend`)).text()));
    for (const page of pages) expect(page).toBe(pages[0]);
    for (const page of resent) expect(page).toBe(resent[0]);
    expect(pages[0]).toContain('This page doesn&#39;t exist');
    expect((await ground.store.findWebhook(webhook.id))?.state).toBe('delivered');
  });

  it('hides a project that the person lost access to, and sends nothing about it', async () => {
    await using ground = await webGround({ repositories: [repository('octo/shop')] });
    const mara = await ground.signIn('mara', 7, 'write');
    const { webhook, investigationId } = await sent(ground, { of: mara, conclusion: { problem: 'the inner secret' } });
    await deliver(ground, webhook);
    expect(contentOf(await mara.page(`${PAGE}/${webhook.id}`))).toContain('the inner secret');
    ground.roles.set(mara.account.id, 'none');
    const page = await mara.page(`${PAGE}/${webhook.id}`);
    expect(page).not.toContain('the inner secret');
    expect(page).not.toContain(investigationId);
    expect(contentOf(page)).toContain('a project that is not visible to you');
    expect(formsOf(page)).toEqual([]);
    expect((await mara.post(`${PAGE}/${webhook.id}/resend`)).status).toBe(409);
    expect((await ground.store.findWebhook(webhook.id))?.state).toBe('delivered');
  });

  it.each(['delivered', 'dead'] as const)(
    'hides a result that rests on a library which the person cannot read, and sends nothing of it: %s',
    async (state) => {
      await using ground = await webGround({ repositories: [repository('octo/shop')] });
      const mara = await ground.signIn('mara', 7, 'write');
      const library = { repository: 'octo/lib', via: 'configuration', path: '', projectId: 'prj_gone' } as const;
      const context = [{ ...library, revision: 'b'.repeat(40), ref: '', refused: null }];
      const analysis = { ...conclusion().analysis, context };
      const { webhook } = await sent(ground, { of: mara, conclusion: { problem: 'the inner secret', analysis } });
      await ground.store.recordAttempt(webhook.id, { state, error: '', at: at(20), ms: 120 });
      const page = await mara.page(`${PAGE}/${webhook.id}`);
      expect(page).not.toContain('the inner secret');
      expect(contentOf(page)).toContain('not visible to you, or rests on one');
      expect((await mara.post(`${PAGE}/${webhook.id}/resend`)).status).toBe(409);
    },
  );
});

describe('sending a delivery again', () => {
  it.each(['delivered', 'dead'] as const)('is offered where it is over, and makes it due: %s', async (state) => {
    await using ground = await webGround();
    const { webhook } = await sent(ground);
    await ground.store.recordAttempt(webhook.id, { state, error: '', at: at(1), ms: 1 });
    const path = `${PAGE}/${webhook.id}/resend`;
    const { fields, buttons } = formTo(await ground.visitor.page(`${PAGE}/${webhook.id}`), path);
    expect(buttons).toEqual(['Send again']);
    const answer = await ground.visitor.post(path, fields);
    expect([answer.status, answer.headers.get('Location')]).toEqual([303, `${PAGE}/${webhook.id}?done=resent`]);
    expect((await ground.store.findWebhook(webhook.id))?.state).toBe('pending');
    const page = await ground.visitor.page(`${PAGE}/${webhook.id}?done=resent`);
    expect(contentOf(page)).toContain('The webhook is queued for redelivery');
    expect(formsOf(page)).toEqual([]);
  });

  it('is refused while it is under way, with words', async () => {
    await using ground = await webGround();
    const { webhook } = await sent(ground);
    const answer = await ground.visitor.post(`${PAGE}/${webhook.id}/resend`);
    expect(answer.status).toBe(409);
    expect(contentOf(await answer.text())).toContain('already being sent');
  });

  it('is neither offered nor done where its subject was deleted', async () => {
    await using ground = await webGround();
    const { webhook, issueId } = await sent(ground);
    await deliver(ground, webhook);
    await ground.store.eraseIssue(issueId, NOW);
    expect(rowsOf(await ground.visitor.page(PAGE), LIST)[0]?.slice(1, 5)).toEqual([
      'delivered',
      '1',
      'deleted with its report',
      'deleted',
    ]);
    const page = await ground.visitor.page(`${PAGE}/${webhook.id}`);
    expect(contentOf(page)).toContain('The investigation was deleted.');
    expect(formsOf(page)).toEqual([]);
    expect((await ground.visitor.post(`${PAGE}/${webhook.id}/resend`)).status).toBe(409);
    expect((await ground.store.findWebhook(webhook.id))?.state).toBe('delivered');
  });
});
