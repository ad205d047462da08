// What a person may do in a repository, by GitHub's own ladder of roles.
import type { Account } from './account.ts';
import type { Project } from './project.ts';

export const ROLES = ['none', 'read', 'triage', 'write', 'maintain', 'admin'] as const;

export type Role = (typeof ROLES)[number];

export function isAtLeast(role: Role, wanted: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(wanted);
}

/** Until when somebody waits. The signal is asked for only where GitHub is: to make one costs more than to look at a role that is known. */
interface Until {
  readonly signal: AbortSignal;
}

/** Local mode: everything. GitHub: what GitHub says, at most 5 minutes ago. */
export interface Permissions {
  /** `none` where the person may not even see it. Throws `github_failed` where GitHub cannot be asked and nothing recent is known. */
  roleOf(account: Account, project: Project, until: Until): Promise<Role>;
  /** The last answer, however old it is; `none` where none is remembered. Asks nobody. Absent: nothing is remembered. */
  readonly lastRole?: (account: Account, project: Project) => Role;
}
