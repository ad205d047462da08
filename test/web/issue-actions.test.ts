// What can be done with an issue: the pull request, the patch, the Markdown, deleting it; and who may.

import { toUnifiedPatch } from 'causeway-diff';
import { describe, expect, it } from 'vitest';
import { CausewayError } from '../../src/core/errors.ts';
import { acceptance, accepted, at, opening, pullRequest, record } from '../support/store-samples.ts';
import { CHANGE, foundCause } from './found-cause.ts';
import { contentOf, formsOf, formTo, linksOf, wordsOf } from './read-page.ts';
import { repository, type WebGround, type WebGroundOptions, webGround } from './web-ground.ts';

const ON_GITHUB = { repositories: [repository('octo/shop')] };

async function withIssue(options: WebGroundOptions = ON_GITHUB, found = foundCause()) {
  const ground = await webGround(options);
  const { issueId } = await ground.concluded({ conclusion: found });
  return { ground, path: `/issues/${issueId}` };
}

function disposing({ ground }: { readonly ground: WebGround }): WebGround {
  return ground;
}

function isForPullRequest({ action }: { readonly action: string }): boolean {
  return action.endsWith('/pull-request');
}

describe('analysing an issue again', () => {
  it('starts with what the person adds, once however often the form is sent', async () => {
    const made = await withIssue();
    await using ground = disposing(made);
    const visitor = await ground.signIn('mona', 7, 'triage');
    const address = `${made.path}/retry`;
    const { fields, buttons } = formTo(await visitor.page(made.path), address);
    expect(buttons).toEqual(['Start']);
    const filled = { form_key: fields['form_key']?.[0] ?? '', guidance: 'Look at the <cache>.' };
    const [first, second] = [await visitor.post(address, filled), await visitor.post(address, filled)];
    const [, id = ''] = /^\/investigations\/(inv_\w+)$/.exec(first.headers.get('Location') ?? '') ?? [];
    expect([first.status, second.headers.get('Location')]).toEqual([303, `/investigations/${id}`]);
    const run = await ground.store.startRun(
      (await ground.store.findInvestigation(id))?.runId ?? '',
      ground.clock.now.toISOString(),
    );
    expect(run?.text).toMatch(/## Guidance from mona\n\nLook at the <cache>\.$/);
    expect((await visitor.post(address, { ...filled, guidance: 'Other words' })).status).toBe(409);
    expect((await visitor.post(address, { guidance: 'no key' })).status).toBe(400);
    expect((await visitor.post(address, { ...filled, guidance: 'x'.repeat(4_001) })).status).toBe(400);
  });

  it('is for people with triage', async () => {
    const made = await withIssue();
    await using ground = disposing(made);
    const reader = await ground.signIn('read', 4, 'read');
    expect(formsOf(await reader.page(made.path))).toEqual([]);
    expect((await reader.post(`${made.path}/retry`, { form_key: 'x' })).status).toBe(403);
    const stranger = await ground.signIn('none', 9, 'none');
    expect((await stranger.post(`${made.path}/retry`)).status).toBe(404);
  });
});

describe('handing an issue to a coding agent', () => {
  const block = (page: string) => wordsOf(/<pre id="agent-brief">(.*?)<\/pre>/s.exec(page)?.[1] ?? '');

  it('has one block to copy where there is no fix, without what only the signed-in may see', async () => {
    const secret = 'customer 4711 had canary-value-17';
    const unknown = foundCause(
      { outcome: 'inconclusive', reason: `Ruled out, as the model says: the cache; \`${secret}\`.`, guards: [] },
      { changeSet: { ...CHANGE, files: [] } },
    );
    const monitoring = { action: 'logs__query', result: secret, analysis: '', source: 'monitoring' } as const;
    const steps = [...unknown.investigationSteps, monitoring];
    const options = { repositories: [repository('octo/shop', { isPrivate: false })] };
    const made = await withIssue(options, { ...unknown, investigationSteps: steps });
    await using ground = disposing(made);
    const page = await (await ground.signIn('mona', 7, 'write')).page(made.path);
    expect(page).toContain('data-copy="agent-brief"');
    const words = block(page);
    expect(words).toMatch(
      /^Find the cause of this problem and fix it\. Repository: octo\/shop Commit: [0-9a-f]{40} \(/,
    );
    expect(words).toContain('Ruled out, as the model says: the cache');
    expect(words).toMatch(
      new RegExp(`Full record: http\\S+${made.path} \\(after sign-in\\) As JSON: http\\S+/api/v1${made.path}/`),
    );
    expect(words).not.toContain('canary');
  });

  it('has it for a pull request that people take over, and no longer once it is closed', async () => {
    const url = 'https://github.com/octo/shop/pull/31';
    const made = await withIssue(ON_GITHUB, foundCause({ links: { comment: null, checkRun: null, pullRequest: url } }));
    await using ground = disposing(made);
    const base = { account: ground.visitor.account, project: ground.projects[0]! };
    await accepted(ground.store, acceptance(base, { thread: opening('thr_1'), fingerprint: 'thr_1' }));
    const save = (changes: Partial<ReturnType<typeof pullRequest>>, second: number) => {
      const posted = pullRequest(made.path.replace('/issues/', ''), {
        url,
        handedOver: 900,
        checks: 'red',
        ...changes,
      });
      return ground.store.saveThreadRecord('thr_1', record({ pullRequest: posted }), at(second));
    };
    expect(await ground.visitor.page(made.path)).not.toContain('For a coding agent');
    await save({}, 1);
    const words = block(await ground.visitor.page(made.path));
    expect(words).toMatch(/^Finish the fix of this problem\. /);
    expect(words).toContain(`Pull request: ${url} (branch causeway/issue-12-abc at `);
    await save({ state: 'closed' }, 2);
    expect(await ground.visitor.page(made.path)).not.toContain('For a coding agent');
  });
});

describe('opening the pull request of an issue', () => {
  it('is requested by a person with write, once, and the page says so', async () => {
    const made = await withIssue();
    await using ground = disposing(made);
    const writer = await ground.signIn('mona', 7, 'write');
    expect(formTo(await writer.page(made.path), `${made.path}/pull-request`).buttons).toEqual(['Open pull request']);
    const answer = await writer.post(`${made.path}/pull-request`);
    expect([answer.status, answer.headers.get('Location')]).toEqual([303, `${made.path}?done=requested`]);
    expect(contentOf(await writer.page(`${made.path}?done=requested`))).toContain('The pull request is being opened.');
    const audit = await ground.store.listAuditEntries({
      accountId: '',
      projectIds: [ground.projects[0]!.id],
      limit: 10,
    });
    expect(audit.map(({ verb }) => verb)).toContain('fix.requested');
  });

  it('is not offered to others, and refused to them', async () => {
    const made = await withIssue();
    await using ground = disposing(made);
    for (const role of ['read', 'triage'] as const) {
      const visitor = await ground.signIn(role, role.length, role);
      expect(formsOf(await visitor.page(made.path)).filter(isForPullRequest)).toEqual([]);
      expect((await visitor.post(`${made.path}/pull-request`)).status).toBe(403);
    }
    const stranger = await ground.signIn('none', 9, 'none');
    expect((await stranger.post(`${made.path}/pull-request`)).status).toBe(404);
  });

  it.each([
    ['a local project', {}, foundCause(), "This project isn't on GitHub"],
    [
      'a configuration without it',
      { ...ON_GITHUB, settings: { noPullRequests: 'The repository opens no pull requests.' } },
      foundCause(),
      'opens no pull requests',
    ],
    [
      'a guard',
      ON_GITHUB,
      foundCause({ guards: [{ rule: 'never/size', file: '', reason: 'it is <b>too</b> large' }] }),
      'it is <b>too</b> large',
    ],
  ])('is refused for %s, in words, on the page and after the form', async (_, options, found, words) => {
    const made = await withIssue(options, found);
    await using ground = disposing(made);
    const visitor = 'repositories' in options ? await ground.signIn('mona', 7, 'write') : ground.visitor;
    const page = await visitor.page(made.path);
    expect(contentOf(page)).toContain(words);
    expect(formsOf(page).filter(isForPullRequest)).toEqual([]);
    const answer = await visitor.post(`${made.path}/pull-request`);
    expect(answer.status).toBe(409);
    expect(contentOf(await answer.text())).toContain(words);
  });

  it('is replaced by a link to it once it is open, also on a GitHub without TLS', async () => {
    for (const origin of ['https://github.com', 'http://github.test:8080']) {
      const url = `${origin}/octo/shop/pull/31`;
      const links = { comment: null, checkRun: null, pullRequest: url };
      const repositories = [repository('octo/shop', { cloneUrl: `${origin}/octo/shop.git` })];
      const made = await withIssue({ repositories }, foundCause({ links }));
      await using ground = disposing(made);
      const page = await (await ground.signIn('mona', 7, 'write')).page(made.path);
      expect(linksOf(page)).toContainEqual({ href: url, words: 'View pull request #31' });
      expect(contentOf(page)).toContain('Next: review the pull request.');
      expect(formsOf(page).filter(isForPullRequest)).toEqual([]);
    }
  });

  it('leads from a change that CI rejected to that of the further attempt, and back', async () => {
    const url = 'https://github.com/octo/shop/pull/31';
    const links = { comment: null, checkRun: null, pullRequest: url };
    await using ground = await webGround(ON_GITHUB);
    const first = await ground.concluded({ conclusion: foundCause({ links }) });
    const later = await ground.concluded({ text: 'CI rejects it', conclusion: foundCause({ links }) });
    const base = { account: ground.visitor.account, project: ground.projects[0]! };
    await accepted(ground.store, acceptance(base, { thread: opening('thr_1'), fingerprint: 'thr_1' }));
    const attempts = [{ headSha: 'a', investigationId: later.investigationId, outcome: 'pushed' as const }];
    const posted = pullRequest(first.issueId, { number: 31, url, attempts });
    await ground.store.saveThreadRecord('thr_1', record({ pullRequest: posted }), at(1));
    const page = await ground.visitor.page(`/issues/${first.issueId}`);
    expect(contentOf(page)).toContain('The first attempt: CI rejected it.');
    expect(linksOf(page)).toContainEqual({ href: `/issues/${later.issueId}`, words: 'a later attempt' });
    const back = await ground.visitor.page(`/issues/${later.issueId}`);
    expect(contentOf(back)).toContain('A further attempt, on top of the change of the first, which CI rejected.');
    expect(linksOf(back)).toContainEqual({ href: `/issues/${first.issueId}`, words: 'the first' });
  });

  it('leaves the page readable while GitHub does not answer', async () => {
    const made = await withIssue({ ...ON_GITHUB, settings: new CausewayError('github_failed', 'no answer') });
    await using ground = disposing(made);
    const writer = await ground.signIn('mona', 7, 'write');
    expect(contentOf(await writer.page(made.path))).toContain('GitHub is not answering, so a pull request');
    expect((await writer.post(`${made.path}/pull-request`)).status).toBe(503);
  });
});

describe('the patch of an issue', () => {
  it('is a file, byte for byte that of its change', async () => {
    const made = await withIssue({});
    await using ground = disposing(made);
    const answer = await ground.visitor.get(`${made.path}/patch`);
    expect(answer.headers.get('Content-Type')).toBe('text/x-patch; charset=utf-8');
    expect(answer.headers.get('Content-Disposition')).toMatch(/^attachment; filename="iss_\w{20}\.patch"$/);
    expect(await answer.text()).toBe(toUnifiedPatch(CHANGE));
  });
});

describe('deleting an issue', () => {
  it('says first what goes and what stays, and changes nothing by being looked at', async () => {
    const links = {
      comment: 'https://github.com/octo/shop/issues/3#issuecomment-1',
      checkRun: null,
      pullRequest: null,
    };
    const made = await withIssue(ON_GITHUB, foundCause({ links }));
    await using ground = disposing(made);
    const visitor = await ground.signIn('owner', 7, 'maintain');
    expect(linksOf(await visitor.page(made.path))).toContainEqual({ href: `${made.path}/delete`, words: 'Delete…' });
    const page = await visitor.page(`${made.path}/delete`);
    expect(contentOf(page)).toContain('What is deleted');
    expect(linksOf(page)).toContainEqual({ href: links.comment, words: 'comment' });
    expect(formTo(page, `${made.path}/delete`).buttons).toEqual(['Delete the issue']);
    expect((await visitor.get(made.path)).status).toBe(200);
  });

  it('erases it, and leads to the project', async () => {
    const made = await withIssue();
    await using ground = disposing(made);
    const visitor = await ground.signIn('owner', 7, 'maintain');
    const answer = await visitor.post(`${made.path}/delete`);
    expect([answer.status, answer.headers.get('Location')]).toEqual([
      303,
      `/projects/${ground.projects[0]!.id}?done=deleted`,
    ]);
    expect((await visitor.get(made.path)).status).toBe(404);
    expect((await visitor.post(`${made.path}/delete`)).status).toBe(404);
    const [entry] = await ground.store.listAuditEntries({
      accountId: '',
      projectIds: [ground.projects[0]!.id],
      limit: 1,
    });
    expect(entry).toMatchObject({ verb: 'issue.erased', who: 'owner' });
  });

  it('is for the person who submitted the report, or has maintain', async () => {
    await using ground = await webGround(ON_GITHUB);
    const reporter = await ground.signIn('reporter', 7, 'triage');
    const { issueId } = await ground.concluded({ accountId: reporter.account.id, conclusion: foundCause() });
    const writer = await ground.signIn('writer', 8, 'write');
    expect(linksOf(await writer.page(`/issues/${issueId}`)).some(({ href }) => href.endsWith('/delete'))).toBe(false);
    expect((await writer.get(`/issues/${issueId}/delete`)).status).toBe(403);
    expect((await writer.post(`/issues/${issueId}/delete`)).status).toBe(403);
    expect((await reporter.get(`/issues/${issueId}/delete`)).status).toBe(200);
    expect((await reporter.post(`/issues/${issueId}/delete`)).status).toBe(303);
  });
});
