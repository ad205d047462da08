// The launcher in a fresh clone: installs once, passes on arguments, exit codes and signals, leaves standard output alone.
import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from './support/service.ts';

const ROOT = path.join(import.meta.dirname, '..');
// One dependency that needs no registry, since npm leaves no trace of an installation of nothing.
const MANIFEST = { name: 'clone', type: 'module', dependencies: { part: 'file:part' } };
const LOCK = {
  name: 'clone',
  lockfileVersion: 3,
  requires: true,
  packages: {
    '': MANIFEST,
    'node_modules/part': { resolved: 'part', link: true },
    part: { version: '1.0.0' },
  },
};

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

describe('the launcher', () => {
  let clone = '';
  let cleanup: AsyncDisposable;
  beforeEach(async () => {
    const folder = await temporaryFolder();
    [clone, cleanup] = [folder.path, folder];
    for (const name of ['scripts', 'bin', 'src', 'part']) mkdirSync(path.join(clone, name));
    copyFileSync(path.join(ROOT, 'scripts', 'run.mjs'), path.join(clone, 'scripts', 'run.mjs'));
    copyFileSync(path.join(ROOT, 'bin', 'causeway'), path.join(clone, 'bin', 'causeway'));
    writeFileSync(path.join(clone, 'package.json'), JSON.stringify(MANIFEST));
    writeFileSync(path.join(clone, 'part', 'package.json'), '{ "name": "part", "version": "1.0.0" }');
    writeFileSync(path.join(clone, 'package-lock.json'), JSON.stringify(LOCK));
  });
  afterEach(() => cleanup[Symbol.asyncDispose]());

  function program(text: string): void {
    writeFileSync(path.join(clone, 'src', 'main.ts'), text);
  }

  function start(args: readonly string[] = [], env: Record<string, string> = {}): ChildProcess {
    const launcher = path.join(clone, 'bin', 'causeway');
    return spawn(process.execPath, [launcher, ...args], { cwd: path.dirname(clone), env: { ...process.env, ...env } });
  }

  async function ended(child: ChildProcess): Promise<Ended> {
    let [out, err] = ['', ''];
    child.stdout?.setEncoding('utf8').on('data', (text) => {
      out += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      err += text;
    });
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    return { code, out, err };
  }

  const installations = (...ends: readonly Ended[]) =>
    ends.flatMap(({ err }) => err.match(/Installing what Causeway needs/g) ?? []).length;

  it('installs before the first start, and not before the second', async () => {
    program("console.log('answer')");
    const first = await ended(start());
    const second = await ended(start());
    expect([first.out, second.out]).toEqual(['answer\n', 'answer\n']);
    expect([installations(first), installations(second)]).toEqual([1, 0]);
  });

  it('installs again when the lockfile is newer, or the last installation was cut off', async () => {
    program('');
    await ended(start());
    const later = new Date(statSync(path.join(clone, 'package-lock.json')).mtimeMs + 60_000);
    utimesSync(path.join(clone, 'package-lock.json'), later, later);
    expect(installations(await ended(start()))).toBe(1);
  });

  it('installs once when two commands begin at once', async () => {
    program("console.log('answer')");
    const ends = await Promise.all([ended(start()), ended(start())]);
    expect(ends.map(({ code, out }) => ({ code, out }))).toEqual([
      { code: 0, out: 'answer\n' },
      { code: 0, out: 'answer\n' },
    ]);
    expect(installations(...ends)).toBe(1);
  });

  it('does not wait for an installer that died', async () => {
    program('');
    mkdirSync(path.join(clone, '.install-lock'));
    const dead = spawn(process.execPath, ['--version']);
    await ended(dead);
    writeFileSync(path.join(clone, '.install-lock', 'pid'), String(dead.pid));
    expect((await ended(start())).code).toBe(0);
  });

  it('passes on arguments and the exit code, and keeps the folder of the caller', async () => {
    program('console.log(JSON.stringify([process.argv.slice(2), process.cwd()])); process.exitCode = 7;');
    const { code, out } = await ended(start(['a b', '--x', '*'], { CAUSEWAY_SKIP_INSTALL: '1' }));
    expect(code).toBe(7);
    expect(JSON.parse(out)).toEqual([['a b', '--x', '*'], path.dirname(clone)]);
  });

  it('passes on SIGTERM, and ends as what it started ends', async () => {
    program(
      "process.on('SIGTERM', () => { console.log('told'); process.exit(3); }); console.log('up'); setInterval(() => {}, 1000);",
    );
    const child = start([], { CAUSEWAY_SKIP_INSTALL: '1' });
    child.stdout?.once('data', () => child.kill('SIGTERM'));
    expect(await ended(child)).toMatchObject({ code: 3, out: 'up\ntold\n' });
  });

  it('says that a child was killed as a shell does', async () => {
    program("process.kill(process.pid, 'SIGKILL')");
    expect((await ended(start([], { CAUSEWAY_SKIP_INSTALL: '1' }))).code).toBe(137);
  });
});
