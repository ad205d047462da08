// What the release workflow runs: the tag is checked, and the Action's folder goes into the version's tags and never onto main.
import { execFile, execFileSync } from 'node:child_process';
import { chmod, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/service.ts';

const run = promisify(execFile);
const ROOT = path.join(import.meta.dirname, '..', '..');
const SCRIPTS = path.join(ROOT, 'scripts', 'release');
const { version } = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8'));
const git = (cwd: string, ...args: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=Nora', '-c', 'user.email=nora@example.com', ...args], {
    cwd,
    encoding: 'utf8',
  }).trim();

const UNTRIED: readonly string[] = JSON.parse(await readFile(path.join(SCRIPTS, 'untried.json'), 'utf8'));

it('the README says what was not tried, as the release page does', async () => {
  const text = (await readFile(path.join(ROOT, 'README.md'), 'utf8')).replaceAll(/\s+/g, ' ');
  expect(/\*\*Status\.\*\*.*?Untried: (.*?)\./.exec(text)?.[1]).toBe(UNTRIED.join(', '));
});

describe('a tag', () => {
  it('of the version in package.json gives the version', async () => {
    const { stdout } = await run(process.execPath, [path.join(SCRIPTS, 'check-tag.mjs'), `release/${version}`]);
    expect(stdout).toBe(`version=${version}\n`);
  });

  it.each(['release/9.9.9', `v${version}`, version, ''])('"%s" is refused, with the one to push', async (tag) => {
    const refused = run(process.execPath, [path.join(SCRIPTS, 'check-tag.mjs'), tag]);
    await expect(refused).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(`tag release/${version}`),
    });
  });
});

it('npm takes what the workflow publishes for the tarball, and not for a repository on GitHub', async () => {
  const workflow = await readFile(path.join(ROOT, '.github', 'workflows', 'release.yml'), 'utf8');
  const [command = ''] = /npm publish .*/.exec(workflow) ?? [];
  await using folder = await temporaryFolder();
  const source = path.join(folder.path, 'source');
  for (const made of [source, path.join(folder.path, 'release')]) await mkdir(made);
  await writeFile(path.join(source, 'package.json'), '{ "name": "@acme/causeway", "version": "1.2.3" }\n');
  execFileSync('npm', ['pack', '--pack-destination', '../release'], { cwd: source, stdio: 'ignore' });
  const registry = '--registry=http://127.0.0.1:9/ --fetch-retries=0';
  const { stdout } = await run('bash', ['-c', `${command} --dry-run ${registry}`], { cwd: folder.path });
  expect(stdout).toBe('+ @acme/causeway@1.2.3\n');
});

it('publishes the Action in the tags alone, with notes that say what was not tried, and shows no token', async () => {
  await using folder = await temporaryFolder();
  const remote = path.join(folder.path, 'acme', 'causeway');
  const clone = path.join(folder.path, 'clone');
  const bin = path.join(folder.path, 'bin');
  for (const made of [remote, bin]) await mkdir(made, { recursive: true });
  git(remote, 'init', '--quiet', '--bare', '--initial-branch=main');
  git(folder.path, 'clone', '--quiet', remote, clone);
  await cp(SCRIPTS, path.join(clone, 'scripts', 'release'), { recursive: true });
  await writeFile(path.join(clone, '.gitignore'), '/release/\n');
  await writeFile(
    path.join(clone, 'CHANGELOG.md'),
    '# Changelog\n\n## 1.2.3\n\n- Finds more.\n\n## 1.2.2\n\n- Found less.\n',
  );
  git(clone, 'add', '--all');
  git(clone, 'commit', '--quiet', '--message', 'Release 1.2.3');
  git(clone, 'push', '--quiet', 'origin', 'HEAD:main');
  await mkdir(path.join(clone, 'release', 'action', 'node_modules', 'x'), { recursive: true });
  await writeFile(path.join(clone, 'release', 'action', 'index.js'), '// built\n');
  await writeFile(path.join(clone, 'release', 'action', 'node_modules', 'x', 'x.node'), 'binary');
  await writeFile(path.join(clone, 'release', 'causeway-1.2.3.tgz'), 'package');
  // The programs of the runner, as far as the script uses them: each notes what it was started with.
  for (const name of ['docker', 'gh', 'npm']) {
    const file = path.join(bin, name);
    await writeFile(
      file,
      `#!/bin/sh\ncat > /dev/null < /dev/null\necho "${name} $*" >> "${folder.path}/calls"\necho '{}'\n`,
    );
    await chmod(file, 0o755);
  }
  const env = {
    ...{
      PATH: `${bin}:${path.dirname(process.execPath)}:${process.env['PATH']}`,
      HOME: folder.path,
      GITHUB_ACTOR: 'nora',
    },
    ...{
      GITHUB_SERVER_URL: `file://${folder.path}`,
      GITHUB_REPOSITORY: 'acme/causeway',
      GITHUB_TOKEN: 'a-token-of-the-run',
    },
    ...{ VERSION: '1.2.3', DIGESTS: 'sha256:aa sha256:bb' },
  };
  const before = git(remote, 'rev-parse', 'main');
  const { stdout, stderr } = await run(path.join(clone, 'scripts', 'release', 'publish-release.sh'), {
    cwd: clone,
    env,
  });

  expect(git(remote, 'rev-parse', 'main')).toBe(before);
  expect(git(remote, 'tag').split('\n')).toEqual(['v1', 'v1.2.3']);
  for (const tag of ['v1', 'v1.2.3']) {
    expect(git(remote, 'rev-parse', `${tag}^{commit}~1`)).toBe(before);
    expect(git(remote, 'ls-tree', '-r', '--name-only', tag, 'dist-action').split('\n')).toEqual([
      'dist-action/index.js',
      'dist-action/node_modules/x/x.node',
    ]);
  }
  const calls = await readFile(path.join(folder.path, 'calls'), 'utf8');
  expect(calls).toContain(
    'imagetools create --tag ghcr.io/acme/causeway:1.2.3 --tag ghcr.io/acme/causeway:1 ghcr.io/acme/causeway@sha256:aa ghcr.io/acme/causeway@sha256:bb',
  );
  expect(calls).toContain('gh release create v1.2.3 --verify-tag');
  const notes = await readFile(path.join(clone, 'release', 'notes.md'), 'utf8');
  expect(notes).toMatch(/^- Finds more\.\n/);
  expect(notes).not.toContain('Found less');
  expect(notes).toContain('Not tried against github.com');
  for (const what of UNTRIED) expect(notes).toContain(`- ${what}`);
  expect(await readFile(path.join(clone, 'release', 'SHA256SUMS'), 'utf8')).toMatch(
    /^[0-9a-f]{64} {2}\.\/causeway-1\.2\.3\.tgz$/m,
  );
  expect(`${stdout}${stderr}${calls}${notes}`).not.toContain('a-token-of-the-run');
});
