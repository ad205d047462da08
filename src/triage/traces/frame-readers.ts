// How the languages that print their frames over several lines, or with source text between them, do so, and the error
// above or below them. The others are rows of a table: frame-forms.ts.

import { findTapStack, readTapError } from 'causeway-log-lines';
import { type ErrorHead, NO_ERROR, parseErrorHead } from './error-head.ts';
import type { Frame, FrameReader } from './frame.ts';
import { FORM_READERS } from './read-forms.ts';

/** `path:line:column` or `path:line` taken apart from its end; null where there is no line number. */
function splitLocation(text: string): { readonly file: string; readonly line: number } | null {
  const match = /:(\d{1,7})(?::\d{1,7})?$/.exec(text.slice(-20));
  if (!match?.[1]) return null;
  const file = text.slice(0, text.length - match[0].length);
  return file === '' ? null : { file, line: Number(match[1]) };
}

/**
 * What follows `at ` on a frame line of Node, the JVM or .NET, past white space, one log tag and a bullet; null
 * elsewhere.
 */
function cutAfterAt(line: string): string | null {
  const bare = line.replace(/^\s*(?:\[[^\]]{0,60}\]\s*)?(?:[|>*-]\s*)?/, '');
  return bare.startsWith('at ') ? bare.slice(3).trim() : null;
}

