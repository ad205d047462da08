// Frames of a bundle: its file is not in the source, or has another source, so that their functions' names lead there.

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
  const bundled = new Map<MappedFrame, string>();
  for (const one of mapped.flat()) {
    const folder = await findBundle(lookups, one);
    if (folder !== null && bundled.size < MAX_NAMES * 4) bundled.set(one, folder);
  }
  if (bundled.size === 0) return mapped;
  const definers = await findDefiners(lookups, [...bundled.keys()], await open());
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
  { signal }: Lookups,
  bundled: readonly MappedFrame[],
  lexicon: CommitLexicon,
): Promise<Definers> {
  const named = bundled.flatMap(({ frame }) => [frame.function, frame.owner ?? '']);
  const names = [...new Set(named.map(joinName))].filter((name) => name !== '').slice(0, MAX_NAMES * 2);
  const found = await lexicon.matchNames(Uint32Array.from(names, hashTerm), signal);
  const isSource = (path: string): boolean => classifyFile(path) === 'source' && !isSecondary(path);
  return new Map(
    names.map((name, index) => [
      name,
      Array.from(found[index] ?? [], (position) => lexicon.files[position]?.path ?? '').filter(isSource),
    ]),
  );
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

/** A head of several lines is no definition to the index: what defines the owner, and nothing else does, is read. */
async function findOnlyOwner(
  lookups: Lookups,
  [path = '', ...others]: readonly string[],
  name: string,
): Promise<string | undefined> {
  if (others.length > 0) return undefined;
  const read = await attempt(lookups, `read ${path}`, () => lookups.tree.read(path, {}, lookups.signal));
  return read?.kind === 'text' && read.text.includes(`${name}(`) ? path : undefined;
}
