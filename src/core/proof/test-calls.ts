// The calls in a file of JavaScript or TypeScript that make a test or a group, and what is literal in their titles.
import { opensBracket, type Pairs, type ScriptToken } from './script-tokens.ts';

const TEST = new Set(['it', 'test', 'specify', 'scenario', 'tape', 'fit', 'xit', 'xtest', 'ftest']);
const GROUP = /^(?:[fx]?describe\w*|suite|context|feature|group)$/;
/** What may stand between that and the title: `test.step` and `context.get` are neither. */
const MODIFIERS = new Set(
  'each for only skip todo fails failing fail fixme slow concurrent sequential serial parallel shuffle skipIf runIf todoIf if describe suite context group test it effect live scoped ignore'.split(
    ' ',
  ),
);
/** `pattern.test(text)` is none. */
const OWNERS = /^(?:t\d?|tt|st|s|tap|test|tape|it|Deno|QUnit|ctx|context|assert|root|suite|tester)$/;
/** What follows `each` decides the title of each row. */
const ROWS = new Set(['each', 'for']);

export interface ReadSource {
  readonly source: string;
  readonly tokens: readonly ScriptToken[];
  readonly pairs: Pairs;
  /** Other names of the file for what makes tests or groups, with the usual one. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Functions of the file that make a test or a group of the title that they are given first. */
  readonly makers: ReadonlyMap<string, Maker>;
}

/** A function of the file that makes a test or a group of what it is given first. */
export interface Maker {
  readonly isGroup: boolean;
  /** What is literal in the titles that it makes, around the one that it is given. */
  readonly before: string;
  readonly after: readonly string[];
  /** Indexes of the words of the calls in it. */
  readonly made: ReadonlySet<number>;
  /** The lines that it stands on. */
  readonly lines: { readonly from: number; readonly to: number };
}

export const NO_MAKERS: ReadonlyMap<string, Maker> = new Map();

/** What a runner exports by itself makes tests, whatever it is called. */
const RUNNERS = new Set(['ava', 'tape', 'node:test', 'tap', 'brittle', 'zora', '@playwright/test']);

/** Of `import { test as spec }`, a runner that is imported or required whole, `const spec = test.extend(…)`. */
export function findAliases(tokens: readonly ScriptToken[]): ReadonlyMap<string, string> {
  const aliases = new Map<string, string>();
  for (let at = 0; at < tokens.length; at += 1) {
    const [name, usual] = readImported(tokens, at) ?? readDeclared(tokens, at, aliases) ?? [];
    if (name !== undefined && usual !== undefined && !isUsualWord(name)) aliases.set(name, usual);
  }
  return aliases;
}

type Alias = readonly [name: string, usual: string];

function readImported(tokens: readonly ScriptToken[], at: number): Alias | null {
  const [first, second, third] = tokens.slice(at, at + 3);
  if (first?.kind !== 'word' || second?.kind !== 'word' || third?.kind !== 'word') return null;
  if (isUsualWord(first.text) && second.text === 'as') return [third.text, first.text];
  const isWhole = first.text === 'import' && third.text === 'from' && isRunner(tokens[at + 3]);
  return isWhole ? [second.text, 'test'] : null;
}

function readDeclared(tokens: readonly ScriptToken[], at: number, aliases: ReadonlyMap<string, string>): Alias | null {
  const [keyword, name, equals, value, sign, member] = tokens.slice(at, at + 6);
  if (keyword?.kind !== 'word' || !/^(?:const|let|var)$/.test(keyword.text)) return null;
  if (name?.kind !== 'word' || equals?.text !== '=' || value?.kind !== 'word') return null;
  if (value.text === 'require') return isRunner(member) ? [name.text, 'test'] : null;
  const usual = aliases.get(value.text) ?? value.text;
  const isMember = sign?.text === '.' && (member?.text === 'extend' || MODIFIERS.has(member?.text ?? ''));
  const isAlone = sign === undefined || sign.text === ';' || sign.line !== value.line;
  return isUsualWord(usual) && (isMember || isAlone) ? [name.text, usual] : null;
}

function isRunner(token: ScriptToken | undefined): boolean {
  return token?.kind === 'string' && RUNNERS.has(token.text);
}

export interface TestCall {
  /** Index of its first word. */
  readonly at: number;
  readonly isGroup: boolean;
  readonly parts: readonly string[];
  readonly title: string;
  /** Indexes of the brackets around title and body, and of what ends the title. */
  readonly opens: number;
  readonly comma: number;
  readonly closes: number;
}

