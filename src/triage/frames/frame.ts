// The words for what a stack trace says: a frame, and a trace of frames with its error.

type Language = 'javascript' | 'python' | 'jvm' | 'go' | 'rust' | 'csharp' | 'any';

/** One place of a trace as the text gives it; "" and 0 where it does not say. */
export interface Frame {
  readonly language: Language;
  /** Path as written; for the JVM only the file's name. */
  readonly file: string;
  readonly line: number;
  readonly function: string;
  /** Qualified class (JVM, C#) or function path (Rust, Go) that stands in for a path where there is none. */
  readonly symbol: string;
  /** Text of the source line as the trace prints it, trimmed; "" where it does not (or only in part). */
  readonly code: string;
}

export interface Trace {
  readonly language: Language;
  /** Innermost first, whatever order the language prints. */
  readonly frames: readonly Frame[];
  readonly errorType: string;
  readonly message: string;
  /** 0: nothing caused it (the root of a chain); 1: caused by the root; and so on. */
  readonly depth: number;
}

/** How one language writes frames. Lines are plain; `index` is the line to look at. */
export interface FrameReader {
  readonly language: Language;
  /** True where the last printed frame is the innermost. */
  readonly innermostLast: boolean;
  /** Lines other than frames that may stand between two frames of one trace. */
  readonly gap: number;
  frame(lines: readonly string[], index: number): Frame | null;
  /** Whether this line ends a trace although frames may follow. */
  ends(line: string): boolean;
  /** The error that the frames `first`–`last` (indices of lines) belong to. */
  error(lines: readonly string[], first: number, last: number): ErrorHead;
}

/** How an error relates to the one printed before it. */
export type ChainLink = 'none' | 'causes_previous' | 'caused_by_previous';

export interface ErrorHead {
  readonly type: string;
  readonly message: string;
  readonly link: ChainLink;
}

export const NO_ERROR: ErrorHead = { type: '', message: '', link: 'none' };

/** `path:line:column` or `path:line` taken apart from its end; null where there is no line number. */
export function splitLocation(text: string): { readonly file: string; readonly line: number } | null {
  const match = /:(\d{1,7})(?::\d{1,7})?$/.exec(text.slice(-20));
  if (!match?.[1]) return null;
  const file = text.slice(0, text.length - match[0].length);
  return file === '' ? null : { file, line: Number(match[1]) };
}

/** What follows `at ` on a frame line of Node, the JVM or .NET, past white space, one log tag and a bullet; null elsewhere. */
export function cutAfterAt(line: string): string | null {
  const bare = line.replace(/^\s*(?:\[[^\]]{0,60}\]\s*)?(?:[|>*-]\s*)?/, '');
  return bare.startsWith('at ') ? bare.slice(3).trim() : null;
}

/** What stands in for a secret that was taken out: such a line reads differently everywhere. */
const CUT_OUT = /\[redacted\b|\*{3}/i;

/** The text of a source line, such that it may be compared; "" where it says too little or lost a part. */
export function readFrameCode(line: string): string {
  const code = line.trim();
  return code.length < 4 || code.length > 500 || /^[\s~^]*$/.test(code) || CUT_OUT.test(code) ? '' : code;
}

const ERROR_TYPE = /^[\w$][\w$./\\]{0,200}$/;
const ERROR_SUFFIX = /(?:Error|Exception|Throwable|Failure|Panic|Fault)$/;

/** `Type: message` of a line such as `Uncaught TypeError: x is not a function`; null where no error type stands there. */
export function parseErrorHead(line: string): { readonly type: string; readonly message: string } | null {
  if (!/Error|Exception|Throwable|Failure|Panic|Fault/.test(line)) return null;
  let colon = -1;
  // The type may stand behind a date and a logger's name: the first few colons are tried.
  for (let tries = 0; tries < 6; tries++) {
    const next = line.slice(colon + 1).search(/:(?:\s|$)/);
    colon = next < 0 ? line.length : colon + 1 + next;
    const type = parseErrorType(line.slice(0, colon));
    if (type !== '') return { type, message: line.slice(colon + 1).trim() };
    if (next < 0) return null;
  }
  return null;
}

/** The error type that the text ends with: `Uncaught (in promise) TypeError [ERR_X]` → `TypeError`. */
function parseErrorType(text: string): string {
  const words = text.slice(-300).trim().split(/\s+/);
  const last = words.at(-1) ?? '';
  const word = last.startsWith('[') && last.endsWith(']') ? (words.at(-2) ?? '') : last;
  const bare = word.replace(/^[([<*"'`]+/, '').replace(/[)\]>*"'`.]+$/, '');
  return ERROR_TYPE.test(bare) && ERROR_SUFFIX.test(bare) ? bare : '';
}
