// The line differ: few and readable hunks in bounded time.

/** `removed` lines from index `before` of the old lines become `inserted` lines from index `after` of the new ones. */
export interface Hunk {
  readonly before: number;
  readonly removed: number;
  readonly after: number;
  readonly inserted: number;
}

/**
 * The hunks, ascending, with at least one equal line between them; within a hunk, lines at the same position differ.
 * Minimal up to about 6,000 changed lines; beyond that possibly larger, in bounded time.
 */
export function diffLines(before: readonly string[], after: readonly string[]): Hunk[] {
  const symbols = new Map<string, number>();
  const a = toSymbols(before, symbols);
  const b = toSymbols(after, symbols);
  const kept = keepCommon(a, b);
  keepInPlace(a, b, kept);
  return moveHunks(toHunks(kept), before, after);
}

/** Numbers equal lines equally, so that a line of 2 MB is compared once. */
function toSymbols(lines: readonly string[], symbols: Map<string, number>): Int32Array {
  const out = new Int32Array(lines.length);
  for (const [index, line] of lines.entries()) {
    const symbol = symbols.get(line) ?? symbols.size;
    if (symbol === symbols.size) symbols.set(line, symbol);
    out[index] = symbol;
  }
  return out;
}

/** A line that the other side lacks cannot stay. Removing such lines first makes two unrelated files cost nothing. */
function keepCommon(a: Int32Array, b: Int32Array): KeptElements {
  const inA = new Set(a);
  const inB = new Set(b);
  const core = findShortestEdit(
    a.filter((symbol) => inB.has(symbol)),
    b.filter((symbol) => inA.has(symbol)),
  );
  return { before: spread(a, inB, core.before), after: spread(b, inA, core.after) };
}

/** Maps the flags of the common symbols back to their positions among all. */
function spread(symbols: Int32Array, common: ReadonlySet<number>, flags: Uint8Array): Uint8Array {
  let next = 0;
  return Uint8Array.from(symbols, (symbol) => (common.has(symbol) ? (flags[next++] ?? 0) : 0));
}

/** Lines that a coarse result would replace by themselves stay. */
function keepInPlace(a: Int32Array, b: Int32Array, kept: KeptElements): void {
  for (const hunk of toHunks(kept)) {
    for (let i = 0; i < Math.min(hunk.removed, hunk.inserted); i++) {
      if (a[hunk.before + i] !== b[hunk.after + i]) continue;
      kept.before[hunk.before + i] = 1;
      kept.after[hunk.after + i] = 1;
    }
  }
}

function toHunks(kept: KeptElements): Hunk[] {
  const hunks: Hunk[] = [];
  let before = 0;
  let after = 0;
  while (before < kept.before.length || after < kept.after.length) {
    const removed = runOfGone(kept.before, before);
    const inserted = runOfGone(kept.after, after);
    if (removed + inserted > 0) hunks.push({ before, removed, after, inserted });
    before += removed + 1;
    after += inserted + 1;
  }
  return hunks;
}

function runOfGone(flags: Uint8Array, from: number): number {
  let to = from;
  while (flags[to] === 0) to++;
  return to - from;
}

/** Parallel to the two sequences: 1 if the element stays. The n-th one that stays in one is the n-th in the other. */
interface KeptElements {
  readonly before: Uint8Array;
  readonly after: Uint8Array;
}

/**
 * Elements looked at while the answer is still the shortest: about 0.2 s, and enough for some 6,000 changed lines.
 * Each search may spend half of what is left; when that is nearly nothing, `FLOOR`, so the rest is linear:
 * about 1 s in all for 200,000 lines of noise against 200,000 others.
 */
const BUDGET = 40_000_000;

const FLOOR = 4096;

/** A rectangle of the edit graph, in indices of the two sequences; ends are exclusive. */
interface Region {
  readonly fromA: number;
  readonly toA: number;
  readonly fromB: number;
  readonly toB: number;
}

interface Point {
  readonly a: number;
  readonly b: number;
}

/** Paths from one corner: how far each diagonal reaches from there; -1 if unreachable. */
interface Frontier {
  readonly reach: Int32Array;
  readonly backward: boolean;
}

interface Search {
  readonly a: Int32Array;
  readonly b: Int32Array;
  readonly forward: Frontier;
  readonly backward: Frontier;
  /** Index of diagonal 0 in both `reach`. */
  readonly origin: number;
  region: Region;
  /** The point that forward paths reached furthest, and the elements of both sides that lie before it. */
  best: Point;
  furthest: number;
  /** What this search may still spend, and what all may. */
  allotted: number;
  budget: number;
}

