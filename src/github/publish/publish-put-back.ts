// The handler of `put-back` jobs: opens, follows and closes one revert, one recorded step after another.

import { isPutBackUnderWay, type PutBackState } from '../../core/put-back/index.ts';
import type { JobHandler, JobResult } from '../../core/queue.ts';
import { GithubFailure, isFinal } from '../clients/index.ts';
import { renderRevertRefused } from '../render/index.ts';
import { followRevert } from './follow-revert.ts';
import { createGithubWriter } from './github-writer.ts';
import { formatRevertMarker, hasRevertMarker } from './marker.ts';
import { openRevert } from './open-revert.ts';
import { createPublishJob, runLater } from './publish-job.ts';
import { loadPutBackView, nameRequester, type PutBackWork } from './put-back-view.ts';
import type { PublishDeps } from './view.ts';

/** More steps in a row would be a bug, which must not go on forever on GitHub. */
const MOST_STEPS = 8;
/** In mode `observe` nothing is written: it may be another one by then. */
const OBSERVED_MS = 3_600_000;

export function createPutBackHandler(deps: PublishDeps): JobHandler {
  return createPublishJob(deps, 'putBack', async (id, signal): Promise<JobResult> => {
    for (let steps = 0; steps < MOST_STEPS; steps += 1) {
      const view = await loadPutBackView(deps, id, signal);
      if (view === null || !isPutBackUnderWay(view.putBack)) return await followEnded(deps, id, signal);
      if (view.isObserved) return runLater(deps, OBSERVED_MS);
      const work = { deps, github: createGithubWriter(deps, view.project, signal), view, signal };
      const { state, waitMs } = await takePutBackStep(work);
      await savePutBackState(work, state);
      if (state.kind === 'opened' && view.putBack.state.kind === 'opened') {
        return waitMs === null ? { kind: 'done' } : runLater(deps, waitMs);
      }
    }
    deps.log.error({ putBack: id }, `put-back loop exceeded ${MOST_STEPS} steps`);
    return { kind: 'done' };
  });
}

interface TakenPutBackStep {
  readonly state: PutBackState;
  readonly waitMs: number | null;
}

async function takePutBackStep(work: PutBackWork): Promise<TakenPutBackStep> {
  const { state } = work.view.putBack;
  switch (state.kind) {
    case 'requested':
    case 'opening':
      return { state: await openOrCount(work), waitMs: null };
    case 'refused':
      await tellRefusal(work, state);
      return { state: { ...state, isTold: true }, waitMs: null };
    case 'opened': {
      const { pull, waitMs } = await followRevert(work, state.pull);
      return { state: { kind: 'opened', pull }, waitMs };
    }
  }
}

/** An answer that was lost is counted, since GitHub may never give one. */
async function openOrCount(work: PutBackWork): Promise<PutBackState> {
  const { state } = work.view.putBack;
  try {
    return await openRevert(work);
  } catch (error) {
    const isLost = error instanceof GithubFailure && error.kind === 'unsure' && state.kind === 'opening';
    if (isLost) await savePutBackState(work, { ...state, tries: state.tries + 1 });
    throw error;
  }
}

async function savePutBackState({ deps, view }: PutBackWork, state: PutBackState): Promise<void> {
  if (JSON.stringify(state) === JSON.stringify(view.putBack.state)) return;
  await deps.store.savePutBack(view.putBack.id, state, deps.now().toISOString());
}

/**
 * Where the request was a comment, one of ours answers it; a locked conversation is not worth failing for. One that is there
 * already names nobody who was erased since.
 */
async function tellRefusal(
  { github, view, deps }: PutBackWork,
  { reason, isTold }: Extract<PutBackState, { readonly kind: 'refused' }>,
): Promise<void> {
  const { id, request, step } = view.putBack;
  if (request.number === null) return;
  try {
    const own = await github.listOwnComments(request.number, request.at);
    const told = own.find(({ body }) => hasRevertMarker(body, id, 'refused'));
    const login = nameRequester(view.putBack);
    const text = renderRevertRefused({ sha: step.sha, login, reason }, formatRevertMarker(id, 'refused'));
    if (told === undefined) {
      // People have deleted one that was told.
      if (!isTold) await github.createComment(request.number, text);
    } else if (login === '' && told.body !== text) await github.updateComment(told.id, text);
  } catch (error) {
    if (!isFinal(error)) throw error;
    deps.log.info({ putBack: id, err: error }, 'the answer to a request for a revert was not accepted');
  }
}

/** A person may have opened it again: from then on it is theirs. Or the person who asked for it was erased. */
async function followEnded(deps: PublishDeps, id: string, signal: AbortSignal): Promise<JobResult> {
  const view = await loadPutBackView(deps, id, signal);
  if (view === null || view.isObserved) return { kind: 'done' };
  const { state } = view.putBack;
  const work = { deps, github: createGithubWriter(deps, view.project, signal), view, signal };
  if (state.kind === 'refused') await tellRefusal(work, state);
  if (state.kind === 'opened' && (state.pull.state !== 'merged' || nameRequester(view.putBack) === '')) {
    const { pull } = await followRevert(work, state.pull);
    await savePutBackState(work, { kind: 'opened', pull });
  }
  return { kind: 'done' };
}
