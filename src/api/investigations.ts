// Investigations: reports in progress. List, read, wait for the end, cancel.

import { isAtLeast, type Project } from '../core/project/index.ts';
import type { Investigation } from '../core/report/index.ts';
import {
  type Asking,
  cancelInvestigation,
  findVisibleInvestigation,
  findVisibleProject,
  listVisibleInvestigations,
  type Seen,
  waitForEnd,
} from '../services/index.ts';
import type { ApiContext, ApiDeps } from './api-deps.ts';
import { getAsking, holdOrRefuse } from './auth.ts';
import {
  listFaults,
  NO_POSITION,
  parseOrRefuse,
  refuse,
  refuseAbsent,
  refuseFaults,
  UNKNOWN_PROJECT,
} from './problem.ts';
import { linkToNext } from './projects.ts';
import { Cursor, InvestigationsQuery, type InvestigationView, WaitQuery } from './schemas.ts';

const DEFAULT_LIMIT = 50;

/** GET /api/v1/investigations/ */
export async function listInvestigations(c: ApiContext, deps: ApiDeps): Promise<Response> {
  const query = c.req.query();
  const { limit, found } = await findInvestigations(deps, getAsking(c), query);
  const page = found.slice(0, limit);
  const last = page.at(-1);
  if (last !== undefined && found.length > limit) linkToNext(c, deps.baseUrl(), last.id);
  return c.json(page.map(toInvestigationView));
}

/** GET /api/v1/investigations/{investigationId}/ */
export async function getInvestigation(c: ApiContext, deps: ApiDeps): Promise<Response> {
  const { wait = 0 } = parseOrRefuse(WaitQuery, c.req.query());
  const asking = getAsking(c);
  const id = c.req.param('investigationId') ?? '';
  const { investigation } = (await findVisibleInvestigation(deps, asking, id)) ?? refuseAbsent();
  if (wait === 0) return c.json(toInvestigationView(investigation));
  const hold = holdOrRefuse(deps, asking.account.id);
  try {
    const later = await waitForEnd(deps, investigation.id, wait * 1_000, asking.signal);
    return c.json(toInvestigationView(later ?? refuseAbsent()));
  } finally {
    hold.release();
  }
}

/** DELETE /api/v1/investigations/{investigationId}/ */
export async function deleteInvestigation(c: ApiContext, deps: ApiDeps): Promise<Response> {
  const asking = getAsking(c);
  const seen = await findVisibleInvestigation(deps, asking, c.req.param('investigationId') ?? '');
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
}

/** The investigation as callers see it. */
export function toInvestigationView(investigation: Investigation): InvestigationView {
  const { outcome, progress } = investigation;
  return {
    id: investigation.id,
    projectId: investigation.projectId,
    state: outcome.state,
    progress: { step: progress.step, action: progress.action },
    issueId: outcome.state === 'concluded' ? outcome.issueId : null,
    reason: outcome.state === 'gave_up' || outcome.state === 'cancelled' ? outcome.reason : null,
    createdAt: investigation.createdAt,
    reference: investigation.reference,
  };
}

/** Up to one more than the page shows; or a refusal with every fault of the values, the project and the cursor. */
async function findInvestigations(deps: ApiDeps, asking: Asking, query: Readonly<Record<string, string>>) {
  const { data, error } = InvestigationsQuery.safeParse(query);
  const name = query['projectId'];
  const project = name === undefined ? null : await findVisibleProject(deps, asking, name);
  const faults = [
    ...(error === undefined ? [] : listFaults(error)),
    ...(name !== undefined && project === null ? [UNKNOWN_PROJECT] : []),
  ];
  const limit = data?.limit ?? DEFAULT_LIMIT;
  const filter = {
    ...(data?.state === undefined ? {} : { state: data.state }),
    ...(data?.reference === undefined ? {} : { reference: data.reference.replaceAll('\0', '\uFFFD') }),
    ...(data?.cursor === undefined ? {} : { after: data.cursor }),
    limit: limit + 1,
  };
  const find = () =>
    project === null
      ? listVisibleInvestigations(deps, asking, filter)
      : deps.store.listInvestigations({ ...filter, projectIds: [project.project.id] });
  const found = faults.length > 0 ? [] : await find();
  // After the list, so that an erasure in between is not taken for the end of it.
  const cursor = Cursor.safeParse(query['cursor']).data;
  if (cursor !== undefined && !(await isPosition(deps, asking, cursor, project))) faults.push(NO_POSITION);
  return faults.length > 0 ? refuseFaults(faults) : { limit, found };
}

/** `among`: the project whose investigations are listed; null: all that the caller may see. */
async function isPosition(
  deps: ApiDeps,
  asking: Asking,
  id: string,
  among: Seen<{ readonly project: Project }> | null,
): Promise<boolean> {
  const found = await findVisibleInvestigation(deps, asking, id);
  return found !== null && (among === null || found.project.id === among.project.id);
}
