// A light stem, so that `headers`, `parsing` and `validation` meet `header`, `parse` and `validate`; by code units, as texts of megabytes need it.

const [A, C, D, E, G, H, I, L, N, O, R, S, T, U, X, Y, Z] = [...'acdeghilnorstuxyz'].map((letter) =>
  letter.charCodeAt(0),
) as [number, ...number[]];
const ING = codesOf('ing');
const TION = codesOf('tion');
const IZATION = codesOf('ization');

/** `word` is in lower case. */
export function stem(word: string): string {
  const units = new Uint16Array(word.length);
  for (let at = 0; at < units.length; at++) units[at] = word.charCodeAt(at);
  const length = stemIn(units, units.length);
  const isCut = length === 0 || units[length - 1] === word.charCodeAt(length - 1);
  return isCut ? word.slice(0, length) : `${word.slice(0, length - 1)}y`;
}

/** Makes a stem of the word that is the first `length` of these units, and answers its length. */
export function stemIn(units: Uint16Array, length: number): number {
  const one = singularIn(units, length);
  switch (units[one - 1]) {
    case N:
      return withoutTion(units, one);
    case G:
      return one > 5 && endsIn(units, one, ING) ? undoubled(units, one - 3) : one;
    case D:
      return one > 4 && units[one - 2] === E ? undoubled(units, one - 2) : one;
    case R:
      return isAgent(units, one) ? undoubled(units, one - 2) : one;
    case E:
      return one > 4 ? one - 1 : one;
    default:
      return one;
  }
}

function withoutTion(units: Uint16Array, length: number): number {
  if (length <= 6 || !endsIn(units, length, TION)) return length;
  return endsIn(units, length, IZATION) ? length - 5 : length - 3;
}

function singularIn(units: Uint16Array, length: number): number {
  if (length < 4 || units[length - 1] !== S) return length;
  const [third, second] = [units[length - 3], units[length - 2]];
  if (length > 4 && second === E && third === I) {
    units[length - 3] = Y as number;
    return length - 2;
  }
  if (length > 4 && second === E && isHissing(units, length - 2)) return length - 2;
  return second === S ? length : length - 1;
}

/** `ss`, `x`, `z`, `ch`, `sh`: their plural has an `e`. */
function isHissing(units: Uint16Array, length: number): boolean {
  const [before, last] = [units[length - 2], units[length - 1]];
  if (last === X || last === Z) return true;
  return last === S ? before === S : last === H && (before === C || before === S);
}

/** `parser`, `validator`, but not `layer` behind a vowel. */
function isAgent(units: Uint16Array, length: number): boolean {
  if (length <= 6) return false;
  const [before, vowel] = [units[length - 3], units[length - 2]];
  return vowel === E ? !isVowel(before) : vowel === O && before === T;
}

function undoubled(units: Uint16Array, length: number): number {
  const last = units[length - 1];
  const isDouble = last === units[length - 2] && !isVowel(last) && last !== S && last !== L;
  return isDouble ? length - 1 : length;
}

function isVowel(unit: number | undefined): boolean {
  return unit === A || unit === E || unit === I || unit === O || unit === U;
}

function endsIn(units: Uint16Array, length: number, ending: Uint16Array): boolean {
  const from = length - ending.length;
  for (let at = 0; at < ending.length; at++) if (units[from + at] !== ending[at]) return false;
  return true;
}

function codesOf(text: string): Uint16Array {
  return Uint16Array.from(text, (letter) => letter.charCodeAt(0));
}
