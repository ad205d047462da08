// Permissions of an App and of its installations, as GitHub names them, and how two sets of them differ.

/** Such as `contents: write`. */
export type Granted = Readonly<Record<string, string>>;

export function toGranted(permissions: object): Granted {
  return Object.fromEntries(
    Object.entries(permissions).flatMap(([name, level]) => (level ? [[name, String(level)]] : [])),
  );
}

const RANK: Readonly<Record<string, number>> = { read: 1, write: 2, admin: 3 };

interface GrantDifference {
  /** Such as `checks: write`. */
  readonly missing: readonly string[];
  /** Granted beyond what is wanted. */
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
