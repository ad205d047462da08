// Bundles: what is put together of other files, so that the names of its functions lead to the source.

import { hashTerm, joinName } from 'causeway-code-words';
import type { OutlineSymbol } from 'causeway-git-objects';
import type { CommitLexicon } from '../../core/source/index.ts';
import type { MappedFrame } from '../clues.ts';
import { attempt, type Lookups } from '../lookups.ts';
import { classifyFile, isSecondary } from '../own-code.ts';
import { findOwnFolder, getFileName } from '../paths.ts';
import type { Frame } from './frame.ts';

type Traces = readonly (readonly MappedFrame[])[];

/** Different functions that are looked up; those further out say less. */
const MAX_NAMES = 24;

/** A shorter name without an owner is one of many. */
const SHORTEST = 5;

/**
 * The traces with such frames laid to the one file that defines their function, by the owner's name where the frame has
 * one. `lookups.ground` and `open` are of one commit.
 */
export async function mapBundled(
  lookups: Lookups,
  mapped: Traces,
  open: () => Promise<CommitLexicon>,
): Promise<Traces> {
  const scripts = mapped.flat().flatMap(({ mapping }) => (mapping.kind === 'own' ? [mapping.path] : []));
  const built = await findBundles(lookups, scripts, open);
  const bundled = new Map<MappedFrame, string>();
  for (const one of mapped.flat()) {
    const isBuilt = one.mapping.kind === 'own' && built.has(one.mapping.path);
    const folder = isBuilt ? '' : await findBundle(lookups, one);
    if (folder !== null && bundled.size < MAX_NAMES * 4) bundled.set(one, folder);
  }
  if (bundled.size === 0) return mapped;
  const definers = await findDefiners(lookups, [...bundled.keys()], open);
  const found = new Map<MappedFrame, string>();
  for (const [one, folder] of bundled) {
    const path = await pickDefiner(lookups, one.frame, { folder, definers });
    if (path !== undefined) found.set(one, path);
  }
  const bundles = new Set([...found.keys()].map(({ frame }) => frame.file));
  return mapped.map((frames) =>
    frames.map((one) => {
      const path = found.get(one);
      if (path !== undefined) return { ...one, mapping: { kind: 'own', path, certain: false, compiled: true } };
      // What else is in that bundle is no more in the file that shares its name.
      return bundled.has(one) && bundles.has(one.frame.file) ? { ...one, mapping: { kind: 'unknown' } } : one;
    }),
  );
}

/** Terms of a file; a shorter one is put together of nothing. */
const LEAST_TERMS = 1_000;

const MAX_SCRIPTS = 10;

const LEAST_NAMES = 10;

/** More of the names in one other file make that a copy or another build. */
const MOST_SHARED = 0.6;

const LEAST_COVERED = 0.8;

/**
 * Which of the scripts are committed bundles: nearly all functions of such a file stand in other sources as well, some
 * in each, and it is at least half as long as those. `open`: the index of the commit.
 */
export async function findBundles(
  lookups: Lookups,
  paths: readonly string[],
  open: () => Promise<CommitLexicon>,
): Promise<ReadonlySet<string>> {
  const scripts = [...new Set(paths)].filter((path) => /\.[cm]?js$/.test(path)).slice(0, MAX_SCRIPTS);
  const bundles = new Set<string>();
  if (scripts.length === 0) return bundles;
  const lexicon = await open();
  const at = new Map(lexicon.files.map(({ path }, position) => [path, position]));
  for (const path of scripts) {
    const length = lexicon.lengths[at.get(path) ?? -1] ?? 0;
    if (length >= LEAST_TERMS && (await isBundle(lookups, { path, length, lexicon }))) bundles.add(path);
  }
  return bundles;
}

async function isBundle(
  lookups: Lookups,
  { path, length, lexicon }: { readonly path: string; readonly length: number; readonly lexicon: CommitLexicon },
): Promise<boolean> {
  const outline = await attempt(lookups, `outline ${path}`, () => lookups.tree.outline(path, lookups.signal));
  const functions = (outline ?? []).filter(({ kind, name }) => kind === 'function' && name.length >= SHORTEST);
  const names = [...new Set(functions.map(({ name }) => joinName(name)))];
  if (names.length < LEAST_NAMES) return false;
  const found = await lexicon.matchNames(Uint32Array.from(names, hashTerm), lookups.signal);
  const counts = new Map<number, number>();
  for (const position of found.flatMap((positions) => [...positions])) {
    counts.set(position, (counts.get(position) ?? 0) + 1);
  }
  const isPart = (position: number): boolean => {
    const other = lexicon.files[position]?.path ?? '';
    const count = counts.get(position) ?? 0;
    return other !== path && count <= names.length * MOST_SHARED && classifyFile(other) === 'source';
  };
  const covered = found.filter((positions) => positions.some(isPart));
  // A name that only a few files have says where it comes from.
  const parts = new Set(covered.flatMap((positions) => [...positions.filter(isPart)].slice(0, 1)));
  const whole = [...parts].reduce((sum, position) => sum + (lexicon.lengths[position] ?? 0), 0);
  return covered.length >= names.length * LEAST_COVERED && length >= whole / 2;
}

