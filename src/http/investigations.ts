// Investigations: reports on their way. Look, wait for the end, cancel.
import type { Handler } from 'hono';
import type { Investigation } from '../domain/investigation.ts';
import { cancelInvestigation } from '../jobs/end-early.ts';
import { waitForEnd } from '../jobs/follow.ts';
import type { InvestigationFilter } from '../ports/store.ts';
import { isOwn, visibleInvestigation, visibleProject, visibleProjects } from './access.ts';
import type { ApiDeps, ApiEnv, Caller } from './api-deps.ts';
import { linkToNext } from './paging.ts';
import { InvestigationsQuery, WaitQuery } from './parameter-schemas.ts';
import { parseOrRefuse, refuse, refuseAbsent, refuseFaults } from './problem.ts';
import type { InvestigationView } from './schemas.ts';

const DEFAULT_LIMIT = 50;

/** GET /api/v1/investigations/ */
export function listInvestigations(deps: ApiDeps): Handler<ApiEnv> {
  return async (c) => {
    const query = parseOrRefuse(InvestigationsQuery, c.req.query());
    const limit = query.limit ?? DEFAULT_LIMIT;
    const filter: InvestigationFilter = {
      projectIds: await projectIdsFor(deps, c.get('caller'), query.projectId),
      ...(query.state === undefined ? {} : { state: query.state }),
      ...(query.reference === undefined ? {} : { reference: query.reference.replaceAll('\0', '\uFFFD') }),
      ...(query.cursor === undefined ? {} : { after: query.cursor }),
      limit: limit + 1,
    };
    const found = await deps.store.investigations(filter);
    const page = found.slice(0, limit);
    const last = page.at(-1);
    if (last !== undefined && found.length > limit) linkToNext(c, deps.baseUrl(), last.id);
    return c.json(page.map(investigationView));
  };
}

/** GET /api/v1/investigations/{investigationId}/ */
export function getInvestigation(deps: ApiDeps): Handler<ApiEnv> {
  return async (c) => {
    const { wait = 0 } = parseOrRefuse(WaitQuery, c.req.query());
    const id = c.req.param('investigationId') ?? '';
    const now = (await visibleInvestigation(deps.store, c.get('caller'), id)) ?? refuseAbsent();
    if (wait === 0) return c.json(investigationView(now));
    const signal = AbortSignal.any([c.req.raw.signal, c.env.stopping]);
    const later = await waitForEnd(deps, now.id, wait * 1_000, signal);
    return c.json(investigationView(later ?? refuseAbsent()));
  };
}

/** DELETE /api/v1/investigations/{investigationId}/ */
export function deleteInvestigation(deps: ApiDeps): Handler<ApiEnv> {
  return async (c) => {
    const id = c.req.param('investigationId') ?? '';
    const investigation = await visibleInvestigation(deps.store, c.get('caller'), id);
    if (investigation === null || !isOwn(c.get('caller'), investigation)) refuseAbsent();
    const cancelled = await cancelInvestigation(deps, investigation.id);
    switch (cancelled.kind) {
      case 'cancelled':
        return c.json({ message: 'The investigation was cancelled.' });
      case 'ended':
        return refuse(409, 'The investigation has ended already: there is nothing left to cancel.');
      case 'absent':
        return refuseAbsent();
    }
  };
}

/** The investigation as callers see it. */
export function investigationView(investigation: Investigation): InvestigationView {
  const { outcome } = investigation;
  return {
    id: investigation.id,
    projectId: investigation.projectId,
    state: outcome.state,
    progress: { step: investigation.progress.step, action: investigation.progress.action },
    issueId: outcome.state === 'concluded' ? outcome.issueId : null,
    reason: outcome.state === 'gave_up' || outcome.state === 'cancelled' ? outcome.reason : null,
    createdAt: investigation.createdAt,
    reference: investigation.reference,
  };
}

async function projectIdsFor(deps: ApiDeps, caller: Caller, idOrName?: string): Promise<readonly string[]> {
  if (idOrName === undefined) return (await visibleProjects(deps.store, caller)).map(({ id }) => id);
  const project = await visibleProject(deps.store, caller, idOrName);
  const detail = 'Is not a project of this account: GET /api/v1/projects/ lists them.';
  return project === null ? refuseFaults([{ pointer: '/projectId', detail }]) : [project.id];
}
