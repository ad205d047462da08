// A project: what is running, its issues, and its settings.
import { describe, expect, it } from 'vitest';
import type { EffectiveConfiguration, EffectiveValue } from '../../src/core/project/settings.ts';
import { parseRepositoryConfig } from '../../src/github/configuration/parse-repository-config.ts';
import { conclusion } from '../support/store-samples.ts';
import { headingsOf, linkOf, linksOf, rowsOf, textOf } from './read-text.ts';
import { repository, type WebGround, webGround } from './web-ground.ts';

function found(rootCause: string, analysis: Partial<ReturnType<typeof conclusion>['analysis']> = {}) {
  return { rootCause, analysis: { ...conclusion().analysis, ...analysis } };
}

function addressOf({ projects }: WebGround): string {
  return `/projects/${projects[0]!.id}`;
}

describe('the page of a project', () => {
  it('shows each issue by its problem and the first sentence of its cause', async () => {
    await using ground = await webGround({ repositories: [repository('octo/shop')] });
    const links = { comment: null, checkRun: null, pullRequest: 'https://github.com/octo/shop/pull/31' };
    const { issueId } = await ground.concluded({
      conclusion: found('`src/cart.ts` drops the last item of every basket. Two more sentences follow. They do.', {
        ...{ outcome: 'code_fix', confidence: 0.824, partial: true, links },
      }),
    });
    await ground.concluded({ conclusion: { ...found(''), problem: 'Checkout crashes' } });
    const page = await ground.visitor.page(addressOf(ground));
    expect(rowsOf(page)).toEqual([
      ['Facts only', 'Checkout crashes', '', 'report', '2026-11-20 10:00 UTC', ''],
      [
        'Cause and fix stopped early',
        'x is undefined src/cart.ts drops the last item of every basket.',
        ...['82 %', 'report', '2026-11-20 10:00 UTC', '#31'],
      ],
    ]);
    expect(linkOf(page, 'x is undefined')).toBe(`/issues/${issueId}`);
    expect(linkOf(page, '#31')).toBe('https://github.com/octo/shop/pull/31');
    expect(headingsOf(page)).toEqual(['1 octo/shop', '2 Issues']);
  });

  it('keeps the words of models and reporters inert', async () => {
    await using ground = await webGround();
    await ground.concluded({ conclusion: found('<script>alert(1)</script> \u202Ebroke\u200B it [a](javascript:x).') });
    const page = await ground.visitor.page(addressOf(ground));
    expect(page).not.toContain('<script>alert');
    expect(rowsOf(page)[0]?.[1]).toBe('x is undefined <script>alert(1)</script> broke it [a](javascript:x).');
  });

  it('goes through all issues page by page, the newest first', async () => {
    await using ground = await webGround();
    const ids: string[] = [];
    for (let at = 0; at < 101; at++) ids.unshift((await ground.concluded()).issueId);
    const seen: string[] = [];
    const pages: number[] = [];
    for (let next: string | undefined = addressOf(ground); next !== undefined; ) {
      const page: string = await ground.visitor.page(next);
      const issues = linksOf(page).flatMap(({ href }) => /^\/issues\/(\w+)$/.exec(href)?.[1] ?? []);
      pages.push(issues.length);
      seen.push(...issues);
      next = linkOf(page, 'Older');
    }
    expect(pages).toEqual([50, 50, 1]);
    expect(seen).toEqual(ids);
  });

  it('finds issues by outcome, origin and words, and says where none matches', async () => {
    await using ground = await webGround();
    for (let at = 0; at < 11; at++) await ground.concluded();
    const { issueId } = await ground.concluded({
      conclusion: { ...found('`Basket.total` adds twice.', { outcome: 'code_fix' }), problem: 'Totals are wrong' },
    });
    const address = addressOf(ground);
    expect(textOf(await ground.visitor.page(address))).toContain('Search Outcome any');
    for (const query of ['q=BASKET', 'outcome=code_fix', 'q=totals&outcome=code_fix&origin=api']) {
      const page = await ground.visitor.page(`${address}?${query}`);
      expect([query, rowsOf(page).map(([, title]) => title)]).toEqual([
        query,
        ['Totals are wrong Basket.total adds twice.'],
      ]);
      expect(linkOf(page, 'Totals are wrong')).toBe(`/issues/${issueId}`);
    }
    const none = await ground.visitor.page(`${address}?q=basket&origin=cli`);
    expect(textOf(none)).toContain('No issue here matches.');
    expect(linkOf(none, 'All issues')).toBe(address);
    const older = await ground.visitor.page(`${address}?outcome=code_fix&after=${issueId}`);
    expect(rowsOf(older)).toEqual([]);
    expect(rowsOf(await ground.visitor.page(`${address}?outcome=nonsense`))).toHaveLength(12);
  });

  it('says how issues come where there is none', async () => {
    await using local = await webGround();
    await using github = await webGround({ repositories: [repository('octo/shop')] });
    const page = await local.visitor.page(addressOf(local));
    expect(textOf(page)).toContain('No issues yet. Paste an error message or a log');
    expect(linkOf(page, 'New report')).toBe(`${addressOf(local)}/reports/new`);
    expect(textOf(await github.visitor.page(addressOf(github)))).toContain('Put the label analyse on an issue');
  });
});