/** The folder of the package that the frame's bundle is of; null where the frame is none of a bundle. */
async function findBundle(lookups: Lookups, { frame, mapping }: MappedFrame): Promise<string | null> {
  if (frame.language !== 'javascript' || frame.function === '') return null;
  const isCompiled = (mapping.kind === 'own' || mapping.kind === 'ambiguous') && mapping.compiled;
  const folder = findOwnFolder(lookups.ground, frame.file);
  if (mapping.kind === 'unknown') return folder;
  if (!isCompiled) return null;
  const paths = mapping.kind === 'own' ? [mapping.path] : mapping.paths;
  for (const path of paths) {
    const outline = await attempt(lookups, `outline ${path}`, () => lookups.tree.outline(path, lookups.signal));
    if (outline === null || defines(path, outline, frame)) return null;
  }
  return folder ?? '';
}

/** Whether the file has the function, and what it belongs to where the frame says. */
function defines(path: string, outline: readonly OutlineSymbol[], { function: name, owner = '' }: Frame): boolean {
  const names = new Set(outline.map((symbol) => joinName(symbol.name)));
  return names.has(joinName(name)) && (owner === '' || names.has(joinName(owner)) || isNamedAs(path, owner));
}

function isNamedAs(path: string, owner: string): boolean {
  return owner !== '' && joinName(getFileName(path).replace(/\.\w+$/, '')) === joinName(owner);
}

/** The source files that define each name, by how names are compared. */
type Definers = ReadonlyMap<string, readonly string[]>;

async function findDefiners(
  lookups: Lookups,
  bundled: readonly MappedFrame[],
  open: () => Promise<CommitLexicon>,
): Promise<Definers> {
  const lexicon = await open();
  const named = bundled.flatMap(({ frame }) => [frame.function, frame.owner ?? '']);
  const names = [...new Set(named.map(joinName))].filter((name) => name !== '').slice(0, MAX_NAMES * 2);
  const found = await lexicon.matchNames(Uint32Array.from(names, hashTerm), lookups.signal);
  const isSource = (path: string): boolean => classifyFile(path) === 'source' && !isSecondary(path);
  const paths = found.map((positions) =>
    Array.from(positions, (position) => lexicon.files[position]?.path ?? '').filter(isSource),
  );
  const bundles = await findBundles(lookups, paths.flat(), open);
  return new Map(names.map((name, index) => [name, (paths[index] ?? []).filter((path) => !bundles.has(path))]));
}

interface Place {
  readonly folder: string;
  readonly definers: Definers;
}

/** The one file that has both the function and its owner, or is named as the owner; without an owner the one that has it. */
async function pickDefiner(lookups: Lookups, frame: Frame, { folder, definers }: Place): Promise<string | undefined> {
  const { function: name, owner = '' } = frame;
  const within = (path: string): boolean => folder === '' || path.startsWith(`${folder}/`);
  const having = (definers.get(joinName(name)) ?? []).filter(within);
  const owners = (definers.get(joinName(owner)) ?? []).filter(within);
  const both = having.filter((path) => owners.includes(path) || isNamedAs(path, owner));
  if (both.length === 0 && owners.length > 0) return findOnlyOwner(lookups, owners, name);
  const [only, ...others] = both.length > 0 || name.length < SHORTEST ? both : having;
  return others.length === 0 ? only : undefined;
}

/** A head of several lines is not a definition to the index: what defines the owner, and nothing else does, is read. */
async function findOnlyOwner(
  lookups: Lookups,
  [path = '', ...others]: readonly string[],
  name: string,
): Promise<string | undefined> {
  if (others.length > 0) return undefined;
  const read = await attempt(lookups, `read ${path}`, () => lookups.tree.read(path, {}, lookups.signal));
  return read?.kind === 'text' && read.text.includes(`${name}(`) ? path : undefined;
}
