// The sandbox repository by git: the demo's shop is pushed into it, changed, and what was there before is put back.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Ground } from './ground.ts';

const BUNDLE = path.join(import.meta.dirname, '..', '..', 'demo', 'corner-shop.bundle');
/** A repository with this file on its default branch is there to be overwritten. */
export const MARKER = '.causeway-sandbox';
const MARKER_TEXT = 'npm run try-github may overwrite everything in this repository.\n';
const WORKFLOW = `name: tests
on: push
permissions:
  contents: read
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      # actions/checkout v7.0.1
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1
        with:
          persist-credentials: false
      - run: node --test
`;
/** The person has write, so with `fix` the label alone would open the pull request. */
const MODE_COMMENT = 'mode: comment\n';
export const MODE_FIX = 'mode: fix\n';
export const CONFIG = '.github/causeway.yml';

export interface Sandbox extends AsyncDisposable {
  /** Their commits, by name. */
  branches(): Promise<ReadonlyMap<string, string>>;
  /** The shop with its workflow on that branch, whatever was on it; its commit. */
  pushShop(branch: string): Promise<string>;
  /** A commit on top of `from` that sets files, pushed as `branch`; its sha. */
  push(
    branch: string,
    change: { readonly from: string; readonly message: string; readonly files: Readonly<Record<string, string>> },
  ): Promise<string>;
  /** Text of a file at a commit that was pushed from here. */
  read(commit: string, file: string): Promise<string>;
  /** Sets the branch to what it was; without a commit to the marker alone, since a default branch cannot be deleted. */
  restore(branch: string, commit: string | null): Promise<void>;
  remove(branches: readonly string[]): Promise<void>;
}

export async function openSandbox({
  webUrl,
  sandbox,
  token,
}: Pick<Ground, 'webUrl' | 'sandbox' | 'token'>): Promise<Sandbox> {
  const folder = await mkdtemp(path.join(tmpdir(), 'try-github-'));
  const basic = Buffer.from(`x-access-token:${token}`).toString('base64');
  const identity = { NAME: 'try-github', EMAIL: 'try-github@users.noreply.github.com' };
  const env = {
    PATH: process.env['PATH'],
    HTTPS_PROXY: process.env['HTTPS_PROXY'],
    NO_PROXY: process.env['NO_PROXY'],
    HOME: folder,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    // In the environment and not in the arguments, which everyone on the machine sees.
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'http.extraHeader',
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${basic}`,
    ...Object.fromEntries(
      Object.entries(identity).flatMap(([name, value]) => [
        [`GIT_AUTHOR_${name}`, value],
        [`GIT_COMMITTER_${name}`, value],
      ]),
    ),
  };
  const git = async (...args: string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)('git', args, { cwd: folder, env, timeout: 120_000 });
    return stdout.trim();
  };
  const remote = `${webUrl}/${sandbox}.git`;
  const commit = async (message: string, files: Readonly<Record<string, string>>): Promise<string> => {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
      await writeFile(path.join(folder, name), text);
    }
    await git('add', '--all');
    await git('commit', '--quiet', '--allow-empty', '-m', message);
    return git('rev-parse', 'HEAD');
  };
  const send = (sha: string, branch: string) =>
    git('push', '--quiet', '--force', remote, `${sha}:refs/heads/${branch}`);
  await git('init', '--quiet', '--initial-branch=work', '.');
  return {
    branches: async () => {
      const lines = (await git('ls-remote', '--heads', remote)).split('\n').filter((line) => line !== '');
      return new Map(
        lines.map((line): [string, string] => {
          const [sha = '', ref = ''] = line.split('\t');
          return [ref.replace('refs/heads/', ''), sha];
        }),
      );
    },
    pushShop: async (branch) => {
      await git('fetch', '--quiet', BUNDLE, '+refs/heads/*:refs/shop/*');
      const [tip = ''] = (await git('for-each-ref', '--format=%(objectname)', 'refs/shop/')).split('\n');
      await git('checkout', '--quiet', '--detach', tip);
      const sha = await commit('Run the tests on every push', {
        [MARKER]: MARKER_TEXT,
        [CONFIG]: MODE_COMMENT,
        '.github/workflows/tests.yml': WORKFLOW,
      });
      await send(sha, branch);
      return sha;
    },
    push: async (branch, { from, message, files }) => {
      await git('checkout', '--quiet', '--detach', from);
      const sha = await commit(message, files);
      await send(sha, branch);
      return sha;
    },
    read: (sha, file) => git('show', `${sha}:${file}`),
    restore: async (branch, before) => {
      if (before !== null) {
        await git('fetch', '--quiet', remote, before);
        await send(before, branch);
        return;
      }
      await git('checkout', '--quiet', '--orphan', 'marker');
      await git('rm', '-r', '--quiet', '--force', '.');
      await send(await commit('Leave this repository to npm run try-github', { [MARKER]: MARKER_TEXT }), branch);
    },
    remove: async (branches) => {
      if (branches.length > 0) await git('push', '--quiet', remote, ...branches.map((name) => `:refs/heads/${name}`));
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

export async function readReport(): Promise<{ readonly title: string; readonly body: string }> {
  const text = await readFile(path.join(path.dirname(BUNDLE), 'report.md'), 'utf8');
  const [title = '', ...rest] = text.split('\n');
  return { title, body: rest.join('\n').trim() };
}
