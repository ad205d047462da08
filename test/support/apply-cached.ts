// A patch applied by git itself to one commit, in an index of its own: links and submodules may stand in the tree.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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