/** Which elements stay: a longest common subsequence within the budget, otherwise a shorter one. */
function findShortestEdit(a: Int32Array, b: Int32Array): KeptElements {
  const kept: KeptElements = { before: new Uint8Array(a.length), after: new Uint8Array(b.length) };
  const search = createSearch(a, b);
  // Our own stack: 400,000 lines of noise split thousands of times on one side only.
  const open = [search.region];
  for (let region = open.pop(); region !== undefined; region = open.pop()) {
    const core = keepEnds(search, region, kept);
    if (core.fromA === core.toA || core.fromB === core.toB) continue;
    const split = findSplit(search, core);
    open.push({ ...core, fromA: split.a, fromB: split.b }, { ...core, toA: split.a, toB: split.b });
  }
  return kept;
}

function createSearch(a: Int32Array, b: Int32Array): Search {
  const size = a.length + b.length + 5;
  return {
    a,
    b,
    forward: { reach: new Int32Array(size), backward: false },
    backward: { reach: new Int32Array(size), backward: true },
    origin: size >> 1,
    region: { fromA: 0, toA: a.length, fromB: 0, toB: b.length },
    best: { a: 0, b: 0 },
    furthest: 0,
    allotted: 0,
    budget: BUDGET,
  };
}

/** Keeps equal elements at both ends of the region; returns the rest. */
function keepEnds({ a, b }: Search, region: Region, kept: KeptElements): Region {
  let { fromA, toA, fromB, toB } = region;
  while (fromA < toA && fromB < toB && a[fromA] === b[fromB]) {
    kept.before[fromA++] = 1;
    kept.after[fromB++] = 1;
  }
  while (fromA < toA && fromB < toB && a[toA - 1] === b[toB - 1]) {
    kept.before[--toA] = 1;
    kept.after[--toB] = 1;
  }
  return { fromA, toA, fromB, toB };
}

/**
 * A point on a shortest path or, once the budget is spent, the furthest one reached. Both sides are non-empty and
 * differ at both ends, so the point is not a corner and the regions shrink.
 */
function findSplit(search: Search, region: Region): Point {
  const allowance = Math.max(FLOOR, search.budget >> 1);
  search.region = region;
  search.allotted = allowance;
  search.furthest = 0;
  search.forward.reach[search.origin] = 0;
  search.backward.reach[search.origin] = 0;
  let split: Point | null = null;
  for (let edits = 1; split === null && search.allotted > 0; edits++) {
    split = advanceSearch(search, search.forward, edits) ?? advanceSearch(search, search.backward, edits);
  }
  search.budget = Math.max(0, search.budget - (allowance - search.allotted));
  return split ?? search.best;
}

/** Advances every diagonal of a frontier by one edit; returns where it met the other frontier, if it did. */
function advanceSearch(search: Search, frontier: Frontier, edits: number): Point | null {
  const { origin, region } = search;
  const { reach, backward } = frontier;
  const lengthA = region.toA - region.fromA;
  const lengthB = region.toB - region.fromB;
  const odd = (lengthA - lengthB) % 2 !== 0;
  // Paths with an odd number of edits meet while the forward frontier moves, others while the backward one does.
  const meets = odd !== backward;
  reach[origin - edits - 1] = -1;
  reach[origin + edits + 1] = -1;
  for (let diagonal = -findOutermost(edits, lengthB); diagonal <= findOutermost(edits, lengthA); diagonal += 2) {
    const along = findFurthest(search, frontier, diagonal);
    reach[origin + diagonal] = along;
    if (along < 0) continue;
    if (meets && along + findOpposite(search, frontier, diagonal, edits) >= lengthA) {
      return getPoint(region, backward, along, diagonal);
    }
    if (!backward && 2 * along - diagonal > search.furthest) {
      search.furthest = 2 * along - diagonal;
      search.best = getPoint(region, false, along, diagonal);
    }
    if (search.allotted <= 0) return null;
  }
  return null;
}

/** The outermost diagonal within a side of the region that `edits` can reach. */
function findOutermost(edits: number, length: number): number {
  return edits <= length ? edits : length - ((edits - length) & 1);
}

