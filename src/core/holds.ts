// Rate limits of GitHub and of models, and the interfaces that models want (`ModelHolds`). Each process learns them from a refused call and forgets them when it ends.

interface NamedHold {
  /** The subject, such as `github installation 7`. */
  readonly name: string;
  /** When it may be called again. */
  readonly until: Date;
}

/** No service asks for longer; a later time comes from a wrong clock or header. */
const LONGEST_HOLD_MS = 24 * 60 * 60_000;

/** Whether the time lies ahead, but not beyond `LONGEST_HOLD_MS`. */
function isHoldCurrent({ until }: Pick<NamedHold, 'until'>, now: Date): boolean {
  const left = until.getTime() - now.getTime();
  return left > 0 && left <= LONGEST_HOLD_MS;
}

/** In memory, so that it can be read before every call. */
export interface Holds {
  /** When it may be called again; null: now. */
  until(name: string): Date | null;
  /** Extends a limit, never shortens it; ignores times beyond `LONGEST_HOLD_MS`. */
  hold(name: string, until: Date): void;
  /** All current limits. */
  standing(): readonly NamedHold[];
}

/** Prefix for installations of GitHub and the App itself. */
export const GITHUB_HOLDS = 'github ';

/** One per process. */
export function createHolds(now: () => Date): Holds {
  const kept = new Map<string, Date>();
  const until = (name: string): Date | null => {
    const end = kept.get(name);
    if (end !== undefined && isHoldCurrent({ until: end }, now())) return end;
    kept.delete(name);
    return null;
  };
  return {
    until,
    hold(name, end) {
      const known = until(name);
      if (isHoldCurrent({ until: end }, now()) && (known === null || end > known)) kept.set(name, end);
    },
    standing: () =>
      [...kept.keys()].flatMap((name) => {
        const end = until(name);
        return end === null ? [] : [{ name, until: end }];
      }),
  };
}
