// Clues from stack traces: own frames, the innermost of the root cause first.
import { fileKind } from '../file-kind.ts';
import type { Frame, Trace } from '../frames/frame.ts';
import { type Ground, type Mapping, mapFrame, pathsOf } from '../map-paths.ts';
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
}

export function mapTraces(ground: Ground, traces: readonly Trace[]): readonly (readonly MappedFrame[])[] {
  return traces.map((trace) => trace.frames.map((frame) => ({ frame, mapping: mapFrame(ground, frame) })));
}

export function frameClues(traces: readonly Trace[], mapped: readonly (readonly MappedFrame[])[]): readonly Clue[] {
  let chain = -1;
  return traces.flatMap((trace, index) => {
    if (trace.depth === 0) chain++;
    const factor = LATER_TRACE ** Math.min(chain, 4) * CONSEQUENCE ** Math.min(trace.depth, 3);
    return traceClues(mapped[index] ?? [], factor, traceName(traces, index));
  });
}

function traceClues(frames: readonly MappedFrame[], factor: number, name: string): readonly Clue[] {
  return ownFrames(frames).flatMap(({ mapped, paths }, position) => {
    const isTest = paths.every((path) => fileKind(path) === 'test');
    const strength = (INNERMOST * OUTWARD ** position * factor * sureness(mapped.mapping)) / Math.sqrt(paths.length);
    return paths.map((path) => clue(mapped, path, strength, reasonOf(position, isTest, name)));
  });
}

function sureness(mapping: Mapping): number {
  if (mapping.kind !== 'own') return 0.75;
  if (mapping.certain) return 1;
  return mapping.compiled ? 0.9 : NAME_ONLY;
}

/** The first frame in each own file, innermost first. */
function ownFrames(frames: readonly MappedFrame[]): readonly { mapped: MappedFrame; paths: readonly string[] }[] {
  const byPaths = new Map<string, { mapped: MappedFrame; paths: readonly string[] }>();
  for (const mapped of frames) {
    const paths = pathsOf(mapped.mapping);
    const key = paths.join('|');
    if (key !== '' && !byPaths.has(key)) byPaths.set(key, { mapped, paths });
  }
  return [...byPaths.values()].slice(0, MAX_FRAMES);
}

function clue({ frame, mapping }: MappedFrame, path: string, strength: number, reason: string): Clue {
  const compiled = (mapping.kind === 'own' || mapping.kind === 'ambiguous') && mapping.compiled;
  const ambiguous = mapping.kind === 'ambiguous' ? `; the path fits ${mapping.paths.length} files` : '';
  const built = compiled ? '; mapped from compiled output, so its line is not known' : '';
  return {
    kind: 'frame',
    path,
    line: compiled ? 0 : frame.line,
    function: frame.function,
    strength,
    reason: `${reason}${ambiguous}${built}`,
  };
}

function reasonOf(position: number, isTest: boolean, name: string): string {
  const test = isTest ? ', a test' : '';
  return position === 0 ? `innermost own frame of ${name}${test}` : `own frame ${position + 1} of ${name}${test}`;
}

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth'];

function traceName(traces: readonly Trace[], index: number): string {
  if (traces.length === 1) return 'the stack trace';
  const ordinal = ORDINALS[index] ? `the ${ORDINALS[index]} stack trace` : `stack trace ${index + 1}`;
  const isRoot = traces[index]?.depth === 0 && (traces[index + 1]?.depth ?? 0) > 0;
  return isRoot ? `${ordinal} (the root of its chain of causes)` : ordinal;
}
