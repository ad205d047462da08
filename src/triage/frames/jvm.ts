// Frames of Java, Kotlin and Scala: `at package.Class.method(File.java:12)`.
import { cutAfterAt, type ErrorHead, type Frame, type FrameReader, NO_ERROR, parseErrorHead } from './frame.ts';

const FRAME =
  /^(?:[\w.@-]{0,120}\/){0,2}([\w.$<>-]{1,400})\(([\w$-]{1,120}\.(?:java|kt|kts|scala|groovy|clj)):(\d{1,7})\)/;
const NO_SOURCE = /^(?:[\w.@-]{0,120}\/){0,2}([\w.$<>-]{3,400})\((?:Native Method|Unknown Source)\)/;
const HEAD_LINES = 12;

export const jvmFrames: FrameReader = {
  language: 'jvm',
  innermostLast: false,
  gap: 1,
  frame: readJvmFrame,
  ends: (line) => /^\s*(?:Caused by:|Suppressed:|Exception in thread)/.test(line) || parseErrorHead(line) !== null,
  error: findHeadAbove,
};

function readJvmFrame(lines: readonly string[], index: number): Frame | null {
  const rest = cutAfterAt(lines[index] ?? '');
  if (!rest) return null;
  const match = FRAME.exec(rest) ?? NO_SOURCE.exec(rest);
  if (!match?.[1]) return null;
  const dot = match[1].lastIndexOf('.');
  return {
    language: 'jvm',
    file: match[2] ?? '',
    line: Number(match[3] ?? 0),
    function: readFunctionName(match[1].slice(dot + 1)),
    symbol: dot < 0 ? '' : match[1].slice(0, dot),
    code: '',
  };
}

/** `lambda$load$0` → `load`; constructors keep no name of their own. */
function readFunctionName(name: string): string {
  const lambda = /^lambda\$([\w]{1,100})\$/.exec(name)?.[1];
  return lambda ?? (name.startsWith('<') ? '' : name);
}

function findHeadAbove(lines: readonly string[], first: number): ErrorHead {
  for (let index = first - 1; index >= Math.max(0, first - HEAD_LINES); index--) {
    const line = (lines[index] ?? '').trim();
    if (readJvmFrame([line], 0)) break;
    const head = parseErrorHead(line.replace(/^(?:Caused by:|Suppressed:|Exception in thread "[^"]{0,100}")\s*/, ''));
    if (head) return { ...head, link: line.startsWith('Caused by:') ? 'causes_previous' : 'none' };
  }
  return NO_ERROR;
}
