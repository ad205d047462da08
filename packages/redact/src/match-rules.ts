// Applies our rules to a text, within lines and across lines that were wrapped.
import { findCookies } from './cookies.ts';
import { isDrawn, isRandom } from './literals.ts';
import {
  createReading,
  crossesSeam,
  editReading,
  findLineBreaks,
  focusLines,
  iterateMatches,
  type Replacement,
  type TextSpan,
  toSource,
} from './readings.ts';
import { RULES, type Rule } from './rules.ts';

/** Where our rules find secrets. */
export function findByRules(text: string): TextSpan[] {
  const within = [...RULES.flatMap((rule) => matchRule(rule, text)), ...findCookies(text)];
  return [...within, ...findAcrossLines(text, within)];
}

function matchRule(rule: Rule, text: string): TextSpan[] {
  if (rule.needs !== undefined && !text.includes(rule.needs)) return [];
  const spans: TextSpan[] = [];
  for (const match of iterateMatches(text, rule.pattern)) {
    const group = match.findLastIndex((text) => text !== undefined);
    const secret = match[group] ?? '';
    const context = group > 1 ? (match[1] ?? '') : '';
    if (rule.accepts && !rule.accepts(secret, context, match)) continue;
    const start = match.indices?.[group]?.[0] ?? match[0].indexOf(secret, context.length) + match.index;
    spans.push({ start, end: start + secret.length });
  }
  return spans;
}

/** Secrets that a line break interrupts. `whole` are those that were found without looking over line ends. */
function findAcrossLines(text: string, whole: readonly TextSpan[]): TextSpan[] {
  const joints = findJoints(text).map(({ start }) => start);
  const near = focusLines(createReading(text), joints, 2);
  if (near === null) return [];
  const joined = editReading(createReading(near.text), findJoints(near.text));
  const starts = new Set(whole.map((span) => span.start));
  const spans: TextSpan[] = [];
  const add = (found: TextSpan, rule: Rule | null): void => {
    const span = toSource(joined, found);
    const isWhole = starts.has(toSource(near, span).start);
    if (isWhole || rule?.wrapped === 'form') spans.push(...continueSecret(near.text, span, isWhole ? null : rule));
    else spans.push(...findBroken(near.text, span));
  };
  for (const rule of RULES) for (const found of matchRule(rule, joined.text)) add(found, rule);
  for (const found of findCookies(joined.text)) add(found, null);
  return spans.filter((span) => !crossesSeam(near, span)).map((span) => toSource(near, span));
}

/**
 * How much of a match across line ends is the secret: the lines up to where it is complete, then those that look
 * random. `incomplete`: the rule that its first line does not satisfy.
 */
function continueSecret(text: string, span: TextSpan, incomplete: Rule | null): TextSpan[] {
  const pieces = splitPieces(text, span);
  const first = pieces[0]?.text ?? '';
  if (pieces.length < 2 || (incomplete && /^\d+$/.test(first))) return [];
  let end = span.start + first.length;
  let joined = first;
  let open = incomplete !== null;
  for (const piece of pieces.slice(1)) {
    if (!open && (!isRest(text, piece) || /^\w{1,40}=[^=]/.test(piece.text))) break;
    end = piece.end;
    joined = joined.replace(/\\$/, '') + piece.text;
    open = open && incomplete !== null && matchRule(incomplete, joined).length === 0;
  }
  return [{ start: span.start, end }];
}

/** A value broken over two lines: only if both look random and the second holds nothing else. */
function findBroken(text: string, span: TextSpan): TextSpan[] {
  const pieces = splitPieces(text, span);
  const [first, second] = pieces;
  if (!first || !second || pieces.length > 2) return [];
  const drawn = isDrawn(first.text) && isRest(text, second) && isRandom(first.text + second.text);
  return drawn ? [{ start: span.start, end: second.end }] : [];
}

interface RuleMatch extends TextSpan {
  readonly text: string;
}

function splitPieces(text: string, { start, end }: TextSpan): RuleMatch[] {
  return [...text.slice(start, end).matchAll(/\S+/g)].map(({ 0: piece, index }) => ({
    text: piece,
    start: start + index,
    end: start + index + piece.length,
  }));
}

/**
 * Whether a line's first word is the rest of a secret: it looks random, or drawn and is long or ends at a quote, a
 * delimiter or the line end.
 */
function isRest(text: string, { text: piece, end }: RuleMatch): boolean {
  if (isRandom(piece)) return true;
  const isLong = /^[A-Za-z0-9+/=]{10,}$/.test(piece);
  return isDrawn(piece) && (isLong || /[\r\n"'`<>&;,)}\]@]/.test(text.charAt(end) || '\n'));
}

/** The line breaks behind which something is that could be the rest of a secret. */
function findJoints(text: string): Replacement[] {
  return findLineBreaks(text).filter((edit) => edit.start > 0 && mayBeRest(text, edit));
}

/** Longer words are no rest of a line's end: they are found by themselves. */
const LONGEST_WORD = 4_000;

const WORD = /[^\s"'`<>&;,)}\]@\\\uFFFF]+/y;

/** Beginnings of tokens: behind one of these even what looks like a word is the rest. */
const BEGUN =
  /(?:A[KS]IA|gh[pousr]_|github_pat_|cwy_|whsec_|glpat-|npm_|xox[abeoprs]-|hf_|lin_api_|dp\.pt\.|sk-|[sr]k_live_|\.slack\.com\/services\/)[\w/-]{0,100}$/;

function mayBeRest(text: string, { start, end }: Replacement): boolean {
  WORD.lastIndex = end;
  const word = WORD.exec(text.slice(0, end + LONGEST_WORD))?.[0] ?? '';
  return isDrawn(word) || isRandom(word) || BEGUN.test(getLastWord(text, start));
}

/** The last word before `end`, which no token contains white space in: at most 120 characters. */
function getLastWord(text: string, end: number): string {
  let at = end;
  while (at > 0 && end - at < 120 && text.charCodeAt(at - 1) > 0x20) at--;
  return text.slice(at, end);
}
