// Functions of a project that make its tests: those of the file itself, and what it takes from others.

import type { ScriptToken } from './script-tokens.ts';
import {
  DECLARES,
  isUsualWord,
  isWrittenTitle,
  listWords,
  type Maker,
  type ReadSource,
  readTestCall,
} from './test-calls.ts';

const MOST_MAKERS = 100;

/**
 * `function check(name, …) { it(name, …) }`, also with more around the name; those that are called with titles that are
 * written, and are handed to nothing that may call them with others.
 */
export function findMakers(script: ReadSource): ReadonlyMap<string, Maker> {
  const makers = new Map<string, Maker>();
  for (let at = 0; at < script.tokens.length && makers.size < MOST_MAKERS; at += 1) {
    const declared = readFunction(script, at);
    const maker = declared === null || makers.has(declared.name) ? null : readMaker(script, declared);
    if (declared !== null && maker !== null) makers.set(declared.name, maker);
  }
  const called = new Set<string>();
  const full = { ...script, makers };
  for (const [at, { kind, text }] of script.tokens.entries()) {
    if (kind !== 'word' || !makers.has(text)) continue;
    const call = readTestCall(full, at);
    if (call !== null && isWrittenTitle(script.tokens[call.opens + 1])) called.add(text);
    if (call === null && !isDeclared(script.tokens, at)) makers.delete(text);
  }
  return new Map([...makers].filter(([name]) => called.has(name)));
}

/** Or it is a member of something else. */
function isDeclared(tokens: readonly ScriptToken[], at: number): boolean {
  const before = tokens[at - 1]?.text ?? '';
  return before === 'function' || before === '.' || DECLARES.test(before);
}

interface DeclaredFunction {
  readonly name: string;
  /** Its first parameter. */
  readonly title: string;
  /** Indexes of its first word and of what it does. */
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

/** `function check(name` and `const check = (name`, with a body in brackets, or a call alone. */
function readFunction({ tokens, pairs }: ReadSource, at: number): DeclaredFunction | null {
  const keyword = tokens[at]?.kind === 'word' ? tokens[at]?.text : '';
  const name = tokens[at + 1];
  if (keyword === undefined || name?.kind !== 'word') return null;
  let opens = at + 2;
  if (DECLARES.test(keyword)) {
    if (tokens[opens]?.text !== '=') return null;
    for (opens += 1; tokens[opens]?.text === 'async' || tokens[opens]?.text === 'function'; opens += 1);
  } else if (keyword !== 'function') return null;
  const title = tokens[opens + 1];
  if (tokens[opens]?.text !== '(' || title?.kind !== 'word') return null;
  const closes = pairs.get(opens) ?? opens;
  const from = findBody(tokens, closes, keyword === 'function' || tokens[opens - 1]?.text === 'function');
  if (from === null) return null;
  const to = tokens[from]?.text === '{' ? (pairs.get(from) ?? from) : Math.min(from + MOST_BARE, tokens.length - 1);
  return { name: name.text, title: title.text, at, from, to };
}

/** Words and signs of a body without brackets up to the title of its call. */
const MOST_BARE = 6;

/** Behind the parameters and the type of what it returns; null: it is no function. */
function findBody(tokens: readonly ScriptToken[], closes: number, hasBrackets: boolean): number | null {
  for (let at = closes + 1; at < Math.min(tokens.length, closes + MOST_TYPE_WORDS); at += 1) {
    const text = tokens[at]?.kind === 'sign' ? tokens[at]?.text : '';
    if (text === ';' || text === ')' || text === '}') return null;
    if (hasBrackets && text === '{') return at;
    if (!hasBrackets && text === '=>') return at + 1;
  }
  return null;
}

/** Words and signs of a function that are read for what it makes. */
const MOST_MADE = 1_000;

/** Null: its first parameter is in no title of a test or group. */
function readMaker(script: ReadSource, { at, from, to, title }: DeclaredFunction): Maker | null {
  const { tokens } = script;
  const made: MadeTitle[] = [];
  for (let word = from; word <= Math.min(to, from + MOST_MADE); word += 1) {
    const titled = readMadeTitle(script, word, title);
    if (titled !== null) made.push(titled);
  }
  const isGroup = made.length > 0 && made.every((one) => one.isGroup);
  const own = made.filter((one) => one.isGroup === isGroup);
  const [first] = own;
  if (first === undefined) return null;
  // Several tests of one title are known by what they have in common.
  const isOne = own.every(({ before, after }) => before === first.before && after.join() === first.after.join());
  if (!isOne && own.some(({ before }) => before !== first.before)) return null;
  const { line = 0 } = tokens[at] ?? {};
  return {
    isGroup,
    before: first.before,
    after: isOne ? first.after : ['', ''],
    made: new Set(own.map((one) => one.at)),
    lines: { from: line, to: tokens[to]?.line ?? line },
  };
}

interface MadeTitle extends Pick<Maker, 'isGroup' | 'before' | 'after'> {
  readonly at: number;
}

/** A title that is the parameter, a sum with it, or a template in which it comes first. */
function readMadeTitle(script: ReadSource, at: number, parameter: string): MadeTitle | null {
  const call = readTestCall(script, at);
  const { tokens, source } = script;
  if (call === null) return null;
  const [before = '', ...after] = call.parts;
  const first = tokens[call.opens + 1];
  if (first?.kind === 'template') {
    const text = source.slice(first.from, first.to);
    const code = text.indexOf('${');
    const isFirst = code >= 0 && text.slice(code + 2, text.indexOf('}', code)).trim() === parameter;
    return isFirst ? { at, isGroup: call.isGroup, before, after } : null;
  }
  const words = listWords(tokens, call.opens + 1, call.comma);
  return words.length === 1 && words[0] === parameter && after.length === 1
    ? { at, isGroup: call.isGroup, before, after }
    : null;
}

/** Names of what makes tests that the file takes from another file of the project. */
export function findWrapped(tokens: readonly ScriptToken[]): ReadonlySet<string> {
  const wrapped = new Set<string>();
  for (const [at, { kind, text }] of tokens.entries()) {
    if (kind !== 'string' || !/^\.{1,2}\//.test(text)) continue;
    for (const name of listTakenNames(tokens, at)) if (isUsualWord(name)) wrapped.add(name);
  }
  return wrapped;
}

/** The names of the statement that takes them from the file at that token: they stand before it. */
function listTakenNames(tokens: readonly ScriptToken[], source: number): readonly string[] {
  const isImported = tokens[source - 1]?.text === 'from';
  if (!isImported && tokens[source - 2]?.text !== 'require') return [];
  const names: string[] = [];
  for (let at = source - 2; at >= Math.max(0, source - MOST_WORDS); at -= 1) {
    const { kind, text } = tokens[at] ?? { kind: 'string', text: '' };
    if (kind === 'string' || OPENS_NAMES.test(text)) break;
    if (kind === 'word') names.push(text);
  }
  return names;
}

const OPENS_NAMES = /^(?:import|export|const|let|var)$/;

const MOST_TYPE_WORDS = 60;
const MOST_WORDS = 60;
