// Which repositories local mode finds, and what it calls them.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findLocalProjects } from '../../src/app/local.ts';
import { gitRepository } from '../support/git-repository.ts';
import { temporaryFolder } from '../support/service.ts';

describe('the projects of local mode', () => {
  it('are the repository around the caller, wherever in it the caller stands', async () => {
    await using repository = await gitRepository({ folder: 'shop' });
    mkdirSync(path.join(repository.path, 'deep', 'down'), { recursive: true });
    const [project, ...others] = findLocalProjects([], path.join(repository.path, 'deep', 'down'));
    expect(project?.name).toBe('local/shop');
    expect(others).toEqual([]);
  });

  it('are none where the caller stands in no repository', async () => {
    await using folder = await temporaryFolder();
    expect(findLocalProjects([], folder.path)).toEqual([]);
  });

  it('are named once where two paths lead to one, and by their folder even where two have one name', async () => {
    await using one = await gitRepository({ folder: 'shop' });
    await using two = await gitRepository({ folder: 'shop' });
    mkdirSync(path.join(one.path, 'src'));
    const found = findLocalProjects([one.path, two.path, path.join(one.path, 'src')], '/');
    expect(found).toEqual([
      { name: 'local/shop', source: { kind: 'path', path: one.path } },
      { name: 'local/shop', source: { kind: 'path', path: two.path } },
    ]);
  });

  it('that are no repositories are all named at once', async () => {
    await using folder = await temporaryFolder();
    const wrong = [folder.path, path.join(folder.path, 'absent')];
    const words = wrong.map((each) => `PROJECTS names ${each}, which is not in a git repository`);
    expect(() => findLocalProjects(wrong, '/')).toThrow(expect.objectContaining({ code: 'usage' }));
    expect(() => findLocalProjects(wrong, '/')).toThrow(new RegExp(`^${words.join('.*\\n')}`));
  });

  it('that are no repositories are refused by name, with the repair', async () => {
    await using folder = await temporaryFolder();
    for (const wrong of [folder.path, path.join(folder.path, 'absent')]) {
      expect(() => findLocalProjects([wrong], '/')).toThrow(
        `PROJECTS names ${wrong}, which is not in a git repository`,
      );
    }
  });
});