describe('what is under way', () => {
  it('is on top by the title of its report, with what is done now and what you started', async () => {
    await using ground = await webGround({ repositories: [repository('octo/shop')] });
    const other = await ground.signIn('otto', 21, 'write');
    const mine = await ground.accepted();
    const run = (await ground.store.startRun(mine.runId, ground.clock.now.toISOString()))!;
    const step = { action: 'read src/<cart>.ts', result: 'found', analysis: '' };
    await ground.store.recordStep(run, step, ground.clock.now.toISOString());
    await ground.accepted({ accountId: other.account.id });
    const page = await ground.visitor.page(addressOf(ground));
    const text = textOf(page);
    expect(headingsOf(page)).toEqual(['1 octo/shop', '2 1 running, 1 queued', '2 Issues']);
    expect(linkOf(page, 'It fails')).toBe(`/investigations/${mine.investigationId}`);
    expect(text).toMatch(
      /running It fails Searching the source, 1 step so far · started by you .* queued It fails Waiting for its turn · started 2026/,
    );
    expect(text).toContain('a running investigation becomes one when it concludes');
  });
});

describe('who sees a project', () => {
  it('offers a report to triage and better, and the page without it to readers', async () => {
    await using ground = await webGround({ repositories: [repository('octo/shop')] });
    for (const [role, may] of [
      ['read', false],
      ['triage', true],
      ['write', true],
      ['maintain', true],
    ] as const) {
      const visitor = await ground.signIn(role, role.length * 100, role);
      const page = await visitor.page(addressOf(ground));
      expect([role, page.includes('/reports/new')]).toEqual([role, may]);
    }
  });

  it('answers for a hidden one as for an unknown one, on each of its pages', async () => {
    await using ground = await webGround({
      repositories: [repository('octo/shop'), repository('octo/open', { isPrivate: false })],
    });
    const nobody = await ground.signIn('nora', 13, 'none');
    const reader = await ground.signIn('rita', 14, 'read');
    const open = ground.projects.find(({ name }) => name === 'octo/open')!;
    const shop = ground.projects.find(({ name }) => name === 'octo/shop')!;
    for (const rest of ['', '/failures', '/failures/fal_1', '/observed', '/settings', '/reports/new']) {
      const absent = await (await nobody.get(`/projects/prj_absent${rest}`)).text();
      const foreign = await nobody.get(`/projects/${shop.id}${rest}`);
      expect([rest, foreign.status, (await foreign.text()) === absent]).toEqual([rest, 404, true]);
      expect([rest, (await reader.get(`/projects/${open.id}${rest}`)).status]).toEqual([rest, 404]);
    }
  });

  it('has the observed part only on GitHub, where something could be posted', async () => {
    await using local = await webGround();
    await using github = await webGround({ repositories: [repository('octo/shop')] });
    const tabs = async (ground: WebGround) =>
      linksOf(await ground.visitor.page(addressOf(ground)))
        .map(({ text }) => text)
        .filter((text) => ['Issues', 'Failures', 'Observed', 'Settings'].includes(text));
    expect(await tabs(local)).toEqual(['Issues', 'Failures', 'Settings']);
    expect(await tabs(github)).toEqual(['Issues', 'Failures', 'Observed', 'Settings']);
  });
});

const FILE = 'https://github.com/octo/shop/blob/HEAD/.github/causeway.yml';

function value(name: string, more: Partial<EffectiveValue> = {}): EffectiveValue {
  return { name, means: `What ${name} does.`, value: 'x', from: { kind: 'default' }, limit: '', ...more };
}

function onGithub(configuration: EffectiveConfiguration | Error) {
  return webGround({ repositories: [repository('octo/shop')], configuration });
}

function settingsOf({ visitor, projects }: WebGround): Promise<string> {
  return visitor.page(`/projects/${projects[0]!.id}/settings`);
}

