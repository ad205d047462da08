// A frame of a stack as a report has it, and what reads the frames of a language.

import type { ErrorHead } from './error-head.ts';

/** One place of a trace as the text gives it; "" and 0 where it does not say. */
export interface Frame {
  readonly language: FrameLanguage;
  /** Path as written; for the JVM only the file's name. */
  readonly file: string;
  readonly line: number;
  readonly function: string;
  /** Qualified class (JVM, C#, Kotlin) or function path (Rust, Go, C++, Swift) that replaces a path where there is none. */
  readonly symbol: string;
  /** What the function belongs to, as the trace writes it (`Cart` of `Cart.total`); absent where it does not say. */
  readonly owner?: string;
  /** Text of the source line as the trace prints it, trimmed; "" where it does not (or only in part). */
  readonly code: string;
  /** Package, module or library as the trace names it (`actionpack`, `libc.so.6`); absent where it names none. */
  readonly of?: string;
}

export type FrameLanguage =
  | 'javascript'
  | 'python'
  | 'jvm'
  | 'go'
  | 'rust'
  | 'csharp'
  | 'ruby'
  | 'php'
  | 'dart'
  | 'elixir'
  | 'swift'
  | 'kotlin'
  | 'native'
  | 'haskell'
  | 'lua'
  | 'perl'
  | 'any';

/** How one language writes frames. Lines are plain; `index` is the line to look at. */
export interface FrameReader {
  readonly language: FrameLanguage;
  /** True where the last printed frame is the innermost. */
  readonly innermostLast: boolean;
  /** Lines other than frames that may be between two frames of one trace. */
  readonly gap: number;
  frame(lines: readonly string[], index: number): Frame | null;
  /** Whether this line ends a trace although frames may follow. */
  ends(line: string, lines: readonly string[], index: number): boolean;
  /** The error that the frames `first`–`last` (indices of lines) belong to. */
  error(lines: readonly string[], first: number, last: number): ErrorHead;
}
