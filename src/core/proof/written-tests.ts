// The tests of a file of JavaScript or TypeScript as they are written: the literal parts of their titles, and the groups and lines that they stand in.
import { opensBracket, type Pairs, pairBrackets, readScriptTokens, type ScriptToken } from './script-tokens.ts';

/** A call that makes a test or a group. */
export interface WrittenTest {
  /** What is literal in its title, in order: what is computed stands between two parts. One part: nothing is computed. */
  readonly parts: readonly string[];
  /** Its title as the source has it; of one that is computed by an expression, that. */
  readonly title: string;
  /** Of the groups and tests that it stands in, from the outermost; null: computed. */
  readonly groups: readonly (string | null)[];
  /** Index of the line with its title. */
  readonly at: number;
  /** Of the first and the last line of its call. */
  readonly from: number;
  readonly to: number;
  /** Names of the tables that it is made from, a test for each row. */
  readonly tables: readonly WrittenTable[];
}

/** A declaration of a list or an object outside of tests, whose rows tests are made from. */
interface WrittenTable {
  readonly from: number;
  readonly to: number;
}

export interface WrittenFile {
  readonly tests: readonly WrittenTest[];
  /** Titles of groups, without computed ones. */
  readonly groups: readonly string[];
  /** Indexes of the first and the last line of each group's call. */
  readonly groupLines: readonly LinesOfCall[];
}

interface LinesOfCall {
  readonly from: number;
  readonly to: number;
}

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

const MOST_SOURCE = 1_000_000;
const MOST_TESTS = 5_000;
const MOST_TABLES = 500;

/** Null where the source can't be followed to its end. */
export function readWrittenTests(source: string): WrittenFile | null {
  if (source.length > MOST_SOURCE) return null;
  const tokens = readScriptTokens(source);
  const pairs = pairBrackets(tokens);
  if (pairs === null) return null;
  const script = { source, tokens, pairs, aliases: findAliases(tokens) };
  const tables = findTables(script);
  const tests: WrittenTest[] = [];
  const groups: string[] = [];
  const groupLines: LinesOfCall[] = [];
  const open: { readonly to: number; readonly title: string | null }[] = [];
  walkBrackets(script, (at, around) => {
    while ((open.at(-1)?.to ?? tokens.length) < at) open.pop();
    const call = readCall(script, at);
    if (call === null) return;
    const [only = '', ...more] = call.parts;
    const title = more.length === 0 ? only : null;
    if (call.isGroup && title !== null) groups.push(title);
    if (call.isGroup) {
      const { from, to } = toWrittenTest(tokens, call);
      groupLines.push({ from, to });
    }
    if (!call.isGroup && tests.length < MOST_TESTS) {
      const used = findUsed(script, tables, { at, around, opens: call.opens });
      tests.push({ ...toWrittenTest(tokens, call), groups: open.map((one) => one.title), tables: used });
    }
    open.push({ to: call.closes, title });
  });
  return { tests, groups: [...new Set(groups)], groupLines };
}

interface ReadSource {
  readonly source: string;
  readonly tokens: readonly ScriptToken[];
  readonly pairs: Pairs;
  /** Other names of the file for what makes tests or groups, with the usual one. */
  readonly aliases: ReadonlyMap<string, string>;
}

/** What a runner exports by itself makes tests, whatever it is called. */
const RUNNERS = new Set(['ava', 'tape', 'node:test', 'tap', 'brittle', 'zora', '@playwright/test']);

/** Of `import { test as spec }`, a runner that is imported or required whole, `const spec = test.extend(…)`. */
function findAliases(tokens: readonly ScriptToken[]): ReadonlyMap<string, string> {
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

/** Each token with the brackets around it, from the outermost. */
function walkBrackets({ tokens, pairs }: ReadSource, visit: (at: number, around: readonly number[]) => void): void {
  const around: number[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    while (around.length > 0 && (pairs.get(around.at(-1) ?? 0) ?? 0) < at) around.pop();
    if (opensBracket(tokens[at])) around.push(at);
    visit(at, around);
  }
}

function toWrittenTest(tokens: readonly ScriptToken[], { at, parts, title, opens, closes }: Call) {
  const lineOf = (index: number) => tokens[index]?.line ?? 0;
  return { parts, title, at: lineOf(opens + 1), from: lineOf(at), to: lineOf(closes) };
}

interface Call {
  /** Index of its first word. */
  readonly at: number;
  readonly isGroup: boolean;
  readonly parts: readonly string[];
  readonly title: string;
  /** Indexes of the brackets around title and body. */
  readonly opens: number;
  readonly closes: number;
}

function readCall(script: ReadSource, at: number): Call | null {
  const { tokens, pairs } = script;
  const chain = beginChain(script, at);
  if (chain === null) return null;
  while (chain.next < tokens.length) {
    const token = tokens[chain.next];
    if (token?.text === '(' && token.kind === 'sign') {
      const closes = pairs.get(chain.next) ?? chain.next;
      const comma = findTitleEnd(script, chain.next, closes);
      if (comma !== null) return tokens[closes + 1]?.text === '{' ? null : toCall(script, chain, { comma, closes });
      chain.next = closes + 1;
    } else if (!followChain(script, chain)) return null;
  }
  return null;
}

/** From the word to the brackets with the title: `test.concurrent.each<…>(rows)`. */
interface Chain {
  readonly at: number;
  isGroup: boolean;
  hasRows: boolean;
  next: number;
}

function beginChain({ tokens, aliases }: ReadSource, at: number): Chain | null {
  const word = tokens[at];
  if (word?.kind !== 'word') return null;
  const usual = aliases.get(word.text) ?? word.text;
  if (!isUsualWord(usual)) return null;
  const [owner, before] = [tokens[at - 2], tokens[at - 1]];
  if (before?.kind === 'word' && before.text === 'function') return null;
  const isOwned = before?.kind === 'sign' && before.text === '.';
  // Of `test.describe` the first word has been read.
  if (isOwned && (owner?.kind !== 'word' || !OWNERS.test(owner.text) || isUsualWord(owner.text))) return null;
  return { at, isGroup: GROUP.test(usual), hasRows: false, next: at + 1 };
}

function isUsualWord(word: string): boolean {
  return TEST.has(word) || GROUP.test(word);
}

/** False: it is no test. */
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
  return isTitle(first) && (isLast || isLiteral(first)) ? findComma(tokens, pairs, opens, closes) : null;
}

