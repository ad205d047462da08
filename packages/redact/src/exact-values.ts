// The exact values of our own secrets: removed in every reading.
import {
  createReading,
  decodeEscapes,
  editReading,
  findLineBreaks,
  GAP,
  removeNoise,
  removeSpaces,
  type TextSpan,
  toSource,
} from './readings.ts';

/**
 * One spelling of a value. `base64`: the characters at its edges hold bits of it. `compact`: to be looked for in the
 * text without white space.
 */
export interface Needle {
  readonly text: string;
  readonly form: 'plain' | 'base64' | 'compact';
}

/** Shorter values would tear ordinary text. */
const SHORTEST = 8;

/**
 * The needles of the last call: the values hardly ever change, and listing them costs as much as the search of a short
 * text.
 */
let last: { readonly values: readonly string[]; readonly needles: readonly Needle[] } = { values: [], needles: [] };

/** The spellings to look for: as it is, decoded, base64 at each of the three alignments, hex. */
export function getNeedles(values: readonly string[]): readonly Needle[] {
  const isSame = values.length === last.values.length && values.every((value, at) => value === last.values[at]);
  if (!isSame) last = { values: [...values], needles: listNeedles(values) };
  return last.needles;
}

function listNeedles(values: readonly string[]): readonly Needle[] {
  const long = values.map((value) => value.trim()).filter((value) => value.length >= SHORTEST);
  const needles = long
    .flatMap((value) => [...listPlain(value), ...listBase64(value), ...listHex(value)])
    .filter(({ text }) => text.length >= SHORTEST && !text.includes(GAP));
  return [...new Map(needles.map((needle) => [`${needle.form}:${needle.text}`, needle])).values()];
}

function listPlain(value: string): Needle[] {
  const clean = removeNoise(createReading(value));
  const decoded = decodeEscapes(clean);
  const spellings = [value, clean.text, decoded.text, decodeEscapes(decoded).text];
  return spellings.flatMap((spelling): Needle[] => [
    { text: editReading(createReading(spelling), findLineBreaks(spelling)).text, form: 'plain' },
    // A phrase that is wrapped loses a space.
    ...(/\s/.test(spelling) ? [{ text: spelling.replace(/\s/g, ''), form: 'compact' } as const] : []),
  ]);
}

/**
 * Base64 depends on where in its group of three bytes the value begins; the characters in the middle are the same each
 * time.
 */
function listBase64(value: string): Needle[] {
  return [0, 1, 2].flatMap((shift) => {
    const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(value)]);
    const encoded = bytes.toString('base64').slice(Math.ceil((shift * 8) / 6), Math.floor((bytes.length * 8) / 6));
    const forUrls = encoded.replaceAll('+', '-').replaceAll('/', '_');
    return [encoded, forUrls].map((text): Needle => ({ text, form: 'base64' }));
  });
}

function listHex(value: string): Needle[] {
  const hex = Buffer.from(value).toString('hex');
  return [hex, hex.toUpperCase()].map((text): Needle => ({ text, form: 'plain' }));
}

/** Where the text holds a spelling, also across line breaks. */
export function findExactValues(text: string, needles: readonly Needle[]): TextSpan[] {
  if (needles.length === 0) return [];
  const source = createReading(text);
  const unwrapped = editReading(source, findLineBreaks(text));
  const compact = needles.some(({ form }) => form === 'compact') ? removeSpaces(source) : unwrapped;
  const spans: TextSpan[] = [];
  for (const needle of needles) {
    const searched = needle.form === 'compact' ? compact : unwrapped;
    const { length } = needle.text;
    for (let at = searched.text.indexOf(needle.text); at >= 0; at = searched.text.indexOf(needle.text, at + length)) {
      const span = toSource(searched, { start: at, end: at + length });
      spans.push(needle.form === 'base64' ? widenSpan(text, span) : span);
    }
  }
  return spans;
}

/** With the characters on either side that may hold bits of the value, and the padding. */
function widenSpan(text: string, { start, end }: TextSpan): TextSpan {
  const before = /[A-Za-z0-9+/_-]$/.test(text.slice(Math.max(0, start - 1), start)) ? 1 : 0;
  const after = /^[A-Za-z0-9+/_-]?={0,2}/.exec(text.slice(end, end + 3))?.[0].length ?? 0;
  return { start: start - before, end: end + after };
}
