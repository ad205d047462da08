// Makes the place of each suspect true: the line exists at the commit, and its function is named.
import type { Symbol as OutlineSymbol, SourceTree } from '../core/source.ts';
import type { Clue } from './candidates/clue.ts';
import { carryLine } from './carry-line.ts';
import { definitionLine, enclosingFunction } from './enclosing-function.ts';
import { attempt, type Lookups } from './lookups.ts';
import { longestSuffix, type PathIndex } from './path-index.ts';
import type { RankedSuspect } from './rank-suspects.ts';

/** Only the first suspects are looked into: each costs a read and an outline. */
const PLACED = 10;

export interface Framed {
  readonly tree: SourceTree;
  /** Tag or sha in the report that led to this commit; "" where it is the one asked for. */
  readonly name: string;
}

/** Frame clues of another commit, carried over to this one; what is gone is dropped. Returned beside: what was lost, in words. */
export async function carryClues(
  lookups: Lookups,
  framed: Framed,
  clues: readonly Clue[],
): Promise<{ readonly clues: readonly Clue[]; readonly lost: readonly string[] }> {
  if (framed.name === '') return { clues, lost: [] };
  const here = new Set(lookups.ground.index.paths);
  const lost = new Set<string>();
  const carried: Clue[] = [];
  for (const clue of clues) {
    const path = here.has(clue.path) ? clue.path : movedTo(lookups.ground.index, clue.path);
    if (path === '') lost.add(`${clue.path} of ${framed.name} is no longer there`);
    else carried.push(await carryClue(lookups, framed, clue, path));
  }
  return { clues: carried, lost: [...lost] };
}

async function carryClue(lookups: Lookups, framed: Framed, clue: Clue, path: string): Promise<Clue> {
  const line = clue.line > 0 ? await carryOne(lookups, framed, { ...clue, to: path }) : 0;
  const before = [path === clue.path ? '' : clue.path, clue.line > 0 ? `line ${clue.line}` : ''];
  const named = before.filter((part) => part !== '').join(', ');
  const gone = clue.line > 0 && line === 0 ? ', not found here any more' : '';
  const note = named === '' ? '' : ` (${named} at ${framed.name}${gone})`;
  return { ...clue, path, line, reason: `${clue.reason}${note}` };
}

/** Where a file went whose folders were put into another (`shop/cart.py` → `src/shop/cart.py`); "" where that is not one file. */
function movedTo(index: PathIndex, path: string): string {
  const match = longestSuffix(index, path);
  const isWhole = match?.paths.length === 1 && match.shared > 1 && match.shared === path.split('/').length;
  return isWhole ? (match.paths[0] ?? '') : '';
}

async function carryOne(lookups: Lookups, framed: Framed, { path, line, to }: Clue & { to: string }): Promise<number> {
  const action = `read ${path}:${line} at ${framed.name}`;
  const from = { tree: framed.tree, path };
  const here = { tree: lookups.tree, path: to };
  return (await attempt(lookups, action, () => carryLine(line, from, here, lookups.signal))) ?? 0;
}

export interface Placed {
  readonly suspects: readonly RankedSuspect[];
  /** Lines named by the report that the commit does not have, in words. */
  readonly mismatches: readonly string[];
}

/** `unsure`: files that are only one of several fits for a frame, so that a missing line speaks against the fit, not against the report. */
export async function placeSuspects(
  lookups: Lookups,
  suspects: readonly RankedSuspect[],
  unsure: ReadonlySet<string>,
): Promise<Placed> {
  const mismatches: string[] = [];
  const placed: RankedSuspect[] = [];
  for (const [index, suspect] of suspects.entries()) {
    const truth = index < PLACED ? await place(lookups, suspect) : null;
    if (truth?.mismatch && !unsure.has(suspect.file)) mismatches.push(truth.mismatch);
    placed.push(truth ? truth.suspect : suspect);
  }
  return { suspects: placed, mismatches };
}

async function place(
  lookups: Lookups,
  suspect: RankedSuspect,
): Promise<{ suspect: RankedSuspect; mismatch: string } | null> {
  const { tree, signal } = lookups;
  return attempt(lookups, `outline ${suspect.file}`, async () => {
    const outline = await tree.outline(suspect.file, signal);
    const known = headLine(outline, suspect);
    const total = suspect.line > 0 ? await lineCount(tree, suspect, signal) : 0;
    if (suspect.line > total) {
      const mismatch = `${suspect.file} has ${total} lines at this commit, but the report names line ${suspect.line}`;
      const reasons = [...suspect.reasons, `line ${suspect.line} does not exist in this file at this commit`];
      const isDefined = outline.some(({ name }) => name === suspect.function);
      const place = { line: known, function: isDefined ? suspect.function : '', lineFrom: '' as const };
      return { suspect: { ...suspect, ...place, reasons }, mismatch };
    }
    const line = suspect.line > 0 ? suspect.line : known;
    const name = enclosingFunction(outline, line) || suspect.function;
    return { suspect: { ...suspect, line, function: name }, mismatch: '' };
  });
}

/** The first line of the suspect's function; 0 for a frame: where its line is not known, the head of its function is not the place. */
function headLine(outline: readonly OutlineSymbol[], { function: name, isFramed }: RankedSuspect): number {
  return name === '' || isFramed ? 0 : definitionLine(outline, name);
}

async function lineCount(tree: SourceTree, suspect: RankedSuspect, signal: AbortSignal): Promise<number> {
  const read = await tree.read(suspect.file, { lines: { from: suspect.line, to: suspect.line } }, signal);
  return read.kind === 'text' ? read.totalLines : 0;
}
