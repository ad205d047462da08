// The handler of `publish` jobs: brings GitHub up to date for one thread, one recorded step after another.

import { LRUCache } from 'lru-cache';
import { ChecksBusy } from '../../core/check/index.ts';
import { CausewayError } from '../../core/errors.ts';
import type { JobHandler, JobResult } from '../../core/queue.ts';
import { SourceBusy } from '../../core/source/index.ts';
import { type ThreadRecord, toTriggerKey } from '../../core/thread/index.ts';
import { PAUSED_MS } from '../../services/index.ts';
import {
  decideComment,
  decideStep,
  decideWait,
  needsPull,
  type PublishProgress,
  type PublishStep,
  type PublishWait,
} from './decide.ts';
import { createRefusal, decideFix } from './decide-fix.ts';
import { followPostedPullRequest } from './follow-pull-request.ts';
import { createGithubWriter } from './github-writer.ts';
import { openPullRequest, preparePullRequest } from './open-pull-request.ts';
import { addReply, foldSuggestions, react, removeReplaced, writeComment } from './post-comments.ts';
import { createPublishJob, runLater } from './publish-job.ts';
import { suggest } from './suggestions.ts';
import { type LivePull, loadView, type PublishDeps, readPull, type Work } from './view.ts';

/** After git couldn't reach a repository. */
const UNREACHABLE_MS = 300_000;
/** More steps in a row would be a bug, which must not go on forever on GitHub. */
const MOST_STEPS = 20;

type Effect = Exclude<PublishStep, { kind: 'later' | 'done' | 'look' | 'follow' }>;

/** Of one run of the job. Only the publisher writes the record, so it is read once. */
interface PublishingState {
  readonly record: ThreadRecord | null;
  readonly pull: LivePull | null;
  readonly progress: PublishProgress;
}

export function createPublishHandler(deps: PublishDeps): JobHandler {
  /** Until when a thread is silent: logged once, however often the thread is looked at. */
  const silences = new LRUCache<string, string>({ max: 1_000 });
  const logSilence = (thread: string, { runAt, isSilenced }: PublishWait) => {
    if (!isSilenced || silences.get(thread) === runAt) return;
    silences.set(thread, runAt);
    deps.log.warn({ thread, runAt }, 'too many posts within an hour, nothing is posted until then');
  };
  return createPublishJob(
    deps,
    'thread',
    (thread, signal) => publishThread(deps, thread, logSilence, signal),
    (thread, error) => postponeForSource(deps, thread, error),
  );
}

async function publishThread(
  deps: PublishDeps,
  threadId: string,
  logSilence: (thread: string, wait: PublishWait) => void,
  signal: AbortSignal,
): Promise<JobResult> {
  let state: PublishingState = { record: null, pull: null, progress: { hasFollowed: false, followAt: null } };
  for (let steps = 0; steps < MOST_STEPS; steps += 1) {
    if (deps.paused()) return runLater(deps, PAUSED_MS);
    const view = await loadView(deps, threadId, state, signal);
    if (view === null) return { kind: 'done' };
    const work = { deps, github: createGithubWriter(deps, view.project, signal), view, signal };
    if (view.isObserved) return await observe(work);
    const step = decideStep(view, state.progress);
    if (step.kind === 'done') return step;
    if (step.kind === 'later') {
      logSilence(threadId, step);
      return { kind: 'later', runAt: step.runAt };
    }
    state = await takeStep(work, step, state);
  }
  deps.log.error({ thread: threadId }, `publish loop exceeded ${MOST_STEPS} steps`);
  return { kind: 'done' };
}

async function takeStep(
  work: Work,
  step: Exclude<PublishStep, { kind: 'later' | 'done' }>,
  state: PublishingState,
): Promise<PublishingState> {
  if (step.kind === 'look') return { ...state, pull: await readPull(work, step.number) };
  if (step.kind !== 'follow') return { ...state, record: await saveRecord(work, await carryOutEffect(work, step)) };
  const { record, lookAt } = await followPostedPullRequest(work);
  return { ...state, record: await saveRecord(work, record), progress: { hasFollowed: true, followAt: lookAt } };
}

/** Recorded before anything else is done. */
async function saveRecord({ deps, view }: Work, changed: ThreadRecord): Promise<ThreadRecord> {
  const record = view.isObserved ? changed : { ...changed, held: null };
  if (JSON.stringify(record) !== JSON.stringify(view.thread.record)) {
    await deps.store.saveThreadRecord(view.thread.id, record, deps.now().toISOString());
  }
  return record;
}

/** The record after the step. Throws GithubFailure where the step is to be tried again. */
async function carryOutEffect(work: Work, step: Effect): Promise<ThreadRecord> {
  switch (step.kind) {
    case 'react':
      return await react(work, step.number, toTriggerKey(work.view.thread.trigger));
    case 'delete':
      return await removeReplaced(work, step.commentId);
    case 'post':
    case 'edit':
      return await writeComment(work, step);
    case 'reply':
      return await addReply(work, step);
    case 'suggest':
      return await suggest(work, step.number);
    case 'fold':
      return await foldSuggestions(work);
    case 'open':
      return await openPullRequest(work);
  }
}

/** Writes nothing on GitHub: what would be posted is stored, for people to read in the account area. */
async function observe(work: Work): Promise<JobResult> {
  const number = work.view.thread.subject.kind === 'pull_request' ? work.view.thread.subject.number : 0;
  const view = needsPull(work.view) ? { ...work.view, pull: await readPull(work, number) } : work.view;
  const { record, result, thread } = view;
  let shown: ThreadRecord = record;
  let pullRequest = record.held?.pullRequest ?? '';
  if (result !== null && decideFix(view, result.issue).kind === 'observed') {
    const prepared = await preparePullRequest({ ...work, view }, result);
    if (prepared.kind === 'withheld') shown = { ...record, withheld: createRefusal(thread, prepared.reason) };
    else pullRequest = `${prepared.title}\n\n${prepared.body}`;
  }
  const comment = decideComment({ ...view, record: shown })?.text ?? record.held?.comment ?? '';
  const held = comment === '' && pullRequest === '' ? record.held : { comment, pullRequest };
  await saveRecord(work, { ...record, held });
  const wait = decideWait(view, [], null);
  return wait.kind === 'done' ? wait : { kind: 'later', runAt: wait.runAt };
}

/** The source of a change can't be read now; null: something else failed. */
function postponeForSource(deps: PublishDeps, thread: string, error: unknown): JobResult | null {
  if (error instanceof SourceBusy || error instanceof ChecksBusy)
    return { kind: 'later', runAt: error.retryAt.toISOString() };
  if (!(error instanceof CausewayError) || error.code !== 'repository_unreachable') return null;
  // A job that fails three times is dead, and its pull request would be lost.
  deps.log.warn({ thread, err: error }, 'cannot read the source of a change, trying again later');
  return runLater(deps, UNREACHABLE_MS);
}
