// Any character there is, for texts of property tests.
import fc from 'fast-check';

/** Halves of pairs (0xd800 to 0xdfff) are no characters. */
const HALVES = { from: 0xd800, count: 0x800 };

/**
 * What `unit: 'binary'` of `fc.string` is, without the table of all 1.1 million that fast-check makes of it: 2 s of processor time in each worker,
 * and 200 MB that every later start of a program copies the page tables of.
 */
export const ANY_CHARACTER = fc
  .nat(0x10_ffff - HALVES.count)
  .map((number) => String.fromCodePoint(number < HALVES.from ? number : number + HALVES.count), numberOf);

function numberOf(text: unknown): number {
  const code = typeof text === 'string' ? text.codePointAt(0) : undefined;
  if (code === undefined || text !== String.fromCodePoint(code)) throw new Error('not one character');
  return code < HALVES.from ? code : code - HALVES.count;
}
