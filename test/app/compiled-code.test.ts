// What the code compiles to, in the data folder: kept by the service for its next start, and by nobody else.
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { chmod, chown, mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { runCommand } from '../../src/app/run-command.ts';
import { gitRepository } from '../support/git-repository.ts';
import { scriptedTerminal } from '../support/scripted-terminal.ts';
import { startService, temporaryFolder } from '../support/service.ts';

const COMPILED_CODE = path.resolve(import.meta.dirname, '../../src/app/compiled-code.ts');
const MAIN = path.resolve(import.meta.dirname, '../../src/main.ts');

const DIGESTER = path.resolve(import.meta.dirname, '../../src/search/digester.ts');

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

it('is taken by a service before it reads its settings, and by a look at them never', async () => {
  await using folder = await temporaryFolder();
  const compiled = path.join(folder.path, 'compiled');
  await mkdir(compiled, { mode: 0o700 });
  const env = { PATH: process.env['PATH'], DATA_DIR: folder.path, PORT: 'none' };
  const ended = (command: string) => promisify(execFile)(process.execPath, [MAIN, command], { env });
  await expect(ended('doctor')).rejects.toThrow();
  expect(filesIn(compiled)).toBe(0);
  await expect(ended('serve')).rejects.toThrow('PORT is "none"');
  expect(filesIn(compiled)).toBeGreaterThan(20);
});

it('is not taken from where another user may put it', async () => {
  await using folder = await temporaryFolder();
  expect(await cacheOver(folder.path)).toBe('kept');
  await chmod(folder.path, 0o777);
  expect(await cacheOver(folder.path)).toBe('none');
  await chmod(folder.path, 0o700);
  await chmod(path.join(folder.path, 'compiled'), 0o707);
  expect(await cacheOver(folder.path)).toBe('none');
});

it('is not taken from below a folder in which another user may put another data folder', async () => {
  await using folder = await temporaryFolder();
  const shared = path.join(folder.path, 'shared');
  const dataDir = path.join(shared, 'deep', 'causeway');
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  for (const [mode, found] of [
    [0o755, 'kept'],
    [0o777, 'none'],
    // As /tmp is: who does not own it may not move what is in it.
    [0o1777, 'kept'],
  ] as const) {
    await chmod(shared, mode);
    expect([mode, await cacheOver(dataDir)]).toEqual([mode, found]);
  }
});

it('is taken from where a link leads, not through the link', async () => {
  await using folder = await temporaryFolder();
  const [real, link] = [path.join(folder.path, 'real'), path.join(folder.path, 'link')];
  await mkdir(real, { mode: 0o700 });
  await symlink(real, link);
  const code = `
    import { getCompileCacheDir } from 'node:module';
    import { keepCompiledCode } from ${JSON.stringify(COMPILED_CODE)};
    keepCompiledCode(${JSON.stringify(link)}, { mayMake: true });
    console.log(getCompileCacheDir());`;
  expect(await saidBy(code)).toContain(path.join(realpathSync(real), 'compiled'));
});

it.runIf(process.getuid?.() === 0)('is not taken by root from below the folder of another user', async () => {
  await using folder = await temporaryFolder();
  const dataDir = path.join(folder.path, 'home', 'causeway');
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  for (const mode of [0o700, 0o1777]) {
    await chown(path.dirname(dataDir), 65_534, 65_534);
    await chmod(path.dirname(dataDir), mode);
    expect(await cacheOver(dataDir)).toBe('none');
  }
});

it.runIf(process.getuid?.() === 0)('is not taken by root from the folder of another user', async () => {
  await using folder = await temporaryFolder();
  expect(await cacheOver(folder.path)).toBe('kept');
  await chown(path.join(folder.path, 'compiled'), 65_534, 65_534);
  expect(await cacheOver(folder.path)).toBe('none');
});

it('holds what threads load too: each would compile it anew', async () => {
  await using folder = await temporaryFolder();
  const code = `
    import { readdirSync } from 'node:fs';
    import { getCompileCacheDir } from 'node:module';
    import { keepCompiledCode } from ${JSON.stringify(COMPILED_CODE)};
    import { createDigester } from ${JSON.stringify(DIGESTER)};
    keepCompiledCode(${JSON.stringify(folder.path)}, { mayMake: true });
    const digester = createDigester();
    await digester.digest({ kind: 'commits', commits: [] });
    await digester[Symbol.asyncDispose]();
    // The process itself writes at its end.
    console.log(readdirSync(getCompileCacheDir()).length > 5 ? 'kept' : 'none');`;
  expect(await saidBy(code)).toBe('kept');
});

/** Whether a process over that data folder keeps its code there. */
async function cacheOver(dataDir: string): Promise<string> {
  const code = `
    import { getCompileCacheDir } from 'node:module';
    import { keepCompiledCode } from ${JSON.stringify(COMPILED_CODE)};
    keepCompiledCode(${JSON.stringify(dataDir)}, { mayMake: true });
    console.log(getCompileCacheDir() === undefined ? 'none' : 'kept');`;
  return await saidBy(code);
}

async function saidBy(code: string): Promise<string> {
  const args = ['--input-type=module', '--eval', code];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: { PATH: process.env['PATH'] } });
  return stdout.trim();
}

function filesIn(folder: string): number {
  return readdirSync(folder, { recursive: true }).length;
}
