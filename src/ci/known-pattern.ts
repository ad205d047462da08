// Patterns that people give for known failures: compiled by RE2, whose matching takes time linear in the text, and
// refused where they say too little.
import { RE2JS, RE2JSException } from 're2js';
import { type KnownRefusal, LEAST_LITERALS } from '../core/check/index.ts';

/** The first of the lines that matches; null: none does. Each line is compared on its own. */
type FindLine = (lines: readonly string[]) => string | null;

type CompiledPattern =
  | { readonly kind: 'compiled'; readonly findLine: FindLine }
  | { readonly kind: 'refused'; readonly refusal: KnownRefusal };

const MOST_CHARACTERS = 300;
/** Instructions: matching takes time in proportion to them as well. */
const MOST_INSTRUCTIONS = 2_000;
const MOST_LINE = 2_000;

export function compilePattern(pattern: string): CompiledPattern {
  const refuse = (refusal: KnownRefusal) => ({ kind: 'refused', refusal }) as const;
  if (pattern.length > MOST_CHARACTERS) return refuse({ code: 'known_pattern_large' });
  if (/\p{C}/u.test(pattern))
    return refuse({ code: 'known_pattern_invalid', why: 'it has characters that nobody sees' });
  const compiled = compile(pattern);
  if (typeof compiled === 'string') return refuse({ code: 'known_pattern_invalid', why: compiled });
  if (compiled.programSize() > MOST_INSTRUCTIONS) return refuse({ code: 'known_pattern_large' });
  const literals = countLiterals(compiled);
  if (literals < LEAST_LITERALS) return refuse({ code: 'known_pattern_short', literals });
  return {
    kind: 'compiled',
    findLine: (lines) => lines.find((line) => compiled.test(line.slice(0, MOST_LINE))) ?? null,
  };
}

/** Or why it is none. */
function compile(pattern: string): RE2JS | string {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (error instanceof RE2JSException) return error.message.replace(/^error parsing regexp: /, '');
    throw error;
  }
}

/** Of RE2's program; see its documentation of `Inst`. */
interface Instruction {
  readonly op: number;
  readonly out: number;
  /** Of an alternative, the other way. */
  readonly arg: number;
  readonly runes: Readonly<Record<string, number>>;
}

const [ALT, ALT_MATCH, FAIL, MATCH, RUNE, RUNE1] = [1, 2, 5, 6, 8, 9];

/**
 * How many characters, spaces aside, every match has at the least, a letter in either case included: the shortest way through
 * the program. Text can't tell: `a|long enough` has one, and `(long enough)?` none.
 */
function countLiterals(compiled: RE2JS): number {
  const { inst, start } = compiled.re2().prog as { readonly inst: readonly Instruction[]; readonly start: number };
  const fewest = new Map<number, number>([[start, 0]]);
  const open = [start];
  let least = Number.POSITIVE_INFINITY;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const found = inst[at];
    const before = fewest.get(at) ?? 0;
    if (found?.op === MATCH) least = Math.min(least, before);
    const count = before + (found !== undefined && isLiteral(found) ? 1 : 0);
    for (const way of found === undefined ? [] : listWays(found)) {
      if ((fewest.get(way) ?? Number.POSITIVE_INFINITY) <= count) continue;
      fewest.set(way, count);
      open.push(way);
    }
  }
  return Number.isFinite(least) ? least : 0;
}

function listWays({ op, out, arg }: Instruction): readonly number[] {
  if (op === MATCH || op === FAIL) return [];
  return op === ALT || op === ALT_MATCH ? [out, arg] : [out];
}

/** One character, or one in either case. */
function isLiteral({ op, arg, runes }: Instruction): boolean {
  const [first, ...others] = Object.values(runes);
  const isOne = op === RUNE1 || (op === RUNE && arg === 1 && others.length === 0);
  return isOne && first !== undefined && !/\s/.test(String.fromCodePoint(first));
}
