// What reads the frames of one language.

import type { ErrorHead } from './error-head.ts';
import type { Frame, FrameLanguage } from './frame.ts';

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