/** What replaces a secret that was removed: such a line reads differently everywhere. */
const CUT_OUT = /\[redacted\b|\*{3}/i;

/** The text of a source line, such that it may be compared; "" where it says too little or lost a part. */
function readFrameCode(line: string): string {
  const code = line.trim();
  return code.length < 4 || code.length > 500 || /^[\s~^]*$/.test(code) || CUT_OUT.test(code) ? '' : code;
}

/** How far above the first frame its error may be: messages may have several lines. */
const HEAD_LINES = 12;

/** The error on one of the lines above the first frame; a frame of another trace ends the search. */
function findHeadAbove(
  lines: readonly string[],
  first: number,
  readFrame: (line: string) => Frame | null,
  readHead: (line: string) => ErrorHead | null,
): ErrorHead {
  for (let index = first - 1; index >= Math.max(0, first - HEAD_LINES); index--) {
    const line = (lines[index] ?? '').trim();
    if (readFrame(line) !== null) break;
    const head = readHead(line);
    if (head !== null) return head;
  }
  return NO_ERROR;
}

// JavaScript: Node, browsers and TypeScript: `at fn (file:line:column)` and `fn@file:line:column`.

const nodeFrames: FrameReader = {
  language: 'javascript',
  innermostLast: false,
  gap: 1,
  frame: readNodeFrame,
  ends: (line) => parseErrorHead(line) !== null || /\[cause\]:|^caused by:/i.test(line.trim()),
  error: (lines, first) =>
    readTapHead(lines, first) ??
    findHeadAbove(lines, first, readV8Frame, (line) => {
      const head = parseErrorHead(line.replace(/^(?:\[cause\]:|caused by:)\s*/i, ''));
      return head && { ...head, link: /^(?:\[cause\]:|caused by:)/i.test(line) ? 'causes_previous' : 'none' };
    }),
};

function readNodeFrame(lines: readonly string[], index: number): Frame | null {
  const line = lines[index] ?? '';
  const found = readV8Frame(line) ?? readGeckoFrame(line) ?? readTapFrame(lines, index);
  const isFirst = found && !readV8Frame(lines[index - 1] ?? '');
  return isFirst ? { ...found, code: findExcerptAbove(lines, index, found) } : found;
}

/** How far above the first frame Node may print its source line. */
const EXCERPT_LINES = 8;

/** Node prints the place, its line and a caret above the error that ends a program. */
function findExcerptAbove(lines: readonly string[], first: number, { file, line }: Frame): string {
  const place = `${file}:${line}`;
  for (let index = first - 1; index >= Math.max(0, first - EXCERPT_LINES); index--) {
    if ((lines[index] ?? '').trim() === place) return readFrameCode(lines[index + 1] ?? '');
  }
  return '';
}

function readV8Frame(line: string): Frame | null {
  const rest = cutAfterAt(line)?.replace(/ \{$/, '');
  return rest ? readV8Call(rest) : null;
}

/** Files of languages that print places like JavaScript's. */
const OTHER_SOURCE = /\.(?:rs|java|kt|cs|go|php|rb|exs?|swift|dart|[ch](?:c|pp|xx)?|mm?)$/;

function readV8Call(rest: string): Frame | null {
  const open = rest.endsWith(')') ? rest.lastIndexOf(' (') : -1;
  const place = splitLocation(open < 0 ? rest.replace(/^async /, '') : rest.slice(open + 2, -1));
  if (!place || !/[./]|^node:/.test(place.file) || OTHER_SOURCE.test(place.file)) return null;
  return toNodeFrame(place, open < 0 ? '' : rest.slice(0, open));
}

/** The YAML of TAP has the frames without `at`. */
function readTapFrame(lines: readonly string[], index: number): Frame | null {
  const line = lines[index] ?? '';
  return /^\s.*:\d{1,7}\)?$/.test(line) && findTapStack(lines, index) >= 0 ? readV8Call(line.trim()) : null;
}

function readTapHead(lines: readonly string[], first: number): ErrorHead | null {
  const error = findTapStack(lines, first) < 0 ? null : readTapError(lines, first);
  return error && { type: error.type, message: error.message.split('\n', 1)[0] ?? '', link: 'none' };
}

/** Firefox and Safari. */
function readGeckoFrame(line: string): Frame | null {
  const trimmed = line.trim();
  const at = trimmed.indexOf('@');
  if (at < 0 || at > 200 || trimmed.includes(' ')) return null;
  const place = splitLocation(trimmed.slice(at + 1));
  return place && /^(?:https?|file|webpack|resource):/.test(place.file)
    ? toNodeFrame(place, trimmed.slice(0, at))
    : null;
}

function toNodeFrame(place: { file: string; line: number }, name: string): Frame {
  return {
    language: 'javascript',
    file: place.file,
    line: place.line,
    function: readNodeFunction(name),
    symbol: '',
    code: '',
    ...readNodeOwner(name),
  };
}

/** `Cart` of `async Cart.total [as run]`; what V8 calls the type of a plain object is not a class. */
function readNodeOwner(name: string): { readonly owner?: string } {
  const owner = /(?:^|[\s.])([\w$]{1,80})\.[\w$#]{1,80}(?: \[as [^\]]{1,100}\])?$/.exec(name)?.[1] ?? '';
  return owner === '' || /^(?:Object|Function|Module)$/.test(owner) ? {} : { owner };
}

/** `async Object.load [as run]` → `load`; anonymous functions have no name. */
function readNodeFunction(name: string): string {
  const bare = name.replace(/^(?:async |new )+/, '').replace(/ \[as [^\]]{1,100}\]$/, '');
  const last = bare.slice(bare.lastIndexOf('.') + 1);
  return /^[\w$#]+$/.test(last) ? last : '';
}

// Python: tracebacks and pytest's reports.

const pythonFrames: FrameReader = {
  language: 'python',
  innermostLast: true,
  gap: 40,
  frame: (lines, index) => {
    const found = readTracebackFrame(lines[index] ?? '') ?? readPytestFrame(lines[index] ?? '');
    return found && { ...found, code: readCodeBelow(lines, index) };
  },
  ends: (line) =>
    /^\s*(?:Traceback \(most|[_=]{3,} |During handling of|The above exception)/.test(line) || isPythonError(line),
  error: findPythonError,
};

/** Services that collect errors print other languages' frames so, the innermost first. */
const COLLECTED = /\.(?:rb|rake|erb|haml|exs?|[eh]rl|php|[cm]?[jt]sx?|go|java)$/;

function readTracebackFrame(line: string): Frame | null {
  const match = /^[\s|+E>]*File "([^"]{1,600})", line (\d{1,7})(?:, in (\S.{0,200}))?/.exec(line);
  return match && !COLLECTED.test(match[1] ?? '') ? toPythonFrame(match[1], match[2], match[3]) : null;
}

/**
 * The source line is under its frame, indented further; pytest's long form shows it above, among others, so it is not
 * taken.
 */
function readCodeBelow(lines: readonly string[], index: number): string {
  const depth = (line: string): number => /^[\s|+]*/.exec(line)?.[0].length ?? 0;
  const below = lines[index + 1] ?? '';
  const isFrame = readTracebackFrame(below) !== null || readPytestFrame(below) !== null;
  return isFrame || depth(below) <= depth(lines[index] ?? '') || /^\s*(?:E |\[Previous line)/.test(below)
    ? ''
    : readFrameCode(below);
}

/** `path.py:12: in name` (short) and `path.py:12: ValueError` (long). */
function readPytestFrame(line: string): Frame | null {
  const match = /^([^\s:"']{1,400}\.py):(\d{1,7}):(?: in (\S{1,200})| [A-Z]\w{2,80}| ?)$/.exec(line);
  return match ? toPythonFrame(match[1], match[2], match[3]) : null;
}

function toPythonFrame(file = '', line = '0', name = ''): Frame {
  const bare = name.trim();
  const known = /^<.*>$/.test(bare) ? '' : bare.slice(bare.lastIndexOf('.') + 1);
  return { language: 'python', file, line: Number(line), function: known, symbol: '', code: '' };
}

/** Python 2's modules have errors in lower case: `socket.error`, printed with or without its module. */
const PYTHON_ERROR =
  /^(?:[|+\s]{0,20}|E {1,8})((?:[a-z_]\w{0,80}\.){0,10}(?:[A-Z_]\w{0,80}|(?:gai|h)?error|timeout))(?::\s?(.*))?$/;

function isPythonError(line: string): boolean {
  return (
    /^\S/.test(line) &&
    !line.startsWith('E ') &&
    /(?:Error|Exception|Warning|Exit|Interrupt)\b|^[\w.]*(?:error|timeout)\b/.test(line) &&
    PYTHON_ERROR.test(line)
  );
}

function findPythonError(lines: readonly string[], first: number, last: number): ErrorHead {
  const pytestError = lines.slice(first, last + 1).findLast((line) => /^E {1,8}\S/.test(line));
  if (pytestError && readPytestFrame(lines[last] ?? ''))
    return { ...parsePythonError(pytestError, /: ([A-Z]\w+)$/.exec(lines[last] ?? '')?.[1]), link: 'none' };
  for (let index = last + 1; index < Math.min(lines.length, last + 8); index++) {
    const line = lines[index] ?? '';
    if (/^(?:\s{4,}|[\s|+]*$)/.test(line) && !/^\s*E /.test(line)) continue;
    return isRaisedError(line) ? { ...parsePythonError(line), link: findPythonLink(lines, first) } : NO_ERROR;
  }
  return NO_ERROR;
}

/** `Thanks` under a traceback is not an error; `KeyError` and `Anything: with a message` are. */
function isRaisedError(line: string): boolean {
  const match = PYTHON_ERROR.exec(line);
  return (
    match?.[1] !== undefined && (match[2] !== undefined || /Error|Exception|Warning|Exit|Interrupt|\./.test(match[1]))
  );
}

function parsePythonError(line: string, fallbackType = ''): { type: string; message: string } {
  const match = PYTHON_ERROR.exec(line);
  if (match?.[1]) return { type: match[1], message: match[2] ?? '' };
  return { type: fallbackType, message: line.replace(/^E\s+/, '') };
}

/** Python prints the root cause first. */
function findPythonLink(lines: readonly string[], first: number): ErrorHead['link'] {
  const above = lines.slice(Math.max(0, first - 4), first);
  return above.some((line) => /During handling of the above|direct cause of the following/.test(line))
    ? 'caused_by_previous'
    : 'none';
}

// Java, Kotlin and Scala: `at package.Class.method(File.java:12)`.

const JVM_FRAME =
  /^(?:[\w.@-]{0,120}\/){0,2}([\w.$<>-]{1,400})\(([\w$-]{1,120}\.(?:java|kt|kts|scala|groovy|clj)):(\d{1,7})\)/;
const JVM_WITHOUT_SOURCE = /^(?:[\w.@-]{0,120}\/){0,2}([\w.$<>-]{3,400})\((?:Native Method|Unknown Source)\)/;

const jvmFrames: FrameReader = {
  language: 'jvm',
  innermostLast: false,
  gap: 1,
  frame: (lines, index) => readJvmFrame(lines[index] ?? ''),
  ends: (line) => /^\s*(?:Caused by:|Suppressed:|Exception in thread)/.test(line) || parseErrorHead(line) !== null,
  error: (lines, first) =>
    findHeadAbove(lines, first, readJvmFrame, (line) => {
      const head = parseErrorHead(line.replace(/^(?:Caused by:|Suppressed:|Exception in thread "[^"]{0,100}")\s*/, ''));
      return head && { ...head, link: line.startsWith('Caused by:') ? 'causes_previous' : 'none' };
    }),
};

function readJvmFrame(line: string): Frame | null {
  const rest = cutAfterAt(line);
  if (!rest) return null;
  const match = JVM_FRAME.exec(rest) ?? JVM_WITHOUT_SOURCE.exec(rest);
  if (!match?.[1]) return null;
  const dot = match[1].lastIndexOf('.');
  return {
    language: 'jvm',
    file: match[2] ?? '',
    line: Number(match[3] ?? 0),
    function: readJvmFunction(match[1].slice(dot + 1)),
    symbol: dot < 0 ? '' : match[1].slice(0, dot),
    code: '',
  };
}

/** `lambda$load$0` → `load`; constructors keep no name of their own. */
function readJvmFunction(name: string): string {
  const lambda = /^lambda\$([\w]{1,100})\$/.exec(name)?.[1];
  return lambda ?? (name.startsWith('<') ? '' : name);
}

// .NET: `at Namespace.Class.Method(String text) in /path/File.cs:line 12`.

const csharpFrames: FrameReader = {
  language: 'csharp',
  innermostLast: false,
  gap: 1,
  frame: (lines, index) => readCsharpFrame(lines[index] ?? ''),
  ends: (line) => !line.includes('--->') && parseErrorHead(line) !== null,
  error: (lines, first) =>
    findHeadAbove(lines, first, readCsharpFrame, (line) => {
      const inner = line.lastIndexOf('---> ');
      const head = parseErrorHead((inner < 0 ? line : line.slice(inner + 5)).replace(/^Unhandled exception\. /, ''));
      return head && { ...head, link: 'none' };
    }),
};

function readCsharpFrame(line: string): Frame | null {
  const rest = cutAfterAt(line);
  const open = rest?.indexOf('(') ?? -1;
  if (!rest || open <= 0 || rest[open - 1] === ' ') return null;
  const name = rest.slice(0, open);
  const placed = /\) in (.{1,600}):line (\d{1,7})$/.exec(rest);
  if (!/^[\w.<>`+[\],|$]{3,400}$/.test(name) || !name.includes('.') || (!placed && !rest.endsWith(')'))) return null;
  return {
    language: 'csharp',
    file: placed?.[1] ?? '',
    line: Number(placed?.[2] ?? 0),
    ...splitCsharpNames(name),
    code: '',
  };
}

/** `App.Store.<LoadAsync>d__4.MoveNext` is `LoadAsync` of `App.Store`. */
function splitCsharpNames(name: string): { readonly function: string; readonly symbol: string } {
  const machine = /^(.{1,300}?)[.+]<(?:<)?([\w$<>]{1,100}?)>(?:[a-z]__|g__)/.exec(name);
  if (machine?.[1] && machine[2]) return { function: machine[2].replace(/[<>]/g, ''), symbol: machine[1] };
  const dot = name.lastIndexOf('.');
  const method = name.slice(dot + 1).replace(/[`[<].*$/, '');
  return {
    function: method === 'ctor' || method === 'cctor' ? '' : method,
    symbol: name.slice(0, dot).replace(/\.$/, ''),
  };
}

// Go: panics and goroutine dumps, a line with the function, then a line with the place.

const goFrames: FrameReader = {
  language: 'go',
  innermostLast: false,
  gap: 2,
  frame: readGoFrame,
  ends: (line) => /^\s*(?:goroutine \d+ \[|panic: |fatal error: |--- FAIL)/.test(line),
  error: (lines, first) =>
    findHeadAbove(
      lines,
      first,
      () => null,
      (line) => {
        const [, type = '', message = ''] = /^(panic|fatal error): (.*)$/.exec(line) ?? [];
        return type === '' ? null : { type, message: message.replace(/ \[recovered\]$/, ''), link: 'none' };
      },
    ),
};

function readGoFrame(lines: readonly string[], index: number): Frame | null {
  const match = /^\s+(\S.{0,600}\.go):(\d{1,7})(?: \+0x[0-9a-f]{1,16})?$/.exec((lines[index] ?? '').trimEnd());
  const above = readCalledFunction((lines[index - 1] ?? '').trim());
  if (!match?.[1] || above === '') return null;
  const name = above.replace(/\.func\d+(?:\.\d+)*$/, '');
  return {
    language: 'go',
    file: match[1],
    line: Number(match[2]),
    function: name.slice(name.lastIndexOf('.') + 1).replace(/\[\.\.\.\]$/, ''),
    symbol: above,
    code: '',
  };
}

/** `example.com/app/store.(*Client).Get(0xc000…)` without its arguments; "" where the line is not a call. */
function readCalledFunction(line: string): string {
  const call = line.replace(/^created by /, '').replace(/ in goroutine \d+$/, '');
  const open = call.endsWith(')') ? call.lastIndexOf('(') : call.length;
  const name = call.slice(0, open);
  return /^[\w./*()[\]%·~-]{1,300}$/.test(name) && name.includes('.') ? name : '';
}

// Rust: panics and backtraces.

/** Messages of assertions show both sides, each on its line. */
const PANIC_LINES = 6;

const rustFrames: FrameReader = {
  language: 'rust',
  innermostLast: false,
  gap: 8,
  frame: (lines, index) =>
    readPanicFrame(lines, index) ?? readBacktraceFrame(lines, index) ?? readFrameWithoutPlace(lines, index),
  ends: (line) => /panicked at/.test(line),
  error: parsePanicError,
};

/**
 * `thread 'main' panicked at src/main.rs:4:5:` and, before Rust 1.73, `panicked at 'message', src/main.rs:4:5`, where
 * the message may have lines.
 */
function readPanicFrame(lines: readonly string[], index: number): Frame | null {
  const line = lines[index] ?? '';
  const at = line.indexOf('panicked at ');
  if (at < 0) return null;
  const isOld = line[at + 12] === "'";
  for (const text of isOld ? lines.slice(index, index + PANIC_LINES) : [line.slice(at + 12)]) {
    const rest = text.trim().replace(/:$/, '');
    const place = splitLocation(isOld ? rest.slice(rest.lastIndexOf("', ") + 3) : rest);
    if (place?.file.endsWith('.rs')) return { language: 'rust', ...place, function: '', symbol: '', code: '' };
  }
  return null;
}

/** The place under a numbered function: `at ./src/parser.rs:12:9`. */
function readBacktraceFrame(lines: readonly string[], index: number): Frame | null {
  const place = splitLocation(cutAfterAt(lines[index] ?? '') ?? '');
  if (!place?.file.endsWith('.rs')) return null;
  const symbol = parseNumberedFunction(lines[index - 1] ?? '');
  return { language: 'rust', ...place, function: getRustFunction(symbol), symbol, code: '' };
}

/** A numbered function without a place (built without debug information). */
function readFrameWithoutPlace(lines: readonly string[], index: number): Frame | null {
  const symbol = parseNumberedFunction(lines[index] ?? '');
  if (!symbol.includes('::') || splitLocation(cutAfterAt(lines[index + 1] ?? '') ?? '')) return null;
  return { language: 'rust', file: '', line: 0, function: getRustFunction(symbol), symbol, code: '' };
}

function parseNumberedFunction(line: string): string {
  const match = /^\s{0,12}\d{1,4}: {1,8}(?:0x[0-9a-f]{1,16} - )?([<\w][^(){}]{0,300})/.exec(line);
  return match?.[1] ? match[1].trim().replace(/::h[0-9a-f]{16}$/, '') : '';
}

function getRustFunction(symbol: string): string {
  return /(\w+)(?:::)?$/.exec(symbol)?.[1] ?? '';
}

function parsePanicError(lines: readonly string[], first: number): ErrorHead {
  for (let index = first; index >= Math.max(0, first - 4); index--) {
    const line = lines[index] ?? '';
    const at = line.indexOf('panicked at ');
    if (at < 0) continue;
    const old = /panicked at '(.*?)(?:', [^']{1,400})?$/.exec(line)?.[1];
    return { type: 'panic', message: old ?? (lines[index + 1] ?? '').trim(), link: 'none' };
  }
  return NO_ERROR;
}

/** Each line belongs to the first that reads it: the strictest forms come first. */
export const FRAME_READERS: readonly FrameReader[] = [
  jvmFrames,
  rustFrames,
  pythonFrames,
  goFrames,
  nodeFrames,
  csharpFrames,
  ...FORM_READERS,
];
