// A repository that wants to run something: every way that git offers, and a canary that must stay silent.
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type GitRepository, gitRepository } from './git-repository.ts';
import { pathProject, SIGNAL, testSource, treeOf } from './open-project.ts';

/** A program that leaves a file behind, whatever it is called for. */
function canary(repo: GitRepository): { readonly program: string; readonly sung: () => boolean } {
  const mark = join(dirname(repo.path), 'sung');
  const program = join(dirname(repo.path), 'canary.sh');
  writeFileSync(program, `#!/bin/sh\ntouch '${mark}'\nexec cat\n`);
  chmodSync(program, 0o755);
  return { program, sung: () => existsSync(mark) };
}

function arm(repo: GitRepository, program: string): void {
  const gitDir = join(repo.path, '.git');
  for (const [key, value] of [
    ['core.fsmonitor', program],
    ['core.sshCommand', program],
    ['core.pager', program],
    ['core.editor', program],
    ['core.askPass', program],
    ['core.alternateRefsCommand', program],
    ['core.gitProxy', program],
    ['credential.helper', program],
    ['uploadpack.packObjectsHook', program],
    ['diff.external', program],
    ['diff.evil.textconv', program],
    ['diff.evil.command', program],
    ['filter.evil.smudge', program],
    ['filter.evil.clean', program],
    ['filter.evil.process', program],
    ['merge.evil.driver', program],
    ['gpg.program', program],
    ['log.showSignature', 'true'],
    ['interactive.diffFilter', program],
    ['alias.rev-parse', `!${program}`],
    ['alias.fetch', `!${program}`],
    ['remote.origin.url', `ext::${program}`],
    ['remote.origin.uploadpack', program],
    ['remote.origin.promisor', 'true'],
    ['remote.origin.partialclonefilter', 'blob:none'],
    ['extensions.partialClone', 'origin'],
    ['protocol.allow', 'always'],
    ['protocol.ext.allow', 'always'],
  ] as const) {
    repo.git('config', key, value);
  }
  mkdirSync(join(gitDir, 'hooks'), { recursive: true });
  mkdirSync(join(gitDir, 'info'), { recursive: true });
  for (const hook of [
    'post-checkout',
    'reference-transaction',
    'post-index-change',
    'pre-auto-gc',
    'fsmonitor-watchman',
  ]) {
    writeFileSync(join(gitDir, 'hooks', hook), `#!/bin/sh\nexec '${program}'\n`, { mode: 0o755 });
  }
  writeFileSync(join(gitDir, 'info', 'attributes'), '* diff=evil filter=evil merge=evil\n');
}

