// Clues from stack traces: own frames, the innermost of the root cause first.
import { type FileKind, fileKind, isForeign } from '../file-kind.ts';
import type { Frame, Trace } from '../frames/frame.ts';
import { type Ground, type Mapping, mapFrame, pathsOf } from '../map-paths.ts';
import { ordinal } from '../ordinal.ts';
import type { Clue } from './clue.ts';
import { NAME_ONLY } from './from-paths.ts';

/** Each own frame further out counts so much less than the one inside it. */
const OUTWARD = 0.78;
const INNERMOST = 0.85;
/** A trace that another one caused, and traces after the first, count less. */
const CONSEQUENCE = 0.8;
const LATER_TRACE = 0.75;
const MAX_FRAMES = 25;

export interface MappedFrame {
  readonly frame: Frame;
  readonly mapping: Mapping;
  /** Line as the trace prints it, where `frame.line` was set to where its text stands (0: nowhere); else absent. */
  readonly printedLine?: number;
}

export function mapTraces(ground: Ground, traces: readonly Trace[]): readonly (readonly MappedFrame[])[] {
  return traces.map((trace) => trace.frames.map((frame) => ({ frame, mapping: mapFrame(ground, frame) })));
}

export function frameClues(traces: readonly Trace[], mapped: readonly (readonly MappedFrame[])[]): readonly Clue[] {
  let chain = -1;
  return traces.flatMap((trace, index) => {
    if (trace.depth === 0) chain++;
    const factor = LATER_TRACE ** Math.min(chain, 4) * CONSEQUENCE ** Math.min(trace.depth, 3);
    return traceClues(mapped[index] ?? [], { trace: index, factor, name: traceName(traces, index) });
  });
}

interface TraceContext {
  readonly trace: number;
  readonly factor: number;
  readonly name: string;
}

function traceClues(frames: readonly MappedFrame[], { trace, factor, name }: TraceContext): readonly Clue[] {
  return ownFrames(frames).flatMap(({ mapped, paths }, position) => {
    const strength = (INNERMOST * OUTWARD ** position * factor * sureness(mapped)) / Math.sqrt(paths.length);
    return paths.map((path) => ({
      ...clue(mapped, path, strength, reasonOf(position, fileKind(path), name)),
      frame: { trace, position, leads: position === 0 && leads(mapped, path) },
    }));
  });
}

/** Functions that only make or throw an error for their callers: `reportError`, `throwIfClosed`, `parseException`. */
const ERROR_MAKER = /^_?(?:throw|raise|fail|report|abort|panic)|(?:Error|Exception)$/i;

/** Their traces print no source lines to compare. */
const WITHOUT_SOURCE: ReadonlySet<string> = new Set(['javascript', 'jvm']);

/**
 * The innermost own frame, unless it may be of another file or another version: a line that the trace prints must be in the file. Where the language
 * prints none, one that only makes the error does not lead: of 71 traces of Java through own files the fault was then mostly in its caller.
 */
function leads({ frame, mapping, printedLine }: MappedFrame, path: string): boolean {
  if (mapping.kind !== 'own' || fileKind(path) !== 'source') return false;
  if (printedLine !== undefined) return frame.line > 0;
  if (!WITHOUT_SOURCE.has(frame.language)) return false;
  return (mapping.certain || mapping.compiled) && !ERROR_MAKER.test(frame.function.split('.').at(-1) ?? '');
}

function sureness({ frame, mapping, printedLine }: MappedFrame): number {
  if (mapping.kind !== 'own') return 0.75;
  if (printedLine !== undefined && !mapping.compiled) return textSureness(frame.line, mapping.certain);
  if (mapping.certain) return 1;
  return mapping.compiled ? 0.9 : NAME_ONLY;
}

/** The printed line itself stands in the file, or it does not: then a file that only has the name is another program's. */
function textSureness(line: number, certain: boolean): number {
  if (line > 0) return certain ? 1 : 0.8;
  return certain ? 0.9 : NAME_ONLY / 3;
}

interface OwnFrame {
  readonly mapped: MappedFrame;
  readonly paths: readonly string[];
}

/** The first frame in each own file, innermost first; files kept here for others' sake come after the project's own. */
function ownFrames(frames: readonly MappedFrame[]): readonly OwnFrame[] {
  const byPaths = new Map<string, OwnFrame>();
  for (const mapped of frames) {
    const paths = pathsOf(mapped.mapping);
    const key = paths.join('|');
    if (key !== '' && !byPaths.has(key)) byPaths.set(key, { mapped, paths });
  }
  const all = [...byPaths.values()];
  const foreign = all.filter(({ paths }) => paths.every(isForeign));
  return [...all.filter((one) => !foreign.includes(one)), ...foreign].slice(0, MAX_FRAMES);
}

function clue({ frame, mapping, printedLine }: MappedFrame, path: string, strength: number, reason: string): Clue {
  const compiled = (mapping.kind === 'own' || mapping.kind === 'ambiguous') && mapping.compiled;
  const ambiguous = mapping.kind === 'ambiguous' ? `; the path matches ${mapping.paths.length} files` : '';
  const found = printedLine !== undefined && frame.line > 0;
  const built = compiled && !found ? '; compiled file; exact line unknown' : '';
  const moved =
    found && frame.line !== printedLine ? `; line ${printedLine} of the report is line ${frame.line} here` : '';
  return {
    kind: 'frame',
    path,
    line: compiled && !found ? 0 : frame.line,
    function: frame.function,
    strength,
    reason: `${reason}${ambiguous}${built}${moved}`,
  };
}

function reasonOf(position: number, kind: FileKind, name: string): string {
  if (kind === 'vendored' || kind === 'generated') return `frame of ${name}, but the file is ${kind}`;
  const test = kind === 'test' ? ', a test' : '';
  if (position > 0) return `${ordinal(position + 1)} project frame in ${name}${test}`;
  return `top frame of ${name} in this repository${test}`;
}

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth'];

function traceName(traces: readonly Trace[], index: number): string {
  if (traces.length === 1) return 'the stack trace';
  const which = ORDINALS[index] ? `the ${ORDINALS[index]} stack trace` : `stack trace ${index + 1}`;
  const isRoot = traces[index]?.depth === 0 && (traces[index + 1]?.depth ?? 0) > 0;
  return isRoot ? `${which} (the root cause)` : which;
}