/** How far the diagonal reaches with one more edit and the equal elements after it. */
function findFurthest(search: Search, { reach, backward }: Frontier, diagonal: number): number {
  const { a, b, origin, region } = search;
  const lengthA = region.toA - region.fromA;
  const lengthB = region.toB - region.fromB;
  const removing = reach[origin + diagonal - 1] ?? -1;
  const inserting = reach[origin + diagonal + 1] ?? -1;
  const canRemove = removing >= 0 && removing < lengthA;
  const canInsert = inserting >= 0 && inserting - diagonal <= lengthB;
  let along = Math.max(canRemove ? removing + 1 : -1, canInsert ? inserting : -1);
  if (along < 0) return -1;
  const start = along;
  const step = backward ? -1 : 1;
  let indexA = backward ? region.toA - 1 - along : region.fromA + along;
  let indexB = backward ? region.toB - 1 - along + diagonal : region.fromB + along - diagonal;
  const end = Math.min(lengthA, lengthB + diagonal);
  while (along < end && a[indexA] === b[indexB]) {
    along++;
    indexA += step;
    indexB += step;
  }
  search.allotted -= 1 + along - start;
  return along;
}

/** How far the other frontier reaches on this diagonal; -Infinity if it does not. */
function findOpposite(search: Search, frontier: Frontier, diagonal: number, edits: number): number {
  const { region, origin } = search;
  const { reach } = frontier.backward ? search.forward : search.backward;
  const edge = frontier.backward ? edits : edits - 1;
  const facing = region.toA - region.fromA - (region.toB - region.fromB) - diagonal;
  const along = Math.abs(facing) <= edge ? (reach[origin + facing] ?? -1) : -1;
  return along < 0 ? Number.NEGATIVE_INFINITY : along;
}

function getPoint(region: Region, backward: boolean, along: number, diagonal: number): Point {
  return backward
    ? { a: region.toA - along, b: region.toB - along + diagonal }
    : { a: region.fromA + along, b: region.fromB + along - diagonal };
}

const TAB = 8;

/**
 * The same edits, with each pure insertion or deletion moved to the best equivalent position, never touching another
 * hunk.
 */
function moveHunks(hunks: readonly Hunk[], before: readonly string[], after: readonly string[]): Hunk[] {
  const out: Hunk[] = [];
  for (const [index, hunk] of hunks.entries()) {
    const previous = out.at(-1);
    const next = hunks[index + 1];
    const lowest = previous === undefined ? 0 : previous.before + previous.removed + 1;
    const highest = next === undefined ? before.length : next.before - 1;
    // The hunk's lines are on one side only; `room` is how far it can move up and down before it touches another hunk.
    const room = { up: hunk.before - lowest, down: highest - hunk.before - hunk.removed };
    if (hunk.removed === 0) out.push(moveHunk(hunk, findBestShift(after, hunk.after, hunk.inserted, room)));
    else if (hunk.inserted === 0) out.push(moveHunk(hunk, findBestShift(before, hunk.before, hunk.removed, room)));
    else out.push(hunk);
  }
  return out;
}

function moveHunk(hunk: Hunk, shift: number): Hunk {
  return { ...hunk, before: hunk.before + shift, after: hunk.after + shift };
}

interface Room {
  readonly up: number;
  readonly down: number;
}

/** How far to move the run of `count` lines at `start`; the lowest of equally good positions. */
function findBestShift(lines: readonly string[], start: number, count: number, room: Room): number {
  let shift = 0;
  while (shift < room.down && lines[start + shift] === lines[start + shift + count]) shift++;
  let best = shift;
  let bestCost = computePlaceCost(lines, start + shift);
  while (shift > -room.up && lines[start + shift - 1] === lines[start + shift + count - 1]) {
    shift--;
    const here = computePlaceCost(lines, start + shift);
    if (here < bestCost) {
      best = shift;
      bestCost = here;
    }
  }
  return best;
}

/** Low if the run begins like a block: little indentation, and after or with a blank line. */
function computePlaceCost(lines: readonly string[], start: number): number {
  const first = lines[start] ?? '';
  const breaks = isBlank(lines[start - 1] ?? '') || isBlank(first);
  return 2 * measureIndentation(first) + (breaks ? 0 : 1);
}

/** Here and in `indentation`, 200 keeps a line of 2 MB of spaces from being read at every position. */
function isBlank(line: string): boolean {
  return /^\s{0,200}$/.test(line);
}

function measureIndentation(line: string): number {
  if (isBlank(line)) return 0;
  const [lead = ''] = /^[ \t]{0,200}/.exec(line) ?? [];
  return lead.length + lead.replaceAll(' ', '').length * (TAB - 1);
}
