// The launcher in a fresh clone: installs what is missing, passes on arguments, exit codes and signals, leaves standard output alone.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { copyFileSync, existsSync, lstatSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from './support/service.ts';

const ROOT = path.join(import.meta.dirname, '..');
// What running needs, and what tests need besides; neither needs a registry.
const MANIFEST = {
  name: 'clone',
  type: 'module',
  dependencies: { part: 'file:part' },
  devDependencies: { tool: 'file:tool' },
};
const LOCK = {
  name: 'clone',
  lockfileVersion: 3,
  requires: true,
  packages: {
    '': MANIFEST,
    'node_modules/part': { resolved: 'part', link: true },
    'node_modules/tool': { resolved: 'tool', link: true, dev: true },
    part: { version: '1.0.0' },
    tool: { version: '1.0.0', dev: true },
  },
};
/** The lockfile of a later commit. */
const LATER = {
  ...LOCK,
  packages: { ...LOCK.packages, 'node_modules/part': { resolved: 'newer', link: true }, newer: { version: '2.0.0' } },
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
    for (const name of ['scripts', 'bin', 'src', 'part', 'newer', 'tool']) mkdirSync(path.join(clone, name));
    copyFileSync(path.join(ROOT, 'scripts', 'run.mjs'), path.join(clone, 'scripts', 'run.mjs'));
    copyFileSync(path.join(ROOT, 'bin', 'causeway'), path.join(clone, 'bin', 'causeway'));
    writeFileSync(path.join(clone, 'package.json'), JSON.stringify(MANIFEST));
    writeFileSync(path.join(clone, 'scripts', 'install-sizes.json'), JSON.stringify({ run: 2, runtime: 20, all: 50 }));
    writeFileSync(path.join(clone, 'part', 'package.json'), '{ "name": "part", "version": "1.0.0" }');
    writeFileSync(path.join(clone, 'newer', 'package.json'), '{ "name": "part", "version": "2.0.0" }');
    writeFileSync(path.join(clone, 'tool', 'package.json'), '{ "name": "tool", "version": "1.0.0", "bin": "tool.js" }');
    writeFileSync(path.join(clone, 'tool', 'tool.js'), "console.log('tested')");
    writeFileSync(path.join(clone, 'package-lock.json'), JSON.stringify(LOCK));
  });
  afterEach(() => cleanup[Symbol.asyncDispose]());

  function program(text: string): void {
    writeFileSync(path.join(clone, 'src', 'main.ts'), text);
  }

  /** Shortens one of the launcher's times. */
  function hasten(time: string, shorter: string): void {
    const launcher = path.join(clone, 'scripts', 'run.mjs');
    const patient = readFileSync(launcher, 'utf8');
    expect(patient).toContain(time);
    writeFileSync(launcher, patient.replace(time, shorter));
  }

  function start(args: readonly string[] = [], env: Record<string, string> = {}): ChildProcess {
    return startAny([path.join(clone, 'bin', 'causeway'), ...args], env);
  }

  /** As `npm test` does, with a package that running does not need. */
  function startTests(env: Record<string, string> = {}): ChildProcess {
    return startAny([path.join(clone, 'scripts', 'run.mjs'), 'tool'], env);
  }

  function startAny(args: readonly string[], env: Record<string, string>): ChildProcess {
    const inherited = { ...process.env, CAUSEWAY_SKIP_INSTALL: '' };
    return spawn(process.execPath, [...args], { cwd: path.dirname(clone), env: { ...inherited, ...env } });
  }

  /** An npm that does this, in sh, in place of the real one. */
  function npmThat(script: string): Record<string, string> {
    const npm = path.join(clone, 'programs', 'npm');
    mkdirSync(path.dirname(npm), { recursive: true });
    writeFileSync(npm, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return { PATH: `${path.dirname(npm)}:${process.env['PATH']}` };
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
    ends.flatMap(({ err }) => err.match(/^Installing what running needs \(once, 1 packages, about 2 MB\)/gm) ?? [])
      .length;

  it('installs before the first start, and not before the second', async () => {
    program("console.log('answer')");
    const first = await ended(start());
    const second = await ended(start());
    expect([first.out, second.out]).toEqual(['answer\n', 'answer\n']);
    expect([installations(first), installations(second)]).toEqual([1, 0]);
  });

  it('shows how far a long installation is', async () => {
    program('');
    hasten('500 : 10_000', '500 : 50');
    // Its package is there at once, and the rest only when the launcher has said so.
    const list = JSON.stringify({ packages: { 'node_modules/part': { resolved: 'part', link: true } } });
    const npm = npmThat(`mkdir -p node_modules; ln -s ../part node_modules/part
      while [ ! -e seen ]; do sleep 0.02; done; echo '${list}' > node_modules/.package-lock.json`);
    const child = start([], npm);
    child.stderr?.on('data', (text) => {
      if (/^ {2}1 of 1/m.test(`${text}`)) writeFileSync(path.join(clone, 'seen'), '');
    });
    const { code, err } = await ended(child);
    expect(err).toMatch(/^Installing what .*\n(?: {2}[01] of 1 packages, \d+ s\n)+Installed in \d+ s\.\n$/);
    expect(code).toBe(0);
  });

  it('adds what tests need to what running needs, and leaves that as it is for a service that runs meanwhile', async () => {
    program(`if (process.env.STOP) process.exit();
      process.stdin.once('data', async () => { console.log(await import('part/later.js')); process.exit(); });`);
    writeFileSync(path.join(clone, 'part', 'later.js'), 'export const late = true;');
    const service = start();
    const served = ended(service);
    const installed = path.join(clone, 'node_modules', 'part');
    await expect.poll(() => existsSync(path.join(clone, 'node_modules', '.package-lock.json'))).toBe(true);
    expect(existsSync(path.join(clone, 'node_modules', 'tool'))).toBe(false);
    const before = lstatSync(installed);
    const tests = await ended(startTests());
    expect(tests).toMatchObject({ code: 0, out: 'tested\n' });
    expect(tests.err).toMatch(/^Installing what running, tests and checks need \(once, 2 packages, about 50 MB\)/);
    const { ino, ctimeMs } = lstatSync(installed);
    expect({ ino, ctimeMs }).toEqual({ ino: before.ino, ctimeMs: before.ctimeMs });
    service.stdin?.write('go\n');
    const { out, err } = await served;
    expect([out, installations({ code: 0, out, err })]).toEqual([expect.stringContaining('late: true'), 1]);
    // Everything is there now, for both.
    expect([(await ended(start([], { STOP: '1' }))).err, (await ended(startTests())).err]).toEqual(['', '']);
  });

  it('installs everything at once where tests come first, which is enough to run', async () => {
    program('');
    expect((await ended(startTests())).err).toMatch(/^Installing what running, tests and checks need/);
    expect((await ended(start())).err).toBe('');
  });

  it('takes an installation by npm itself', async () => {
    program('');
    execFileSync('npm', ['ci'], { cwd: clone, stdio: 'ignore' });
    expect([(await ended(start())).err, (await ended(startTests())).err]).toEqual(['', '']);
  });

  it.each(['run', 'all'])('repeats an installation that was cut off: %s', async (what) => {
    program("console.log('answer')");
    if (what === 'all') await ended(start());
    const command = what === 'all' ? startTests : (env?: Record<string, string>) => start([], env);
    const half = npmThat('mkdir -p node_modules/part node_modules/tool; echo $$ > begun; exec sleep 600');
    const cut = command(half);
    const begun = path.join(clone, ...(what === 'all' ? ['node_modules', '.causeway-staging'] : []), 'begun');
    const pid = () => (existsSync(begun) ? Number(readFileSync(begun, 'utf8')) : 0);
    await expect.poll(pid).toBeGreaterThan(0);
    cut.kill('SIGKILL');
    process.kill(pid(), 'SIGKILL');
    await ended(cut);
    const { code, out, err } = await ended(command());
    expect({ code, out }).toEqual({ code: 0, out: what === 'all' ? 'tested\n' : 'answer\n' });
    expect(err).toMatch(/^Installing /);
    expect(existsSync(path.join(clone, 'node_modules', '.causeway-staging'))).toBe(false);
  });

  it('installs anew after a change of the lockfile, and says what that means for a service that runs', async () => {
    program('');
    await ended(start());
    writeFileSync(path.join(clone, 'package-lock.json'), JSON.stringify(LATER));
    const manifest = { ...MANIFEST, dependencies: { part: 'file:newer' } };
    writeFileSync(path.join(clone, 'package.json'), JSON.stringify(manifest));
    const { code, err } = await ended(start());
    expect([code, installations({ code, out: '', err })]).toEqual([0, 1]);
    expect(err).toMatch(/^The lockfile has changed. If a service runs from this folder, start it again afterwards\.\n/);
    expect(realpathSync(path.join(clone, 'node_modules', 'part'))).toBe(realpathSync(path.join(clone, 'newer')));
  });

  it('fails where npm leaves something out, and names it', async () => {
    program('');
    const { code, err } = await ended(
      start([], npmThat("mkdir -p node_modules; echo '{}' > node_modules/.package-lock.json")),
    );
    expect([code, err]).toEqual([1, expect.stringMatching(/npm left out node_modules\/part: your registry/)]);
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
    hasten('LONGEST_STOP_MS = 12_000', 'LONGEST_STOP_MS = 200');
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
