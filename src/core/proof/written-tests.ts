// The tests of a file of JavaScript or TypeScript as they are written: the literal parts of their titles, and the groups and lines that they stand in.
import { opensBracket, type Pairs, pairBrackets, readScriptTokens, type ScriptToken } from './script-tokens.ts';
import { findAliases, listWords, NO_MAKERS, type ReadSource, readTestCall, type TestCall } from './test-calls.ts';
import { findMakers, findWrapped } from './test-makers.ts';

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
  /** What it is made from besides: tables, a test for each row, and the function of the file that makes it. */
  readonly tables: readonly WrittenTable[];
  /** Whether what makes it is of another file of the project, which may write more behind the title. */
  readonly isWrapped: boolean;
  /** Where in the source that is which stands behind the title; null: a function of one's own may read the title. */
  readonly body: { readonly from: number; readonly to: number } | null;
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

const MOST_SOURCE = 1_000_000;
const MOST_TESTS = 5_000;
const MOST_TABLES = 500;

/** Null where the source can't be followed to its end. */
export function readWrittenTests(source: string): WrittenFile | null {
  if (source.length > MOST_SOURCE) return null;
  const tokens = readScriptTokens(source);
  const pairs = pairBrackets(tokens);
  if (pairs === null) return null;
  const bare = { source, tokens, pairs, aliases: findAliases(tokens), makers: NO_MAKERS };
  const script = { ...bare, makers: findMakers(bare) };
  const made = new Set([...script.makers.values()].flatMap((maker) => [...maker.made]));
  const wrapped = findWrapped(tokens);
  const tables = findTables(script);
  const readTest = (call: TestCall, around: readonly number[]) => {
    const word = tokens[call.at]?.text ?? '';
    const used = findUsed(script, tables, { at: call.at, around, opens: call.opens });
    const maker = script.makers.get(word);
    const isWrapped = wrapped.has(word);
    const written = { ...toWrittenTest(script, call), isWrapped };
    if (maker !== undefined) return { ...written, tables: [...used, maker.lines], body: null };
    return { ...written, tables: used, ...(isWrapped && { body: null }) };
  };
  const tests: WrittenTest[] = [];
  const groups: string[] = [];
  const groupLines: LinesOfCall[] = [];
  const open: { readonly to: number; readonly title: string | null }[] = [];
  walkBrackets(script, (at, around) => {
    while ((open.at(-1)?.to ?? tokens.length) < at) open.pop();
    const call = made.has(at) ? null : readTestCall(script, at);
    if (call === null) return;
    const [only = '', ...more] = call.parts;
    const title = more.length === 0 ? only : null;
    if (call.isGroup && title !== null) groups.push(title);
    if (call.isGroup) {
      const { from, to } = toWrittenTest(script, call);
      groupLines.push({ from, to });
    }
    if (!call.isGroup && tests.length < MOST_TESTS) {
      tests.push({ ...readTest(call, around), groups: open.map((one) => one.title) });
    }
    open.push({ to: call.closes, title });
  });
  return { tests, groups: [...new Set(groups)], groupLines };
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

function toWrittenTest({ tokens }: ReadSource, { at, parts, title, opens, comma, closes }: TestCall) {
  const lineOf = (index: number) => tokens[index]?.line ?? 0;
  const body = { from: tokens[comma]?.from ?? 0, to: tokens[closes]?.to ?? 0 };
  return { parts, title, at: lineOf(opens + 1), from: lineOf(at), to: lineOf(closes), body };
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
