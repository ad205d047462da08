// Applies our rules to one reading of a text, within lines and across wrapped ones.
import { focusedView, overSeam } from './focus.ts';
import { isCredential, isDrawn, isRandom, isStandIn } from './literals.ts';
import { matchesOf } from './matches.ts';
import type { Rule } from './rule.ts';
import { RULES } from './rules.ts';
import type { Span } from './spans.ts';
import { joinedView, jointOffsets } from './unwrap.ts';
import type { View } from './view.ts';

/** Where our rules find secrets; offsets of the view. */
export function ruleSpans(view: View): Span[] {
  const within = [...RULES.flatMap((rule) => secretsOf(rule, view.text)), ...cookieSpans(view.text)];
  return [...within, ...acrossLines(view, within)];
}

function secretsOf(rule: Rule, text: string): Span[] {
  if (rule.needs !== undefined && !text.includes(rule.needs)) return [];
  const spans: Span[] = [];
  for (const match of matchesOf(text, rule.pattern)) {
    const context = match[1] ?? '';
    const secret = match.slice(2).find((group) => group !== undefined) ?? match[0];
    if (rule.accepts && !rule.accepts(secret, context, match)) continue;
    const start = match[0].indexOf(secret, context.length) + match.index;
    spans.push({ start, end: start + secret.length });
  }
  return spans;
}

/** Secrets that a line break interrupts. `whole` are those that were found without looking over line ends. */
function acrossLines(view: View, whole: readonly Span[]): Span[] {
  const near = focusedView(view, jointOffsets(view), 2);
  if (near === null) return [];
  const joined = joinedView(near);
  const starts = new Set(whole.map((span) => span.start));
  const spans: Span[] = [];
  const add = (found: Span, rule: Rule | null): void => {
    const span = joined.toParent(found);
    const isWhole = starts.has(toView(near, view, span).start);
    if (isWhole || rule?.wrapped === 'form') spans.push(...continued(near.text, span, isWhole ? null : rule));
    else spans.push(...broken(near.text, span));
  };
  for (const rule of RULES) for (const found of secretsOf(rule, joined.text)) add(found, rule);
  for (const found of cookieSpans(joined.text)) add(found, null);
  return spans.filter((span) => !overSeam(near, span)).map((span) => toView(near, view, span));
}

function toView(near: View, view: View, span: Span): Span {
  return near === view ? span : near.toParent(span);
}

/**
 * How much of a match across line ends is the secret: the lines up to where it is complete, then those that look random.
 * `incomplete`: the rule that its first line does not satisfy.
 */
function continued(text: string, span: Span, incomplete: Rule | null): Span[] {
  const pieces = piecesOf(text, span);
  const first = pieces[0]?.text ?? '';
  if (pieces.length < 2 || (incomplete && /^\d+$/.test(first))) return [];
  let end = span.start + first.length;
  let joined = first;
  let open = incomplete !== null;
  for (const piece of pieces.slice(1)) {
    if (!open && (!isRest(text, piece) || /^\w+=[^=]/.test(piece.text))) break;
    end = piece.end;
    joined = joined.replace(/\\$/, '') + piece.text;
    open = open && incomplete !== null && secretsOf(incomplete, joined).length === 0;
  }
  return [{ start: span.start, end }];
}

/** A value of which the first line alone satisfies no rule: only where both its lines look drawn at random, and nothing else stands on the second. */
function broken(text: string, span: Span): Span[] {
  const pieces = piecesOf(text, span);
  const [first, second] = pieces;
  if (!first || !second || pieces.length > 2) return [];
  const drawn = isDrawn(first.text) && isRest(text, second) && isRandom(first.text + second.text);
  return drawn ? [{ start: span.start, end: second.end }] : [];
}

interface Piece extends Span {
  readonly text: string;
}

function piecesOf(text: string, { start, end }: Span): Piece[] {
  return [...text.slice(start, end).matchAll(/\S+/g)].map(({ 0: piece, index }) => ({
    text: piece,
    start: start + index,
    end: start + index + piece.length,
  }));
}

/** Whether a line's first word is the rest of a secret: it looks random, or it looks drawn and is long, or a quote, a delimiter or the line end follows. */
function isRest(text: string, { text: piece, end }: Piece): boolean {
  if (isRandom(piece)) return true;
  const isLong = /^[A-Za-z0-9+/=]{10,}$/.test(piece);
  return isDrawn(piece) && (isLong || /[\r\n"'`<>&;,)}\]@]/.test(text.charAt(end) || '\n'));
}

const COOKIE_HEADER = /(?:set-)?cookie["']?[ \t]{0,3}:[ \t]{0,3}["'`]?([^\n\r"'`\uFFFF]{3,8000})/gi;
const COOKIE = /([^=;,\s]{1,100})=([^;,\s\\]{4,8000})/g;
const ATTRIBUTES = /^(?:path|domain|expires|max-age|samesite|priority|version)$/i;
const SESSION = /sess|sid|auth|token|csrf|xsrf|jwt|remember|login|user/i;

function cookieSpans(text: string): Span[] {
  const spans: Span[] = [];
  for (const header of matchesOf(text, COOKIE_HEADER)) {
    const pairs = header[1] ?? '';
    const offset = header.index + header[0].length - pairs.length;
    for (const [pair, name = '', value = '', at] of matchesOf(pairs, COOKIE).map(withIndex)) {
      if (ATTRIBUTES.test(name) || isStandIn(value) || !(SESSION.test(name) || isCredential(value))) continue;
      spans.push({ start: offset + at + pair.length - value.length, end: offset + at + pair.length });
    }
  }
  return spans;
}

function withIndex(match: RegExpExecArray): [string, string | undefined, string | undefined, number] {
  return [match[0], match[1], match[2], match.index];
}