export function readTestCall(script: ReadSource, at: number): TestCall | null {
  const { tokens, pairs } = script;
  const chain = beginChain(script, at);
  if (chain === null) return null;
  while (chain.next < tokens.length) {
    const token = tokens[chain.next];
    if (token?.text === '(' && token.kind === 'sign') {
      const closes = pairs.get(chain.next) ?? chain.next;
      const comma =
        chain.maker === null ? findTitleEnd(script, chain.next, closes) : findMadeEnd(script, chain.next, closes);
      if (comma !== null) return tokens[closes + 1]?.text === '{' ? null : toCall(script, chain, { comma, closes });
      chain.next = closes + 1;
    } else if (!followChain(script, chain)) return null;
  }
  return null;
}

/** From the word to the brackets with the title: `test.concurrent.each<…>(rows)`. */
interface Chain {
  readonly at: number;
  readonly maker: Maker | null;
  isGroup: boolean;
  hasRows: boolean;
  next: number;
}

function beginChain({ tokens, aliases, makers }: ReadSource, at: number): Chain | null {
  const word = tokens[at];
  if (word?.kind !== 'word') return null;
  const [owner, before] = [tokens[at - 2], tokens[at - 1]];
  const maker = makers.get(word.text) ?? null;
  if (maker !== null) {
    const isCall = before?.text !== 'function' && before?.text !== '.' && !DECLARES.test(before?.text ?? '');
    return isCall ? { at, maker, isGroup: maker.isGroup, hasRows: false, next: at + 1 } : null;
  }
  const usual = aliases.get(word.text) ?? word.text;
  if (!isUsualWord(usual)) return null;
  if (before?.kind === 'word' && before.text === 'function') return null;
  const isOwned = before?.kind === 'sign' && before.text === '.';
  if (isOwned && (owner?.kind !== 'word' || !OWNERS.test(owner.text))) return null;
  // Of `test.describe` the first word has been read, and so it has where the file calls that otherwise.
  if (isOwned && isUsualWord(aliases.get(owner?.text ?? '') ?? owner?.text ?? '')) return null;
  return { at, maker: null, isGroup: GROUP.test(usual), hasRows: false, next: at + 1 };
}

/** Of a variable. */
export const DECLARES = /^(?:const|let|var)$/;

export function isUsualWord(word: string): boolean {
  return TEST.has(word) || GROUP.test(word);
}

/** False if the call makes no test. */
function followChain({ tokens, pairs }: ReadSource, chain: Chain): boolean {
  const [token, name] = [tokens[chain.next], tokens[chain.next + 1]];
  if (token?.kind === 'template') {
    chain.next += 1;
    return true;
  }
  if (token?.text === '.' && name?.kind === 'word') {
    // Of `test.describe` the last word counts.
    if (isUsualWord(name.text)) chain.isGroup = GROUP.test(name.text);
    chain.hasRows ||= ROWS.has(name.text);
    chain.next += 2;
    return MODIFIERS.has(name.text);
  }
  const behind = token?.text === '<' ? skipTypes(tokens, pairs, chain.next) : null;
  chain.next = behind ?? chain.next;
  return behind !== null;
}

/** The comma behind the title; null: the brackets have none. */
function findTitleEnd({ tokens, pairs }: ReadSource, opens: number, closes: number): number | null {
  const first = tokens[opens + 1];
  const isLast = tokens[closes + 1]?.text !== '(';
  return isTitle(first) && (isLast || isWrittenTitle(first)) ? findComma(tokens, pairs, opens, closes) : null;
}

/** Behind the title, which may be all that a function of one's own is given. */
function findMadeEnd({ tokens, pairs }: ReadSource, opens: number, closes: number): number | null {
  return opens + 1 < closes ? (findComma(tokens, pairs, opens, closes) ?? closes) : null;
}

function toCall(
  { source, tokens, pairs }: ReadSource,
  { at, maker, isGroup, hasRows, next }: Chain,
  { comma, closes }: { readonly comma: number; readonly closes: number },
): TestCall {
  const given = readLiteralParts(splitSum(tokens, pairs, { from: next + 1, to: comma }), hasRows);
  const parts = maker === null ? given : surroundParts(given, maker);
  const [only = '', ...more] = parts;
  const title = more.length === 0 && maker !== null ? only : writeTitle(source, tokens, next + 1, comma);
  return { at, isGroup, parts, title, opens: next, comma, closes };
}

function surroundParts(parts: readonly string[], { before, after }: Maker): readonly string[] {
  const [first = '', ...rest] = parts;
  const [behind = '', ...more] = after;
  const whole = [before + first, ...rest];
  return joinComputed([...whole.slice(0, -1), (whole.at(-1) ?? '') + behind, ...more]);
}

export function isWrittenTitle(token: ScriptToken | undefined): boolean {
  return token?.kind === 'string' || token?.kind === 'template';
}

