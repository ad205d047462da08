// Commits that no branch or tag leads to: fetched from a remote by their full sha, once, and never by less.
import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Repository } from '../src/source.ts';
import { type GitHttpOptions, gitHttp } from './git-http.ts';
import { type GitRepository, gitRepository } from './git-repository.ts';
import { pathProject, SIGNAL, type TestSource, testSource, urlProject } from './open-project.ts';

const PASSWORD = 'ghs_S3cretOfThisTest0001';
const BASIC = Buffer.from(`x-access-token:${PASSWORD}`).toString('base64');
const credentials = async () => ({ username: 'x-access-token', password: PASSWORD });

interface Ground extends AsyncDisposable {
  readonly repo: GitRepository;
  readonly server: Awaited<ReturnType<typeof gitHttp>>;
  readonly kept: TestSource;
  readonly project: ReturnType<typeof urlProject>;
  /** Of the default branch. */
  readonly base: string;
  /** Of a pull request from a fork: `refs/pull/1/head` alone leads to it. */
  readonly head: string;
  /** Requests for a pack so far. */
  packs(): number;
}

async function ground(
  options: { readonly source?: Parameters<typeof testSource>[0]; readonly http?: Partial<GitHttpOptions> } = {},
): Promise<Ground> {
  await using stack = new AsyncDisposableStack();
  const repo = stack.use(await gitRepository());
  const server = stack.use(await gitHttp({ root: dirname(repo.path), ...options.http }));
  const kept = stack.use(testSource(options.source));
  const base = await repo.commit({ 'a.txt': 'a\n' }, 'first');
  const head = await besideBranches(repo, { 'a.txt': 'of the fork\n', 'b.txt': 'b\n' });
  repo.git('update-ref', 'refs/pull/1/head', head);
  repo.git('config', 'uploadpack.allowAnySHA1InWant', 'true');
  const owned = stack.move();
  return {
    ...{ repo, server, kept, base, head },
    project: urlProject(`${server.url}project/.git`),
    packs: () => server.requests.filter(({ path }) => path.endsWith('git-upload-pack')).length,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** A commit on top of main that no branch has. */
async function besideBranches(repo: GitRepository, files: Readonly<Record<string, string>>): Promise<string> {
  repo.git('switch', '--quiet', '--detach', 'main');
  const sha = await repo.commit(files, 'beside');
  repo.git('switch', '--quiet', 'main');
  return sha;
}

/** The commit's full sha, fetched where it is not there. */
async function fetched(repository: Repository, sha: string): Promise<string | null> {
  return (await repository.ensureCommit(sha, SIGNAL)) ? repository.resolve(sha, SIGNAL) : null;
}

function refsOf({ kept }: Ground): readonly string[] {
  const gitDir = join(kept.folder, 'prj_test.git');
  const args = ['--git-dir', gitDir, 'for-each-ref', '--format=%(refname)', 'refs/causeway/fetched'];
  return execFileSync('git', args).toString().split('\n').filter(Boolean);
}

describe('a commit that only the head of a pull request leads to', () => {
  it('is fetched by its full sha; its files, history and comparison read like any other', async () => {
    await using it = await ground();
    const repository = await it.kept.source.open(it.project, SIGNAL);
    expect(await fetched(repository, it.head.toUpperCase())).toBe(it.head);
    const tree = repository.tree(it.head);
    expect((await tree.files(SIGNAL)).entries.map(({ path }) => path)).toEqual(['a.txt', 'b.txt']);
    expect(await tree.read('a.txt', {}, SIGNAL)).toMatchObject({ text: 'of the fork\n' });
    const { commits } = await tree.history({}, SIGNAL);
    expect(commits.map(({ sha }) => sha)).toEqual([it.head, it.base]);
    const { files } = await tree.compare(it.base, {}, SIGNAL);
    expect(files.map(({ path, status }) => `${status} ${path}`)).toEqual(['modified a.txt', 'added b.txt']);
  });

  it('is not there for a report that only names it: nothing is fetched for that', async () => {
    await using it = await ground();
    const repository = await it.kept.source.open(it.project, SIGNAL);
    const before = it.server.requests.length;
    expect(await repository.resolve(it.head, SIGNAL)).toBeNull();
    expect(it.server.requests).toHaveLength(before);
  });

  it('is not fetched by a part of its sha, by its ref, or where its sha is not asked for', async () => {
    await using it = await ground();
    const repository = await it.kept.source.open(it.project, SIGNAL);
    const before = it.server.requests.length;
    for (const name of [it.head.slice(0, 39), 'refs/pull/1/head', 'pull/1/head', `${it.head}^{}`, 'a'.repeat(64)]) {
      expect(await fetched(repository, name), name).toBe(null);
    }
    expect(await fetched(repository, it.base)).toBe(it.base);
    expect(it.server.requests.length).toBe(before);
  });

  it('is fetched once for all who ask at the same time, and for all who ask later', async () => {
    let asked = 0;
    const counted = async () => {
      asked += 1;
      return null;
    };
    await using it = await ground({ source: { credentials: counted } });
    const repository = await it.kept.source.open(it.project, SIGNAL);
    asked = 0;
    const asking = [1, 2, 3].map(() => fetched(repository, it.head));
    expect(await Promise.all(asking)).toEqual([it.head, it.head, it.head]);
    expect(asked).toBe(1);
    expect(refsOf(it)).toHaveLength(1);
    const later = await it.kept.source.open(it.project, SIGNAL);
    asked = 0;
    expect(await fetched(later, it.head)).toBe(it.head);
    expect(asked).toBe(0);
  });

  it('stays through a refresh that prunes', async () => {
    await using it = await ground();
    it.repo.branch('gone');
    const repository = await it.kept.source.open(it.project, SIGNAL);
    await fetched(repository, it.head);
    const refs = refsOf(it);
    it.repo.git('branch', '-D', 'gone');
    const next = await it.repo.commit({ 'a.txt': 'next\n' }, 'next');
    const refreshed = await it.kept.source.open(it.project, SIGNAL);
    expect(await refreshed.resolve('gone', SIGNAL)).toBe(null);
    expect(await refreshed.resolve('', SIGNAL)).toBe(next);
    expect(refsOf(it)).toEqual(refs);
    await it.server.close();
    expect(await fetched(refreshed, it.head)).toBe(it.head);
  });

  it('is fetched again where the mirror is made anew while it is read', async () => {
    await using it = await ground();
    const repository = await it.kept.source.open(it.project, SIGNAL);
    await fetched(repository, it.head);
    const packs = join(it.kept.folder, 'prj_test.git', 'objects', 'pack');
    for (const name of readdirSync(packs)) rmSync(join(packs, name), { force: true });
    expect(await repository.tree(it.head).read('b.txt', {}, SIGNAL)).toMatchObject({ text: 'b\n' });
  });
});

describe('a commit that was pushed away', () => {
  it('is fetched where the server gives out any, also under the old protocol', async () => {
    await using it = await ground({ http: { intercept: oldProtocol } });
    const lost = await besideBranches(it.repo, { 'a.txt': 'lost\n' });
    const repository = await it.kept.source.open(it.project, SIGNAL);
    expect(await fetched(repository, lost)).toBe(lost);
    expect(await repository.tree(lost).read('a.txt', {}, SIGNAL)).toMatchObject({ text: 'lost\n' });
  });

  it('is not there where the server refuses it', async () => {
    await using it = await ground({ http: { intercept: oldProtocol } });
    it.repo.git('config', 'uploadpack.allowAnySHA1InWant', 'false');
    const lost = await besideBranches(it.repo, { 'a.txt': 'lost\n' });
    const repository = await it.kept.source.open(it.project, SIGNAL);
    expect(await fetched(repository, lost)).toBe(null);
    expect(refsOf(it)).toEqual([]);
  });
});

describe('a commit that the server does not know', () => {
  const UNKNOWN = '0123456789abcdef0123456789abcdef01234567';

  it('is null, and not asked for again at once', async () => {
    await using it = await ground();
    const repository = await it.kept.source.open(it.project, SIGNAL);
    const before = it.packs();
    expect(await fetched(repository, UNKNOWN)).toBe(null);
    const after = it.packs();
    expect(after).toBeGreaterThan(before);
    const other = await it.kept.source.open(it.project, SIGNAL);
    const opened = it.packs();
    expect(await fetched(other, UNKNOWN)).toBe(null);
    expect(it.packs()).toBe(opened);
  });

  it('is asked for anew later: it may have come', async () => {
    await using it = await ground({ source: { refusalLastsMs: 0 }, http: { intercept: oldProtocol } });
    it.repo.git('config', 'uploadpack.allowAnySHA1InWant', 'false');
    const lost = await besideBranches(it.repo, { 'a.txt': 'lost\n' });
    const repository = await it.kept.source.open(it.project, SIGNAL);
    expect(await fetched(repository, lost)).toBe(null);
    it.repo.git('update-ref', 'refs/pull/2/head', lost);
    expect(await fetched(repository, lost)).toBe(lost);
  });

  it('is not looked for in a repository on this disk', async () => {
    await using it = await ground();
    const repository = await it.kept.source.open(pathProject(it.repo.path), SIGNAL);
    expect(await fetched(repository, UNKNOWN)).toBe(null);
    expect(refsOf(it)).toEqual([]);
  });
});

describe('fetching by sha', () => {
  it('fails in words where the server is away, and goes on once it is back', async () => {
    let isAway = false;
    await using it = await ground({
      http: {
        intercept: (_, response) => {
          if (isAway) response.writeHead(503).end();
          return isAway;
        },
      },
    });
    const repository = await it.kept.source.open(it.project, SIGNAL);
    isAway = true;
    await expect(fetched(repository, it.head)).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('acme/project'),
    });
    isAway = false;
    expect(await fetched(repository, it.head)).toBe(it.head);
  });

  it('uses the credentials of the project, which are in no argument of any process', async ({ skip }) => {
    if (process.platform !== 'linux') skip();
    const seen: string[] = [];
    const intercept = () => {
      seen.push(execFileSync('ps', ['-eo', 'args']).toString());
      return false;
    };
    await using it = await ground({
      source: { credentials },
      http: { username: 'x-access-token', password: PASSWORD, intercept },
    });
    const repository = await it.kept.source.open(it.project, SIGNAL);
    seen.length = 0;
    expect(await fetched(repository, it.head)).toBe(it.head);
    expect(seen.some((processes) => processes.includes(it.head))).toBe(true);
    expect(seen.filter((processes) => processes.includes(PASSWORD) || processes.includes(BASIC))).toEqual([]);
  });
});

/** Without its header git speaks protocol 0, under which a server gives out only what it announced unless it was told otherwise. */
function oldProtocol(request: Parameters<NonNullable<GitHttpOptions['intercept']>>[0]): boolean {
  delete request.headers['git-protocol'];
  return false;
}
