// Frames of the report's stack traces as places in the project's files, each with how much it tells.
import type { MappedFrame } from '../candidates/from-frames.ts';
import type { Trace } from '../frames/frame.ts';
import { type Mapping, pathsOf } from '../map-paths.ts';

export interface MarkedFrame {
  readonly path: string;
  /** As the trace prints it; 0 where it has none, or where it is one of another text than the file's. */
  readonly line: number;
  /** Last part of the function's name; "" where the trace has none. */
  readonly name: string;
  /** 1 for the innermost own frame; less for each one further out, and for an error that another one caused. */
  readonly strength: number;
}

const OUTWARD = 0.8;

export interface Framed {
  readonly traces: readonly Trace[];
  /** The frames of each of `traces`, as `mapTraces` laid them to the project's files. */
  readonly mapped: readonly (readonly MappedFrame[])[];
  /** Whether the lines of the frames are those of the commit that is read: else only their names count. */
  readonly linesHold: boolean;
}

/** Best first. A line of compiled output says nothing of its source. */
export function markFrames({ traces, mapped, linesHold }: Framed): readonly MarkedFrame[] {
  const marked = mapped.flatMap((frames, index) => {
    const depth = Math.min(traces[index]?.depth ?? 0, 3);
    const own = frames.flatMap(({ frame, mapping }) =>
      pathsOf(mapping).map((path) => ({ frame, path, line: hasLine(mapping) && linesHold ? frame.line : 0 })),
    );
    return own.map(
      ({ frame, path, line }, position): MarkedFrame => ({
        path,
        line,
        name: frame.function.split(/[.:#/$]/).at(-1) ?? '',
        strength: OUTWARD ** (position + depth),
      }),
    );
  });
  return marked.toSorted((a, b) => b.strength - a.strength);
}

function hasLine(mapping: Mapping): boolean {
  return !('compiled' in mapping && mapping.compiled);
}
