// Which functions the frames of the report's stack traces stand in.
import type { MarkedFrame } from './mark-frames.ts';
import type { Unit } from './read-units.ts';

export interface FramedUnit {
  readonly strength: number;
  /** Of the frame, inside of the unit; 0 where only the name leads there. */
  readonly line: number;
  /** Units of the file that the frame may stand in: more than one where only a name leads there that several have. */
  readonly alike: number;
}

/** For each unit that has one its best frame. `frames`: best first. */
export function framedUnits(units: readonly Unit[], frames: readonly MarkedFrame[]): ReadonlyMap<Unit, FramedUnit> {
  const framed = new Map<Unit, FramedUnit>();
  for (const frame of frames) {
    const own = units.filter(({ path }) => path === frame.path);
    const inside = innermost(own, frame);
    const found = inside === undefined ? byName(own, frame) : [inside];
    for (const unit of found) {
      if (framed.has(unit)) continue;
      const { strength, line } = frame;
      framed.set(unit, { strength, line: unit === inside ? line : 0, alike: found.length });
    }
  }
  return framed;
}

/**
 * What the line lies in and the frame names; undefined where the file has such a name elsewhere, for the line is then one of another
 * text. A name that the file does not have (`<lambda>`, a minified one) says nothing against the line.
 */
function innermost(own: readonly Unit[], { line, name }: MarkedFrame): Unit | undefined {
  const inside = own
    .filter(({ span }) => line >= span.line && line <= span.lastLine)
    .toSorted((a, b) => a.span.lastLine - a.span.line - (b.span.lastLine - b.span.line));
  return own.some(({ span }) => span.name === name) ? inside.find(({ span }) => span.name === name) : inside[0];
}

/** With a line, which then lies outside, only what bears the name alone. */
function byName(own: readonly Unit[], { line, name }: MarkedFrame): readonly Unit[] {
  const named = own.filter(({ span }) => span.name === name);
  return line > 0 && named.length > 1 ? [] : named;
}
