// Which functions do nothing but raise an error, by their bodies: a trace that ends in one is about its caller.
import { findSpans, isCommentLine, markTexts, type Span } from '../../core/source/index.ts';
import { isOwnSource, type MappedFrame } from '../clues.ts';
import { attempt, type Lookups } from '../lookups.ts';

/** Own frames of a trace that are looked at: guards that call guards are rarely deeper. */
const MAX_DEPTH = 4;

/** Traces after these are consequences. */
const MAX_TRACES = 3;

/** A longer function does more. */
const MAX_LINES = 40;

type Traces = readonly (readonly MappedFrame[])[];

/** The traces with `raises` set for the innermost own frames whose functions only check and raise. */
export async function markRaising(lookups: Lookups, mapped: Traces): Promise<Traces> {
  const files = new Map<string, ReadSource | null>();
  const open = async (path: string): Promise<ReadSource | null> => {
    const known = files.get(path);
    if (known !== undefined) return known;
    const source = await readSource(lookups, path);
    files.set(path, source);
    return source;
  };
  const marked: (readonly MappedFrame[])[] = [];
  for (const frames of mapped.slice(0, MAX_TRACES)) marked.push(await markTrace(frames, open));
  return [...marked, ...mapped.slice(MAX_TRACES)];
}

async function markTrace(
  frames: readonly MappedFrame[],
  open: (path: string) => Promise<ReadSource | null>,
): Promise<readonly MappedFrame[]> {
  const raising = new Set<MappedFrame>();
  let inner = { path: '', name: '' };
  for (const one of frames.filter(isOwnSource).slice(0, MAX_DEPTH)) {
    const source = one.mapping.kind === 'own' ? await open(one.mapping.path) : null;
    // Of another file it is a caller, though it may do nothing else.
    const called = source?.path === inner.path ? inner.name : '';
    if (source === null || !isRaisingFrame(one, source, called)) break;
    raising.add(one);
    inner = { path: source.path, name: one.frame.function.split('.').at(-1) ?? '' };
  }
  return raising.size === 0 ? frames : frames.map((one) => (raising.has(one) ? { ...one, raises: true } : one));
}

interface ReadSource {
  readonly path: string;
  readonly lines: readonly string[];
  readonly spans: readonly Span[];
}

async function readSource(lookups: Lookups, path: string): Promise<ReadSource | null> {
  const { tree, signal } = lookups;
  return attempt(lookups, `outline ${path}`, async () => {
    const read = await tree.read(path, {}, signal);
    if (read.kind !== 'text') return null;
    const spans = findSpans(path, read.text, await tree.outline(path, signal));
    return { path, lines: read.text.split(/\r?\n/), spans: spans.filter(({ kind }) => kind === 'function') };
  });
}

/** By its line, or where that is not known by its name, which may be that of several. */
function isRaisingFrame({ frame, mapping }: MappedFrame, { path, lines, spans }: ReadSource, inner: string): boolean {
  const line = mapping.kind === 'own' && mapping.compiled ? 0 : frame.line;
  const name = frame.function.split('.').at(-1) ?? '';
  const around = spans.filter((span) => line >= span.line && line <= span.lastLine).at(-1);
  const found = line > 0 ? [around].filter((span) => span !== undefined) : spans.filter((span) => span.name === name);
  return found.length > 0 && found.every((span) => onlyRaises(path, lines.slice(span.line - 1, span.lastLine), inner));
}

/**
 * Whether a function only checks what it is given and raises an error: it has no effect, and returns nothing that it
 * computes. `lines`: from its head on. `inner`: a function of that kind that it may call; "" where there is none.
 */
export function onlyRaises(path: string, lines: readonly string[], inner: string): boolean {
  if (lines.length > MAX_LINES) return false;
  const texts = markTexts(path, lines);
  const code = lines.filter((line, index) => texts[index] !== 1 && !isCommentLine(path, line)).map(removeTexts);
  const { head, body } = splitHead(code.join('\n'), /\.pyi?$/.test(path));
  const given = new Set(head.match(/[A-Za-z_$][\w$]*/g) ?? []);
  const known: Known = { given, inner, isBare: /\.(?:pyi?|rb)$/.test(path), locals: new Set() };
  let raised = false;
  for (const statement of splitStatements(body)) {
    const effect = readStatement(statement, known);
    if (effect === 'other') return false;
    raised ||= effect === 'raises';
  }
  return raised;
}

