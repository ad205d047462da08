// Applies our rules to one reading of a text, within lines and across wrapped ones.
import { isCredential, isRandom, isStandIn } from './literals.ts';
import { RULES, type Rule } from './rules.ts';
import type { Span } from './spans.ts';
import type { View } from './view.ts';

/** Where our rules find secrets; offsets of the view. `unwrapped`: the same view with its line breaks taken out. */
export function ruleSpans(view: View, unwrapped: View): Span[] {
  const within = [...RULES.flatMap((rule) => secretsOf(rule, view.text)), ...cookieSpans(view.text)];
  return [...within, ...acrossLines(view, unwrapped, within)];
}

function secretsOf(rule: Rule, text: string): Span[] {
  const spans: Span[] = [];
  for (const match of text.matchAll(rule.pattern)) {
    const context = match[1] ?? '';
    const secret = match.slice(2).find((group) => group !== undefined) ?? match[0];
    if (rule.accepts && !rule.accepts(secret, context, match)) continue;
    const start = match[0].indexOf(secret, context.length) + match.index;
    spans.push({ start, end: start + secret.length });
  }
  return spans;
}

/** Secrets that a line break interrupts. `whole` are those that were found without looking over line ends. */
function acrossLines(view: View, unwrapped: View, whole: readonly Span[]): Span[] {
  if (unwrapped === view) return [];
  const starts = new Set(whole.map((span) => span.start));
  const spans: Span[] = [];
  const add = (found: Span, form: Rule | null): void => {
    const span = unwrapped.toParent(found);
    if (starts.has(span.start)) spans.push(...continued(view.text, span, null));
    else if (form) spans.push(...continued(view.text, span, form));
  };
  for (const rule of RULES) {
    for (const found of secretsOf(rule, unwrapped.text)) add(found, rule.wrapped === 'form' ? rule : null);
  }
  for (const found of cookieSpans(unwrapped.text)) add(found, null);
  return spans;
}

/**
 * How much of a match across line ends is the secret: the lines up to where it is complete, then those that look random.
 * `incomplete`: the rule that its first line does not satisfy.
 */
function continued(text: string, span: Span, incomplete: Rule | null): Span[] {
  const pieces = [...text.slice(span.start, span.end).matchAll(/\S+/g)];
  const first = pieces[0]?.[0] ?? '';
  if (pieces.length < 2 || (incomplete && /^\d+$/.test(first))) return [];
  let end = span.start + first.length;
  let joined = first;
  let open = incomplete !== null;
  for (const piece of pieces.slice(1)) {
    if (!open && (!isRandom(piece[0]) || /^\w+=[^=]/.test(piece[0]))) break;
    end = span.start + piece.index + piece[0].length;
    joined = joined.replace(/\\$/, '') + piece[0];
    open = open && incomplete !== null && secretsOf(incomplete, joined).length === 0;
  }
  return [{ start: span.start, end }];
}

const COOKIE_HEADER = /(?:set-)?cookie["']?[ \t]{0,3}:[ \t]{0,3}["'`]?([^\n\r"'`\uFFFF]{3,8000})/gi;
const COOKIE = /([^=;,\s]{1,100})=([^;,\s\\]{4,8000})/g;
const ATTRIBUTES = /^(?:path|domain|expires|max-age|samesite|priority|version)$/i;
const SESSION = /sess|sid|auth|token|csrf|xsrf|jwt|remember|login|user/i;

function cookieSpans(text: string): Span[] {
  const spans: Span[] = [];
  for (const header of text.matchAll(COOKIE_HEADER)) {
    const pairs = header[1] ?? '';
    const offset = header.index + header[0].length - pairs.length;
    for (const [pair, name = '', value = '', at] of pairs.matchAll(COOKIE).map(withIndex)) {
      if (ATTRIBUTES.test(name) || isStandIn(value) || !(SESSION.test(name) || isCredential(value))) continue;
      spans.push({ start: offset + at + pair.length - value.length, end: offset + at + pair.length });
    }
  }
  return spans;
}

function withIndex(match: RegExpExecArray): [string, string | undefined, string | undefined, number] {
  return [match[0], match[1], match[2], match.index];
}
