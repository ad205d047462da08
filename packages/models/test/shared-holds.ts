// What several models know of endpoints, kept in memory until its time, and readable by a test.
import type { ModelHolds } from '../src/endpoint-model.ts';

export interface SharedHolds extends ModelHolds {
  /** The names of all that is held now. */
  names(): readonly string[];
}

export function sharedHolds(now: () => Date): SharedHolds {
  const kept = new Map<string, Date>();
  const until = (name: string) => {
    const end = kept.get(name);
    return end !== undefined && end > now() ? end : null;
  };
  return {
    until,
    hold: (name, end) => void kept.set(name, end),
    names: () => [...kept.keys()].filter((name) => until(name) !== null),
  };
}