describe('a hostile local repository', () => {
  it('runs nothing, whatever is asked of it', async () => {
    await using repo = await gitRepository();
    await using kept = testSource();
    const { program, sung } = canary(repo);
    const first = await repo.commit(
      { '.gitattributes': '* diff=evil filter=evil text\n', 'a.txt': 'needle\n' },
      'first',
    );
    await repo.commit(
      { 'a.txt': 'needle two\n', '.gitmodules': '[submodule "x"]\n\tpath = x\n\turl = ext::x\n' },
      'two',
    );
    arm(repo, program);
    expect(sung()).toBe(false);
    const tree = await treeOf(await kept.source.open(pathProject(repo.path), SIGNAL));
    await tree.files(SIGNAL);
    expect(await tree.read('a.txt', {}, SIGNAL)).toMatchObject({ text: 'needle two\n' });
    expect(
      (await tree.search({ pattern: 'needle', regex: true, ignoreCase: true, paths: [] }, SIGNAL)).hits,
    ).toHaveLength(1);
    expect((await tree.history({ path: 'a.txt', lines: { from: 1, to: 1 } }, SIGNAL)).commits).toHaveLength(2);
    expect((await tree.history({ path: 'a.txt' }, SIGNAL)).commits).toHaveLength(2);
    expect(await tree.blame('a.txt', { from: 1, to: 1 }, SIGNAL)).toHaveLength(1);
    expect((await tree.compare(first, { path: 'a.txt' }, SIGNAL)).patch).toContain('+needle two');
    expect(sung()).toBe(false);
    // The canary can sing: git run by hand in that folder does start it.
    repo.git('status');
    expect(sung()).toBe(true);
  });

  it('that lacks objects is not made to fetch them through its own remote', async () => {
    await using repo = await gitRepository();
    await using kept = testSource();
    const { program, sung } = canary(repo);
    await repo.commit({ 'a.txt': 'needle\n' }, 'first');
    const blob = repo.git('rev-parse', 'HEAD:a.txt');
    repo.git('config', 'core.repositoryFormatVersion', '1');
    arm(repo, program);
    rmSync(join(repo.path, '.git', 'objects', blob.slice(0, 2), blob.slice(2)));
    const tree = await treeOf(await kept.source.open(pathProject(repo.path), SIGNAL));
    await expect(tree.read('a.txt', {}, SIGNAL)).rejects.toMatchObject({ code: 'absent' });
    expect(sung()).toBe(false);
  });

  it('that is a partial clone runs nothing either', async () => {
    await using repo = await gitRepository();
    await using kept = testSource();
    const { program, sung } = canary(repo);
    await repo.commit({ 'a.txt': 'needle\n' }, 'first');
    repo.git('repack', '-a', '-d', '--quiet');
    const packs = readdirSync(join(repo.path, '.git', 'objects', 'pack'));
    const name = packs.find((each) => each.endsWith('.pack')) ?? '';
    writeFileSync(join(repo.path, '.git', 'objects', 'pack', name.replace('.pack', '.promisor')), '');
    const tree = repo.git('mktree', '--missing');
    const commit = repo.git('commit-tree', tree, '-p', 'HEAD', '-m', 'second');
    repo.git('update-ref', 'refs/heads/main', commit);
    arm(repo, program);
    const repository = await kept.source.open(pathProject(repo.path), SIGNAL);
    expect(await repository.resolve('', SIGNAL)).toBe(commit);
    expect((await (await treeOf(repository, 'main')).history({}, SIGNAL)).commits).toHaveLength(2);
    expect(sung()).toBe(false);
  });

  it('says who wrote what in plain words: no escape sequence, nothing that turns text around', async () => {
    await using repo = await gitRepository();
    const subject = '\u001b]8;;http://e.vil\u0007Mend\u001b]8;;\u0007 \u202ethe \u009b31mcart\ttoday';
    await repo.commit({ 'a.js': 'start();\n' }, subject, { author: 'Ada \u001b[2J\u2066Example' });
    await using kept = testSource();
    const tree = await treeOf(await kept.source.open(pathProject(repo.path), SIGNAL));
    const said = { author: 'Ada Example', subject: 'Mend the 31mcart\ttoday' };
    expect((await tree.history({ limit: 5 }, SIGNAL)).commits).toMatchObject([said]);
    expect(await tree.blame('a.js', { from: 1, to: 1 }, SIGNAL)).toMatchObject([said]);
  });

  it('cannot replace what a commit says', async () => {
    await using repo = await gitRepository();
    await using kept = testSource();
    await repo.commit({ 'a.txt': 'true\n' }, 'first');
    const real = repo.git('rev-parse', 'HEAD:a.txt');
    const fake = repo.git('rev-parse', `${await repo.commit({ 'a.txt': 'fake\n' }, 'second')}:a.txt`);
    repo.git('reset', '--quiet', '--hard', 'HEAD~1');
    repo.git('replace', real, fake);
    const tree = await treeOf(await kept.source.open(pathProject(repo.path), SIGNAL));
    expect(await tree.read('a.txt', {}, SIGNAL)).toMatchObject({ text: 'true\n' });
  });
});
