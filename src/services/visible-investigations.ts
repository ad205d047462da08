// A page of the investigations that a person may see, of all their projects together.
import type { Investigation } from '../core/investigation.ts';
import type { InvestigationFilter, InvestigationStore } from '../db/store.ts';
import { type AccessDeps, type Asking, AT_ONCE, visibleProject, visibleProjects } from './access.ts';

type Deps = AccessDeps & { readonly store: Pick<InvestigationStore, 'investigations'> };

/**
 * Newest first. Where somebody sees all that was found newest, as in local mode, only the projects on that page are looked at: to look at 1,000
 * for each page took 1.2 ms of its 1.5. Throws `github_failed` as `visibleProjects` does.
 */
export async function visibleInvestigations(
  deps: Deps,
  asking: Asking,
  filter: Omit<InvestigationFilter, 'projectIds'>,
): Promise<readonly Investigation[]> {
  const newest = await deps.store.investigations(filter);
  if (await seesAll(deps, asking, newest)) return newest;
  const projectIds = (await visibleProjects(deps, asking)).map(({ id }) => id);
  return await deps.store.investigations({ ...filter, projectIds });
}

/** Some projects at a time, until one is not theirs to see. */
async function seesAll(deps: Deps, asking: Asking, page: readonly Investigation[]): Promise<boolean> {
  const projectIds = [...new Set(page.map((one) => one.projectId))];
  for (let at = 0; at < projectIds.length; at += AT_ONCE) {
    const some = projectIds.slice(at, at + AT_ONCE).map((id) => visibleProject(deps, asking, id));
    if ((await Promise.all(some)).includes(null)) return false;
  }
  return true;
}
