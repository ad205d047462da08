// The tool that lists folders and paths.
import { z } from 'zod';
import { createGlobMatcher } from '../core/paths.ts';
import type { TreeEntry } from '../core/source.ts';
import type { Tool } from '../core/tool.ts';
import { type EditedTree, normalisePath } from './edited-tree.ts';
import { type Budget, createBudget, findInTurns } from './in-turns.ts';
import {
  answerFailed,
  answerFound,
  answerNothing,
  defineTool,
  describeAtCommit,
  MAX_RESULT_BYTES,
  quote,
  takeFittingLines,
} from './tool-kit.ts';

/** About a second; a plain glob over 200,000 files takes a fifth of it. */
const MAX_STEPS = 100_000_000;

const PARAMETERS = z.strictObject({
  folder: z.string().max(4_096).optional().describe('Folder to list; left out: the root.'),
  glob: z
    .string()
    .max(300)
    .optional()
    .describe('List all files below the folder whose path matches, such as **/*.test.ts.'),
  start: z.int().min(1).optional().describe('Begin with this entry of the list, from 1, to go on after a cut.'),
});

export function defineListFilesTool(source: EditedTree): Tool {
  return defineTool({
    name: 'list_files',
    description:
      'Lists one folder: its files with sizes, its folders with the number of files in them. With "glob", all files below it that match. At most 12 kB; the answer says with which "start" to go on.',
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
      if (glob === undefined) return formatPage(listChildren(inside, prefix), start, '');
      const search = { entries: inside, prefix, budget: createBudget(MAX_STEPS), signal };
      // A glob without a slash is meant for names, in whatever folder.
      const { lines, stop } = await findMatching(search, glob.includes('/') ? glob.replace(/^\/+/, '') : `**/${glob}`);
      if (lines.length > 0) return formatPage(lines, start, stop);
      return stop === '' ? explainNoMatch(search, glob) : answerFailed(`No match so far. ${stop}`);
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
  const rest = `Entries ${next} to ${lines.length} are not shown: go on with "start": ${next}.`;
  return answerFound(
    shown.join('\n'),
    [next <= lines.length ? rest : '', stop].filter((each) => each !== '').join(' '),
  );
}

function explainNoFolder(folder: string, entries: readonly TreeEntry[]) {
  if (entries.length === 0) return answerNothing('There are no files.');
  if (entries.some((entry) => entry.path === folder)) return answerFailed(`${quote(folder)} is a file; read it.`);
  return answerFailed(`There is no folder ${quote(folder)}. List the one above it.`);
}

/** Folders first, then files. */
function listChildren(entries: readonly TreeEntry[], prefix: string): readonly string[] {
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

interface GlobSearch {
  readonly entries: readonly TreeEntry[];
  readonly prefix: string;
  readonly budget: Budget;
  readonly signal: AbortSignal;
}

async function findMatching({ entries, prefix, budget, signal }: GlobSearch, glob: string) {
  const matches = createGlobMatcher(glob, budget);
  const lines: string[] = [];
  const collect = (entry: TreeEntry) => {
    if (matches(entry.path.slice(prefix.length))) lines.push(formatEntry(entry));
    return false;
  };
  const result = await findInTurns(entries, collect, budget, signal);
  if (result.kind !== 'stopped') return { lines, stop: '' };
  const stop = `Stopped after ${result.after} of ${entries.length} files, since the glob takes too long: give a "folder" or a simpler glob.`;
  return { lines, stop };
}

/** A glob that means folders would say that they are not there. */
async function explainNoMatch(search: GlobSearch, glob: string) {
  const inFolders = `${glob.replace(/(?<!\/)\/+$/, '')}/**`;
  const { lines, stop } = await findMatching(search, inFolders.replace(/^\/+/, ''));
  const where = search.prefix === '' ? 'the root' : search.prefix.slice(0, -1);
  if (lines.length === 0) {
    const none = `No file matches ${quote(glob)} below ${where}.`;
    if (stop !== '') return answerFailed(`${none} Folders that match were looked for too. ${stop}`);
    return answerNothing(`No file or folder below ${where} matches ${quote(glob)}.`);
  }
  const shown = takeFittingLines(lines, MAX_RESULT_BYTES);
  const head = `No file matches ${quote(glob)}, but folders do. Files in them:`;
  const rest = shown.length < lines.length ? `${lines.length - shown.length} more files: narrow the glob.` : '';
  return answerFound(`${head}\n${shown.join('\n')}`, [rest, stop].filter((each) => each !== '').join(' '));
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
