// Names with an owner (`pkg.Func`, `Class#method`, `a.b.C`): which files the owner and the name lead to together.

import { joinName } from 'causeway-code-words';
import { runInSlices, SLICE_PATHS } from '../slices.ts';

/** A name of a report with what it belongs to, outermost first. */
export interface QualifiedName {
  /** As the report writes it. */
  readonly written: string;
  /** As names are compared: lower case, without joints. */
  readonly parts: readonly string[];
  /** What it counts by where it is in the report. */
  readonly weight: number;
}

/** What a name counts in the report's own words; in code and logs it counts less, in the title more. */
export const IN_PROSE = 1;

/** A report that names more than these is a listing. */
const MAX_QUALIFIED = 120;

/** A name that more files fit says nothing. */
const MOST_FITS = 6;

const QUALIFIED = /[A-Za-z_$][\w$]{0,80}(?:(?:\.|::|#|->|\/)[A-Za-z_$][\w$]{0,80}){1,8}/g;

const SEPARATOR = /\.|::|#|->|\//;

/** Ends that are files or hosts, and owners that every program has. */
const NO_NAME =
  /\.(?:com|org|io|net|dev|html?|json|ya?ml|toml|md|txt|css|xml|lock|cfg|ini|exe|log|png|svg|jpe?g|gif|zip)$/i;
const NO_OWNER: ReadonlySet<string> = new Set(
  'self this cls super np pd plt os sys re json console math object process window document std string fmt'.split(' '),
);

/** `texts` with the weight of each; a name that is written again counts where it weighs most. */
export function findQualifiedNames(texts: readonly (readonly [string, number])[]): readonly QualifiedName[] {
  const found = new Map<string, QualifiedName>();
  for (const [text, weight] of texts) {
    for (const [written] of text.matchAll(QUALIFIED)) {
      const parts = readParts(written);
      const key = parts.join('.');
      const isMore = parts.length > 0 && (found.get(key)?.weight ?? 0) < weight;
      if (isMore && found.size < MAX_QUALIFIED) found.set(key, { written, parts, weight });
    }
  }
  return [...found.values()];
}

/** None for the name of a file or of a host, and for what every program has. */
function readParts(written: string): readonly string[] {
  const parts = written.split(SEPARATOR).map(joinName);
  const isCommon = parts.length === 2 && NO_OWNER.has(parts[0] ?? '');
  return NO_NAME.test(written) || isCommon || parts.includes('') ? [] : parts;
}

export interface QualifiedScores {
  /** How surely the names lead to each file: the sum of their weights, each divided among the files that fit it. */
  readonly scores: Float64Array;
  /** The names that lead to a file, by file. */
  readonly names: ReadonlyMap<number, readonly QualifiedName[]>;
}

export async function scoreQualified(
  paths: readonly string[],
  names: readonly QualifiedName[],
  definersOf: (name: string) => readonly number[],
  signal: AbortSignal,
): Promise<QualifiedScores> {
  const scores = new Float64Array(paths.length);
  const found = new Map<number, readonly QualifiedName[]>();
  if (names.length === 0) return { scores, names: found };
  const places = await readPlaces(paths, signal);
  for (const name of names) {
    const { parts, weight } = name;
    const fits = findQualifiedModule(places, parts) ?? findOwned(places, parts, definersOf);
    if (fits.length > MOST_FITS) continue;
    for (const file of fits) {
      scores[file] = (scores[file] ?? 0) + weight / Math.sqrt(fits.length);
      found.set(file, [...(found.get(file) ?? []), name]);
    }
  }
  return { scores, names: found };
}

interface PathPlaces {
  /** The parts of each path, without the ending, as names are compared. */
  readonly segments: readonly (readonly string[])[];
  /** Files by their last two parts; `__init__` and its like are left out, so that they mean their folder. */
  readonly byEnd: ReadonlyMap<string, readonly number[]>;
}

const BARE: ReadonlySet<string> = new Set(['index', 'mod', 'init', 'lib', 'main']);

async function readPlaces(paths: readonly string[], signal: AbortSignal): Promise<PathPlaces> {
  const segments: string[][] = [];
  const byEnd = new Map<string, number[]>();
  await runInSlices(paths.length, { size: SLICE_PATHS, signal }, (file) => {
    const own = (paths[file] ?? '')
      .replace(/\.\w+$/, '')
      .split('/')
      .map(joinName);
    if (own.length > 1 && BARE.has(own.at(-1) ?? '')) own.pop();
    segments.push(own);
    const key = own.slice(-2).join('/');
    const same = byEnd.get(key);
    if (same) same.push(file);
    else byEnd.set(key, [file]);
  });
  return { segments, byEnd };
}

/** The files that have the longest beginning of the name as their path: `org.shop.Cart.add` is in `org/shop/Cart.java`. */
function findQualifiedModule({ byEnd }: PathPlaces, parts: readonly string[]): readonly number[] | null {
  for (let end = parts.length; end >= 2; end--) {
    const found = byEnd.get(`${parts[end - 2]}/${parts[end - 1]}`);
    if (found !== undefined) return found;
  }
  return null;
}

/** The files that define the last part, and the owner too, or have the owner in their path. */
function findOwned(
  { segments }: PathPlaces,
  parts: readonly string[],
  definersOf: (name: string) => readonly number[],
): readonly number[] {
  const owner = parts.at(-2) ?? '';
  const owners = new Set(definersOf(owner));
  const defining = definersOf(parts.at(-1) ?? '');
  const both = defining.filter((file) => owners.has(file) || segments[file]?.at(-1) === owner);
  return both.length > 0 ? both : defining.filter((file) => segments[file]?.includes(owner));
}
