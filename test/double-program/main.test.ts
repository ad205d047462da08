// The double as a program of its own: it says where it is, what Causeway needs to run against it, and ends when told.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createSign } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { PATIENCE_MS } from '../support/patience.ts';
import { runCauseway } from '../support/service.ts';

const MAIN = path.join(import.meta.dirname, 'main.ts');

function start(...options: string[]): ChildProcess {
  return spawn(process.execPath, [MAIN, ...options], { stdio: ['ignore', 'pipe', 'pipe'] });
}

async function said(child: ChildProcess): Promise<string> {
  let text = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const ended = once(child, 'exit');
  while (!text.includes('Ctrl-C'))
    await Promise.race([once(child.stdout as NonNullable<typeof child.stdout>, 'data'), ended]);
  return text;
}

/** The lines as a shell or an env file would take them. */
function settingsIn(text: string): Record<string, string> {
  const lines = [...text.matchAll(/^([A-Z_]+)=(?:'(.*)'|(.*))$/gm)];
  return Object.fromEntries(lines.map(([, name, quoted, bare]) => [name, quoted ?? bare ?? '']));
}

function appToken(appId: string, key: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const now = Math.trunc(Date.now() / 1_000);
  const head = `${part({ alg: 'RS256', typ: 'JWT' })}.${part({ iat: now - 30, exp: now + 500, iss: appId })}`;
  return `${head}.${createSign('RSA-SHA256').update(head).sign(key, 'base64url')}`;
}

async function endOf(child: ChildProcess): Promise<readonly [number, string]> {
  let complaint = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    complaint += chunk;
  });
  const [code] = await once(child, 'close');
  return [code, complaint];
}

async function stop(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null) {
    child.kill('SIGINT');
    await once(child, 'exit');
  }
  return child.exitCode;
}

describe('npm run github-double', () => {
  it('with --action runs the workflow that init writes, once it was pushed', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'double-'));
    const child = start('--action');
    let printed = '';
    child.stdout?.on('data', (chunk: string) => {
      printed += chunk;
    });
    try {
      const [, origin = '', name = ''] = /git clone (http:\S+\/)(\S+\/\S+) /.exec(await said(child)) ?? [];
      const git = (...args: string[]) =>
        execFileSync('git', ['-c', 'user.name=mara', '-c', 'user.email=mara@example.com', ...args], {
          cwd: folder,
          stdio: 'ignore',
        });
      git('clone', '--quiet', `${origin}${name}`, folder);
      await runCauseway(['init', '--mode', 'fix', '--uses', 'acme/causeway@v0'], { cwd: folder, env: {} });
      git('add', '.github');
      git('commit', '--quiet', '--message', 'Add Causeway');
      git('push', '--quiet');
      const { host } = new URL(origin);
      await fetch(`http://${host}/${name}/-/1/label`, {
        method: 'POST',
        body: new URLSearchParams({ label: 'analyse', by: 'mara', act: 'add' }),
        redirect: 'manual',
      });
      await expect.poll(() => printed, { timeout: PATIENCE_MS }).toContain('It ended with 0. Its summary:');
      expect(printed).toContain('A job of Causeway starts for issues (labeled).');
      expect(printed).toContain('Most likely place');
      // What it wrote itself starts no other.
      expect(printed).not.toContain('starts for issue_comment');
      expect(printed).not.toContain('null');
    } finally {
      await stop(child);
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('prints settings with which an App reaches the shop and its report, and a page that shows it', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'double-'));
    const child = start('--data', folder, '--webhook', 'http://127.0.0.1:1/hook');
    try {
      const text = await said(child);
      expect(text).toContain('http://127.0.0.1:1/hook');
      const settings = settingsIn(text);
      expect(settingsIn(readFileSync(path.join(folder, 'causeway.env'), 'utf8'))).toEqual(settings);
      const key = readFileSync(settings['PRIVATE_KEY_PATH'] ?? '', 'utf8');
      // biome-ignore lint/suspicious/noExplicitAny: answers of several kinds, each looked at where it is asked for.
      const ask = async (method: string, route: string, token: string): Promise<any> => {
        const headers = { authorization: `Bearer ${token}` };
        return (await fetch(`http://${settings['GHE_HOST']}/api/v3${route}`, { method, headers })).json();
      };
      const jwt = appToken(settings['APP_ID'] ?? '', key);
      expect(await ask('GET', '/app', jwt)).toMatchObject({ slug: 'causeway', permissions: { contents: 'write' } });
      const [installation] = await ask('GET', '/app/installations', jwt);
      const { token } = await ask('POST', `/app/installations/${installation.id}/access_tokens`, jwt);
      expect(await ask('GET', '/repos/corner/shop/issues/1', token)).toMatchObject({
        ...{ number: 1, title: 'The shop has gone down since we updated to 1.3.0', labels: [{ name: 'bug' }] },
      });
      const page = await fetch(/http:\S+\/issues\/1/.exec(text)?.[0] ?? '');
      expect(await page.text()).toContain('Steps to reproduce');
      expect(await stop(child)).toBe(0);
      // Keys and records of a double that is gone would only be refused, one by one.
      const [code, complaint] = await endOf(start('--data', folder));
      expect(code).toBe(2);
      expect(complaint).toContain(`rm -r '${folder}'`);
    } finally {
      child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('puts the key itself into the line where no folder is given', async () => {
    const child = start();
    try {
      const key = settingsIn(await said(child))['PRIVATE_KEY'] ?? '';
      expect(() => appToken('1', key.replaceAll('\\n', '\n'))).not.toThrow();
      expect(key).not.toContain('\n');
      expect(await stop(child)).toBe(0);
    } finally {
      child.kill('SIGKILL');
    }
  });

  it.each([['--port', 'x'], ['--webhook', 'nowhere'], ['--colour']])(
    'explains itself for %s %s',
    async (...options) => {
      const child = start(...options);
      const [code] = await once(child, 'exit');
      expect(code).toBe(2);
    },
  );
});
