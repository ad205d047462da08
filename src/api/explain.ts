// What is known without an investigation: red checks as they were judged, and what a log says. Nothing here is recorded.
import { CausewayError, describeFailure } from '../core/errors.ts';
import { SourceBusy } from '../core/source/index.ts';
import { explainChecks, explainLog, findVisibleProject } from '../services/index.ts';
import type { ApiContext, ApiDeps } from './api-deps.ts';
import { getAsking, holdOrRefuse } from './auth.ts';
import { readJson } from './body.ts';
import { ChecksQuery, LogBody } from './explain-schemas.ts';
import { requireDataSize, requireSpace } from './issues.ts';
import { addFlake } from './outcomes.ts';
import { countSecondsUntil, parseOrRefuse, refuse, refuseAbsent, refuseFaults } from './problem.ts';

/** GET /api/v1/checks/ */
export async function getChecks(c: ApiContext, deps: ApiDeps): Promise<Response> {
  const { projectId, pullRequest, sha = '', run = '' } = parseOrRefuse(ChecksQuery, c.req.query());
  const asking = getAsking(c);
  const { project } = (await findVisibleProject(deps, asking, projectId)) ?? refuseAbsent();
  const name = pullRequest !== undefined ? { pullRequest } : sha !== '' ? { sha } : { run };
  return c.json((await explainChecks(deps, asking, project, name)) ?? refuseAbsent());
}

/** With the wait for its turn: a connection that is silent for 90 s is closed. */
const READING_MS = 80_000;

/** POST /api/v1/logs/ */
export async function readGivenLog(c: ApiContext, deps: ApiDeps): Promise<Response> {
  const { value } = await readJson(c);
  requireDataSize(value);
  const { data: text, projectId, revision = '' } = parseOrRefuse(LogBody, value);
  const asking = getAsking(c);
  const { project } = (await findVisibleProject(deps, asking, projectId)) ?? refuseAbsent();
  if (deps.isPaused()) refuseForNow('The operator has paused this service, and no repository is read. Try again.', 60);
  await requireSpace(deps);
  const late = AbortSignal.timeout(READING_MS);
  const signal = AbortSignal.any([asking.signal, late]);
  using held = new DisposableStack();
  held.adopt(holdOrRefuse(deps, asking.account.id), (hold) => hold.release());
  try {
    held.adopt(await deps.limiter.takeTurn(asking.account.id, signal), (turn) => turn.release());
    const { failure, ...log } = await explainLog(deps, { project, text, revision }, signal);
    const last = failure && (await deps.store.findLastFindings([failure])).get(failure.id);
    return c.json({ ...log, failure: failure && addFlake(deps, failure, last ?? undefined) });
  } catch (error) {
    if (asking.signal.aborted) refuseForNow('The service is stopping. Try again.', 5);
    if (late.aborted) refuseForNow('This took longer than a call may. What was fetched is kept: try again.', 30);
    return refuseLog(error, deps.now());
  }
}

/** What the repository has to do with it; anything else is thrown on. */
function refuseLog(error: unknown, now: Date): never {
  if (!(error instanceof CausewayError)) throw error;
  const { detail } = describeFailure(error);
  switch (error.code) {
    case 'revision_not_found':
      return refuseFaults([{ pointer: '/revision', detail }]);
    case 'repository_empty':
    case 'access_lost':
      return refuse(409, detail);
    case 'repository_unreachable':
      return refuseForNow(detail, error instanceof SourceBusy ? countSecondsUntil(error.retryAt, now) : 30);
    default:
      throw error;
  }
}

function refuseForNow(detail: string, seconds: number): never {
  refuse(503, detail, { headers: { 'Retry-After': String(seconds) } });
}