function toCall(
  { source, tokens, pairs }: ReadSource,
  { at, isGroup, hasRows, next }: Chain,
  { comma, closes }: { readonly comma: number; readonly closes: number },
): Call {
  const parts = readLiteralParts(splitSum(tokens, pairs, { from: next + 1, to: comma }), hasRows);
  return { at, isGroup, parts, title: writeTitle(source, tokens, next + 1, comma), opens: next, closes };
}

function isLiteral(token: ScriptToken | undefined): boolean {
  return token?.kind === 'string' || token?.kind === 'template';
}

/** A function, list or object is none. */
function isTitle(token: ScriptToken | undefined): boolean {
  if (token === undefined) return false;
  return token.kind === 'word' ? !['async', 'function', 'class'].includes(token.text) : isLiteral(token);
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
      if (length === 1) terms.push(isLiteral(token) ? (token ?? null) : null);
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

interface NamedTable extends WrittenTable {
  readonly name: string;
  /** Index of its token, and of the bracket that it is declared in; -1: none. */
  readonly at: number;
  readonly within: number;
}

/** `const rows = […]`, also with a type and behind `Object.freeze(`. */
function findTables(script: ReadSource): readonly NamedTable[] {
  const { tokens, pairs } = script;
  const tables: NamedTable[] = [];
  walkBrackets(script, (at, around) => {
    const [word, name] = [tokens[at], tokens[at + 1]];
    if (word?.kind !== 'word' || !/^(?:const|let|var)$/.test(word.text) || name?.kind !== 'word') return;
    const opens = findList(tokens, pairs, at + 2);
    const closes = opens === null ? undefined : pairs.get(opens);
    if (closes === undefined || tables.length >= MOST_TABLES) return;
    const to = tokens[closes]?.line ?? name.line;
    tables.push({ name: name.text, at, within: around.at(-1) ?? -1, from: name.line, to });
  });
  return tables;
}

/** Those that are named in the call, or on the lines with the brackets around it; of one name the nearest. */
function findUsed(
  { tokens }: ReadSource,
  tables: readonly NamedTable[],
  { at, around, opens }: { readonly at: number; readonly around: readonly number[]; readonly opens: number },
): readonly WrittenTable[] {
  if (tables.length === 0) return [];
  const heads = [...around.slice(-MOST_AROUND), at].flatMap((one) => listWordsOfLine(tokens, one));
  const words = new Set([...heads, ...listWords(tokens, at, Math.min(opens, at + MOST_WORDS))]);
  const isSeen = (table: NamedTable) => table.within === -1 || around.includes(table.within);
  const used = tables.filter((table) => words.has(table.name) && table.at < at && isSeen(table));
  return [...new Map(used.map((table) => [table.name, table] as const)).values()].map(({ from, to }) => ({ from, to }));
}

const MOST_AROUND = 12;

const MOST_TYPE_WORDS = 60;

/** The list or object that is assigned. */
function findList(tokens: readonly ScriptToken[], pairs: Pairs, from: number): number | null {
  let at = from;
  for (let left = MOST_TYPE_WORDS; tokens[at]?.text !== '=' && left > 0; left -= 1) {
    if (tokens[at] === undefined || tokens[at]?.text === ';') return null;
    at = (opensBracket(tokens[at]) ? (pairs.get(at) ?? at) : at) + 1;
  }
  if (tokens[at]?.text !== '=') return null;
  for (at += 1; tokens[at]?.kind === 'word' || tokens[at]?.text === '.' || tokens[at]?.text === '('; at += 1);
  const opening = tokens[at];
  return opening?.kind === 'sign' && (opening.text === '[' || opening.text === '{') ? at : null;
}

const MOST_WORDS = 60;

/** Names in the code of the line of a bracket, before it. */
function listWordsOfLine(tokens: readonly ScriptToken[], at: number): readonly string[] {
  const line = tokens[at]?.line;
  let from = at;
  while (from > 0 && at - from < MOST_WORDS && tokens[from - 1]?.line === line) from -= 1;
  return listWords(tokens, from, at);
}

function listWords(tokens: readonly ScriptToken[], from: number, to: number): readonly string[] {
  return tokens.slice(from, to).flatMap(({ kind, text }) => (kind === 'word' ? text : []));
}
