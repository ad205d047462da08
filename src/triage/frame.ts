// A frame of a stack, as a report has it.

/** One place of a trace as the text gives it; "" and 0 where it does not say. */
export interface Frame {
  readonly language: FrameLanguage;
  /** Path as written; for the JVM only the file's name. */
  readonly file: string;
  readonly line: number;
  readonly function: string;
  /** Qualified class (JVM, C#) or function path (Rust, Go) that replaces a path where there is none. */
  readonly symbol: string;
  /** Text of the source line as the trace prints it, trimmed; "" where it does not (or only in part). */
  readonly code: string;
}

export type FrameLanguage = 'javascript' | 'python' | 'jvm' | 'go' | 'rust' | 'csharp' | 'any';
