// Opening a project: what is mirrored, what cannot be reached, and what the messages say.
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitHttp } from './git-http.ts';
import { gitRepository } from './git-repository.ts';
import { pathProject, SIGNAL, testSource, treeOf, urlProject } from './open-project.ts';

describe('a local repository', () => {
  it('opens at its default branch, from its top, from a folder inside, and bare', async () => {
    await using repo = await gitRepository();
    const sha = await repo.commit({ 'src/deep/a.txt': 'a\n' }, 'first');
    repo.git('clone', '--quiet', '--bare', '.', '../bare');
    for (const path of [repo.path, join(repo.path, 'src', 'deep'), join(repo.path, '..', 'bare')]) {
      await using kept = testSource();
      const repository = await kept.source.open(pathProject(path), SIGNAL);
      expect(repository.defaultBranch).toBe('main');
      expect(repository.shallow).toBe(false);
      expect(await repository.resolve('', SIGNAL)).toBe(sha);
    }
  });

  it('shows a new commit, a moved branch and a removed one at the next opening', async () => {
    await using repo = await gitRepository();
    await using kept = testSource();
    await repo.commit({ 'a.txt': '1' }, 'first');
    repo.branch('topic');
    const before = await kept.source.open(pathProject(repo.path), SIGNAL);
    expect(await before.resolve('topic', SIGNAL)).not.toBeNull();
    repo.git('branch', '-D', 'topic');
    const amended = await repo.commit({ 'a.txt': '2' }, 'second');
    const after = await kept.source.open(pathProject(repo.path), SIGNAL);
    expect(await after.resolve('', SIGNAL)).toBe(amended);
    expect(await after.resolve('topic', SIGNAL)).toBeNull();
  });

  it('opens with a detached HEAD: no default branch, but its commit', async () => {
    await using repo = await gitRepository();
    await using kept = testSource();
    await repo.commit({ 'a.txt': '1' }, 'first');
    repo.git('switch', '--quiet', '--detach');
    const sha = await repo.commit({ 'a.txt': '2' }, 'on no branch');
    const repository = await kept.source.open(pathProject(repo.path), SIGNAL);
    expect(repository.defaultBranch).toBe('');
    expect(await repository.resolve('', SIGNAL)).toBe(sha);
    expect(await (await kept.source.open(pathProject(repo.path), SIGNAL)).resolve('', SIGNAL)).toBe(sha);
  });

  it('opens from a linked work tree at the branch checked out there', async () => {
    await using repo = await gitRepository();
    await using kept = testSource();
    const sha = await repo.commit({ 'a.txt': '1' }, 'first');
    repo.git('worktree', 'add', '--quiet', '-b', 'topic', '../linked');
    const repository = await kept.source.open(pathProject(join(repo.path, '..', 'linked')), SIGNAL);
    expect(repository.defaultBranch).toBe('topic');
    expect(await repository.resolve('', SIGNAL)).toBe(sha);
  });

  it('falls back to the only branch where HEAD names one without a commit', async () => {
    await using repo = await gitRepository();
    await using kept = testSource();
    await repo.commit({ 'a.txt': '1' }, 'first');
    repo.git('branch', '-m', 'develop');
    repo.git('symbolic-ref', 'HEAD', 'refs/heads/main');
    const repository = await kept.source.open(pathProject(repo.path), SIGNAL);
    expect(repository.defaultBranch).toBe('develop');
    expect(await repository.resolve('', SIGNAL)).not.toBeNull();
  });

  it('opens with SHA-256 ids', async () => {
    await using repo = await gitRepository();
    await using kept = testSource();
    const path = join(repo.path, 'other');
    repo.git('init', '--quiet', '--object-format=sha256', 'other');
    writeFileSync(join(path, 'a.txt'), 'a\n');
    repo.git('-C', path, 'add', '.');
    repo.git('-C', path, 'commit', '--quiet', '-m', 'first');
    const repository = await kept.source.open(pathProject(path), SIGNAL);
    expect(await repository.resolve('', SIGNAL)).toMatch(/^[0-9a-f]{64}$/);
    expect(await (await treeOf(repository)).read('a.txt', {}, SIGNAL)).toMatchObject({ text: 'a\n' });
  });

  it('of another user opens too', async ({ skip }) => {
    if (process.getuid?.() !== 0) skip();
    await using repo = await gitRepository();
    await using kept = testSource();
    await repo.commit({ 'a.txt': '1' }, 'first');
    for (const path of [repo.path, join(repo.path, '.git')]) chownSync(path, 12_345, 12_345);
    const repository = await kept.source.open(pathProject(repo.path), SIGNAL);
    expect(repository.defaultBranch).toBe('main');
  });

  it('with a shallow history opens and says so, and is complete once its source is', async () => {
    await using repo = await gitRepository();
    await using kept = testSource();
    const first = await repo.commit({ 'a.txt': '1\n' }, 'first');
    await repo.commit({ 'a.txt': '1\n2\n' }, 'second');
    const last = await repo.commit({ 'a.txt': '1\n2\n3\n' }, 'third');
    repo.git('clone', '--quiet', '--depth=1', `file://${repo.path}`, '../cut');
    const path = join(repo.path, '..', 'cut');
    const cut = await kept.source.open(pathProject(path), SIGNAL);
    expect(cut.shallow).toBe(true);
    expect(await cut.resolve('', SIGNAL)).toBe(last);
    const history = await (await treeOf(cut)).history({}, SIGNAL);
    expect(history.commits.map((commit) => commit.sha)).toEqual([last]);
    expect(history.cut).toContain('shallow');
    repo.git('-C', path, 'fetch', '--quiet', '--unshallow');
    const whole = await kept.source.open(pathProject(path), SIGNAL);
    expect(whole.shallow).toBe(false);
    expect((await (await treeOf(whole)).history({}, SIGNAL)).commits.at(-1)?.sha).toBe(first);
  });
});

