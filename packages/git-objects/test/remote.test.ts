// A remote over http: fetched, refreshed, lost, guarded by credentials that leave no trace.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitHttp } from './git-http.ts';
import { gitRepository } from './git-repository.ts';
import { SIGNAL, temporaryFolder, testSource, treeOf, urlProject } from './open-project.ts';

const PASSWORD = 'ghs_S3cretOfThisTest0001';
const BASIC = Buffer.from(`x-access-token:${PASSWORD}`).toString('base64');
const credentials = async () => ({ username: 'x-access-token', password: PASSWORD });

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((name) => statSync(name).isFile());
}

describe('an http remote', () => {
  it('is mirrored with its branches, tags and default branch, and refreshed', async () => {
    await using repo = await gitRepository();
    await using server = await gitHttp({ root: dirname(repo.path) });
    await using kept = testSource();
    const first = await repo.commit({ 'a.txt': 'a\n' }, 'first');
    repo.tag('v1', { message: 'annotated' });
    repo.branch('topic');
    repo.git('symbolic-ref', 'HEAD', 'refs/heads/topic');
    const project = urlProject(`${server.url}project/.git`);
    const repository = await kept.source.open(project, SIGNAL);
    expect(repository.defaultBranch).toBe('topic');
    expect(await repository.resolve('v1', SIGNAL)).toBe(first);
    expect(await (await treeOf(repository)).read('a.txt', {}, SIGNAL)).toMatchObject({ kind: 'text', text: 'a\n' });
    const second = await repo.commit({ 'a.txt': 'b\n' }, 'second');
    expect(await (await kept.source.open(project, SIGNAL)).resolve('topic', SIGNAL)).toBe(second);
  });

  it('whose HEAD is on no branch is read there, at first and later', async () => {
    await using repo = await gitRepository();
    await using server = await gitHttp({ root: dirname(repo.path) });
    await using kept = testSource();
    await repo.commit({ 'a.txt': 'a\n' }, 'first');
    repo.git('checkout', '--quiet', '--detach');
    const beside = await repo.commit({ 'a.txt': 'b\n' }, 'beside');
    const project = urlProject(`${server.url}project/.git`);
    const first = await kept.source.open(project, SIGNAL);
    expect([first.defaultBranch, await first.resolve('', SIGNAL)]).toEqual(['', beside]);
    const asked = server.requests.length;
    expect(await (await kept.source.open(project, SIGNAL)).resolve('', SIGNAL)).toBe(beside);
    // Nothing to fetch: its refs are those that were cloned.
    expect(server.requests.length - asked).toBe(2);
    const later = await repo.commit({ 'a.txt': 'c\n' }, 'later');
    const next = await kept.source.open(project, SIGNAL);
    expect([next.defaultBranch, await next.resolve('', SIGNAL)]).toEqual(['', later]);
    repo.git('checkout', '--quiet', 'main');
    const back = await kept.source.open(project, SIGNAL);
    expect([back.defaultBranch, await back.resolve('', SIGNAL)]).toEqual(['main', repo.git('rev-parse', 'main')]);
  });

  it('whose HEAD is detached at the tip of branches has one of them as its default, at first and later', async () => {
    await using repo = await gitRepository();
    await using server = await gitHttp({ root: dirname(repo.path) });
    const sha = await repo.commit({ 'a.txt': 'a\n' }, 'first');
    for (const name of ['alpha', 'beta', 'master']) repo.branch(name);
    repo.git('checkout', '--quiet', '--detach');
    const project = urlProject(`${server.url}project/.git`);
    for (const [expected, gone] of [
      ['main', 'main'],
      ['master', 'master'],
      ['alpha', 'alpha'],
    ] as const) {
      await using kept = testSource();
      for (const _time of ['first', 'later']) {
        const opened = await kept.source.open(project, SIGNAL);
        expect([opened.defaultBranch, await opened.resolve('', SIGNAL)]).toEqual([expected, sha]);
      }
      repo.git('branch', '--quiet', '-D', gone);
    }
  });

  it.each(['advertise', 'ignore'])(
    'whose HEAD names no branch that is there has the same default, at first and later (%s)',
    async (unborn) => {
      await using repo = await gitRepository();
      await using server = await gitHttp({ root: dirname(repo.path) });
      await using kept = testSource();
      await repo.commit({ 'a.txt': 'a\n' }, 'first');
      repo.branch('master', await repo.commit({ 'a.txt': 'b\n' }, 'second'));
      repo.git('symbolic-ref', 'HEAD', 'refs/heads/nowhere');
      repo.git('config', 'lsrefs.unborn', unborn);
      for (const _time of ['first', 'later']) {
        const opened = await kept.source.open(urlProject(`${server.url}project/.git`), SIGNAL);
        expect([opened.defaultBranch, await opened.resolve('', SIGNAL)]).toEqual([
          'main',
          repo.git('rev-parse', 'main'),
        ]);
      }
    },
  );

  it('leaves nothing in its mirror that could be run, nor any way to another place', async () => {
    await using repo = await gitRepository();
    await using server = await gitHttp({ root: dirname(repo.path), username: 'x-access-token', password: PASSWORD });
    await using kept = testSource({ credentials });
    await repo.commit({ 'a.txt': 'a\n' }, 'first');
    const url = `${server.url}project/.git`;
    await kept.source.open(urlProject(url), SIGNAL);
    const mirror = join(kept.folder, 'prj_test.git');
    const config = repo.git('config', '--list', '--file', join(mirror, 'config')).split('\n');
    expect(config.filter((entry) => !/^core\.|^extensions\.objectformat=/.test(entry))).toEqual([]);
    expect(existsSync(join(mirror, 'hooks'))).toBe(false);
    expect(existsSync(join(mirror, 'objects', 'info', 'alternates'))).toBe(false);
    expect(filesBelow(mirror).filter((name) => name.endsWith('.keep'))).toEqual([]);
  });

  it('cannot write beside its branches by what it calls them', async () => {
    await using repo = await gitRepository();
    const sha = await repo.commit({ 'a.txt': 'a\n' }, 'first');
    const names = ['../../hooks/post-update', '../../config', '../causeway/head', '-c', 'a..b', 'a.lock', 'main'];
    const rows = names.map((name) => `${sha} refs/heads/${name}`);
    await using server = await gitHttp({
      root: dirname(repo.path),
      intercept: async (request, response) => {
        if (!(await bodyOf(request))?.includes('command=ls-refs')) return false;
        response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' });
        response.end(`${[`${sha} HEAD symref-target:refs/heads/main`, ...rows].map(packetLine).join('')}0000`);
        return true;
      },
    });
    await using kept = testSource();
    for (const _time of ['first', 'later']) {
      const opened = await kept.source.open(urlProject(`${server.url}project/.git`), SIGNAL);
      expect([opened.defaultBranch, await opened.resolve('', SIGNAL)]).toEqual(['main', sha]);
      const mirror = join(kept.folder, 'prj_test.git');
      expect(existsSync(join(mirror, 'hooks'))).toBe(false);
      expect(readFileSync(join(mirror, 'config'), 'utf8')).toContain('[core]');
      const refs = repo
        .git('--git-dir', mirror, 'for-each-ref', '--format=%(refname)', 'refs/heads', 'refs/tags')
        .split('\n');
      expect(refs).toEqual(['refs/heads/-c', 'refs/heads/main']);
    }
  });

  it('whose first fetch is killed is unreachable, in words that name neither our folder nor what it makes git seem to say', async () => {
    await using repo = await gitRepository();
    using folder = temporaryFolder();
    const [real, pid] = [execFileSync('which', ['git']).toString().trim(), join(folder.path, 'pid')];
    const noted = `#!/bin/sh\ncase "$*" in *' fetch '*) echo $$ > '${pid}' ;; esac\nexec '${real}' "$@"\n`;
    writeFileSync(join(folder.path, 'git'), noted, { mode: 0o755 });
    await using server = await gitHttp({
      root: dirname(repo.path),
      intercept: () => existsSync(pid) && process.kill(Number(readFileSync(pid, 'utf8')), 'SIGKILL') && false,
    });
    const environment = { ...process.env, PATH: `${folder.path}${delimiter}${process.env['PATH']}` };
    await using kept = testSource({ environment });
    await repo.commit({ 'a.txt': 'a\n' }, 'first');
    const opening = kept.source.open(urlProject(`${server.url}project/.git`, 'prj_ssl'), SIGNAL);
    await expect(opening).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('Check that git can fetch it from this machine.'),
    });
    await expect(opening).rejects.not.toMatchObject({ message: expect.stringContaining(kept.folder) });
  });

  it('that has not changed is asked for its refs only', async () => {
    await using repo = await gitRepository();
    await using server = await gitHttp({ root: dirname(repo.path) });
    await using kept = testSource();
    await repo.commit({ 'a.txt': 'a\n' }, 'first');
    const project = urlProject(`${server.url}project/.git`);
    await kept.source.open(project, SIGNAL);
    const before = server.requests.length;
    await kept.source.open(project, SIGNAL);
    expect(server.requests.length - before).toBeLessThanOrEqual(2);
  });

  it('without a commit is empty, not unreachable', async () => {
    await using repo = await gitRepository();
    await using server = await gitHttp({ root: dirname(repo.path) });
    await using kept = testSource();
    const project = urlProject(`${server.url}project/.git`);
    await expect(kept.source.open(project, SIGNAL)).rejects.toMatchObject({ code: 'empty' });
    const sha = await repo.commit({ 'a.txt': 'a\n' }, 'first');
    expect(await (await kept.source.open(project, SIGNAL)).resolve('', SIGNAL)).toBe(sha);
  });

  it('that disappears is unreachable, though an old mirror is there', async () => {
    await using repo = await gitRepository();
    await using server = await gitHttp({ root: dirname(repo.path) });
    await using kept = testSource();
    await repo.commit({ 'a.txt': 'a\n' }, 'first');
    const project = urlProject(`${server.url}project/.git`);
    await kept.source.open(project, SIGNAL);
    await server.close();
    await expect(kept.source.open(project, SIGNAL)).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(/acme\/project.*did not answer/s),
    });
  });

  it('that is larger than the limit is refused and nothing of it is kept', async () => {
    await using repo = await gitRepository();
    await using server = await gitHttp({ root: dirname(repo.path), intercept: slowPack });
    await using kept = testSource({ maxMirrorBytes: 1 });
    await repo.commit({ 'a.txt': 'a\n' }, 'first');
    await expect(kept.source.open(urlProject(`${server.url}project/.git`), SIGNAL)).rejects.toMatchObject({
      code: 'too_large',
    });
    expect(readdirSync(kept.folder).filter((name) => name.startsWith('prj_'))).toEqual([]);
  });

  it('that takes too long is given up', async () => {
    await using repo = await gitRepository();
    await using server = await gitHttp({ root: dirname(repo.path), intercept: silentPack });
    await using kept = testSource({ fetchTimeoutMs: 300 });
    await repo.commit({ 'a.txt': 'a\n' }, 'first');
    await expect(kept.source.open(urlProject(`${server.url}project/.git`), SIGNAL)).rejects.toMatchObject({
      code: 'timeout',
      message: expect.stringContaining('took too long'),
    });
  });

  it('leaves at once when the opening is aborted, and nothing half made', async () => {
    await using repo = await gitRepository();
    const reached = Promise.withResolvers<void>();
    await using server = await gitHttp({
      root: dirname(repo.path),
      intercept: async (request) => {
        if (!(await isPack(request))) return false;
        reached.resolve();
        return true;
      },
    });
    await using kept = testSource();
    await repo.commit({ 'a.txt': 'a\n' }, 'first');
    const abort = new AbortController();
    const opening = kept.source.open(urlProject(`${server.url}project/.git`), abort.signal);
    await reached.promise;
    abort.abort(new Error('enough'));
    await expect(opening).rejects.toThrow('enough');
    await expect.poll(() => readdirSync(kept.folder).filter((name) => name.startsWith('prj_'))).toEqual([]);
  });
});

