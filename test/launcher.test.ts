// The launcher in a fresh clone: installs once, passes on arguments, exit codes and signals, leaves standard output alone.
import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
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
    ends.flatMap(({ err }) => err.match(/Installing dependencies \(once, 1 packages/g) ?? []).length;

  it('installs before the first start, and not before the second', async () => {
    program("console.log('answer')");
    const first = await ended(start());
    const second = await ended(start());
    expect([first.out, second.out]).toEqual(['answer\n', 'answer\n']);
    expect([installations(first), installations(second)]).toEqual([1, 0]);
  });

  it('shows how far a long installation is', { timeout: 60_000 }, async () => {
    program('');
    const npm = path.join(clone, 'programs', 'npm');
    mkdirSync(path.dirname(npm));
    // An npm that has its one package at once and then takes longer than the launcher is silent for.
    const made = 'mkdir -p node_modules/part && cp part/package.json node_modules/part/';
    writeFileSync(npm, `#!/bin/sh\n${made}\nsleep 11\ncp package-lock.json node_modules/.package-lock.json\n`, {
      mode: 0o755,
    });
    const { code, err } = await ended(start([], { PATH: `${path.dirname(npm)}:${process.env['PATH']}` }));
    expect(err).toMatch(/^Installing dependencies .*\n {2}1 of 1 packages, \d+ s\nInstalled in \d+ s\.\n$/);
    expect(code).toBe(0);
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

  it('takes an abandoned installation over once, though two commands have seen that it is abandoned', async () => {
    program('');
    mkdirSync(path.join(clone, '.install-lock'));
    const dead = spawn(process.execPath, ['--version']);
    await ended(dead);
    writeFileSync(path.join(clone, '.install-lock', 'pid'), String(dead.pid));
    // Holds the first command between judging and acting, until the second has the lock.
    const marker = path.join(clone, 'judged');
    writeFileSync(
      path.join(clone, 'slow.cjs'),
      `const fs = require('node:fs');
      const folder = ${JSON.stringify(path.join(clone, '.install-lock'))};
      const holder = () => { try { const [name] = fs.readdirSync(folder); return name + fs.readFileSync(folder + '/' + name); } catch { return ''; } };
      for (const name of ['rmSync', 'renameSync']) {
        const real = fs[name];
        fs[name] = (...args) => {
          if (String(args[0]).startsWith(folder) && !fs.existsSync(${JSON.stringify(marker)})) {
            const before = holder();
            fs.writeFileSync(${JSON.stringify(marker)}, '');
            for (let tries = 0; tries < 1000 && (holder() === before || holder() === ''); tries++)
              Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
          }
          return real(...args);
        };
      }
      require('node:module').syncBuiltinESMExports();`,
    );
    const slow = ended(start([], { NODE_OPTIONS: `--require=${path.join(clone, 'slow.cjs')}` }));
    while (!existsSync(marker)) await new Promise((resolve) => setTimeout(resolve, 10));
    const ends = await Promise.all([slow, ended(start())]);
    expect(ends.map(({ code }) => code)).toEqual([0, 0]);
    expect(installations(...ends)).toBe(1);
    expect(existsSync(path.join(clone, '.install-lock'))).toBe(false);
  });

  it('loads the .env of the installation; the real environment is stronger', async () => {
    program("console.log(process.env['SETTING'], process.env['OTHER'])");
    const env = { CAUSEWAY_SKIP_INSTALL: '1', OTHER: 'real' };
    expect((await ended(start([], env))).out).toBe('undefined real\n');
    writeFileSync(path.join(clone, '.env'), 'SETTING=filed # a remark\nOTHER=filed\n');
    expect((await ended(start([], env))).out).toBe('filed real\n');
  });

  it('kills what does not end after a signal to stop', async () => {
    const launcher = path.join(clone, 'scripts', 'run.mjs');
    const patient = readFileSync(launcher, 'utf8');
    const hasty = patient.replace('LONGEST_STOP_MS = 12_000', 'LONGEST_STOP_MS = 200');
    expect(hasty).not.toBe(patient);
    writeFileSync(launcher, hasty);
    program("process.on('SIGTERM', () => {}); console.log('up'); setTimeout(() => { for (;;); }, 50);");
    const child = start([], { CAUSEWAY_SKIP_INSTALL: '1' });
    child.stdout?.once('data', () => child.kill('SIGTERM'));
    expect((await ended(child)).code).toBe(137);
  });

  it.runIf(process.platform !== 'win32')('ends with the npm that runs it, killed though that be', async () => {
    program(
      "process.on('SIGTERM', () => { console.log('told'); process.exit(3); }); console.log('up'); setInterval(() => {}, 1000);",
    );
    // As npm does it: a shell in between, which lives on.
    const npm = `const { spawn } = require('node:child_process');
      spawn('sh', ['-c', '"$0" "$1"; true', process.execPath, ${JSON.stringify(path.join(clone, 'bin', 'causeway'))}], { stdio: 'inherit' });`;
    const env = { ...process.env, CAUSEWAY_SKIP_INSTALL: '1', npm_lifecycle_event: 'start' };
    const child = spawn(process.execPath, ['--eval', npm], { env });
    child.stdout.once('data', () => child.kill('SIGKILL'));
    expect(await ended(child)).toMatchObject({ code: null, out: 'up\ntold\n' });
  });
});
