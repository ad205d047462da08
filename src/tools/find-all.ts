// Every place of a sequence in another, in time that grows with their lengths alone: repetitive text costs a plain search their product.

/** Where `wanted` (not empty) begins in `all`, overlapping places included. */
export function findAll<T>(all: ArrayLike<T>, wanted: ArrayLike<T>): number[] {
  const found: number[] = [];
  const borders = bordersOf(wanted);
  let matched = 0;
  for (let index = 0; index < all.length; index += 1) {
    matched = longer(wanted, borders, matched, all[index]);
    if (matched < wanted.length) continue;
    found.push(index - wanted.length + 1);
    matched = borders[matched - 1] ?? 0;
  }
  return found;
}

/** Per end of a beginning of `wanted`: how much of its own beginning it also ends with (Knuth, Morris and Pratt). */
function bordersOf<T>(wanted: ArrayLike<T>): Uint32Array {
  const borders = new Uint32Array(wanted.length);
  let matched = 0;
  for (let index = 1; index < wanted.length; index += 1) {
    matched = longer(wanted, borders, matched, wanted[index]);
    borders[index] = matched;
  }
  return borders;
}

function longer<T>(wanted: ArrayLike<T>, borders: Uint32Array, matched: number, next: T | undefined): number {
  let length = matched;
  while (length > 0 && (length === wanted.length || wanted[length] !== next)) length = borders[length - 1] ?? 0;
  return wanted[length] === next ? length + 1 : length;
}
