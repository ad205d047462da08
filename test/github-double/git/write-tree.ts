// A tree with some files changed, made folder by folder without git's index; whatever is not plain is left to git.
import { writeObject } from './loose-object.ts';
import { git } from './run-git.ts';
import type { FileChange } from './write-objects.ts';

interface Entry {
  readonly mode: string;
  readonly sha: string;
}

type Folder = ReadonlyMap<string, Entry>;

const PLAIN_PATH = /^(?:(?!\.{1,2}\/|\.git)[\w.@+ -]+\/)*(?!\.{1,2}$|\.git)[\w.@+ -]+$/i;
const GITHUB_FOLDER = /^\.github\//;
const PLAIN_MODE = /^100(?:644|755)$/;
const FOLDER_MODE = '40000';

/** The id of a tree like `base` (null: empty); null where the changes, or what they meet, are more than files in folders. */
export async function changedTree(
  gitDir: string,
  base: string | null,
  changes: readonly FileChange[],
): Promise<string | null> {
  const paths = new Set(changes.map(({ path }) => path));
  const isPlain = ({ path, mode }: FileChange) =>
    PLAIN_PATH.test(path.replace(GITHUB_FOLDER, 'github/')) && PLAIN_MODE.test(mode);
  if (paths.size < changes.length || !changes.every(isPlain)) return null;
  const root = base === null ? new Map<string, Entry>() : await readFolder(gitDir, base);
  if (root === null) return null;
  const made = await changedFolder(gitDir, root, changes);
  return made === null ? null : writeFolder(gitDir, made);
}

async function changedFolder(gitDir: string, folder: Folder, changes: readonly FileChange[]): Promise<Folder | null> {
  const entries = new Map(folder);
  const below = Map.groupBy(changes, ({ path }) => path.split('/', 1)[0] ?? '');
  for (const [name, inside] of below) {
    const before = entries.get(name);
    const [only] = inside;
    if (inside.length === 1 && only !== undefined && only.path === name) {
      if (before?.mode === FOLDER_MODE) return null;
      if (only.sha === null) entries.delete(name);
      else entries.set(name, { mode: only.mode, sha: only.sha });
      continue;
    }
    if (before !== undefined && before.mode !== FOLDER_MODE) return null;
    const rest = inside.map((one) => ({ ...one, path: one.path.slice(name.length + 1) }));
    if (rest.some(({ path }) => path === '')) return null;
    const old = before === undefined ? new Map<string, Entry>() : await readFolder(gitDir, before.sha);
    const made = old === null ? null : await changedFolder(gitDir, old, rest);
    if (made === null) return null;
    if (made.size === 0) entries.delete(name);
    else entries.set(name, { mode: FOLDER_MODE, sha: writeFolder(gitDir, made) });
  }
  return entries;
}

/** Null where there is no such tree, or a name in it is not plain text. */
async function readFolder(gitDir: string, treeish: string): Promise<Folder | null> {
  const out = await git(gitDir, ['ls-tree', '-z', '--full-tree', treeish]).catch(() => null);
  const text = out?.toString('utf8') ?? null;
  if (out === null || text === null || !Buffer.from(text).equals(out)) return null;
  const rows = text.split('\0').filter((row) => row !== '');
  return new Map(
    rows.map((row) => {
      const [mode = '', , sha = ''] = row.slice(0, row.indexOf('\t')).split(' ');
      return [row.slice(row.indexOf('\t') + 1), { mode: mode.replace(/^0/, ''), sha }];
    }),
  );
}

/** Git orders a folder as if its name ended in a slash. */
function writeFolder(gitDir: string, folder: Folder): string {
  const rows = [...folder].map(([name, { mode, sha }]) => ({
    order: Buffer.from(mode === FOLDER_MODE ? `${name}/` : name),
    bytes: Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(sha, 'hex')]),
  }));
  const content = Buffer.concat(rows.toSorted((a, b) => Buffer.compare(a.order, b.order)).map(({ bytes }) => bytes));
  return writeObject(gitDir, 'tree', content);
}
