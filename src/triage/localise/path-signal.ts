// How far a path shares the words of a report: in the file's own name, and in its folders.

import { splitName, stemWord } from '../identifiers.ts';
import { getFileName } from '../paths.ts';

import { inSlices } from './in-slices.ts';
import type { Query } from './query.ts';
import { SLICE_PATHS, type Table, termWeight, type Weighing } from './table.ts';
import { isNumber, partOf } from './words-signal.ts';

/** Names that say only that the folder begins here: the folder's own name stands for them. */
const BARE = /^(?:index|mod|__init__|main|lib|init)$/;

/** Words by their number: those of 40,000 paths are a few hundred, and numbers are cheaper to count than texts. */
interface PathWords {
  readonly name: readonly number[];
  readonly folders: readonly number[];
}

export interface PathScores {
  readonly names: Float64Array;
  readonly folders: Float64Array;
  /** The words that a path shares with the report, rare ones first, each once, as the path has them in lower case; numbers say nothing to a reader. */
  shared(file: number): readonly { readonly word: string }[];
}

export async function pathScores(table: Table, query: Query, { weights, signal }: Weighing): Promise<PathScores> {
  const wanted = new Map(query.terms.filter(({ whole }) => !whole).map((term) => [term.term, term]));
  const { files, words, counts } = await readPaths(table.paths, signal);
  const rarities = counts.map((count) => Math.log(1 + files.length / (count + 0.5)));
  const values = words.map((word, number) => {
    const term = wanted.get(word);
    return term ? termWeight(term, weights) * (rarities[number] ?? 0) : 0;
  });
  const value = (word: number): number => values[word] ?? 0;
  const names = new Float64Array(files.length);
  const folders = new Float64Array(files.length);
  await inSlices(files.length, { size: SLICE_PATHS, signal }, (file) => {
    const own = files[file] ?? { name: [], folders: [] };
    names[file] = sumOf(own.name, value) / Math.sqrt(Math.max(1, own.name.length));
    folders[file] = sumOf(own.folders, value);
  });
  return {
    names,
    folders,
    shared: (file) =>
      [...(files[file]?.name ?? []), ...(files[file]?.folders ?? [])]
        .filter((word) => value(word) > 0 && !isNumber(words[word] ?? ''))
        .sort((a, b) => (rarities[b] ?? 0) - (rarities[a] ?? 0))
        .map((number) => ({ word: partOf(table.paths[file] ?? '', words[number] ?? '') })),
  };
}

function sumOf(words: readonly number[], value: (word: number) => number): number {
  let sum = 0;
  for (const word of words) sum += value(word);
  return sum;
}

/** Gives each stem its number. Many files share a folder, and many names a word: each is looked at once. */
function createPathReader() {
  const words: string[] = [];
  const numbers = new Map<string, number>();
  const known = new Map<string, number>();
  const foldersKnown = new Map<string, readonly number[]>();

  function numberOf(part: string): number {
    const before = known.get(part);
    if (before !== undefined) return before;
    const stemmed = stemWord(part);
    const number = numbers.get(stemmed) ?? words.push(stemmed) - 1;
    numbers.set(stemmed, number);
    known.set(part, number);
    return number;
  }

  function wordsOf(text: string): readonly number[] {
    const found: number[] = [];
    for (const part of splitName(text)) {
      const number = numberOf(part);
      if (!found.includes(number)) found.push(number);
    }
    return found;
  }

  function wordsOfFolder(folder: string): readonly number[] {
    const found = foldersKnown.get(folder) ?? wordsOf(folder);
    foldersKnown.set(folder, found);
    return found;
  }

  return {
    words,
    read(path: string): PathWords {
      const base = getFileName(path).replace(/\.\w+$/, '');
      const folder = folderOf(path);
      const isNamedByFolder = folder !== '' && isBare(base);
      const name = wordsOf(isNamedByFolder ? getFileName(folder) : base);
      const folders = wordsOfFolder(isNamedByFolder ? folderOf(folder) : folder);
      const areApart = !folders.some((word) => name.includes(word));
      return { name, folders: areApart ? folders : folders.filter((word) => !name.includes(word)) };
    },
  };
}

/** "" where it stands at the top. */
function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** Whether a file's name without its ending says nothing of what stands in it. */
export function isBare(base: string): boolean {
  return BARE.test(base);
}

/** `counts`: in how many paths each of the words stands. */
async function readPaths(
  paths: readonly string[],
  signal: AbortSignal,
): Promise<{
  readonly files: readonly PathWords[];
  readonly words: readonly string[];
  readonly counts: readonly number[];
}> {
  const files: PathWords[] = [];
  const counts: number[] = [];
  const { words, read } = createPathReader();
  await inSlices(paths.length, { size: SLICE_PATHS, signal }, (index) => {
    const found = read(paths[index] ?? '');
    files.push(found);
    for (const word of found.name) counts[word] = (counts[word] ?? 0) + 1;
    for (const word of found.folders) counts[word] = (counts[word] ?? 0) + 1;
  });
  return { files, words, counts };
}
