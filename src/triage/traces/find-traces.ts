// Stack traces of a text: frames of one language that belong together, with their error, roots of chains first.

import type { ChainLink } from './error-head.ts';
import type { Frame, FrameLanguage, FrameReader } from './frame.ts';
import { FRAME_READERS } from './frame-readers.ts';

export interface Trace {
  readonly language: FrameLanguage;
  /** Innermost first, also where the language prints it last. */
  readonly frames: readonly Frame[];
  readonly errorType: string;
  readonly message: string;
  /** 0: nothing caused it (the root of a chain); 1: caused by the root; and so on. */
  readonly depth: number;
}

/** A log may hold thousands of equal traces; the first ones say all. */
const MAX_TRACES = 40;
const MAX_FRAMES = 100;
/** How far above its first frame a trace may print that frame's function or source line. */
const ABOVE = 16;

interface FrameGroup {
  readonly reader: FrameReader;
  readonly frames: Frame[];
  readonly first: number;
  last: number;
}

export interface FoundTraces {
  /** In the order of the text, but within a chain of causes the root first; equal traces once. */
  readonly traces: readonly Trace[];
  /** Indices of the lines that belong to a trace. */
  readonly lines: ReadonlySet<number>;
}

export function findTraces(lines: readonly string[]): FoundTraces {
  const groups = groupFrames(lines);
  const chains: { trace: Omit<Trace, 'depth'>; link: ChainLink }[][] = [];
  for (const group of groups.slice(0, MAX_TRACES * 4)) {
    const head = group.reader.error(lines, group.first, group.last);
    const frames = group.reader.innermostLast ? group.frames.toReversed() : group.frames;
    const trace = {
      language: (frames.find(({ language }) => language !== group.reader.language) ?? group.reader).language,
      frames: frames.slice(0, MAX_FRAMES),
      errorType: head.type,
      message: head.message,
    };
    const chain = chains.at(-1);
    if (head.link === 'none' || !chain) chains.push([{ trace, link: head.link }]);
    else chain.push({ trace, link: head.link });
  }
  const within = new Set<number>();
  for (const group of groups) for (const line of listTraceLines(group, lines)) within.add(line);
  return { traces: removeDuplicateTraces(chains.flatMap(putRootFirst)), lines: within };
}

/**
 * From the first frame to the last, and the lines around them that repeat them: called functions, quoted source lines.
 */
function listTraceLines({ frames, first, last }: FrameGroup, lines: readonly string[]): readonly number[] {
  const said = new Set(frames.flatMap(({ file, line, code }) => (code === '' ? [] : [code, `${file}:${line}`])));
  const symbols = frames.flatMap(({ language, symbol }) => (language === 'go' && symbol !== '' ? [symbol] : []));
  const isSaid = (line: string): boolean => said.has(line) || symbols.some((symbol) => line.startsWith(`${symbol}(`));
  const around = [...listNumbersBetween(Math.max(0, first - ABOVE), first - 1), last + 1];
  return [...listNumbersBetween(first, last), ...around.filter((index) => isSaid((lines[index] ?? '').trim()))];
}

function listNumbersBetween(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, offset) => from + offset);
}

function groupFrames(lines: readonly string[]): readonly FrameGroup[] {
  const groups: FrameGroup[] = [];
  let isOpen = false;
  for (const [index, line] of lines.entries()) {
    const found = readFrame(lines, index);
    const last = groups.at(-1);
    if (!found) {
      isOpen &&= last !== undefined && index - last.last <= last.reader.gap && !last.reader.ends(line, lines, index);
    } else if (isOpen && last?.reader === found.reader && !found.reader.ends(line, lines, index)) {
      last.frames.push(found.frame);
      last.last = index;
    } else {
      // A panic line is frame and beginning at once: it never continues the trace before it.
      groups.push({ reader: found.reader, frames: [found.frame], first: index, last: index });
      isOpen = true;
    }
  }
  return groups;
}

function readFrame(lines: readonly string[], index: number): { frame: Frame; reader: FrameReader } | null {
  if ((lines[index] ?? '').length < 6) return null;
  for (const reader of FRAME_READERS) {
    const frame = reader.frame(lines, index);
    if (frame) return { frame, reader };
  }
  return null;
}

function putRootFirst(chain: readonly { trace: Omit<Trace, 'depth'>; link: ChainLink }[]): Trace[] {
  const traces = chain.map(({ trace }) => trace);
  if (chain.some(({ link }) => link === 'causes_previous')) traces.reverse();
  return traces.map((trace, depth) => ({ ...trace, depth }));
}

function removeDuplicateTraces(traces: readonly Trace[]): readonly Trace[] {
  const seen = new Map<string, Trace>();
  for (const trace of traces) {
    const key = JSON.stringify([trace.errorType, trace.message, trace.frames.slice(0, 8)]);
    if (!seen.has(key)) seen.set(key, trace);
  }
  return removeBeginnings([...seen.values()]).slice(0, MAX_TRACES);
}

/** What shows the first frames only, such as an excerpt of the log that follows it, is no other trace. */
function removeBeginnings(traces: readonly Trace[]): readonly Trace[] {
  const written = traces.map(({ errorType, message, frames }) => {
    const head = JSON.stringify([errorType, message]);
    // Debuggers print the source line of the first frame once, and not where they print all.
    return `${head}\n${frames.map((frame) => `${JSON.stringify({ ...frame, code: '' })}\n`).join('')}`;
  });
  return traces.filter((_, index) => {
    const own = written[index] ?? '';
    return !written.some((other, at) => at !== index && other.startsWith(own) && (other !== own || at < index));
  });
}
