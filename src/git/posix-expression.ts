// Regular expressions as people write them today, put into the POSIX dialect of git grep, or refused in words.

export type Translation =
  | { readonly ok: true; readonly expression: string }
  | { readonly ok: false; readonly error: string };

/** A piece of the source expression: what it becomes, and how much of the source it took. */
interface Piece {
  readonly text: string;
  readonly length: number;
}

interface BracketMember extends Piece {
  readonly escaped: boolean;
}

const QUANTIFIER = /^\{(\d*)(?:(,)(\d*))?\}/;
const CLASSES: Readonly<Record<string, string>> = { d: '0-9', w: 'A-Za-z0-9_', s: ' \t\r\f\v' };
const ESCAPES: Readonly<Record<string, string>> = {
  d: '[0-9]',
  D: '[^0-9]',
  s: '[[:space:]]',
  S: '[^[:space:]]',
  w: '[A-Za-z0-9_]',
  W: '[^A-Za-z0-9_]',
  b: '\\b',
  B: '\\B',
  A: '^',
  z: '$',
  Z: '$',
  t: '\t',
  r: '\r',
};
const SPECIAL = '.[]{}()*+?^$|\\';
const TOKEN = /\\.|\{[\d,]+\}|./gs;
// glibc unrolls counted repetitions: `((a{1,100}){1,100}){1,100}` would take gigabytes.
const MAX_STATES = 20_000;

/**
 * Extended regular expression with the meaning of `source`: `\d`, `(?:…)`, lazy quantifiers and escapes in brackets are
 * put into POSIX words. What has no POSIX form (look-around, other engines' flags) or takes for ever (back-references) is an error for the asker.
 */
export function toPosix(source: string): Translation {
  let expression = '';
  for (let index = 0; index < source.length; ) {
    const piece = pieceAt(source, index, expression);
    if (typeof piece === 'string') return { ok: false, error: piece };
    expression += piece.text;
    index += piece.length;
  }
  if (stateCount(expression) > MAX_STATES) {
    return { ok: false, error: 'The repetition counts multiply to too many states; use smaller counts or "*".' };
  }
  return { ok: true, expression };
}

/** Fixed text as an expression that finds it whatever the case, letters beyond ASCII too. */
export function caselessText(text: string): string {
  return Array.from(text, (letter) => {
    const variants = [...new Set([letter, letter.toLowerCase(), letter.toUpperCase()])];
    if (variants.length > 1 && /[^\u0000-\u007f]/.test(letter)) return `(${variants.join('|')})`;
    return SPECIAL.includes(letter) ? `\\${letter}` : letter;
  }).join('');
}

function pieceAt(source: string, index: number, before: string): Piece | string {
  const character = source.charAt(index);
  const rest = source.slice(index);
  switch (character) {
    case '\\':
      return escapeAt(rest);
    case '[':
      return bracketAt(rest);
    case '(':
      if (rest.startsWith('(?:')) return { text: '(', length: 3 };
      return rest.startsWith('(?') ? 'Look-around, named groups and inline flags are not supported.' : one('(');
    case '?':
      return { text: /(?:^|[^\\])(?:\\\\)*[*+?}]$/.test(before) ? '' : '?', length: 1 };
    case '{':
      return QUANTIFIER.test(rest) && before !== '' ? quantifierAt(rest) : { text: '\\{', length: 1 };
    default:
      return one(character);
  }
}

function one(text: string): Piece {
  return { text, length: 1 };
}

function quantifierAt(rest: string): Piece | string {
  const match = QUANTIFIER.exec(rest);
  const [whole = '', from = '', comma = '', to = ''] = match ?? [];
  if (from === '' && to === '') return { text: '\\{', length: 1 };
  if (Number(from) > 32_767 || Number(to) > 32_767) return 'A repetition count is above 32767.';
  return { text: `{${from === '' ? '0' : from}${comma}${to}}`, length: whole.length };
}

function escapeAt(rest: string): Piece | string {
  const next = rest.charAt(1);
  if (next === '') return 'The expression ends with a lone backslash.';
  const known = ESCAPES[next];
  if (known !== undefined) return { text: known, length: 2 };
  if (next === 'n') return 'A search looks at one line at a time: "\\n" is never found.';
  // glibc matches them by backtracking, for hours on a line of some kilobytes.
  if (/[1-9]/.test(next))
    return `Back-references such as "\\${next}" are not supported; write out what is to be repeated.`;
  if (/[A-Za-z0]/.test(next)) return `"\\${next}" is not understood; write the character or a class in its place.`;
  return { text: SPECIAL.includes(next) ? `\\${next}` : next, length: 2 };
}

function bracketAt(rest: string): Piece | string {
  const negated = rest.startsWith('[^');
  const start = negated ? 2 : 1;
  const members: BracketMember[] = [];
  let index = start;
  while (index === start || rest.charAt(index) !== ']') {
    if (index >= rest.length) return 'A "[" is never closed.';
    const member = memberAt(rest.slice(index));
    if (member === null) return `"${rest.slice(index, index + 2)}" is not understood inside of brackets.`;
    members.push(member);
    index += member.length;
  }
  return { text: `[${negated ? '^' : ''}${orderedMembers(members, negated)}]`, length: index + 1 };
}

/** In POSIX brackets a backslash is a backslash: `]` must come first, an escaped `-` last. */
function orderedMembers(members: readonly BracketMember[], negated: boolean): string {
  const closing = members.some((member) => member.text === ']') ? ']' : '';
  const dash = members.some((member) => member.text === '-' && member.escaped) ? '-' : '';
  const body = members.filter((member) => member.text !== ']' && !(member.text === '-' && member.escaped));
  return `${closing}${safeStart(body.map((member) => member.text).join(''), negated || closing !== '')}${dash}`;
}

function memberAt(rest: string): BracketMember | null {
  const named = /^\[[:.=][^\]]*[:.=]\]/.exec(rest)?.[0];
  if (named !== undefined) return { text: named, length: named.length, escaped: false };
  if (!rest.startsWith('\\')) return { text: rest.charAt(0), length: 1, escaped: false };
  const text = bracketEscape(rest.charAt(1));
  return text === null ? null : { text, length: 2, escaped: true };
}

/** A caret that was escaped must not come first, where it negates. */
function safeStart(body: string, preceded: boolean): string {
  return !preceded && body.startsWith('^') ? `${body.slice(1)}^` : body;
}

function bracketEscape(next: string): string | null {
  const known = CLASSES[next] ?? (next === 't' ? '\t' : next === 'r' ? '\r' : undefined);
  if (known !== undefined) return known;
  return next === '' || /[A-Za-z0-9]/.test(next) ? null : next;
}

/** How many states the expression unrolls to: each counted repetition multiplies what it repeats. */
function stateCount(expression: string): number {
  const sums: number[] = [0];
  let last = 1;
  for (const [token] of expression.matchAll(TOKEN)) {
    if (token === '(') {
      sums.push(0);
      continue;
    }
    const times = repetitions(token);
    const states = token === ')' && sums.length > 1 ? (sums.pop() ?? 0) : 1;
    const added = times === 0 ? states : last * (times - 1);
    last = times === 0 ? states : last * times;
    sums.push((sums.pop() ?? 0) + added);
  }
  return sums.reduce((sum, each) => sum + each, 0);
}

/** The highest count of a `{n,m}`; 0 for any other token. */
function repetitions(token: string): number {
  return /^\{[\d,]+\}$/.test(token) ? Math.max(1, ...token.slice(1, -1).split(',').map(Number)) : 0;
}
