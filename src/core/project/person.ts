// People on GitHub and what they may do.

/** A person on GitHub. The id identifies them; the login can change. */
export interface Person {
  readonly id: number;
  readonly login: string;
}

export const ROLES = ['none', 'read', 'triage', 'write', 'maintain', 'admin'] as const;

export type Role = (typeof ROLES)[number];

export function isAtLeast(role: Role, wanted: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(wanted);
}
