// Rate limits of GitHub and of models: each process learns them from a refused call and forgets them at its end.

interface Hold {
  /** Who, such as `github installation 7`. */
  readonly name: string;
  /** From then on it may be asked again. */
  readonly until: Date;
}

/** Nobody asks for longer: what is further away comes from a wrong clock or a wrong header. */
export const LONGEST_HOLD_MS = 24 * 60 * 60_000;

/** Neither over nor further away than anybody asks for. */
function isCurrent({ until }: Pick<Hold, 'until'>, now: Date): boolean {
  const left = until.getTime() - now.getTime();
  return left > 0 && left <= LONGEST_HOLD_MS;
}

/** In memory: read before every call. */
export interface Holds {
  /** Until when it is not called; null: it may be called. */
  until(name: string): Date | null;
  /** Never shortens a limit, and takes none beyond `LONGEST_HOLD_MS`. */
  hold(name: string, until: Date): void;
  /** All that stand at this moment. */
  standing(): readonly Hold[];
}

/** How the installations of GitHub, and the App itself, begin. */
export const GITHUB_HOLDS = 'github ';
/** How the endpoints of models begin. */
export const MODEL_HOLDS = 'model ';
/** How notes begin of the interface that a model wants: no limit, but kept and forgotten in the same way. */
export const INTERFACE_HOLDS = 'interface of ';

/** Of one process. */
export function createHolds(now: () => Date): Holds {
  const kept = new Map<string, Date>();
  const until = (name: string): Date | null => {
    const end = kept.get(name);
    if (end !== undefined && isCurrent({ until: end }, now())) return end;
    kept.delete(name);
    return null;
  };
  return {
    until,
    hold(name, end) {
      const known = until(name);
      if (isCurrent({ until: end }, now()) && (known === null || end > known)) kept.set(name, end);
    },
    standing: () =>
      [...kept.keys()].flatMap((name) => {
        const end = until(name);
        return end === null ? [] : [{ name, until: end }];
      }),
  };
}
