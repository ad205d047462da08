// How a command and the service begin and stop when something is in the way.
import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import { PROGRAM, printedToken, startService, temporaryFolder } from '../support/service.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');

async function exitOf(child: ChildProcess): Promise<number | string | null> {
  return new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)));
}

describe('a first start', () => {
  it('whose port is taken makes no token: the next one does, and the one after that still shows the curl', async () => {
    await using repository = await gitRepository();
    await repository.commit({ 'a.txt': 'a\n' }, 'First');
    await using folder = await temporaryFolder();
    const place = { projects: [repository.path], dataDir: folder.path };
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? String(address.port) : '';
    await expect(startService({ ...place, env: { PORT: port } })).rejects.toThrow(/exit 2/);
    other.close();
    await using second = await startService(place);
    const token = printedToken(second);
    await second.end('SIGTERM');
    await using third = await startService(place);
    expect(third.output()).toContain('Authorization: Bearer TOKEN');
    expect(third.output()).toContain(`DATA_DIR=${folder.path} ${path.join(ROOT, 'bin', 'causeway')} token create`);
    await fetch(`${third.address}/api/v1/projects/`, { headers: { Authorization: `Bearer ${token}` } });
    await third.end('SIGTERM');
    await using fourth = await startService(place);
    expect(fourth.output()).not.toContain('curl');
  });
});

describe('Ctrl-C', () => {
  it('while standard input is read ends the command, though the pipe stays open', async () => {
    await using repository = await gitRepository();
    await using folder = await temporaryFolder();
    const env = { PATH: process.env['PATH'], DATA_DIR: folder.path };
    const child = spawn(process.execPath, [PROGRAM, 'analyse', '-'], { cwd: repository.path, env });
    const exit = exitOf(child);
    // More than a pipe holds: it is written once the command reads.
    await new Promise((resolve) => child.stdin.write(Buffer.alloc(4 * 1024 * 1024, 'x'), resolve));
    child.kill('SIGINT');
    expect(await exit).toBe(130);
  });

  it('that reaches the service twice, as under a launcher, stops it once and in order', async () => {
    await using repository = await gitRepository();
    await repository.commit({ 'a.txt': 'a\n' }, 'First');
    await using folder = await temporaryFolder();
    await using service = await startService({ projects: [repository.path], dataDir: folder.path, ownProcess: true });
    service.process.kill('SIGINT');
    service.process.stderr?.once('data', () => service.process.kill('SIGINT'));
    expect(await service.end('SIGINT')).toBe(0);
  });
});

describe('the service', () => {
  it('goes on when whoever read its output has gone away', async () => {
    await using repository = await gitRepository();
    await repository.commit({ 'a.txt': 'a\n' }, 'First');
    await using folder = await temporaryFolder();
    const env = { LOG_LEVEL: 'trace' };
    await using service = await startService({
      projects: [repository.path],
      dataDir: folder.path,
      env,
      ownProcess: true,
    });
    service.process.stdout?.destroy();
    service.process.stderr?.destroy();
    for (let call = 0; call < 5; call++) {
      expect((await fetch(`${service.address}/healthz`)).status).toBe(200);
    }
    expect(await service.end('SIGTERM')).toBe(0);
  });
});
