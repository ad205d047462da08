// The door to what a person may do in a project.
import type { Account } from '../core/account.ts';
import type { Project } from '../core/project.ts';
import type { Role } from '../core/role.ts';

/** Until when somebody waits. The signal is asked for only where GitHub is: to make one costs more than to look at a role that is known. */
export interface Until {
  readonly signal: AbortSignal;
}

/** Local mode: everything. GitHub: what GitHub says, at most 5 minutes ago. */
export interface Permissions {
  /** `none` where the person may not even see it. Throws `github_failed` where GitHub cannot be asked and nothing recent is known. */
  roleOf(account: Account, project: Project, until: Until): Promise<Role>;
  /** The last answer, however old it is; `none` where none is remembered. Asks nobody. Absent: nothing is remembered. */
  readonly lastRole?: (account: Account, project: Project) => Role;
}