/** Texts may hold anything; what follows a mark of a comment is none of the code. */
function removeTexts(line: string): string {
  return line
    .slice(0, 400)
    .replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/g, '0')
    .replace(/\s(?:\/\/|#(?!\[)).*$/, '');
}

/** At the first brace outside of parentheses, or the colon (Python) or the end (Ruby) of its line. */
function splitHead(code: string, isPython: boolean): { readonly head: string; readonly body: string } {
  const hasBraces = !isPython && code.includes('{');
  let depth = 0;
  for (let at = 0; at < code.length; at++) {
    const letter = code[at] ?? '';
    if ('([<'.includes(letter) && letter !== '<') depth++;
    else if (')]'.includes(letter)) depth--;
    else if (depth === 0 && endsHead(letter, code[at + 1] ?? '\n', { isPython, hasBraces })) {
      return { head: code.slice(0, at), body: code.slice(at + 1) };
    }
  }
  return { head: code, body: '' };
}

function endsHead(
  letter: string,
  next: string,
  { isPython, hasBraces }: { readonly isPython: boolean; readonly hasBraces: boolean },
): boolean {
  if (isPython) return letter === ':' && next === '\n';
  return hasBraces ? letter === '{' : letter === '\n';
}

/** At braces, semicolons and ends of lines outside of parentheses. */
function splitStatements(body: string): readonly string[] {
  const statements: string[] = [];
  let [depth, from] = [0, 0];
  for (let at = 0; at <= body.length; at++) {
    const letter = body[at] ?? '\n';
    if (letter === '(' || letter === '[') depth++;
    else if (letter === ')' || letter === ']') depth--;
    else if (depth <= 0 && (letter === '\n' || letter === ';' || letter === '{' || letter === '}')) {
      statements.push(body.slice(from, at).trim());
      from = at + 1;
    }
  }
  return statements.filter((statement) => statement !== '');
}

interface Known {
  /** Words of the head: parameters among them. */
  readonly given: ReadonlySet<string>;
  readonly inner: string;
  /** Whether a variable needs no declaration. */
  readonly isBare: boolean;
  /** Grows with what is declared. */
  readonly locals: Set<string>;
}

type Effect = 'none' | 'raises' | 'other';

const RAISE =
  /^(?:throw|raise|assert(?:_eq|_ne)?|panic|unreachable|unimplemented|todo|abort|fatalError|preconditionFailure)\b/;

const CONDITION = /^(?:\}?\s*else\s+)?(?:if|unless|elif|elsif|while|for|foreach|switch|case|when|guard)\b\s*/;

const DECLARATION =
  /^(?:(?:const|let|var|val|final|auto|mut|local)\s+)+(?:[\w<>[\],.?]{1,80}\s+)?([\w$]{1,80})|^[\w<>[\],.?]{1,80}\s+([\w$]{1,80})\s*=/;

function readStatement(statement: string, known: Known): Effect {
  if (/^(?:else|end|do|then|pass|begin|default)?\s*:?$/.test(statement)) return 'none';
  const bare = statement.replace(/^else\s*:?\s+(?!if\b)/, '');
  const condition = CONDITION.exec(bare);
  if (condition) return readAfterCondition(bare.slice(condition[0].length), known);
  if (RAISE.test(bare)) return 'raises';
  const value = /^return\b\s*(.*)$/s.exec(bare)?.[1];
  if (value !== undefined) return readReturned(value.trim(), known);
  const declared = DECLARATION.exec(bare);
  if (declared) {
    known.locals.add(declared[1] ?? declared[2] ?? '');
    return computes(bare.slice(declared[0].length)) ? 'other' : 'none';
  }
  const assigned = /^([\w$]{1,80})((?:\.[\w$]{1,80})*)\s*[:+]?=(?!=)/.exec(bare);
  if (assigned) return readAssigned(assigned[1] ?? '', assigned[2] !== '', known);
  return getCalled(bare) === known.inner && known.inner !== '' ? 'raises' : 'other';
}

/** Whether a value is what a call gives, but for a new error and a text that is put together for it. */
function computes(value: string): boolean {
  const calls = value.matchAll(/(new\s{1,4})?\b([\w$]{1,80})[!?]?\s{0,4}\(/g);
  return [...calls].some(([, made, name = '']) => made === undefined && !OF_ERROR.test(name));
}

const OF_ERROR = /(?:Error|Exception|[fF]ormat|printf|toString|String|str|join|concat|repr)$/;

/** What stands on the line of a condition: `if (x) throw …`, `if x: raise …`. */
function readAfterCondition(text: string, known: Known): Effect {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (letter === '(' || letter === '[') depth++;
    else if (letter === ')' || letter === ']') depth--;
    const isClosed = depth === 0 && (text[0] === '(' ? letter === ')' : letter === ':' && text[at + 1] !== '=');
    if (isClosed) {
      const rest = text.slice(at + 1).trim();
      // `if (a) && b` goes on; `for x := …` has no rest.
      return /^(?:[&|=<>+\-*/%!?.]|and\b|or\b|$)/.test(rest) ? 'none' : readStatement(rest, known);
    }
  }
  return 'none';
}

/** Nothing, what was given, or a new error for the caller to throw. */
function readReturned(value: string, { given, inner }: Known): Effect {
  if (value === '' || /^-?[\d.]+$|^(?:true|false|null|nil|None|True|False|undefined|this|self)$/.test(value))
    return 'none';
  if (/^[A-Za-z_$][\w$]*$/.test(value)) return given.has(value) ? 'none' : 'other';
  if (/^(?:new\s+)?[\w.]{0,80}(?:Error|Exception)\(/.test(value)) return 'raises';
  return getCalled(value) === inner && inner !== '' ? 'raises' : 'other';
}

function readAssigned(name: string, isMember: boolean, { isBare, locals }: Known): Effect {
  if (isMember || !isBare) return locals.has(name) ? 'none' : 'other';
  locals.add(name);
  return 'none';
}

/** The last name of `a.b.name(…)`; "" for anything else. */
function getCalled(text: string): string {
  return /^(?:await\s+)?(?:[\w$]{1,80}(?:\.|::|->))*([\w$]{1,80})[!?]?\s*\(/.exec(text)?.[1] ?? '';
}
