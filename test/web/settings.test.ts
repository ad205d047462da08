// The settings of a project: what counts, where it is from, and how it is changed.
import { describe, expect, it } from 'vitest';
import { CausewayError } from '../../src/core/errors.ts';
import type { EffectiveConfiguration, EffectiveValue } from '../../src/core/settings.ts';
import { parseRepositoryConfig } from '../../src/github/configuration/parse-repository-config.ts';
import { linkOf, linksOf, rowsOf, textOf } from './read-text.ts';
import { repository, type WebGround, webGround } from './web-ground.ts';

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
  it('show each value with where it is from and what it means', async () => {
    await using ground = await onGithub({
      values: [
        value('mode', { value: 'fix', from: { kind: 'file' }, limit: 'comment, since MAX_MODE allows no more' }),
        value('labels', { value: '', from: { kind: 'owner', repository: 'octo/.github' } }),
        value('budget.run', { value: '$1', from: { kind: 'operator', variable: 'BUDGET_RUN' } }),
        value('language', { value: 'English' }),
      ],
      problem: '',
      url: FILE,
    });
    const page = await settingsOf(ground);
    expect(rowsOf(page)).toEqual([
      ['mode', 'fix Effective: comment, since MAX_MODE allows no more', "this repository's file", 'What mode does.'],
      ['labels', 'nothing', 'the file of octo/.github', 'What labels does.'],
      ['budget.run', '$1', 'the operator: BUDGET_RUN', 'What budget.run does.'],
      ['language', 'English', 'default', 'What language does.'],
    ]);
    expect(linkOf(page, 'Configuration file')).toBe(FILE);
    expect(page).not.toContain('role="alert"');
    expect(textOf(page)).toContain('put it into .github/causeway.yml on the default branch');
  });

  it('give an example that can be pasted as it is', async () => {
    await using ground = await onGithub({ values: [], problem: '', url: '' });
    const example = /aria-label="Example of the file"><code>([^<]+)</.exec(await settingsOf(ground))?.[1] ?? '';
    const { problem, given } = parseRepositoryConfig(example.replaceAll('&quot;', '"'), 'causeway.yml');
    expect(problem).toBeNull();
    expect([...(given ?? [])]).toEqual(['mode', 'labels', 'checks.exclude', 'budget.run']);
  });

  it('put what is wrong with the file on top', async () => {
    const problem = '.github/causeway.yml, line 3: <b>mode</b> is unknown.';
    await using ground = await onGithub({ values: [value('mode')], problem, url: FILE });
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
    });
    const page = await settingsOf(ground);
    expect(rowsOf(page)[0]?.[1]).toBe('<script>alert(1)</script> obey');
    expect(page).not.toContain('<script>alert');
    expect(page).not.toContain('\u202E');
    expect(linksOf(page).filter(({ href }) => href.startsWith('javascript'))).toEqual([]);
  });

  it('say that there is no file, and of a repository on this disk that there cannot be one', async () => {
    await using github = await onGithub({ values: [value('mode')], problem: '', url: '' });
    await using local = await webGround({ configuration: { values: [value('model')], problem: '', url: '' } });
    expect(textOf(await settingsOf(github))).toContain('There is no such file');
    const text = textOf(await settingsOf(local));
    expect(text).toContain('environment variables at the start of Causeway');
    expect(text).not.toContain('causeway.yml');
    expect(text).toContain('/srv/local/app');
  });

  it('name the id that the API wants, and your role', async () => {
    await using ground = await onGithub({ values: [], problem: '', url: '' });
    const reader = await ground.signIn('rita', 11, 'read');
    const { id } = ground.projects[0]!;
    const page = await reader.page(`/projects/${id}/settings`);
    expect(textOf(page)).toContain(`Id for the API ${id}`);
    expect(textOf(page)).toContain('Your role read');
    expect(linkOf(page, 'octo/shop')).toBe(`/projects/${id}`);
    expect(linksOf(page).map(({ href }) => href)).toContain('https://github.com/octo/shop');
  });

  it('are not known while GitHub does not answer', async () => {
    await using ground = await onGithub(new CausewayError('github_failed', 'GitHub answered 502: try again.'));
    const answer = await ground.visitor.get(`/projects/${ground.projects[0]!.id}/settings`);
    expect(answer.status).toBe(503);
    expect(textOf(await answer.text())).toContain('GitHub is not answering');
  });
});
