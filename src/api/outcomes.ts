// Failures, what became of answers, and whether their confidence can be relied on.

import {
  describeFlake,
  type Failure,
  type FailureView,
  type Flake,
  findBlamedStep,
  type KnownOfFailure,
  toFailureView,
} from '../core/check/index.ts';
import { calibrate, decideThreshold, toJudged } from '../core/outcome/index.ts';
import { type ShownPutBack, toShownPutBack } from '../core/put-back/index.ts';
import type { LastFinding } from '../db/index.ts';
import { type Asking, findVisibleProject, listVisibleProjects } from '../services/index.ts';
import type { ApiContext, ApiDeps } from './api-deps.ts';
import { getAsking } from './auth.ts';
import { CalibrationQuery, FailuresQuery, OutcomesQuery, toCalibrationView, toOutcome } from './outcome-schemas.ts';
import { NO_POSITION, parseOrRefuse, refuseAbsent, refuseFaults, UNKNOWN_PROJECT } from './problem.ts';
import { linkToNext } from './projects.ts';

const DEFAULT_LIMIT = 50;

/** GET /api/v1/failures/ */
export async function listFailures(c: ApiContext, deps: ApiDeps): Promise<Response> {
  const query = parseOrRefuse(FailuresQuery, c.req.query());
  const asking = getAsking(c);
  const find = async (id: string) => (isIdOf('fal', id) ? await deps.store.findFailure(id) : null);
  const filter = await toFilter(deps, asking, query, find);
  const page = cutOutcomePage(c, deps, filter.limit, await deps.store.listFailures(filter.projectIds, filter));
  const last = await deps.store.findLastFindings(page);
  const known = await deps.store.listKnownOfFailures(page.map(({ id }) => id));
  const shown = page.map(async (failure) => ({
    ...addFlake(deps, failure, last.get(failure.id)),
    knownIssue: toKnownView(known.get(failure.id)),
    putBack: await readPutBack(deps, failure),
  }));
  return c.json(await Promise.all(shown));
}

/** GET /api/v1/failures/{failureId}/ */
export async function getFailure(c: ApiContext, deps: ApiDeps): Promise<Response> {
  const id = c.req.param('failureId') ?? '';
  const failure = (isIdOf('fal', id) ? await deps.store.findFailure(id) : null) ?? refuseAbsent();
  if ((await findVisibleProject(deps, getAsking(c), failure.projectId)) === null) refuseAbsent();
  const last = (await deps.store.findLastFindings([failure])).get(id);
  const known = await deps.store.listKnownOfFailures([id]);
  const knownIssue = toKnownView(known.get(id));
  return c.json({ ...addFlake(deps, failure, last), knownIssue, putBack: await readPutBack(deps, failure) });
}

/** Without the person who tied it. */
function toKnownView(known: KnownOfFailure | undefined) {
  if (known === undefined) return null;
  const { number, state, endedAt, pattern, at } = known;
  return { number, isOpen: state === 'open', endedAt, pattern, at };
}

/** `last`: what was found when it was last seen. */
export function addFlake(
  { baseUrl, now }: ApiDeps,
  failure: Failure,
  last: LastFinding | undefined,
): FailureView & { readonly flake: Flake | null } {
  const address = `${baseUrl()}/projects/${failure.projectId}/failures/${failure.id}`;
  return { ...toFailureView(failure), flake: describeFlake(failure, last, { address, now: now() }) };
}

/** The newest revert of the commit that alone may have brought the failure; null: none was requested. */
async function readPutBack({ store }: ApiDeps, failure: Failure): Promise<ShownPutBack | null> {
  const step = findBlamedStep({ ...failure, state: 'open', isOnDefault: true });
  const putBack = step === null ? null : await store.findPutBackOfCommit(failure.projectId, step.sha);
  return putBack && toShownPutBack(putBack);
}

/** GET /api/v1/outcomes/ */
export async function listOutcomes(c: ApiContext, deps: ApiDeps): Promise<Response> {
  const query = parseOrRefuse(OutcomesQuery, c.req.query());
  const asking = getAsking(c);
  const find = async (id: string) => (isIdOf('out', id) ? await deps.store.findOutcome(id) : null);
  const filter = await toFilter(deps, asking, query, find);
  return c.json(cutOutcomePage(c, deps, filter.limit, await deps.store.listOutcomes(filter)).map(toOutcome));
}

/** GET /api/v1/calibration/ */
export async function getCalibration(c: ApiContext, deps: ApiDeps): Promise<Response> {
  const { projectId } = parseOrRefuse(CalibrationQuery, c.req.query());
  const asking = getAsking(c);
  if (projectId === undefined) {
    const projects = await listVisibleProjects(deps, asking);
    const followed = await deps.store.listCalibrated(projects.map(({ id }) => id));
    return c.json(toCalibrationView(null, calibrate(followed), null));
  }
  const { project } = (await findVisibleProject(deps, asking, projectId)) ?? refuseFaults([UNKNOWN_PROJECT]);
  const followed = await deps.store.listCalibrated([project.id]);
  const { threshold: configured } = await deps.settingsOf(project, asking.signal);
  return c.json(toCalibrationView(project.id, calibrate(followed), decideThreshold(toJudged(followed), configured)));
}

function isIdOf(prefix: 'fal' | 'out', text: string): boolean {
  return text.startsWith(`${prefix}_`) && /^[0-9A-Za-z]{1,32}$/.test(text.slice(4));
}

interface PageQuery {
  readonly projectId?: string | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** One more than the page shows; a refusal for an unknown project, and for a cursor at what is gone or not theirs. */
async function toFilter<Q extends PageQuery>(
  deps: ApiDeps,
  asking: Asking,
  { projectId, limit = DEFAULT_LIMIT, cursor, ...rest }: Q,
  find: (id: string) => Promise<{ readonly projectId: string } | null>,
) {
  const seen = projectId === undefined ? null : await findVisibleProject(deps, asking, projectId);
  if (projectId !== undefined && seen === null) refuseFaults([UNKNOWN_PROJECT]);
  const projects = seen === null ? await listVisibleProjects(deps, asking) : [seen.project];
  const projectIds = projects.map(({ id }) => id);
  const last = cursor === undefined ? null : await find(cursor);
  if (cursor !== undefined && !projectIds.includes(last?.projectId ?? '')) refuseFaults([NO_POSITION]);
  return {
    ...withoutUndefined(rest),
    projectIds,
    limit: limit + 1,
    ...(cursor === undefined ? {} : { after: cursor }),
  };
}

type OptionalFields<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

function withoutUndefined<T extends object>(values: T): OptionalFields<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as OptionalFields<T>;
}

/** Links to the next page. `most`: one more than the page shows. */
function cutOutcomePage<T extends { readonly id: string }>(
  c: ApiContext,
  { baseUrl }: ApiDeps,
  most: number,
  found: readonly T[],
): readonly T[] {
  const page = found.slice(0, most - 1);
  const last = page.at(-1);
  if (last !== undefined && page.length < found.length) linkToNext(c, baseUrl(), last.id);
  return page;
}
