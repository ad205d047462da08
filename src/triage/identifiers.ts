// Names in a report that look like code: in backticks, called, dotted, CamelCase, snake_case.
import { markCode } from './code-fences.ts';
import { COMMON_WORDS } from './tokens.ts';

export interface Identifier {
  /** The last part: `parse` of `Header.parse`. */
  readonly name: string;
  /** What stands before it: `Header` of `Header.parse`; "" where nothing does. */
  readonly qualifier: string;
  /** How telling it is; larger is better. */
  readonly weight: number;
}

const MAX_IDENTIFIERS = 60;
const NAME = /[A-Za-z_$][\w$]*(?:(?:\.|::|#)[A-Za-z_$][\w$]*)*/g;
const NOT_CODE = new Set([
  'GitHub',
  'JavaScript',
  'TypeScript',
  'StackOverflow',
  'README',
  'WebStorm',
  'IntelliJ',
  'VSCode',
  'MacBook',
  'macOS',
  'iOS',
  'PyCharm',
  'e.g',
  'i.e',
  'Node.js',
  'console.log',
  'YouTube',
  'CodeSandbox',
  'StackBlitz',
  'OpenSSL',
  'PowerShell',
]);
/** Keywords and globals that a call or a dot makes look telling. */
const EVERYWHERE = new Set(
  `if for while switch catch return function print println printf log warn error debug info require import main test it describe expect
  assert assertEquals len str int float list dict set map String Object Array Number Boolean Integer List Map Some None Ok Err
  unwrap self this super new type class def fn func String.format toString equals hashCode get put add run call apply bind then`.split(
    /\s+/,
  ),
);
/** Errors of languages and platforms: what is at fault is not defined by them. */
const PLATFORM_ERROR =
  /^(?:Type|Reference|Syntax|Range|Eval|URI|Aggregate|Value|Key|Attribute|Index|Runtime|Assertion|Import|ModuleNotFound|Name|NotImplemented|OS|IO|Unicode\w*|Recursion|Lookup|Arithmetic|ZeroDivision|StackOverflow|OutOfMemory|NoClassDefFound|NoSuchMethod|NoSuchField|AbstractMethod)Error$|^(?:NullPointer|NullReference|IllegalArgument|IllegalState|IllegalAccess|IndexOutOfBounds|ArrayIndexOutOfBounds|StringIndexOutOfBounds|ClassCast|ClassNotFound|NumberFormat|UnsupportedOperation|ConcurrentModification|InvalidOperation|Argument|ArgumentNull|ArgumentOutOfRange|KeyNotFound|FileNotFound|IO|Runtime|NoSuchElement|InvocationTarget|Timeout)Exception$|^(?:StopIteration|KeyboardInterrupt|SystemExit|Traceback)$/;
const FILE_LIKE =
  /\.(?:[jt]sx?|mjs|cjs|py|java|kt|go|rs|cs|json|ya?ml|md|html?|css|toml|xml|txt|svelte|vue|com|org|io|net|dev)$/i;

interface Sighting {
  readonly name: string;
  readonly qualifier: string;
  weight: number;
}

/** Whether a name is written as only code is: `readLine`, `max_size`, `Header`. */
export function looksLikeCode(name: string): boolean {
  return /[A-Z_$]/.test(name);
}

/** At most 60, best first. `lines` hold no stack frames; ordinary words in the data given to `commands` are no names. */
export function findIdentifiers(
  lines: readonly string[],
  title: string,
  commands: readonly string[],
): readonly Identifier[] {
  const seen = new Map<string, Sighting>();
  for (const { text, kind } of markCode(lines)) {
    if (kind !== 'fence') readLine(text, kind === 'code' ? 0.6 : 1, seen, commands);
  }
  readLine(title, 2, seen, commands);
  return [...seen.values()].sort((a, b) => b.weight - a.weight || (a.name < b.name ? -1 : 1)).slice(0, MAX_IDENTIFIERS);
}

function readLine(line: string, factor: number, seen: Map<string, Sighting>, commands: readonly string[]): void {
  const inCode = codeSpans(line, commands);
  for (const match of line.matchAll(NAME)) {
    const called = line[match.index + match[0].length] === '(';
    const span = inCode.find(({ from, to }) => match.index >= from && match.index < to);
    const quoted =
      span !== undefined && (span.alone || (match.index < span.words && !COMMON_WORDS.has(match[0].toLowerCase())));
    const kind = telling(match[0], called, quoted);
    if (kind > 0) note(seen, match[0], kind * factor);
  }
}

interface CodeSpan {
  readonly from: number;
  readonly to: number;
  readonly alone: boolean;
  /** End of the part whose ordinary words count: the data that a command is given names nothing. */
  readonly words: number;
}

/** Stretches in backticks; ordinary words count only where they stand there alone. */
function codeSpans(line: string, commands: readonly string[]): readonly CodeSpan[] {
  return [...line.matchAll(/`([^`]{1,300})`/g)].map((match) => ({
    from: match.index,
    to: match.index + match[0].length,
    alone: !match[0].includes(' '),
    words: match.index + (commands.includes(match[1]?.trim() ?? '') ? headLength(match[0]) : match[0].length),
  }));
}

function headLength(command: string): number {
  const data = command.search(/["'{]/);
  return data < 0 ? command.length : data;
}

/** 0: no code. The classes are ordered by how seldom ordinary text looks so. */
function telling(word: string, called: boolean, quoted: boolean): number {
  if (word.length < 3 || word.length > 120 || NOT_CODE.has(word) || FILE_LIKE.test(word)) return 0;
  const last = lastPart(word);
  if (last.length < 3 || EVERYWHERE.has(last) || PLATFORM_ERROR.test(last)) return 0;
  const shape = shapeOf(word, last);
  if (quoted) return 1 + shape + (called ? 0.5 : 0);
  return called ? 0.8 + shape : shape;
}

function shapeOf(word: string, last: string): number {
  if (/[a-z0-9]_[a-z0-9]/i.test(last)) return 1.6;
  if (/[a-z0-9][A-Z]/.test(last)) return 1.5;
  if (/[A-Z]{2}[a-z]{2}/.test(last)) return 1.2;
  return word.length > last.length && /^[A-Za-z]/.test(last) ? 0.8 : 0;
}

function lastPart(word: string): string {
  return word.slice(Math.max(word.lastIndexOf('.'), word.lastIndexOf(':'), word.lastIndexOf('#')) + 1);
}

function note(seen: Map<string, Sighting>, word: string, weight: number): void {
  const name = lastPart(word);
  const qualifier = lastPart(word.slice(0, Math.max(0, word.length - name.length)).replace(/(?<![.:#])[.:#]+$/, ''));
  const known = seen.get(name);
  // Each further sighting counts less: a log that repeats a name a thousand times says it once.
  if (known) known.weight = Math.max(known.weight, weight) + Math.min(0.1, weight / 20);
  else if (seen.size < 2_000) seen.set(name, { name, qualifier, weight });
  if (qualifier.length > 2 && /^[A-Z]\w*[a-z]/.test(qualifier)) note(seen, qualifier, weight * 0.9);
}
