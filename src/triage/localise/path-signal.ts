// How far a path shares the words of a report: in the file's own name, and in its folders.
import { fileName } from '../path-index.ts';
import { stem } from '../stem.ts';
import { nameParts } from '../tokens.ts';
import { inSlices } from './in-slices.ts';
import type { Query } from './query.ts';
import { SLICE_PATHS, type Table } from './table.ts';
import { isNumber, partOf, termWeight, type Weighing } from './words-signal.ts';

/** Names that say only that the folder begins here: the folder's own name stands for them. */
const BARE = /^(?:index|mod|__init__|main|lib|init)$/;

interface PathWords {
  readonly name: readonly string[];
  readonly folders: readonly string[];
}

export interface PathScores {
  readonly names: Float64Array;
  readonly folders: Float64Array;
  /** The words that a path shares, seldom ones first, each once; numbers say nothing to a reader. */
  shared(file: number): readonly SharedWord[];
}

interface SharedWord {
  /** As the path has it, in lower case. */
  readonly word: string;
  /** Whether the report has it like that, rather than with another ending. */
  readonly isSame: boolean;
}

export async function pathScores(table: Table, query: Query, { weights, signal }: Weighing): Promise<PathScores> {
  const wanted = new Map(query.terms.filter(({ whole }) => !whole).map((term) => [term.term, term]));
  const { files, rarities } = await readPaths(table.paths, signal);
  const value = (word: string): number => {
    const term = wanted.get(word);
    return term ? termWeight(term, weights) * (rarities.get(word) ?? 0) : 0;
  };
  const sum = (words: readonly string[]): number => words.reduce((total, word) => total + value(word), 0);
  const names = new Float64Array(files.length);
  const folders = new Float64Array(files.length);
  await inSlices(files.length, { size: SLICE_PATHS, signal }, (file) => {
    const words = files[file] ?? { name: [], folders: [] };
    names[file] = sum(words.name) / Math.sqrt(Math.max(1, words.name.length));
    folders[file] = sum(words.folders);
  });
  return {
    names,
    folders,
    shared: (file) =>
      [...(files[file]?.name ?? []), ...(files[file]?.folders ?? [])]
        .filter((word) => value(word) > 0 && !isNumber(word))
        .sort((a, b) => (rarities.get(b) ?? 0) - (rarities.get(a) ?? 0))
        .map((stemmed) => {
          const word = partOf(table.paths[file] ?? '', stemmed);
          return { word, isSame: word === partOf(wanted.get(stemmed)?.word ?? '', stemmed) };
        }),
  };
}

/** Many files share a folder: its words are looked for once. */
function pathWords(): (path: string) => PathWords {
  const known = new Map<string, readonly string[]>();
  const wordsOf = (text: string): readonly string[] => {
    const words = known.get(text) ?? [...new Set(text.split('/').flatMap(nameParts).map(stem))];
    known.set(text, words);
    return words;
  };
  return (path) => {
    const folders = path.split('/').slice(0, -1);
    const base = fileName(path).replace(/\.\w+$/, '');
    const own = isBare(base) ? (folders.pop() ?? base) : base;
    const name = wordsOf(own);
    return { name, folders: wordsOf(folders.join('/')).filter((word) => !name.includes(word)) };
  };
}

/** Whether a file's name without its ending says nothing of what stands in it. */
export function isBare(base: string): boolean {
  return BARE.test(base);
}

async function readPaths(
  paths: readonly string[],
  signal: AbortSignal,
): Promise<{ readonly files: readonly PathWords[]; readonly rarities: ReadonlyMap<string, number> }> {
  const files: PathWords[] = [];
  const counts = new Map<string, number>();
  const wordsOf = pathWords();
  await inSlices(paths.length, { size: SLICE_PATHS, signal }, (index) => {
    const words = wordsOf(paths[index] ?? '');
    files.push(words);
    for (const word of [...words.name, ...words.folders]) counts.set(word, (counts.get(word) ?? 0) + 1);
  });
  return {
    files,
    rarities: new Map([...counts].map(([word, count]) => [word, Math.log(1 + files.length / (count + 0.5))])),
  };
}
