// People on GitHub and what they may do.

/** A person on GitHub. The id identifies them; the login can change. */
export interface Person {
  readonly id: number;
  readonly login: string;
}

/**
 * Stands for a person who was erased: GitHub's own placeholder for deleted people. It has no role anywhere, so that nothing
 * is started or opened in its name.
 */
export const NOBODY: Person = { id: 10137, login: 'ghost' };

export const ROLES = ['none', 'read', 'triage', 'write', 'maintain', 'admin'] as const;

export type Role = (typeof ROLES)[number];

export function isAtLeast(role: Role, wanted: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(wanted);
}
