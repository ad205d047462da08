// The exact values of our own secrets: removed in every reading, whatever the rules say.
import { cleanView, compactView, decodedView, GAP } from './normalise.ts';
import type { Span } from './spans.ts';
import { unwrappedView } from './unwrap.ts';
import { plainView, type View } from './view.ts';

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
export function needlesOf(values: readonly string[]): readonly Needle[] {
  const isSame = values.length === last.values.length && values.every((value, at) => value === last.values[at]);
  if (!isSame) last = { values: [...values], needles: spellingsOf(values) };
  return last.needles;
}

function spellingsOf(values: readonly string[]): readonly Needle[] {
  const needles = new Map<string, Needle>();
  for (const value of values.map((each) => each.trim()).filter((each) => each.length >= SHORTEST)) {
    for (const needle of [...plainNeedles(value), ...base64Needles(value), ...hexNeedles(value)]) {
      if (needle.text.length < SHORTEST || needle.text.includes(GAP)) continue;
      needles.set(`${needle.compact}:${needle.text}`, needle);
    }
  }
  return [...needles.values()];
}

/** Where a spelling stands in the view, also across line breaks; offsets of the view. `unwrapped`: the same view with its line breaks taken out. */
export function exactSpans(view: View, unwrapped: View, needles: readonly Needle[]): Span[] {
  const compact = needles.some((needle) => needle.compact) ? compactView(view) : unwrapped;
  return needles.flatMap((needle) => needleSpans(view, needle.compact ? compact : unwrapped, needle));
}

function needleSpans(view: View, searched: View, needle: Needle): Span[] {
  const { text } = needle;
  const spans: Span[] = [];
  for (let at = searched.text.indexOf(text); at >= 0; at = searched.text.indexOf(text, at + text.length)) {
    const found = { start: at, end: at + text.length };
    spans.push(widened(view.text, searched === view ? found : searched.toParent(found), needle));
  }
  return spans;
}

function plainNeedles(value: string): Needle[] {
  const clean = cleanView(plainView(value));
  const spellings = [plainView(value), clean, decodedView(clean), decodedView(decodedView(clean))];
  return spellings.flatMap((spelling) => {
    const text = unwrappedView(spelling).text;
    const compact = text.replace(/\s/g, '');
    const needles = [needleOf(text, false)];
    return compact === text ? needles : [...needles, needleOf(compact, true)];
  });
}

function needleOf(text: string, compact: boolean): Needle {
  return { text, before: 0, after: 0, compact };
}

/** Base64 depends on where in its group of three bytes the value begins; the characters that hold only bits of the value are the same each time. */
function base64Needles(value: string): Needle[] {
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

function hexNeedles(value: string): Needle[] {
  const hex = Buffer.from(value).toString('hex');
  return [needleOf(hex, false), needleOf(hex.toUpperCase(), false)];
}

function widened(text: string, span: Span, needle: Needle): Span {
  let { start, end } = span;
  if (needle.before > 0 && isBase64(text.charAt(start - 1))) start--;
  if (needle.after > 0 && isBase64(text.charAt(end))) end++;
  while (needle.after > 0 && text.charAt(end) === '=' && end - span.end < 3) end++;
  return { start, end };
}

function isBase64(character: string): boolean {
  return /^[A-Za-z0-9+/_-]$/.test(character);
}
