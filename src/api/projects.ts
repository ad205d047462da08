// Projects: what reports can be about, each with its issues.
import type { Handler } from 'hono';
import type { Project } from '../core/project.ts';
import type { Store } from '../db/store.ts';
import { isId, visibleProject, visibleProjects } from '../services/access.ts';
import type { ApiDeps, ApiEnv } from './api-deps.ts';
import { askingOf } from './authenticate.ts';
import { linkToNext } from './paging.ts';
import { ProjectsQuery } from './parameter-schemas.ts';
import { parseOrRefuse, refuseAbsent } from './problem.ts';
import type { ProjectView } from './schemas.ts';

const DEFAULT_LIMIT = 100;

/** GET /api/v1/projects/ */
export function listProjects(deps: ApiDeps): Handler<ApiEnv> {
  return async (c) => {
    const query = parseOrRefuse(ProjectsQuery, c.req.query());
    const paged = query.limit !== undefined || query.cursor !== undefined;
    const limit = paged ? (query.limit ?? DEFAULT_LIMIT) : Number.POSITIVE_INFINITY;
    const projects = await visibleProjects(deps, askingOf(c), { after: query.cursor ?? '', most: limit + 1 });
    const page = projects.slice(0, limit);
    const last = page.at(-1);
    if (last !== undefined && page.length < projects.length) linkToNext(c, deps.baseUrl(), last.name);
    return c.json(await Promise.all(page.map((project) => projectView(deps.store, project))));
  };
}

/** GET /api/v1/projects/{projectId}/ */
export function getProject(deps: ApiDeps): Handler<ApiEnv> {
  return async (c) => {
    const id = c.req.param('projectId') ?? '';
    // Names are for bodies and queries: in a path, a slash of theirs would be another path.
    const { project } = (isId(id) ? await visibleProject(deps, askingOf(c), id) : null) ?? refuseAbsent();
    return c.json(await projectView(deps.store, project));
  };
}

async function projectView(store: Store, project: Project): Promise<ProjectView> {
  return {
    id: project.id,
    name: project.name,
    issueIds: [...(await store.issueIds(project.id))],
    createdAt: project.createdAt,
  };
}
