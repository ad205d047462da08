// What is known without an investigation: red checks as they were judged. Nothing here is recorded.
import { explainChecks, findVisibleProject } from '../services/index.ts';
import type { ApiContext, ApiDeps } from './api-deps.ts';
import { getAsking } from './auth.ts';
import { ChecksQuery } from './explain-schemas.ts';
import { parseOrRefuse, refuseAbsent } from './problem.ts';

/** GET /api/v1/checks/ */
export async function getChecks(c: ApiContext, deps: ApiDeps): Promise<Response> {
  const { projectId, pullRequest, sha = '', run = '' } = parseOrRefuse(ChecksQuery, c.req.query());
  const asking = getAsking(c);
  const { project } = (await findVisibleProject(deps, asking, projectId)) ?? refuseAbsent();
  const name = pullRequest !== undefined ? { pullRequest } : sha !== '' ? { sha } : { run };
  return c.json((await explainChecks(deps, asking, project, name)) ?? refuseAbsent());
}
