// The exact values of our own secrets: removed in every reading, whatever the rules say.

import { unwrapView } from './match-rules.ts';
import { createCleanView, createView, decodeView, GAP, removeSpaces, type Span, type View } from './views.ts';

/** One spelling of a value, and how many characters beside it hold bits of it. */
export interface Needle {
  readonly text: string;
  readonly before: number;
  readonly after: number;
  /** To be looked for in the text without any white space: a phrase that is wrapped loses a space. */
  readonly compact: boolean;
}

/** Shorter values would tear ordinary text. */
const SHORTEST = 8;

/** Those of the values that were asked for last: they hardly ever change, and cost as much as the search of a short text. */
let last: { readonly values: readonly string[]; readonly needles: readonly Needle[] } = { values: [], needles: [] };

/** The spellings to look for: as it is, decoded, and base64 at each of the three alignments, hex. */
export function getNeedles(values: readonly string[]): readonly Needle[] {
  const isSame = values.length === last.values.length && values.every((value, at) => value === last.values[at]);
  if (!isSame) last = { values: [...values], needles: listSpellings(values) };
  return last.needles;
}

function listSpellings(values: readonly string[]): readonly Needle[] {
  const needles = new Map<string, Needle>();
  for (const value of values.map((each) => each.trim()).filter((each) => each.length >= SHORTEST)) {
    for (const needle of [...createPlainNeedles(value), ...createBase64Needles(value), ...createHexNeedles(value)]) {
      if (needle.text.length < SHORTEST || needle.text.includes(GAP)) continue;
      needles.set(`${needle.compact}:${needle.text}`, needle);
    }
  }
  return [...needles.values()];
}

/** Where a spelling stands in the view, also across line breaks; offsets of the view. `unwrapped`: the same view with its line breaks taken out. */
export function findExactValues(view: View, unwrapped: View, needles: readonly Needle[]): Span[] {
  const compact = needles.some((needle) => needle.compact) ? removeSpaces(view) : unwrapped;
  return needles.flatMap((needle) => findNeedle(view, needle.compact ? compact : unwrapped, needle));
}

function findNeedle(view: View, searched: View, needle: Needle): Span[] {
  const { text } = needle;
  const spans: Span[] = [];
  for (let at = searched.text.indexOf(text); at >= 0; at = searched.text.indexOf(text, at + text.length)) {
    const found = { start: at, end: at + text.length };
    spans.push(widenSpan(view.text, searched === view ? found : searched.toParent(found), needle));
  }
  return spans;
}

function createPlainNeedles(value: string): Needle[] {
  const clean = createCleanView(createView(value));
  const spellings = [createView(value), clean, decodeView(clean), decodeView(decodeView(clean))];
  return spellings.flatMap((spelling) => {
    const text = unwrapView(spelling).text;
    const compact = text.replace(/\s/g, '');
    const needles = [createNeedle(text, false)];
    return compact === text ? needles : [...needles, createNeedle(compact, true)];
  });
}

function createNeedle(text: string, compact: boolean): Needle {
  return { text, before: 0, after: 0, compact };
}

/** Base64 depends on where in its group of three bytes the value begins; the characters that hold only bits of the value are the same each time. */
function createBase64Needles(value: string): Needle[] {
  return [0, 1, 2].flatMap((shift) => {
    const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(value)]);
    const encoded = bytes.toString('base64').slice(Math.ceil((shift * 8) / 6), Math.floor((bytes.length * 8) / 6));
    const edges = { before: shift > 0 ? 1 : 0, after: (bytes.length * 8) % 6 > 0 ? 1 : 0 };
    return [encoded, encoded.replaceAll('+', '-').replaceAll('/', '_')].map((text) => ({
      text,
      ...edges,
      compact: false,
    }));
  });
}

function createHexNeedles(value: string): Needle[] {
  const hex = Buffer.from(value).toString('hex');
  return [createNeedle(hex, false), createNeedle(hex.toUpperCase(), false)];
}

function widenSpan(text: string, span: Span, needle: Needle): Span {
  let { start, end } = span;
  if (needle.before > 0 && isBase64Character(text.charAt(start - 1))) start--;
  if (needle.after > 0 && isBase64Character(text.charAt(end))) end++;
  while (needle.after > 0 && text.charAt(end) === '=' && end - span.end < 3) end++;
  return { start, end };
}

function isBase64Character(character: string): boolean {
  return /^[A-Za-z0-9+/_-]$/.test(character);
}
