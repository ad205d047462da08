// What is known of a put-back at one moment: its failure as it was seen, the fix beside it, and what may be written.

import { describeLikeliest, type Failure, type Finding, findBlamedStep } from '../../core/check/index.ts';
import { type GithubProject, isGithubProject, NOBODY } from '../../core/project/index.ts';
import type { PutBack } from '../../core/put-back/index.ts';
import { openRepository } from '../clients/index.ts';
import type { RevertText } from '../render/index.ts';
import type { GithubWriter } from './github-writer.ts';
import { formatRevertMarker } from './marker.ts';
import { isObserved, type PublishDeps, toRights } from './view.ts';

export interface PutBackView {
  readonly putBack: PutBack;
  readonly project: GithubProject;
  readonly isObserved: boolean;
  readonly opens: boolean;
  /** Runs of CI that requests may cause in 24 hours. */
  readonly ciRunsDay: number;
  /** Permissions that weren't granted, by GitHub's names. */
  readonly lacks: readonly string[];
  readonly failure: Failure;
  /** At the first commit of the branch that failed; null: no longer known. */
  readonly finding: Finding | null;
  readonly fix: RevertText['fix'];
}

/** What is done for one put-back. */
export interface PutBackWork {
  readonly deps: PublishDeps;
  readonly github: GithubWriter;
  readonly view: PutBackView;
  readonly signal: AbortSignal;
}

/** Null where there is nothing (any more) to do: no such put-back, a hidden project. */
export async function loadPutBackView(deps: PublishDeps, id: string, signal: AbortSignal): Promise<PutBackView | null> {
  const { store } = deps;
  const putBack = await store.findPutBack(id);
  const project = putBack === null ? null : await store.findProject(putBack.projectId);
  const failure = putBack === null ? null : await store.findFailure(putBack.failureId);
  if (putBack === null || failure === null || project === null || !isGithubProject(project)) return null;
  const { config } = await deps.configuration.of(project, signal);
  const installation = await store.findInstallation(project.source.installationId);
  const { opens, lacks } = toRights(installation, config.mode === 'fix' && deps.ceiling === 'fix');
  const first = failure.range?.to ?? failure.firstSeen.sha;
  const head = await store.findHeadOfCommit(project.id, first);
  const finding = head?.findings.find(({ failureId }) => failureId === failure.id) ?? null;
  const thread = failure.threadId === null ? null : await store.findThread(failure.threadId);
  const posted = thread?.subject.kind === 'failure' ? thread.record.pullRequest : null;
  const fix = posted === null || posted.number === 0 ? null : { number: posted.number, state: posted.state };
  const { ciRunsDay } = config.limits;
  return { putBack, project, isObserved: isObserved(deps, config), opens, ciRunsDay, lacks, failure, finding, fix };
}

/** The commit with which the branch passed since the request; null: a failure is open that the commit may have brought. */
export async function findPassedAt({ deps, view }: Pick<PutBackWork, 'deps' | 'view'>): Promise<string | null> {
  const { putBack, project, failure } = view;
  const { closed, state } = (await deps.store.findFailure(failure.id)) ?? failure;
  if (state === 'open' || closed?.by !== 'green') return null;
  const open = await deps.store.listFailures([project.id], { state: 'open', isOnDefault: true, limit: MOST_OPEN });
  return open.some((one) => findBlamedStep(one)?.sha === putBack.step.sha) ? null : closed.sha;
}

/** Whether a failure is still open that the commit alone may have brought. */
export async function isStillBroken({ deps, view }: Pick<PutBackWork, 'deps' | 'view'>): Promise<boolean> {
  const { putBack, project } = view;
  const open = await deps.store.listFailures([project.id], { state: 'open', isOnDefault: true, limit: MOST_OPEN });
  return open.some((one) => findBlamedStep(one)?.sha === putBack.step.sha);
}

const MOST_OPEN = 100;

/** A login; "" for a person who was erased. */
export function nameRequester({ request }: Pick<PutBack, 'request'>): string {
  return request.id === NOBODY.id ? '' : request.login;
}

/** The text of the pull request, as far as the records know it. */
export function describeRevert(
  { putBack, project, failure, finding, fix }: PutBackView,
  webUrl: string,
  more: Pick<RevertText, 'reverted' | 'proof' | 'isTaken' | 'passedAt'>,
): RevertText {
  const { likeliest } = failure.range ?? {};
  return {
    place: { repository: project.name, webUrl },
    failure: {
      branch: project.source.defaultBranch,
      checkNames: finding?.checks.map(({ name }) => name) ?? [],
      headline: failure.headline,
      range: failure.range,
      since: null,
    },
    tests: finding?.excerpt.tests ?? [],
    step: putBack.step,
    reason: putBack.step.why === 'alone' ? (likeliest === undefined ? '' : describeLikeliest(likeliest)) : '',
    fix,
    requestedBy: nameRequester(putBack),
    marker: formatRevertMarker(putBack.id, 'pull-request'),
    ...more,
  };
}

export function readForPutBack({ deps, view, signal }: PutBackWork) {
  return openRepository(deps, view.project, 'read', signal);
}
