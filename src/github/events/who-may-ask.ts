// Who may start an analysis: whoever has triage or more in the repository at that moment; never a bot.
import type { GithubProject } from '../../core/project.ts';
import { isAtLeast, type Role } from '../../core/role.ts';
import type { Person } from '../../core/thread.ts';
import type { CausewayAppDeps } from './app-deps.ts';

/** The role; null where it is not enough. GitHub itself answers with it: neither an author's association nor a label proves anything. */
export async function mayAsk(
  deps: Pick<CausewayAppDeps, 'permissions' | 'log'>,
  { project, by }: { readonly project: GithubProject; readonly by: Person },
  signal: AbortSignal,
): Promise<Role | null> {
  const role = await deps.permissions.roleOfPerson(by, project, signal);
  if (isAtLeast(role, 'triage')) return role;
  deps.log.info({ project: project.id, personId: by.id, role }, 'asked by someone without triage: nothing is done');
  return null;
}
