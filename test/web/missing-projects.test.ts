// Pages while GitHub does not say of some project what a person may do there: the others are shown, and that some may be missing.
import { describe, expect, it } from 'vitest';
import { CausewayError } from '../../src/core/errors.ts';
import { visibleProjects } from '../../src/services/access.ts';
import { contentOf } from './read-page.ts';
import { onGithub, repository, type WebGround, webGround } from './web-ground.ts';

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

describe('while GitHub does not say all', () => {
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

  it('nobody is told that there is no project for them', async () => {
    await using ground = await groundWithout(['octo/app', 'octo/shop']);
    const words = contentOf(await ground.visitor.page('/projects'));
    expect(words).toContain(NOTICE);
    expect(words).not.toContain('There is no project that you may see');
  });

  it('the page of such a project is out of reach for who was there before and absent for others, a file would not be whole, and the API is told', async () => {
    await using ground = await groundWithout(['octo/shop']);
    const [shop] = ground.projects.filter(({ name }) => name === 'octo/shop');
    if (shop === undefined) throw new Error('there is no shop');
    expect((await ground.visitor.get(`/projects/${shop.id}`)).status).toBe(404);
    await ground.accepted({ project: shop, accountId: ground.visitor.account.id });
    expect((await ground.visitor.get(`/projects/${shop.id}`)).status).toBe(503);
    expect((await ground.visitor.get('/usage?format=csv')).status).toBe(503);
    const asking = { account: ground.visitor.account, reach: null, signal: new AbortController().signal };
    await expect(visibleProjects(ground.deps, asking)).rejects.toBe(FAILS);
  });

  it('a fault that is not of GitHub is none that can be left out', async () => {
    await using ground = await groundWithout([]);
    ground.deps.permissions.roleOf = async () => {
      throw new Error('broken');
    };
    expect((await ground.visitor.get('/projects')).status).toBe(500);
  });
});
