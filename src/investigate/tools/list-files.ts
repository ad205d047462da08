// The tool that lists folders and paths.

import type { TreeEntry } from 'causeway-git-objects';
import { createGlobMatcher, type Effort } from 'causeway-paths';
import { z } from 'zod';
import type { Tool } from '../../core/report/index.ts';
import type { EditedTree } from './overlay.ts';
import {
  answerFailed,
  answerFound,
  answerNothing,
  defineTool,
  describeAtCommit,
  joinNotes,
  MAX_RESULT_BYTES,
  normalisePath,
  quote,
  takeFittingLines,
} from './tool-kit.ts';

/** About 0.4 s; a plain glob over 200,000 files takes half of it. */
const MAX_STEPS = 40_000_000;

const PARAMETERS = z.strictObject({
  folder: z.string().max(4_096).optional().describe('Folder to list; left out: the root.'),
  glob: z
    .string()
    .max(300)
    .optional()
    .describe('List all files below the folder whose path matches, such as **/*.test.ts.'),
  start: z.int().min(1).optional().describe('First entry to show, from 1; continues a cut answer.'),
});

export function defineListFilesTool(source: EditedTree): Tool {
  return defineTool({
    name: 'list_files',
    description:
      'Lists one folder: its files with sizes, its folders with the number of files in them. With "glob", all files below it that match. At most 12 kB; a cut answer says which "start" continues it.',
    parameters: PARAMETERS,
    example: { folder: 'src', glob: '*.ts' },
    action: ({ folder = '', glob, start }) => {
      const which = glob === undefined ? '' : ` matching ${quote(glob)}`;
      const from = start === undefined ? '' : ` from entry ${start}`;
      return describeAtCommit(`list ${normalisePath(folder) || 'the root'}${which}${from}`, source.tree.revision);
    },
    execute: async ({ folder = '', glob, start = 1 }, signal) => {
      const base = normalisePath(folder);
      const prefix = base === '' ? '' : `${base}/`;
      const entries = await source.entries(signal);
      const inside = entries.filter((entry) => entry.path.startsWith(prefix));
      if (inside.length === 0) return explainNoFolder(base, entries);
      if (glob === undefined) return formatPage(listFolderEntries(inside, prefix), start, '');
      // A glob without a slash is meant for names in any folder.
      const wanted = glob.includes('/') ? glob.replace(/^\/+/, '') : `**/${glob}`;
      const { lines, stop } = findMatching(inside, prefix, wanted);
      if (lines.length > 0) return formatPage(lines, start, stop);
      return stop === '' ? explainNoMatch(inside, prefix, glob) : answerFailed(`No match so far. ${stop}`);
    },
  });
}

/** `stop`: what was not looked at, in words; "" for nothing. */
function formatPage(lines: readonly string[], start: number, stop: string) {
  if (start > lines.length) {
    const none = `The list has ${lines.length} entries; there is no entry ${start}.`;
    return stop === '' ? answerNothing(none) : answerFailed(`${none} ${stop}`);
  }
  const shown = takeFittingLines(lines.slice(start - 1), MAX_RESULT_BYTES);
  const next = start + shown.length;
  const rest = `Entries ${next} to ${lines.length} are not shown: continue with "start": ${next}.`;
  return answerFound(shown.join('\n'), joinNotes(next <= lines.length ? rest : '', stop));
}

function explainNoFolder(folder: string, entries: readonly TreeEntry[]) {
  if (entries.length === 0) return answerNothing('There are no files.');
  if (entries.some((entry) => entry.path === folder)) return answerFailed(`${quote(folder)} is a file; read it.`);
  return answerFailed(`There is no folder ${quote(folder)}. List the one above it.`);
}

/** Folders first, then files. */
function listFolderEntries(entries: readonly TreeEntry[], prefix: string): readonly string[] {
  const folders = new Map<string, number>();
  const files: string[] = [];
  for (const entry of entries) {
    const rest = entry.path.slice(prefix.length);
    const slash = rest.indexOf('/');
    if (slash === -1) files.push(formatEntry(entry));
    else folders.set(rest.slice(0, slash), (folders.get(rest.slice(0, slash)) ?? 0) + 1);
  }
  const folderLines = [...folders].map(
    ([name, count]) => `${prefix}${name}/ (${count} ${count === 1 ? 'file' : 'files'})`,
  );
  return [...folderLines, ...files];
}

function findMatching(entries: readonly TreeEntry[], prefix: string, glob: string) {
  const effort: Effort = { steps: 0 };
  const matches = createGlobMatcher(glob, effort);
  const lines: string[] = [];
  for (const [index, entry] of entries.entries()) {
    if (effort.steps >= MAX_STEPS) {
      const stop = `Stopped after ${index} of ${entries.length} files, because the glob takes too long: give a "folder" or a simpler glob.`;
      return { lines, stop };
    }
    if (matches(entry.path.slice(prefix.length))) lines.push(formatEntry(entry));
  }
  return { lines, stop: '' };
}

/** A glob that means folders would say that they are not there. */
function explainNoMatch(entries: readonly TreeEntry[], prefix: string, glob: string) {
  const inFolders = `${glob.replace(/(?<!\/)\/+$/, '')}/**`;
  const { lines, stop } = findMatching(entries, prefix, inFolders.replace(/^\/+/, ''));
  if (lines.length === 0) {
    const where = prefix === '' ? 'the root' : prefix.slice(0, -1);
    const none = `No file or folder below ${where} matches ${quote(glob)}.`;
    return stop === '' ? answerNothing(none) : answerFailed(joinNotes(none, stop));
  }
  const shown = takeFittingLines(lines, MAX_RESULT_BYTES);
  const head = `No file matches ${quote(glob)}, but folders do. Files in them:`;
  const rest = shown.length < lines.length ? `${lines.length - shown.length} more files: narrow the glob.` : '';
  return answerFound(`${head}\n${shown.join('\n')}`, joinNotes(rest, stop));
}

function formatEntry({ path: name, kind, size }: TreeEntry): string {
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
