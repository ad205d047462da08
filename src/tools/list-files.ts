// The tool that lists folders and paths.
import { z } from 'zod';
import type { TreeEntry } from '../ports/source.ts';
import type { Tool } from '../ports/tool.ts';
import { type EditedTree, plainPath } from './edited-tree.ts';
import { globMatcher } from './path-glob.ts';
import { fitting } from './show-lines.ts';
import { atCommit, defineTool, failed, found, MAX_RESULT_BYTES, nothing, quoted } from './tool-kit.ts';

const PARAMETERS = z.strictObject({
  folder: z.string().max(4_096).optional().describe('Folder to list; left out: the root.'),
  glob: z
    .string()
    .max(300)
    .optional()
    .describe('List all files below the folder whose path matches, such as **/*.test.ts.'),
  start: z.int().min(1).optional().describe('Begin with this entry of the list, from 1, to go on after a cut.'),
});

export function listFilesTool(source: EditedTree): Tool {
  return defineTool({
    name: 'list_files',
    description:
      'Lists one folder: its files with sizes, its folders with the number of files in them. With "glob", all files below it that match. At most 12 kB; the answer says with which "start" to go on.',
    parameters: PARAMETERS,
    example: { folder: 'src', glob: '*.ts' },
    action: ({ folder = '', glob, start }) => {
      const which = glob === undefined ? '' : ` matching ${quoted(glob)}`;
      const from = start === undefined ? '' : ` from entry ${start}`;
      return atCommit(`list ${plainPath(folder) || 'the root'}${which}${from}`, source.tree.revision);
    },
    execute: async ({ folder = '', glob, start = 1 }, signal) => {
      const base = plainPath(folder);
      const prefix = base === '' ? '' : `${base}/`;
      const entries = await source.entries(signal);
      const inside = entries.filter((entry) => entry.path.startsWith(prefix));
      if (inside.length === 0) return noFolder(base, entries);
      const lines = glob === undefined ? childLines(inside, prefix) : matching(inside, prefix, glob);
      if (lines.length > 0) return page(lines, start);
      return noMatch(inside, prefix, glob ?? '');
    },
  });
}

function page(lines: readonly string[], start: number) {
  if (start > lines.length) return nothing(`The list has ${lines.length} entries; there is no entry ${start}.`);
  const shown = fitting(lines.slice(start - 1), MAX_RESULT_BYTES);
  const next = start + shown.length;
  const rest = `Entries ${next} to ${lines.length} are not shown: go on with "start": ${next}.`;
  return found(shown.join('\n'), next <= lines.length ? rest : '');
}

function noFolder(folder: string, entries: readonly TreeEntry[]) {
  if (entries.length === 0) return nothing('There are no files.');
  if (entries.some((entry) => entry.path === folder)) return failed(`${quoted(folder)} is a file; read it.`);
  return failed(`There is no folder ${quoted(folder)}. List the one above it.`);
}

/** Folders first, then files. */
function childLines(entries: readonly TreeEntry[], prefix: string): readonly string[] {
  const folders = new Map<string, number>();
  const files: string[] = [];
  for (const entry of entries) {
    const rest = entry.path.slice(prefix.length);
    const slash = rest.indexOf('/');
    if (slash === -1) files.push(lineOf(entry));
    else folders.set(rest.slice(0, slash), (folders.get(rest.slice(0, slash)) ?? 0) + 1);
  }
  const folderLines = [...folders].map(
    ([name, count]) => `${prefix}${name}/ (${count} ${count === 1 ? 'file' : 'files'})`,
  );
  return [...folderLines, ...files];
}

function matching(entries: readonly TreeEntry[], prefix: string, glob: string): readonly string[] {
  // A glob without a slash is meant for names, in whatever folder.
  const full = glob.includes('/') ? glob.replace(/^\/+/, '') : `**/${glob}`;
  const matches = globMatcher(full);
  return entries.filter((entry) => matches(entry.path.slice(prefix.length))).map(lineOf);
}

/** A glob that means folders would say that they are not there. */
function noMatch(entries: readonly TreeEntry[], prefix: string, glob: string) {
  const within = matching(entries, prefix, `${glob.replace(/\/+$/, '')}/**`);
  const where = prefix === '' ? 'the root' : prefix.slice(0, -1);
  if (within.length === 0) return nothing(`No file or folder below ${where} matches ${quoted(glob)}.`);
  const shown = fitting(within, MAX_RESULT_BYTES);
  const head = `No file matches ${quoted(glob)}, but folders do. Files in them:`;
  const rest = shown.length < within.length ? `${within.length - shown.length} more files: narrow the glob.` : '';
  return found(`${head}\n${shown.join('\n')}`, rest);
}

function lineOf({ path: name, kind, size }: TreeEntry): string {
  switch (kind) {
    case 'file':
      return `${name} (${size} bytes)`;
    case 'executable':
      return `${name} (${size} bytes, executable)`;
    case 'symlink':
      return `${name} (symbolic link)`;
    case 'submodule':
      return `${name} (submodule)`;
  }
}