describe('a partial clone', () => {
  it('opens with what it has, shows what is new, and says which content is not there', async () => {
    await using repo = await gitRepository();
    await using kept = testSource();
    await repo.commit({ 'old.txt': 'old\n', 'gone.txt': 'gone\n' }, 'first');
    await repo.commit({ 'gone.txt': null }, 'second');
    repo.git('config', 'uploadpack.allowFilter', 'true');
    repo.git('clone', '--quiet', '--filter=blob:none', `file://${repo.path}`, '../partial');
    const path = join(repo.path, '..', 'partial');
    const first = await kept.source.open(pathProject(path), SIGNAL);
    expect(await (await treeOf(first)).read('old.txt', {}, SIGNAL)).toMatchObject({ text: 'old\n' });
    writeFileSync(join(path, 'new.txt'), 'new\n');
    repo.git('-C', path, 'add', '.');
    repo.git('-C', path, 'commit', '--quiet', '-m', 'third');
    const tree = await treeOf(await kept.source.open(pathProject(path), SIGNAL));
    expect(await tree.read('new.txt', {}, SIGNAL)).toMatchObject({ text: 'new\n' });
    const before = (await tree.history({}, SIGNAL)).commits.at(-1)?.sha ?? '';
    const old = (await kept.source.open(pathProject(path), SIGNAL)).tree(before);
    expect((await old.files(SIGNAL)).entries.map((entry) => entry.path)).toEqual(['gone.txt', 'old.txt']);
    await expect(old.read('gone.txt', {}, SIGNAL)).rejects.toMatchObject({
      code: 'absent',
      message: expect.stringContaining('partial clone'),
    });
    expect(await old.read('old.txt', {}, SIGNAL)).toMatchObject({ text: 'old\n' });
    const found = await old.search({ pattern: 'o', regex: false, ignoreCase: false, paths: [] }, SIGNAL);
    expect(found.hits.map((hit) => hit.path)).toEqual(['old.txt']);
  });
});