/** A function, list or object is none. */
function isTitle(token: ScriptToken | undefined): boolean {
  if (token === undefined) return false;
  return token.kind === 'word' ? !['async', 'function', 'class'].includes(token.text) : isWrittenTitle(token);
}

const MOST_TYPES = 400;

/** Behind `<…>` of a call; null: it is a comparison. */
function skipTypes(tokens: readonly ScriptToken[], pairs: Pairs, from: number): number | null {
  let depth = 0;
  for (let at = from; at < Math.min(tokens.length, from + MOST_TYPES); at += 1) {
    const text = tokens[at]?.kind === 'sign' ? tokens[at]?.text : '';
    if (opensBracket(tokens[at])) at = pairs.get(at) ?? at;
    else if (text === '<') depth += 1;
    else if (text === '>') depth -= 1;
    if (depth === 0) return at + 1;
  }
  return null;
}

/** Behind the first of several arguments; null: there is one only. */
function findComma(tokens: readonly ScriptToken[], pairs: Pairs, opens: number, closes: number): number | null {
  for (let at = opens + 1; at < closes; at += 1) {
    if (opensBracket(tokens[at])) at = pairs.get(at) ?? at;
    else if (tokens[at]?.kind === 'sign' && tokens[at]?.text === ',') return at + 1 < closes ? at : null;
    else if (tokens[at]?.kind === 'sign' && tokens[at]?.text === '=>') return null;
  }
  return null;
}

interface TokenRange {
  readonly from: number;
  readonly to: number;
}

/** What a sum adds up; null: a word or an expression. */
function splitSum(
  tokens: readonly ScriptToken[],
  pairs: Pairs,
  { from, to }: TokenRange,
): readonly (ScriptToken | null)[] {
  const terms: (ScriptToken | null)[] = [];
  let length = 0;
  for (let at = from; at < to; at += 1) {
    const token = tokens[at];
    if (token?.kind === 'sign' && token.text === '+') length = 0;
    else {
      length += 1;
      if (length === 1) terms.push(isWrittenTitle(token) ? (token ?? null) : null);
      else terms[terms.length - 1] = null;
    }
    if (opensBracket(token)) at = pairs.get(at) ?? at;
  }
  return terms;
}

/** What is literal in it, in order. */
function readLiteralParts(terms: readonly (ScriptToken | null)[], hasRows: boolean): readonly string[] {
  const parts: string[] = [''];
  const split = (text: string) => (hasRows ? splitRowTitle(text) : [text]);
  for (const term of terms) {
    const own = term === null ? ['', ''] : (term.kind === 'string' ? [term.text] : term.parts).flatMap(split);
    parts[parts.length - 1] += own[0] ?? '';
    parts.push(...own.slice(1));
  }
  return joinComputed(parts);
}

/** Two computed ones in a row are one. */
function joinComputed(parts: readonly string[]): readonly string[] {
  return parts.filter((part, at) => part !== '' || at === 0 || at === parts.length - 1);
}

const FORMATS = 'sdifjopcO#$';
const NAME_PART = /^[\w.#]$/;

/** A title of `each` without what the runner puts in for a row: `%s`, `$name`, `$#`. */
function splitRowTitle(title: string): readonly string[] {
  const parts = [''];
  const add = (text: string) => {
    parts[parts.length - 1] += text;
  };
  for (let at = 0; at < title.length; at += 1) {
    const [sign = '', next = ''] = [title[at], title[at + 1]];
    if (sign === '%' && next === '%') {
      add('%');
      at += 1;
    } else if (sign === '%' && next !== '' && FORMATS.includes(next)) {
      parts.push('');
      at += 1;
    } else if (sign === '$' && NAME_PART.test(next)) {
      parts.push('');
      while (NAME_PART.test(title[at + 1] ?? '')) at += 1;
    } else add(sign);
  }
  return parts;
}

const MAX_TITLE = 200;

/** A literal as it reads, an expression as it is written. */
function writeTitle(source: string, tokens: readonly ScriptToken[], from: number, to: number): string {
  const first = tokens[from];
  if (to === from + 1 && first?.kind === 'string') return first.text;
  const text = source.slice(first?.from ?? 0, tokens[to - 1]?.to ?? 0);
  const bare = to === from + 1 && first?.kind === 'template' ? text.slice(1, -1) : text;
  return bare.replace(/\s+/g, ' ').slice(0, MAX_TITLE);
}

export function listWords(tokens: readonly ScriptToken[], from: number, to: number): readonly string[] {
  return tokens.slice(from, to).flatMap(({ kind, text }) => (kind === 'word' ? text : []));
}
