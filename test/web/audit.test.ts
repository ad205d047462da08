// The audit log: who sees which entries, in what words, and page by page.
import { describe, expect, it } from 'vitest';
import type { Role } from '../../src/core/project/person.ts';
import {
  acceptance,
  accepted,
  at,
  comment,
  found,
  NOW,
  opening,
  record,
  recorded,
  sighting,
  TRIAGER,
  token,
  trigger,
  WRITER,
} from '../support/store-samples.ts';
import { linksOf, rowsOf } from './read-page.ts';
import { repository, type WebGround, webGround } from './web-ground.ts';

const LIST = 'Entries, newest first';
const WHEN = '2026-11-20 10:00 UTC';

/** Somebody's report in the first project, asked for by a label on GitHub. */
async function labelled(ground: WebGround, login: string, threadId = 'thr_1') {
  const account = await ground.store.ensureAccount({ login, githubId: null, signingSecret: 'whsec_x', now: NOW });
  const wanted = acceptance(
    { account, project: ground.projects[0]! },
    { thread: opening(threadId), fingerprint: threadId },
  );
  await accepted(ground.store, wanted);
  return wanted.investigationId;
}

describe('the audit log', () => {
  it('shows when, who, what and on what, newest first', async () => {
    await using ground = await webGround();
    const { investigationId } = await ground.accepted();
    const record = token(ground.visitor.account.id);
    await ground.store.addToken(record, 'hash');
    const page = await ground.visitor.page('/audit');
    expect(rowsOf(page, LIST)).toEqual([
      [WHEN, 'local', 'created an auth token: ci', '–'],
      [WHEN, 'local', 'submitted a report → investigation', 'local/app'],
      [WHEN, 'local', 'signed in', '–'],
      [WHEN, 'local', 'account created', '–'],
    ]);
    expect(linksOf(page).map(({ href }) => href)).toEqual([
      '/audit?who=local',
      '/audit?who=local',
      `/investigations/${investigationId}`,
      `/projects/${ground.projects[0]!.id}`,
      ...['/audit?who=local', '/audit?who=local'],
    ]);
    // The identifier is the hover text, for comparing with other logs.
    expect(page).toContain(`title="${record.id}"`);
  });

  it('names what somebody did on GitHub by its place there, and what followed', async () => {
    await using ground = await webGround({ repositories: [repository('octo/shop')] });
    await labelled(ground, 'carl');
    const { store, visitor } = ground;
    const page = await visitor.page('/audit');
    expect(rowsOf(page, LIST)[1]).toEqual([WHEN, TRIAGER.login, 'labelled #12', 'octo/shop']);
    expect(linksOf(page).map(({ href }) => href)).toContain('https://github.com/octo/shop/issues/12');
    await store.saveThreadRecord('thr_1', record({ comment: comment('inv_1') }), NOW);
    expect(rowsOf(await visitor.page('/audit'), LIST)[1]?.[2]).toBe('labelled #12 → analysis posted');
  });

  it('says how an analysis was requested only of the request that it knows', async () => {
    await using ground = await webGround({ repositories: [repository('octo/shop')] });
    await labelled(ground, 'carl');
    const base = { account: ground.visitor.account, project: ground.projects[0]! };
    const asked = trigger({ kind: 'comment', by: WRITER, role: 'write', commentId: 5, at: at(600) });
    const thread = opening('thr_2', { trigger: asked });
    await accepted(ground.store, acceptance(base, { thread, fingerprint: 'again', now: at(600) }));
    const rows = rowsOf(await ground.visitor.page('/audit'), LIST).map((cells) => cells.slice(1, 3));
    expect(rows).toContainEqual([WRITER.login, 'commented on #12']);
    expect(rows.map(([, what]) => what)).toContain('requested an analysis of #12');
    expect(rows.map(([, what]) => what)).not.toContain('labelled #12');
  });

  it('says that checks failed, whoever pushed them', async () => {
    await using ground = await webGround({ repositories: [repository('octo/shop')] });
    const base = { account: ground.visitor.account, project: ground.projects[0]! };
    await recorded(ground.store, base.project.id, [sighting('first')]);
    await accepted(ground.store, acceptance(base, { thread: found('fal_1') }));
    const rows = rowsOf(await ground.visitor.page('/audit'), LIST);
    expect(rows.map((cells) => cells[2])).toContain('checks failed on pull request #5');
  });

  it('is filtered by person, project and kind, and keeps the filter from page to page', async () => {
    await using ground = await webGround({ repositories: [repository('octo/open'), repository('octo/shop')] });
    await labelled(ground, 'carl');
    await ground.accepted({ project: ground.projects[1]! });
    await ground.store.addToken(token(ground.visitor.account.id), 'hash');
    const read = async (query: string) =>
      rowsOf(await ground.visitor.page(`/audit?${query}`), LIST).map((cells) => cells.slice(1, 4));
    expect(await read('who=CARL')).toEqual([['carl', 'submitted a report → investigation', 'octo/open']]);
    expect(await read(`who=github+${TRIAGER.id}`)).toEqual([[TRIAGER.login, 'labelled #12', 'octo/open']]);
    expect(await read(`project=${ground.projects[1]!.id}`)).toEqual([
      ['local', 'submitted a report → investigation', 'octo/shop'],
    ]);
    expect(await read('kind=credentials')).toEqual([['local', 'created an auth token: ci', '–']]);
    expect(await ground.visitor.page('/audit?who=nobody')).toContain('No entry matches.');
    expect(await read('kind=nonsense&project=prj_1')).toHaveLength(6);
  });

  it.each([
    ['admin', true],
    ['maintain', true],
    ['write', false],
    ['triage', false],
    ['read', false],
  ] as readonly (readonly [Role, boolean])[])(
    'shows what others did in a project to whom has %s there: %s',
    async (role, isShown) => {
      await using ground = await webGround({ repositories: [repository('octo/shop')] });
      await labelled(ground, 'carl');
      const mara = await ground.signIn('mara', 7, role);
      const page = await mara.page('/audit');
      expect(rowsOf(page, LIST).some(([, who]) => who === 'carl')).toBe(isShown);
      expect(rowsOf(page, LIST).some(([, who]) => who === TRIAGER.login)).toBe(isShown);
      // Her own sign-in is there in any case.
      expect(rowsOf(page, LIST).some(([, who, what]) => who === 'mara' && what === 'signed in')).toBe(true);
    },
  );

  it('has one name for a person, also for what they did before they signed in', async () => {
    await using ground = await webGround({ repositories: [repository('octo/shop')] });
    await labelled(ground, 'carl');
    const mara = await ground.signIn('mara', TRIAGER.id, 'maintain');
    const others = rowsOf(await mara.page('/audit'), LIST).filter(([, who]) => who !== 'carl');
    expect(others.map((cells) => cells.slice(1, 3))).toEqual([
      ['mara', 'signed in'],
      ['mara', 'account created'],
      ['mara', 'labelled #12'],
    ]);
  });

  it('shows no tokens and sessions of others, whatever the role', async () => {
    await using ground = await webGround();
    const mara = await ground.signIn('mara', 7, 'admin');
    await ground.store.addToken(token(mara.account.id), 'hash');
    expect(rowsOf(await ground.visitor.page('/audit'), LIST).some(([, who]) => who === 'mara')).toBe(false);
  });

  it('neither names nor links to a project that the person no longer sees', async () => {
    await using ground = await webGround({ repositories: [repository('octo/shop')] });
    const mara = await ground.signIn('mara', 7, 'write');
    await ground.accepted({ accountId: mara.account.id });
    expect(rowsOf(await mara.page('/audit'), LIST)[0]?.slice(2)).toEqual([
      'submitted a report → investigation',
      'octo/shop',
    ]);
    ground.roles.set(mara.account.id, 'none');
    const page = await mara.page('/audit');
    expect(rowsOf(page, LIST)[0]?.slice(2)).toEqual(['submitted a report', 'not visible to you']);
    expect(page).not.toContain('octo/shop');
    expect(linksOf(page).filter(({ href }) => !href.startsWith('/audit'))).toEqual([]);
  });

  it('links to no issue that was deleted', async () => {
    await using ground = await webGround();
    const { issueId } = await ground.concluded();
    await ground.store.eraseIssue(issueId, NOW);
    const page = await ground.visitor.page('/audit');
    expect(rowsOf(page, LIST)[0]?.slice(2, 4)).toEqual(['deleted an issue', 'local/app']);
    expect(linksOf(page).map(({ href }) => href)).not.toContain(`/issues/${issueId}`);
  });

  it('is read a hundred entries at a time, each once', async () => {
    await using ground = await webGround();
    for (let number = 0; number < 220; number++)
      await ground.store.addToken(token(ground.visitor.account.id, { name: `ci ${number}` }), `hash ${number}`);
    const seen: string[] = [];
    let path = '/audit';
    const sizes = [];
    while (path !== '') {
      const page = await ground.visitor.page(path);
      const rows = rowsOf(page, LIST);
      sizes.push(rows.length);
      seen.push(...rows.map((cells) => `${cells[2]}`));
      path = linksOf(page).find(({ words }) => words === 'Older')?.href ?? '';
    }
    expect([sizes, new Set(seen).size]).toEqual([[100, 100, 22], 222]);
  });

  it.each(['x', '-1', '1e3', '9'.repeat(30), '1%00', '<b>'])(
    'begins with the newest where the address says nothing that counts: %s',
    async (before) => {
      await using ground = await webGround();
      const first = rowsOf(await ground.visitor.page('/audit'), LIST);
      expect(rowsOf(await ground.visitor.page(`/audit?before=${before}`), LIST)).toEqual(first);
    },
  );
});
