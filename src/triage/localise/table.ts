// The files that may hold the fault, with where the terms and names of the report stand in them.
import type { CommitLexicon, LookedUp } from '../../core/lexicon.ts';
import { classifyFile } from '../own-code.ts';
import { inSlices } from './in-slices.ts';
import type { Query } from './query.ts';

export interface Table {
  readonly paths: readonly string[];
  readonly rowOf: ReadonlyMap<string, number>;
  /** Terms in each file, as a part of the mean. */
  readonly lengths: Float64Array;
  /** For each term of the query: how seldom it is here (0: it stands nowhere). */
  readonly rarities: Float64Array;
  /** How often the term stands in the file, at most 255. */
  count(term: number, file: number): number;
  /** For each name of the query the files that define it, in path order. */
  readonly definers: readonly (readonly number[])[];
}

/** Paths that are taken apart without a pause, about 10 ms. */
export const SLICE_PATHS = 4_000;
/** Cells that are looked at without a pause, about 10 ms. */
const SLICE_CELLS = 4_000_000;

/** Looks the whole query up at once. Tests are no candidates: what they repeat of the report says nothing of the fault. */
export async function openTable(lexicon: CommitLexicon, query: Query, signal: AbortSignal): Promise<Table> {
  const hashes = Uint32Array.from([...query.terms, ...query.names], ({ hash }) => hash);
  const looked = await lexicon.lookUp(hashes, signal);
  const rows = await candidates(lexicon, signal);
  const paths = rows.map((row) => lexicon.files[row]?.path ?? '');
  const { having, definers } = await standing(looked, query, { rows, signal });
  return {
    paths,
    rowOf: new Map(paths.map((path, file) => [path, file])),
    lengths: relativeLengths(looked, rows),
    rarities: Float64Array.from(having, (files) => rarity(files, paths.length)),
    count: (term, file) => looked.counts[(rows[file] ?? 0) * hashes.length + term] ?? 0,
    definers,
  };
}

/** Files of a slice in which so many cells of each are looked at. */
export function filesOfSlice(cells: number): number {
  return Math.max(1, Math.floor(SLICE_CELLS / Math.max(1, cells)));
}

async function candidates({ files }: CommitLexicon, signal: AbortSignal): Promise<readonly number[]> {
  const rows: number[] = [];
  await inSlices(files.length, { size: SLICE_PATHS, signal }, (row) => {
    if (classifyFile(files[row]?.path ?? '') !== 'test') rows.push(row);
  });
  return rows;
}

interface Standing {
  /** For each term the number of files that hold it. */
  readonly having: Uint32Array;
  readonly definers: readonly (readonly number[])[];
}

/** File by file, as the cells lie in memory: name by name, each cell of 100,000 files would be far from the last. */
async function standing(
  { counts, defined }: LookedUp,
  { terms, names }: Query,
  { rows, signal }: { readonly rows: readonly number[]; readonly signal: AbortSignal },
): Promise<Standing> {
  const columns = terms.length + names.length;
  const having = new Uint32Array(terms.length);
  const definers = names.map((): number[] => []);
  await inSlices(rows.length, { size: filesOfSlice(columns), signal }, (file) => {
    const start = (rows[file] ?? 0) * columns;
    for (let term = 0; term < terms.length; term++) {
      if (counts[start + term] !== 0) having[term] = (having[term] ?? 0) + 1;
    }
    for (let name = 0; name < names.length; name++) {
      if (defined[start + terms.length + name] === 1) definers[name]?.push(file);
    }
  });
  return { having, definers };
}

function relativeLengths({ lengths }: LookedUp, rows: readonly number[]): Float64Array {
  const own = Float64Array.from(rows, (row) => lengths[row] ?? 0);
  const mean = own.reduce((sum, length) => sum + length, 0) / Math.max(1, own.length);
  return own.map((length) => length / Math.max(1, mean));
}

/** The inverse document frequency of BM25; 0 for what stands nowhere. */
export function rarity(having: number, all: number): number {
  return having === 0 ? 0 : Math.log(1 + (all - having + 0.5) / (having + 0.5));
}
