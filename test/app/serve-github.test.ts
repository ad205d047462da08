// GitHub mode as its own process: it starts whatever becomes of GitHub, takes signed deliveries, and says how it stands.
import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../../src/app/run-command.ts';
import { COMPILED } from '../support/compiled.ts';
import { APP_ENVIRONMENT, WEBHOOK_SECRET } from '../support/new-key.ts';
import { scriptedTerminal } from '../support/scripted-terminal.ts';
import { PROGRAM, startService, temporaryFolder } from '../support/service.ts';

/** Nobody listens there. */
const DOWN = { GHE_HOST: '127.0.0.1:9', GHE_PROTOCOL: 'http' };

function deliver(address: string, body: string, secret: string): Promise<Response> {
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const headers = {
    'Content-Type': 'application/json',
    'X-GitHub-Delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958',
    'X-GitHub-Event': 'ping',
    'X-Hub-Signature-256': signature,
  };
  return fetch(`${address}/api/github/webhooks`, { method: 'POST', body, headers });
}

interface Readiness {
  readonly status: string;
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly detail: string }[];
}

async function ready(address: string): Promise<Readiness & { readonly code: number }> {
  const answer = await fetch(`${address}/readyz`);
  return { code: answer.status, ...((await answer.json()) as Readiness) };
}

async function run(command: string, env: Readonly<Record<string, string>>) {
  const full = { PATH: process.env['PATH'] ?? '', ...COMPILED, ...env };
  return spawnSync(process.execPath, [PROGRAM, ...command.split(' ')], { env: full, encoding: 'utf8' });
}

/** What a command next to the service says. */
async function command(kind: 'pause' | 'resume', environment: Readonly<Record<string, string>>): Promise<string> {
  const terminal = scriptedTerminal();
  await runCommand({ kind }, { io: terminal, environment, now: () => new Date() }, new AbortController().signal);
  return terminal.printed.err;
}

describe('the service in GitHub mode', () => {
  it('starts while GitHub is down, takes deliveries, says so in /readyz, and ends at once', async () => {
    await using folder = await temporaryFolder();
    const env = { ...APP_ENVIRONMENT, ...DOWN, LOG_LEVEL: 'info' };
    await using service = await startService({ projects: [], dataDir: folder.path, env });
    const body = JSON.stringify({ zen: 'Keep it logically awesome.', hook_id: 1 });
    expect((await deliver(service.address, body, WEBHOOK_SECRET)).status).toBe(202);
    expect((await deliver(service.address, body, 'development')).status).toBe(401);
    await expect
      .poll(async () => (await ready(service.address)).checks.find(({ name }) => name === 'github')?.detail)
      .toContain('does not answer');
    expect(await ready(service.address)).toMatchObject({ code: 200, status: 'ready' });
    expect(service.output()).toContain('App 4711');
    expect(service.output()).not.toContain(WEBHOOK_SECRET);
    expect(service.output()).not.toMatch(/BEGIN (RSA )?PRIVATE KEY/);
    expect(await service.end('SIGTERM')).toBe(0);
  });

  it('says of a key that is not the App’s what to do, before any stack, and asks for PUBLIC_URL behind an open port', async () => {
    await using folder = await temporaryFolder();
    const body = JSON.stringify({ message: 'A JSON web token could not be decoded' });
    const github = createServer((_, response) => {
      response.writeHead(401, { 'Content-Type': 'application/json' }).end(body);
    });
    await new Promise<void>((resolve) => github.listen(0, '127.0.0.1', resolve));
    const host = `127.0.0.1:${(github.address() as AddressInfo).port}`;
    const places = { GHE_HOST: host, GHE_PROTOCOL: 'http', HOST: '0.0.0.0', LOG_LEVEL: 'warn' };
    await using service = await startService({
      projects: [],
      dataDir: folder.path,
      env: { ...APP_ENVIRONMENT, ...places },
    });
    await expect.poll(() => service.output()).toContain('"reason":"GitHub rejected the credentials of the App (401)');
    expect(service.output()).not.toContain('"stack"');
    await expect.poll(() => service.output()).toContain('Set PUBLIC_URL to the address at which');
    await service.end('SIGTERM');
    github.closeAllConnections();
    await new Promise((resolve) => github.close(resolve));
  });

  it('says in words and in /readyz that it is paused, and goes on when it is resumed', async () => {
    await using folder = await temporaryFolder();
    const env = { ...APP_ENVIRONMENT, ...DOWN, DATA_DIR: folder.path };
    expect(await command('pause', env)).toContain('Paused');
    expect(await command('pause', env)).toContain('already');
    await using service = await startService({ projects: [], dataDir: folder.path, env });
    expect(service.output()).toContain('Paused: reports are stored');
    const pause = async () => (await ready(service.address)).checks.find(({ name }) => name === 'pause')?.detail;
    expect(await pause()).toContain('paused: reports are stored');
    expect(await command('resume', env)).toContain('Resumed');
    await expect.poll(pause).toBe('not paused');
    expect(await command('resume', env)).toContain('not paused');
  });

  it('ends within its time while GitHub takes calls and never answers', async () => {
    await using folder = await temporaryFolder();
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const host = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const asked = new Promise((resolve) => silent.once('request', resolve));
    const env = { ...APP_ENVIRONMENT, GHE_HOST: host, GHE_PROTOCOL: 'http' };
    await using service = await startService({ projects: [], dataDir: folder.path, env });
    await asked;
    // A stop that takes longer than 9 s ends with SIGKILL.
    expect(await service.end('SIGTERM')).toBe(0);
    silent.closeAllConnections();
    await new Promise((resolve) => silent.close(resolve));
  });

  it('asks GitHub through the proxy of the environment', async () => {
    await using folder = await temporaryFolder();
    const asked: string[] = [];
    const proxy = createServer((request, response) => {
      asked.push(`${request.url}`);
      response.writeHead(502).end();
    });
    proxy.on('connect', (request, socket) => {
      asked.push(`${request.url}`);
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const env = {
      ...APP_ENVIRONMENT,
      ...{ GHE_HOST: 'github.test', GHE_PROTOCOL: 'http' },
      HTTP_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      // As the launcher sets it.
      NODE_USE_ENV_PROXY: '1',
    };
    await using service = await startService({ projects: [], dataDir: folder.path, env, ownProcess: true });
    await expect.poll(() => asked.join('\n')).toContain('github.test');
    await service.end('SIGTERM');
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
  });

  it.each([
    ['without a secret', { WEBHOOK_SECRET: '' }, 'WEBHOOK_SECRET is missing'],
    ['with a bad key', { PRIVATE_KEY: 'no key' }, 'PRIVATE_KEY contains no RSA private key'],
  ])('refuses to start %s, naming the variable', async (_, changes, words) => {
    await using folder = await temporaryFolder();
    const ended = await run('serve', { ...APP_ENVIRONMENT, ...DOWN, DATA_DIR: folder.path, PORT: '0', ...changes });
    expect(ended.status).toBe(2);
    expect(ended.stderr).toContain(words);
    expect(ended.stderr).toContain('LOCAL_MODE=1');
  });
});