describe('the settings of a project', () => {
  it('show what was changed first, with who changed it, and the defaults by what they are about', async () => {
    await using ground = await onGithub({
      values: [
        value('mode', { value: 'fix', from: { kind: 'file' }, limit: 'comment, since MAX_MODE allows no more' }),
        value('labels', { value: '', from: { kind: 'owner', repository: 'octo/.github' } }),
        value('budget.run', { value: '$1', from: { kind: 'operator', variable: 'BUDGET_RUN' } }),
        value('language', { value: 'English' }),
        value('checks.unheard_of', { value: 'x' }),
      ],
      problem: '',
      url: FILE,
      mode: null,
      yaml: 'mode: fix\n',
    });
    const page = await settingsOf(ground);
    expect(page).toContain('<code id="settings-yaml">mode: fix\n</code>');
    expect(rowsOf(page)).toEqual([
      [
        'What Causeway may write mode',
        'fix Effective: comment, since MAX_MODE allows no more',
        ...["this repository's file", 'What mode does.'],
      ],
      ['Labels that start an analysis labels', 'nothing', 'the file of octo/.github', 'What labels does.'],
      ['Limit for one investigation budget.run', '$1', 'the operator: BUDGET_RUN', 'What budget.run does.'],
      // What is not changed, by what it is about.
      ['Language of answers language', 'English', 'What language does.'],
      ['checks.unheard_of', 'x', 'What checks.unheard_of does.'],
    ]);
    expect(headingsOf(page)).toEqual([
      ...['1 octo/shop', '2 Changed', '2 Defaults', '3 What it does', '3 Failed checks', '2 About'],
    ]);
    expect(linkOf(page, 'Configuration file')).toBe(FILE);
    expect(page).not.toContain('role="alert"');
    expect(textOf(page)).toContain('edit .github/causeway.yml on the default branch');
  });

  it('give an example that can be pasted as it is', async () => {
    await using ground = await onGithub({ values: [], problem: '', url: '', mode: null, yaml: '' });
    const example = /aria-label="Example of the file"><code>([^<]+)</.exec(await settingsOf(ground))?.[1] ?? '';
    const { problem, given } = parseRepositoryConfig(example.replaceAll('&quot;', '"'), 'causeway.yml');
    expect(problem).toBeNull();
    expect([...(given ?? [])]).toEqual(['mode', 'labels', 'checks.exclude', 'budget.run']);
  });

  it('put what is wrong with the file on top', async () => {
    const problem = '.github/causeway.yml, line 3: <b>mode</b> is unknown.';
    await using ground = await onGithub({ values: [value('mode')], problem, url: FILE, mode: null, yaml: '' });
    const page = await settingsOf(ground);
    expect(textOf(page)).toContain(problem);
    expect(page.indexOf('role="alert"')).toBeLessThan(page.indexOf('<table'));
    expect(page).not.toContain('<b>mode');
  });

  it('make what the file says inert', async () => {
    const instructions = '<script>alert(1)</script>\n\u202Eobey';
    await using ground = await onGithub({
      values: [value('instructions', { value: instructions })],
      problem: '',
      url: 'javascript:alert(1)',
      mode: null,
      yaml: '',
    });
    const page = await settingsOf(ground);
    expect(rowsOf(page)[0]?.[1]).toBe('<script>alert(1)</script> obey');
    expect(page).not.toContain('<script>alert');
    expect(page).not.toContain('\u202E');
    expect(linksOf(page).filter(({ href }) => href.startsWith('javascript'))).toEqual([]);
  });

  it('say that there is no file, and that only `context` is used of that of a repository on this disk', async () => {
    await using github = await onGithub({ values: [value('mode')], problem: '', url: '', mode: null, yaml: '' });
    await using local = await webGround({
      configuration: { values: [value('model')], problem: '', url: '', mode: null, yaml: '' },
    });
    expect(textOf(await settingsOf(github))).toContain('There is no such file yet');
    const text = textOf(await settingsOf(local));
    expect(text).toContain('the environment in which Causeway was started');
    expect(text).toContain('only context of .github/causeway.yml is used');
    expect(text).toContain('/srv/local/app');
  });

  it('name the id that the API wants, and your role', async () => {
    await using ground = await onGithub({ values: [], problem: '', url: '', mode: null, yaml: '' });
    const reader = await ground.signIn('rita', 11, 'read');
    const { id } = ground.projects[0]!;
    const page = await reader.page(`/projects/${id}/settings`);
    expect(textOf(page)).toContain(`Id for the API ${id}`);
    expect(textOf(page)).toContain('Your role read');
    expect(linkOf(page, 'octo/shop')).toBe(`/projects/${id}`);
    expect(linksOf(page).map(({ href }) => href)).toContain('https://github.com/octo/shop');
  });
});