describe('what cannot be opened', () => {
  it('an empty repository is told from an unreachable one', async () => {
    await using repo = await gitRepository();
    await using kept = testSource();
    await expect(kept.source.open(pathProject(repo.path), SIGNAL)).rejects.toMatchObject({
      code: 'empty',
      message: expect.stringContaining('has no commit yet'),
    });
  });

  it('a bundle is opened like the repository that it was made of', async () => {
    await using repo = await gitRepository();
    await using kept = testSource();
    const sha = await repo.commit({ 'a.txt': 'bundled\n' }, 'First');
    const bundle = join(kept.folder, 'whole.bundle');
    repo.git('bundle', 'create', '--quiet', bundle, '--all', 'HEAD');
    const opened = await kept.source.open(pathProject(bundle), SIGNAL);
    expect(await opened.resolve('', SIGNAL)).toBe(sha);
    expect(await (await treeOf(opened)).read('a.txt', {}, SIGNAL)).toMatchObject({ text: 'bundled\n' });
  });

  it('a folder that is absent, a file, or no repository is unreachable, with the repair', async () => {
    await using kept = testSource();
    const plain = join(kept.folder, 'plain');
    mkdirSync(plain);
    writeFileSync(join(plain, 'file'), '');
    const cases: [string, string, string][] = [
      [join(plain, 'absent'), 'not_found', 'no such folder'],
      [join(plain, 'file'), 'not_found', 'it is a file'],
      [plain, 'not_found', 'no git repository'],
    ];
    for (const [path, code, words] of cases) {
      await expect(kept.source.open(pathProject(path), SIGNAL)).rejects.toMatchObject({
        code,
        message: expect.stringContaining(words),
      });
    }
  });

  it.each(['https://user:hunter2hunter2@example.com/x.git', 'https://token@example.com/x.git'])(
    'the address %s is refused for its credentials and not repeated',
    async (url) => {
      await using kept = testSource();
      const refusal = kept.source.open(urlProject(url), SIGNAL);
      await expect(refusal).rejects.toMatchObject({
        code: 'unreachable',
        message: expect.stringContaining('user name or password'),
      });
      await expect(refusal).rejects.not.toMatchObject({ message: expect.stringContaining('@') });
    },
  );

  it.each([
    'ssh://git@example.com/x.git',
    'ext::sh -c "touch pwned"',
    'file:///etc',
    '--upload-pack=touch pwned',
    'git@example.com:x.git',
  ])('the address %s is refused for its kind', async (url) => {
    await using kept = testSource();
    await expect(kept.source.open(urlProject(url), SIGNAL)).rejects.toMatchObject({
      message: expect.stringContaining('not an http or https address'),
    });
    expect(existsSync('pwned')).toBe(false);
  });

  it('a project id that would leave the folder is refused', async () => {
    await using kept = testSource();
    for (const id of ['../x', 'a/b', '', '.', '-x/']) {
      await expect(kept.source.open(pathProject(kept.folder, id), SIGNAL)).rejects.toMatchObject({ code: 'invalid' });
      await expect(kept.source.forget(id)).rejects.toMatchObject({ code: 'invalid' });
    }
  });

  it('a mirror that is damaged is made anew', async () => {
    await using repo = await gitRepository();
    await using kept = testSource();
    const sha = await repo.commit({ 'a.txt': '1' }, 'first');
    await kept.source.open(pathProject(repo.path), SIGNAL);
    writeFileSync(join(kept.folder, 'prj_test.git', 'HEAD'), '');
    const repository = await kept.source.open(pathProject(repo.path), SIGNAL);
    expect(await repository.resolve('main', SIGNAL)).toBe(sha);
  });

  it('lock files of a killed git stand in nobody’s way', async () => {
    await using repo = await gitRepository();
    await using server = await gitHttp({ root: dirname(repo.path) });
    await using kept = testSource();
    await repo.commit({ 'a.txt': '1' }, 'first');
    const project = urlProject(`${server.url}project/.git`);
    await kept.source.open(project, SIGNAL);
    const mirror = join(kept.folder, 'prj_test.git');
    for (const name of ['packed-refs.lock', 'HEAD.lock', 'shallow.lock', 'refs/heads/main.lock']) {
      writeFileSync(join(mirror, name), '');
    }
    writeFileSync(join(mirror, 'objects', 'pack', 'tmp_pack_abc'), 'half');
    const sha = await repo.commit({ 'a.txt': '2' }, 'second');
    const repository = await kept.source.open(project, SIGNAL);
    expect(await repository.resolve('', SIGNAL)).toBe(sha);
    expect(readdirSync(join(mirror, 'objects', 'pack'))).not.toContain('tmp_pack_abc');
  });

  it('a repository that may not be read says so', async ({ skip }) => {
    if (process.getuid?.() === 0) skip();
    await using repo = await gitRepository();
    await using kept = testSource();
    await repo.commit({ 'a.txt': '1' }, 'first');
    chmodSync(repo.path, 0);
    await expect(kept.source.open(pathProject(repo.path), SIGNAL)).rejects.toMatchObject({
      code: 'unreachable',
    });
    chmodSync(repo.path, 0o700);
  });
});

describe('forgetting', () => {
  it('leaves nothing of the repository, may be repeated, and the project can be opened again', async () => {
    await using repo = await gitRepository();
    await using kept = testSource();
    await repo.commit({ 'a.txt': '1' }, 'first');
    await kept.source.open(pathProject(repo.path), SIGNAL);
    await kept.source.forget('prj_test');
    await kept.source.forget('prj_test');
    expect(readdirSync(kept.folder)).toEqual(['locks']);
    expect((await kept.source.open(pathProject(repo.path), SIGNAL)).defaultBranch).toBe('main');
  });
});
