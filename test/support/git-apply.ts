// A patch applied by git itself to a clone of a repository, and the tree that comes of it.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toUnifiedPatch } from 'causeway-diff';

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

/** What git finds changed once the patch is applied, each file with its text; null for one that is gone. Throws what git says. */
export function appliedTo(
  repository: string,
  revision: string,
  patch: string,
): Readonly<Record<string, string | null>> {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-index-'));
  const env = {
    PATH: process.env['PATH'],
    GIT_INDEX_FILE: join(folder, 'index'),
    GIT_CONFIG_NOSYSTEM: '1',
    HOME: folder,
  };
  const git = (args: readonly string[], input = '') =>
    execFileSync('git', [...args], { cwd: repository, env, input, stdio: ['pipe', 'pipe', 'pipe'] }).toString();
  try {
    git(['read-tree', revision]);
    if (patch !== '') git(['apply', '--cached', '--whitespace=nowarn'], patch);
    const rows = git(['diff', '--cached', '--name-status', '--no-renames', '-z', revision]).split('\0');
    const changed: Record<string, string | null> = {};
    for (let at = 0; at + 1 < rows.length; at += 2) {
      const path = rows[at + 1] ?? '';
      changed[path] = rows[at] === 'D' ? null : git(['cat-file', 'blob', `:${path}`]);
    }
    return changed;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** "" where nothing has changed. */
export function unifiedOf(path: string, before: string, after: string): string {
  if (before === after) return '';
  const file =
    before === ''
      ? ({ kind: 'added', path, mode: '100644', after } as const)
      : ({ kind: 'modified', path, before, after } as const);
  const patch = toUnifiedPatch({ base: '', files: [file] });
  const start = patch.indexOf('@@');
  return start === -1 ? '' : patch.slice(start);
}
