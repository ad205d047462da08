// The shortest way from one sequence of symbols to another (Myers 1986, linear space), within a bounded amount of work.

/** Parallel to the two sequences: 1 where the element stays. The n-th that stays in one is the n-th that stays in the other. */
export interface Kept {
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

/** Paths from one corner: how far each diagonal reaches, counted from that corner; -1 where no path leads. */
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

/** Which elements stay. A longest common subsequence within the budget; beyond it still a common one, but shorter. */
export function shortestEdit(a: Int32Array, b: Int32Array): Kept {
  const kept: Kept = { before: new Uint8Array(a.length), after: new Uint8Array(b.length) };
  const search = newSearch(a, b);
  // A stack of our own: noise of 400,000 lines splits thousands of times on one side only.
  const open = [search.region];
  for (let region = open.pop(); region !== undefined; region = open.pop()) {
    const core = keepEnds(search, region, kept);
    if (core.fromA === core.toA || core.fromB === core.toB) continue;
    const split = findSplit(search, core);
    open.push({ ...core, fromA: split.a, fromB: split.b }, { ...core, toA: split.a, toB: split.b });
  }
  return kept;
}

function newSearch(a: Int32Array, b: Int32Array): Search {
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

/** Keeps what is equal at both ends of the region; gives the rest. */
function keepEnds({ a, b }: Search, region: Region, kept: Kept): Region {
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
 * A point through which a shortest path goes or, once the work allotted is spent, the one that is reached furthest.
 * Both sides are non-empty and differ at both ends, so the point is never a corner and the regions shrink.
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
    split = advance(search, search.forward, edits) ?? advance(search, search.backward, edits);
  }
  search.budget = Math.max(0, search.budget - (allowance - search.allotted));
  return split ?? search.best;
}

/** Moves every diagonal of a frontier on by one edit; gives the point where it met the other frontier, if it did. */
function advance(search: Search, frontier: Frontier, edits: number): Point | null {
  const { origin, region } = search;
  const { reach, backward } = frontier;
  const lengthA = region.toA - region.fromA;
  const lengthB = region.toB - region.fromB;
  const odd = (lengthA - lengthB) % 2 !== 0;
  // Paths of an odd number of edits meet while the forward ones move, the others while the backward ones do.
  const meets = odd !== backward;
  reach[origin - edits - 1] = -1;
  reach[origin + edits + 1] = -1;
  for (let diagonal = -inside(edits, lengthB); diagonal <= inside(edits, lengthA); diagonal += 2) {
    const along = furthest(search, frontier, diagonal);
    reach[origin + diagonal] = along;
    if (along < 0) continue;
    if (meets && along + opposite(search, frontier, diagonal, edits) >= lengthA) {
      return pointAt(region, backward, along, diagonal);
    }
    if (!backward && 2 * along - diagonal > search.furthest) {
      search.furthest = 2 * along - diagonal;
      search.best = pointAt(region, false, along, diagonal);
    }
    if (search.allotted <= 0) return null;
  }
  return null;
}

/** The outermost diagonal that `edits` can reach within a side of the region. */
function inside(edits: number, length: number): number {
  return edits <= length ? edits : length - ((edits - length) & 1);
}

/** How far the diagonal is reached by one more edit and the equal elements after it. */
function furthest(search: Search, { reach, backward }: Frontier, diagonal: number): number {
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

/** How far the other frontier comes to meet this diagonal; -Infinity where it does not. */
function opposite(search: Search, frontier: Frontier, diagonal: number, edits: number): number {
  const { region, origin } = search;
  const { reach } = frontier.backward ? search.forward : search.backward;
  const edge = frontier.backward ? edits : edits - 1;
  const facing = region.toA - region.fromA - (region.toB - region.fromB) - diagonal;
  const along = Math.abs(facing) <= edge ? (reach[origin + facing] ?? -1) : -1;
  return along < 0 ? Number.NEGATIVE_INFINITY : along;
}

function pointAt(region: Region, backward: boolean, along: number, diagonal: number): Point {
  return backward
    ? { a: region.toA - along, b: region.toB - along + diagonal }
    : { a: region.fromA + along, b: region.fromB + along - diagonal };
}
