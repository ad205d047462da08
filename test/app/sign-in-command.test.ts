// `causeway sign-in` next to a real server, where none runs, and where people sign in with GitHub.
import { statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import { runCommand } from '../../src/app/run-command.ts';
import { APP_ENVIRONMENT } from '../support/new-key.ts';
import { scriptedTerminal } from '../support/scripted-terminal.ts';
import { startService, temporaryFolder } from '../support/service.ts';
import { webVisitor } from '../support/web-visitor.ts';

async function signIn(environment: Readonly<Record<string, string>>): Promise<string> {
  const io = scriptedTerminal();
  const context = { io, environment, now: () => new Date() };
  expect(await runCommand({ kind: 'sign-in' }, context, new AbortController().signal)).toBe(0);
  expect(io.printed.err).toBe('');
  return io.printed.out;
}

describe('causeway sign-in', () => {
  it('prints a link only, which signs one browser in, once', async () => {
    await using folder = await temporaryFolder();
    await using repository = await gitRepository();
    await repository.commit({ 'a.js': 'a' }, 'a');
    await using service = await startService({ projects: [repository.path], dataDir: folder.path, ownProcess: true });
    const { mode } = statSync(path.join(folder.path, 'address'));
    expect(mode & 0o777, 'only the user of the service reads where it listens').toBe(0o600);
    const older = new URL((await signIn({ DATA_DIR: folder.path })).trim());
    const printed = await signIn({ DATA_DIR: folder.path });
    expect(printed).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/sign-in\/local\?code=[\w-]{22}\n$/);
    const link = new URL(printed.trim());
    const code = link.searchParams.get('code') ?? '';
    const [one, other] = [webVisitor(service.address), webVisitor(service.address)];
    const late = await other.send(older.href, '/sign-in/local', { code: older.searchParams.get('code') ?? '' });
    expect([late.status, await late.text()]).toEqual([400, expect.stringContaining('replaced by a newer one')]);
    expect((await one.send(link.href, '/sign-in/local', { code })).status).toBe(303);
    expect((await one.get('/projects')).status).toBe(200);
    expect((await other.send(link.href, '/sign-in/local', { code })).status).toBe(400);
    expect((await other.get('/projects')).status).toBe(303);
    expect(service.output()).not.toContain(code);
    expect(await service.end('SIGTERM')).toBe(0);
    await expect(signIn({ DATA_DIR: folder.path })).rejects.toThrow(/^No service is running with this data folder: /);
  });

  it('says that the server does not answer which was killed', async () => {
    await using folder = await temporaryFolder();
    await using repository = await gitRepository();
    await repository.commit({ 'a.js': 'a' }, 'a');
    await using service = await startService({ projects: [repository.path], dataDir: folder.path, ownProcess: true });
    await expect.poll(() => service.output()).toContain('/sign-in/local?code=');
    await service.end('SIGKILL');
    await expect(signIn({ DATA_DIR: folder.path })).rejects.toThrow(
      `The service that was started with this data folder at ${service.address} does not answer: start it again with "causeway serve".`,
    );
  });

  it('says where none was ever started, and with a GitHub App', async () => {
    await using folder = await temporaryFolder();
    await expect(signIn({ DATA_DIR: folder.path })).rejects.toThrow(/^No service is running with this data folder: /);
    await expect(signIn({ DATA_DIR: folder.path, ...APP_ENVIRONMENT })).rejects.toThrow(
      'With a GitHub App people sign in with GitHub: open the address of the service.',
    );
  });
});
