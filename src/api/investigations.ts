// Investigations: reports on their way. Look, wait for the end, cancel.
import type { z } from '@hono/zod-openapi';
import type { Handler } from 'hono';
import { json } from '../core/answer.ts';
import type { Investigation } from '../core/investigation.ts';
import type { Project } from '../core/project.ts';
import { isAtLeast } from '../core/role.ts';
import type { InvestigationFilter } from '../db/store.ts';
import { type Asking, visibleInvestigation, visibleProject } from '../services/access.ts';
import { cancelInvestigation } from '../services/end-early.ts';
import { waitForEnd } from '../services/follow.ts';
import { visibleInvestigations } from '../services/visible-investigations.ts';
import type { ApiDeps, ApiEnv } from './api-deps.ts';
import { askingOf } from './authenticate.ts';
import { holdOrRefuse } from './held-answers.ts';
import { linkToNext } from './paging.ts';
import { Cursor, InvestigationsQuery, WaitQuery } from './parameter-schemas.ts';
import { type Fault, faultsOf, parseOrRefuse, refuse, refuseAbsent, refuseFaults, UNKNOWN_PROJECT } from './problem.ts';
import type { InvestigationView } from './schemas.ts';

const DEFAULT_LIMIT = 50;
const ERASED_POSITION: Fault = {
  pointer: '/cursor',
  detail: 'The investigation at which this page begins no longer exists: begin anew without cursor.',
};

/** GET /api/v1/investigations/ */
export function listInvestigations(deps: ApiDeps): Handler<ApiEnv> {
  return async (c) => {
    const { limit, found } = await foundBy(deps, askingOf(c), c.req.query());
    const page = found.slice(0, limit);
    const last = page.at(-1);
    if (last !== undefined && found.length > limit) linkToNext(c, deps.baseUrl(), last.id);
    return json(page.map(investigationView));
  };
}

/** GET /api/v1/investigations/{investigationId}/ */
export function getInvestigation(deps: ApiDeps): Handler<ApiEnv> {
  return async (c) => {
    const { wait = 0 } = parseOrRefuse(WaitQuery, c.req.query());
    const id = c.req.param('investigationId') ?? '';
    const asking = askingOf(c);
    const { investigation: now } = (await visibleInvestigation(deps, asking, id)) ?? refuseAbsent();
    if (wait === 0) return c.json(investigationView(now));
    const held = holdOrRefuse(deps, asking.account.id);
    try {
      const later = await waitForEnd(deps, now.id, wait * 1_000, asking.signal);
      return c.json(investigationView(later ?? refuseAbsent()));
    } finally {
      held.release();
    }
  };
}

/** DELETE /api/v1/investigations/{investigationId}/ */
export function deleteInvestigation(deps: ApiDeps): Handler<ApiEnv> {
  return async (c) => {
    const id = c.req.param('investigationId') ?? '';
    const asking = askingOf(c);
    const seen = await visibleInvestigation(deps, asking, id);
    if (seen === null || !isAtLeast(seen.role, 'triage')) refuseAbsent();
    const cancelled = await cancelInvestigation(deps, seen.investigation.id, undefined, asking.account.id);
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

interface Found {
  readonly limit: number;
  /** One more than the page holds where there is a next one. */
  readonly found: readonly Investigation[];
}

/** What the query asks for, or a refusal with every fault: of its values, the project and the position at once. */
async function foundBy(deps: ApiDeps, asking: Asking, query: Readonly<Record<string, string>>): Promise<Found> {
  const parsed = InvestigationsQuery.safeParse(query);
  const project = await projectFor(deps, asking, query['projectId']);
  const filter = parsed.success ? filterOf(parsed.data) : null;
  const found = filter === null || project === null ? [] : await foundIn(deps, asking, project, filter);
  // Asked after the list, so that no erasure falls in between and passes for the end of it.
  const isErased = await isErasedPosition(deps, asking, query['cursor']);
  if (filter !== null && project !== null && !isErased) return { limit: filter.limit - 1, found };
  return refuseFaults([
    ...(parsed.success ? [] : faultsOf(parsed.error)),
    ...(project === null ? [UNKNOWN_PROJECT] : []),
    ...(isErased ? [ERASED_POSITION] : []),
  ]);
}

function foundIn(
  deps: ApiDeps,
  asking: Asking,
  project: Project | 'any',
  filter: InvestigationFilter,
): Promise<readonly Investigation[]> {
  if (project === 'any') return visibleInvestigations(deps, asking, filter);
  return deps.store.investigations({ ...filter, projectIds: [project.id] });
}

function filterOf(query: z.infer<typeof InvestigationsQuery>): InvestigationFilter {
  return {
    ...(query.state === undefined ? {} : { state: query.state }),
    ...(query.reference === undefined ? {} : { reference: query.reference.replaceAll('\0', '\uFFFD') }),
    ...(query.cursor === undefined ? {} : { after: query.cursor }),
    limit: (query.limit ?? DEFAULT_LIMIT) + 1,
  };
}

/** Whether the cursor stands at an investigation that is not there (any more): what comes after it cannot be told. */
async function isErasedPosition(deps: ApiDeps, asking: Asking, cursor?: string): Promise<boolean> {
  const { success, data } = Cursor.safeParse(cursor);
  return success && data !== undefined && (await visibleInvestigation(deps, asking, data)) === null;
}

/** The one that was named; null where the caller knows no such project. */
async function projectFor(deps: ApiDeps, asking: Asking, idOrName?: string): Promise<Project | 'any' | null> {
  if (idOrName === undefined) return 'any';
  return (await visibleProject(deps, asking, idOrName))?.project ?? null;
}
