// Projects: what reports can be about, each with its issues.
import type { Project } from '../core/project/index.ts';
import type { Store } from '../db/index.ts';
import { findVisibleProject, isId, listVisibleProjects } from '../services/index.ts';
import type { ApiContext, ApiDeps } from './api-deps.ts';
import { getAsking } from './auth.ts';
import { NO_POSITION, parseOrRefuse, refuseAbsent, refuseFaults } from './problem.ts';
import { ProjectsQuery, type ProjectView } from './schemas.ts';

const DEFAULT_LIMIT = 100;

/** GET /api/v1/projects/ */
export async function listProjects(c: ApiContext, deps: ApiDeps): Promise<Response> {
  const query = parseOrRefuse(ProjectsQuery, c.req.query());
  const isPaged = query.limit !== undefined || query.cursor !== undefined;
  const limit = isPaged ? (query.limit ?? DEFAULT_LIMIT) : Number.POSITIVE_INFINITY;
  const asking = getAsking(c);
  // By name, which is what pages are ordered by.
  const position = query.cursor === undefined ? null : await findVisibleProject(deps, asking, query.cursor);
  if (position?.project.name !== query.cursor) refuseFaults([NO_POSITION]);
  const projects = await listVisibleProjects(deps, asking, { after: query.cursor ?? '', most: limit + 1 });
  const page = projects.slice(0, limit);
  const last = page.at(-1);
  if (last !== undefined && page.length < projects.length) linkToNext(c, deps.baseUrl(), last.name);
  return c.json(await Promise.all(page.map((project) => toProjectView(deps.store, project))));
}

/** GET /api/v1/projects/{projectId}/ */
export async function getProject(c: ApiContext, deps: ApiDeps): Promise<Response> {
  const id = c.req.param('projectId') ?? '';
  // Names are for bodies and queries: in a path, their slash would make another path.
  const { project } = (isId(id) ? await findVisibleProject(deps, getAsking(c), id) : null) ?? refuseAbsent();
  return c.json(await toProjectView(deps.store, project));
}

/** Puts the address of the next page into `Link`: the same query, after `position`. */
export function linkToNext(c: ApiContext, baseUrl: string, position: string): void {
  const query = new URLSearchParams(c.req.query());
  query.set('cursor', Buffer.from(position, 'utf8').toString('base64url'));
  c.set('answerHeaders', { ...c.get('answerHeaders'), Link: `<${baseUrl}${c.req.path}?${query}>; rel="next"` });
}

async function toProjectView(store: Store, { id, name, createdAt }: Project): Promise<ProjectView> {
  return { id, name, issueIds: [...(await store.listIssueIds(id))], createdAt };
}
