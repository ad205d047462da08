// Parts of several pages: links to the project's own GitHub, cut results, and what is said while GitHub does not answer.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CausewayError } from '../../src/core/errors.ts';
import type { Project } from '../../src/core/project/project.ts';
import { listVisibleProjects } from '../../src/services/access.ts';
import { checkOwnAddress, cutToWholeLines, renderOwnLink } from '../../src/web/components.ts';
import { contentOf } from './read-page.ts';
import { onGithub, repository, type WebGround, webGround } from './web-ground.ts';
import '../support/property-seed.ts';

function on(url: string): Project {
  const source = {
    kind: 'github',
    repositoryId: 1,
    installationId: 1,
    url,
    isPrivate: true,
    isArchived: false,
    defaultBranch: 'main',
  } as const;
  return { id: 'prj_1', name: 'octo/shop', source, createdAt: '' };
}

const GITHUB = on('https://github.com/octo/shop.git');
const PULL = 'https://github.com/octo/shop/pull/1';

describe('a stored address', () => {
  it('leads to the own GitHub', () => {
    expect(checkOwnAddress(GITHUB, PULL)).toBe(PULL);
    expect(String(renderOwnLink(GITHUB, PULL, '<1>'))).toBe(`<a href="${PULL}">&lt;1&gt;</a>`);
    expect(checkOwnAddress(on('https://ghe.example/octo/shop.git'), 'https://ghe.example/octo/shop/pull/1')).not.toBe(
      '',
    );
  });

  it.each([
    ['another host', GITHUB, 'https://github.com.evil.example/octo/shop/pull/1'],
    ['another port', GITHUB, 'https://github.com:8443/octo/shop/pull/1'],
    ['another scheme', GITHUB, 'javascript:https://github.com/octo/shop'],
    ['somebody’s name in it', GITHUB, 'https://github.com@evil.example/'],
    ['a password in it', GITHUB, 'https://user:pass@github.com/octo/shop'],
    ['no address', GITHUB, 'pull/1'],
    ['nothing', GITHUB, null],
    ['a local project', { ...GITHUB, source: { kind: 'path', path: '/srv/shop' } } as Project, PULL],
  ])('leads nowhere with %s', (_, project, address) => {
    expect(checkOwnAddress(project, address)).toBe('');
    expect(String(renderOwnLink(project, address, '#1'))).toBe('#1');
  });
});

it('the result of a step is shown as whole lines up to the limits, and says when it was cut', () => {
  expect(cutToWholeLines('one\ntwo\n', 2, 7)).toEqual({ text: 'one\ntwo', lines: 2, cut: '' });
  expect(cutToWholeLines('one\ntwo\nthree', 2, 99)).toMatchObject({ text: 'one\ntwo', lines: 3 });
  const limits = fc.tuple(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 60 }));
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 30 })), limits, (lines, [maxLines, characters]) => {
      const whole = lines.join('\n');
      const { text, cut } = cutToWholeLines(whole, maxLines, characters);
      const all = cutToWholeLines(whole, 1e9, 1e9).text;
      expect(text.length).toBeLessThanOrEqual(characters);
      expect(text.split('\n').length).toBeLessThanOrEqual(maxLines);
      expect(all.startsWith(text)).toBe(true);
      expect(cut === '').toBe(text === all);
    }),
  );
});

const FAILS = new CausewayError('github_failed', 'GitHub limits the rate of this installation.');
const NOTICE = 'GitHub did not answer for every project';

async function groundWithout(silent: readonly string[]): Promise<WebGround> {
  const repositories = [repository('octo/app'), repository('octo/shop')];
  const ground = await webGround({ signInMethod: onGithub(''), repositories });
  ground.deps.permissions.roleOf = async (_account, { name }) => {
    if (silent.includes(name)) throw FAILS;
    return 'admin';
  };
  return ground;
}

describe('while GitHub does not answer for every project', () => {
  it.each(['/projects', '/projects?q=octo', '/usage', '/audit', '/account/tokens/new'])(
    '%s is shown, and says so',
    async (path) => {
      await using ground = await groundWithout(['octo/shop']);
      const words = contentOf(await ground.visitor.page(path));
      expect(words).toContain(NOTICE);
      expect(words).not.toContain('octo/shop');
      if (path !== '/usage' && path !== '/audit') expect(words).toContain('octo/app');
      ground.deps.permissions.roleOf = async () => 'admin';
      expect(contentOf(await ground.visitor.page(path))).not.toContain(NOTICE);
    },
  );

  it('does not claim that the person has no projects', async () => {
    await using ground = await groundWithout(['octo/app', 'octo/shop']);
    const words = contentOf(await ground.visitor.page('/projects'));
    expect(words).toContain(NOTICE);
    expect(words).not.toContain('There is no project that you may see');
  });

  it('the page of such a project, the CSV file and the API are unavailable', async () => {
    await using ground = await groundWithout(['octo/shop']);
    const [shop] = ground.projects.filter(({ name }) => name === 'octo/shop');
    if (shop === undefined) throw new Error('there is no shop');
    expect((await ground.visitor.get(`/projects/${shop.id}`)).status).toBe(404);
    await ground.accepted({ project: shop, accountId: ground.visitor.account.id });
    expect((await ground.visitor.get(`/projects/${shop.id}`)).status).toBe(503);
    expect((await ground.visitor.get('/usage?format=csv')).status).toBe(503);
    const asking = { account: ground.visitor.account, reach: null, signal: new AbortController().signal };
    await expect(listVisibleProjects(ground.deps, asking)).rejects.toBe(FAILS);
  });

  it('a fault that is not of GitHub is none that can be left out', async () => {
    await using ground = await groundWithout([]);
    ground.deps.permissions.roleOf = async () => {
      throw new Error('broken');
    };
    expect((await ground.visitor.get('/projects')).status).toBe(500);
  });
});
