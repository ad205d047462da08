// A patch applied by git itself to a clone of a repository, and the tree that comes of it.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ENVIRONMENT = {
  PATH: process.env['PATH'],
  HOME: '/dev/null',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
};

/** The files after `git apply` of the patch at `revision`, by path. Throws what git says where it does not apply. */
export function treeAfterPatch(repository: string, revision: string, patch: string): Readonly<Record<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-apply-'));
  const git = (args: readonly string[], input = '') =>
    execFileSync('git', [...args], {
      cwd: folder,
      env: ENVIRONMENT,
      input,
      stdio: ['pipe', 'pipe', 'pipe'],
    }).toString();
  try {
    git(['clone', '--quiet', '--no-local', repository, '.']);
    git(['checkout', '--quiet', '--detach', revision]);
    git(['apply', '--check', '--whitespace=nowarn'], patch);
    git(['apply', '--whitespace=nowarn'], patch);
    const paths = git(['ls-files', '-z', '--cached', '--others', '--deduplicate']).split('\0').filter(Boolean);
    const gone = new Set(git(['ls-files', '-z', '--deleted']).split('\0'));
    const left = paths.filter((path) => !gone.has(path));
    return Object.fromEntries(left.map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