describe('credentials', () => {
  it('open a guarded remote and are nowhere on disk', async () => {
    await using repo = await gitRepository();
    await using server = await gitHttp({ root: dirname(repo.path), username: 'x-access-token', password: PASSWORD });
    await using kept = testSource({ credentials });
    const sha = await repo.commit({ 'a.txt': 'a\n' }, 'first');
    const repository = await kept.source.open(urlProject(`${server.url}project/.git`), SIGNAL);
    expect(await repository.resolve('', SIGNAL)).toBe(sha);
    for (const file of filesBelow(kept.folder)) {
      const content = readFileSync(file, 'latin1');
      expect(content.includes(PASSWORD) || content.includes(BASIC), file).toBe(false);
    }
  });

  it('are asked for with the project and with the signal of its opening, anew each time', async () => {
    await using repo = await gitRepository();
    await using server = await gitHttp({ root: dirname(repo.path), username: 'x-access-token', password: PASSWORD });
    const asked: string[] = [];
    const perProject: NonNullable<Parameters<typeof testSource>[0]>['credentials'] = async (project, signal) => {
      asked.push(`${project.id} ${signal.aborted}`);
      return credentials();
    };
    await using kept = testSource({ credentials: perProject });
    await repo.commit({ 'a.txt': 'a\n' }, 'first');
    const project = urlProject(`${server.url}project/.git`);
    await kept.source.open(project, SIGNAL);
    await kept.source.open(project, SIGNAL);
    expect(asked).toEqual([`${project.id} false`, `${project.id} false`]);
  });

  it('that cannot be had end the opening with their own reason', async () => {
    await using repo = await gitRepository();
    await using server = await gitHttp({ root: dirname(repo.path) });
    const lost = new Error('The App was uninstalled.');
    await using kept = testSource({ credentials: () => Promise.reject(lost) });
    await expect(kept.source.open(urlProject(`${server.url}project/.git`), SIGNAL)).rejects.toBe(lost);
    expect(server.requests).toEqual([]);
  });

  it('are in no argument of any process while they are used', async ({ skip }) => {
    if (process.platform !== 'linux') skip();
    await using repo = await gitRepository();
    const seen: string[] = [];
    await using server = await gitHttp({
      root: dirname(repo.path),
      username: 'x-access-token',
      password: PASSWORD,
      intercept: () => {
        seen.push(execFileSync('ps', ['-eo', 'args']).toString());
        return false;
      },
    });
    await using kept = testSource({ credentials });
    await repo.commit({ 'a.txt': 'a\n' }, 'first');
    await kept.source.open(urlProject(`${server.url}project/.git`), SIGNAL);
    expect(seen.join('\n')).toContain('git-remote-http');
    expect(seen.join('\n')).not.toContain(PASSWORD);
    expect(seen.join('\n')).not.toContain(BASIC);
  });

  it('that are wrong or missing give a clear message without them', async () => {
    await using repo = await gitRepository();
    await using server = await gitHttp({ root: dirname(repo.path), username: 'x-access-token', password: 'another' });
    await repo.commit({ 'a.txt': 'a\n' }, 'first');
    for (const options of [{ credentials }, {}]) {
      await using kept = testSource(options);
      const opening = kept.source.open(urlProject(`${server.url}project/.git`), SIGNAL);
      await expect(opening).rejects.toMatchObject({
        code: 'refused',
        message: expect.stringContaining('Access was refused'),
      });
      await expect(opening).rejects.not.toMatchObject({ message: expect.stringContaining(PASSWORD) });
    }
  });

  it('reach no other host: a redirect is refused', async () => {
    await using repo = await gitRepository();
    await using other = await gitHttp({ root: dirname(repo.path) });
    await using server = await gitHttp({
      root: dirname(repo.path),
      intercept: (request, response) => {
        response.writeHead(302, { location: new URL(request.url ?? '', other.url).href }).end();
        return true;
      },
    });
    await repo.commit({ 'a.txt': 'a\n' }, 'first');
    const project = urlProject(`${server.url}project/.git`);
    await using guarded = testSource({ credentials });
    await expect(guarded.source.open(project, SIGNAL)).rejects.toMatchObject({
      message: expect.stringContaining('use its new address'),
    });
    expect(other.requests).toEqual([]);
    await using open = testSource();
    expect((await open.source.open(project, SIGNAL)).defaultBranch).toBe('main');
  });
});

type Intercept = NonNullable<Parameters<typeof gitHttp>[0]['intercept']>;
type Request = Parameters<Intercept>[0];

/** The request for the pack: under protocol 2 the refs are posted to the same address, but it is the body that tells. */
async function isPack(request: Request): Promise<boolean> {
  const body = await bodyOf(request);
  return body !== null && (request.headers['content-encoding'] === 'gzip' || body.includes('command=fetch'));
}

/** The beginning of what was posted; null where nothing was. It can still be read. */
async function bodyOf(request: Request): Promise<Buffer | null> {
  if (request.method !== 'POST') return null;
  await new Promise((resolve) => request.once('readable', resolve));
  const chunk: Buffer | null = request.read();
  if (chunk !== null) request.unshift(chunk);
  return chunk;
}

/** As gitprotocol-common(5) frames it: its length in four hexadecimal digits goes before it. */
function packetLine(text: string): string {
  return `${(text.length + 5).toString(16).padStart(4, '0')}${text}\n`;
}

const silentPack: Intercept = (request) => isPack(request);

const slowPack: Intercept = async (request) => {
  if (await isPack(request)) await new Promise((resolve) => setTimeout(resolve, 1_500));
  return false;
};
