// Fake secrets filled in from templates at run time, so that the repository holds none and no scanner takes a template
// for one.

/** Random numbers in [0, 1) that are the same in every run with the same seed. */
export type Random = () => number;

/**
 * A text from a template, with the stretches that were drawn: these, not the fixed prefix, are what must not be seen.
 */
export interface Filled {
  readonly text: string;
  readonly drawn: readonly string[];
}

const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const LOWER = UPPER.toLowerCase();
const DIGITS = '0123456789';

/** What a letter in `{a40}` draws from. */
const ALPHABETS: Readonly<Record<string, string>> = {
  a: UPPER + LOWER + DIGITS,
  w: `${UPPER}${LOWER}${DIGITS}_-`,
  b: `${UPPER}${LOWER}${DIGITS}+/`,
  l: LOWER + DIGITS,
  c: UPPER + LOWER,
  u: UPPER + DIGITS,
  v: `${UPPER}234567`,
  h: `${DIGITS}abcdef`,
  d: DIGITS,
  // What people's password managers make.
  p: `${UPPER}${LOWER}${DIGITS}!%*-_.~^`,
};

/** mulberry32: one multiplication a step is random enough for tokens that open nothing. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** `{a40}` is 40 letters and digits, `{uuid}` a UUID, `{b64 …}` the base64 of the template inside, without padding. */
export function filled(template: string, random: Random): Filled {
  const drawn: string[] = [];
  const draw = (alphabet: string, length: number): string => {
    let out = '';
    while (out.length < length) out += alphabet.charAt(Math.floor(random() * alphabet.length));
    return out;
  };
  const text = template
    .replaceAll('{s}', '$')
    .replace(/\{(?:b64 ([^}]*)|(uuid)|([a-z])(\d+))\}/g, (_, plain, uuid, alphabet, length) => {
      const part =
        plain !== undefined
          ? base64(filled(plain.replaceAll('<', '{').replaceAll('>', '}'), random).text)
          : uuid
            ? [8, 4, 4, 4, 12].map((count) => draw(ALPHABETS['h'] ?? '', count)).join('-')
            : draw(ALPHABETS[alphabet] ?? '', Number(length));
      drawn.push(part);
      return part;
    });
  return { text, drawn };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64').replace(/=+$/, '');
}
