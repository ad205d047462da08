// What the code compiles to, in the data folder: kept by the service for its next start, and by nobody else.
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { runCommand } from '../../src/app/run-command.ts';
import { gitRepository } from '../support/git-repository.ts';
import { scriptedTerminal } from '../support/scripted-terminal.ts';
import { startService, temporaryFolder } from '../support/service.ts';

/** Where the environment names a folder, Node keeps it there. */
const UNNAMED = { NODE_COMPILE_CACHE: '' };

it('is kept by the service, closed to others, with what it loads after its start', { timeout: 120_000 }, async () => {
  await using folder = await temporaryFolder();
  await using repository = await gitRepository();
  await repository.commit({ 'a.js': 'a' }, 'a');
  const options = { projects: [repository.path], dataDir: folder.path, env: UNNAMED };
  await using service = await startService(options);
  const compiled = path.join(folder.path, 'compiled');
  expect(statSync(compiled).mode & 0o777).toBe(0o700);
  // Written half a second after the last part is loaded, before any end.
  await expect.poll(() => filesIn(compiled), { timeout: 60_000 }).toBeGreaterThan(500);
  await service.end('SIGKILL');
  await using again = await startService(options);
  expect((await fetch(`${again.address}/readyz`)).status).toBe(200);
  expect((await fetch(`${again.address}/sign-in`)).status).toBe(200);
});

it('is made by no other command, nor where there is no data folder', async () => {
  await using folder = await temporaryFolder();
  const [there, absent] = [folder.path, path.join(folder.path, 'absent')];
  for (const DATA_DIR of [there, absent]) {
    const context = { io: scriptedTerminal(), environment: { DATA_DIR }, now: () => new Date() };
    await expect(runCommand({ kind: 'sign-in' }, context, new AbortController().signal)).rejects.toThrow(
      'No service runs over this data folder',
    );
  }
  expect([existsSync(path.join(there, 'compiled')), existsSync(absent)]).toEqual([false, false]);
});

function filesIn(folder: string): number {
  return readdirSync(folder, { recursive: true }).length;
}
