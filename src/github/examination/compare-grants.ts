// What was granted, held against what app.yml asks for.
import type { AppState, Granted } from './read-app.ts';

const RANK: Readonly<Record<string, number>> = { read: 1, write: 2, admin: 3 };

export interface GrantDifference {
  /** Such as `checks: write`. */
  readonly missing: readonly string[];
  /** Granted, and more than is asked for. */
  readonly unneeded: readonly string[];
}

export function comparePermissions(granted: Granted, wanted: Granted): GrantDifference {
  const rank = (of: Granted, name: string) => RANK[Object.hasOwn(of, name) ? (of[name] ?? '') : ''] ?? 0;
  const more = (one: Granted, other: Granted) =>
    Object.entries(one)
      .filter(([name]) => rank(one, name) > rank(other, name))
      .map(([name, level]) => `${name}: ${level}`)
      .sort();
  return { missing: more(wanted, granted), unneeded: more(granted, wanted) };
}

/** Those of app.yml that the App is not subscribed to. */
export function missingEvents({ events }: Pick<AppState, 'events'>, wanted: readonly string[]): readonly string[] {
  return wanted.filter((name) => !events.includes(name)).sort();
}
