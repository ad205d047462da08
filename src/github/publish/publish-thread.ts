// The handler of `publish` jobs: brings what is on GitHub for one thread up to what is known, one recorded effect after another.
import { LRUCache } from 'lru-cache';
import { CausewayError } from '../../core/errors.ts';
import type { JobHandler, JobResult } from '../../core/queue.ts';
import { SourceBusy } from '../../core/source.ts';
import type { ThreadRecord } from '../../core/thread.ts';
import { addReply, edit, fold, post, react, remove, reopen, settle, unfold, unlessRefused } from './comment-effects.ts';
import { decideStep, type Progress, type Step } from './decide.ts';
import { follow } from './follow-pull-request.ts';
import { createEffectHandler, PAUSED_MS, runLater } from './github-calls.ts';
import { createGithubOutbox } from './github-outbox.ts';
import { openPullRequest } from './open-pull-request.ts';
import { createRecordingOutbox, type Outbox } from './outbox.ts';
import { suggest } from './suggestions.ts';
import { isObserved, type LivePull, loadView, lookAtPull, type PublishDeps, type View, type Work } from './view.ts';

/** How soon a repository is asked again that git could not reach. */
const UNREACHABLE_MS = 300_000;
/** No thread needs so many effects in a row; more would be a bug that must not go round in circles on GitHub. */
const MOST_EFFECTS = 20;
const MOST_SILENCES = 1_000;

/** By thread: until when it is silent, so that each silence is logged once, however often the thread is looked at. */
type Silences = LRUCache<string, string>;

export function createPublishHandler(deps: PublishDeps): JobHandler {
  const silences: Silences = new LRUCache({ max: MOST_SILENCES });
  return createEffectHandler(deps, {
    subject: 'thread',
    bringUp: (threadId, signal) => publishThread(deps, silences, threadId, signal),
    afterOther: (threadId, error) => waitForSource(deps, threadId, error),
    shut: 'GitHub lets nothing be written here',
    dead: 'what is on GitHub could not be brought up to date',
  });
}

/**
 * Of one try of the job. The publisher is the only writer of the record (but for a 👀, which may be given twice, and for people who are
 * erased: what the store has forgotten of them it does not take back), so it is read only once.
 */
interface State {
  readonly record: ThreadRecord | null;
  readonly pull: LivePull | null;
  readonly outbox: Outbox | null;
  readonly progress: Progress;
}

async function publishThread(
  deps: PublishDeps,
  silences: Silences,
  threadId: string,
  signal: AbortSignal,
): Promise<JobResult> {
  let state: State = { record: null, pull: null, outbox: null, progress: { hasFollowed: false, followAt: null } };
  for (let effects = 0; effects < MOST_EFFECTS; effects += 1) {
    if (deps.paused()) return runLater(deps, PAUSED_MS);
    const view = await loadView(deps, threadId, state, signal);
    if (view === null) return { kind: 'done' };
    const step = decideStep(view, state.progress);
    if (step.kind === 'done') return step;
    if (step.kind === 'later') {
      logSilence(deps, silences, threadId, step);
      return { kind: 'later', runAt: step.runAt };
    }
    const outbox = state.outbox ?? createOutbox(deps, view);
    state = await takeStep({ deps, outbox, view, signal }, step, state.progress);
  }
  deps.log.error({ thread: threadId }, `publish loop exceeded ${MOST_EFFECTS} steps`);
  return { kind: 'done' };
}

function createOutbox(deps: PublishDeps, view: View): Outbox {
  return isObserved(deps, view.config) ? createRecordingOutbox(view.record) : createGithubOutbox(deps, view.project);
}

/** What was done is recorded before anything else is. */
async function takeStep(
  work: Work,
  step: Exclude<Step, { kind: 'later' | 'done' }>,
  progress: Progress,
): Promise<State> {
  const { deps, outbox, view } = work;
  const { pull, record } = view;
  switch (step.kind) {
    case 'look':
      return { record, pull: await lookAtPull(work, step.number), outbox, progress };
    case 'follow': {
      const followed = await follow(work);
      await saveRecord(deps, view, outbox.keep(followed.record));
      return { record: followed.record, pull, outbox, progress: { hasFollowed: true, followAt: followed.lookAt } };
    }
    default: {
      const changed = await carryOut(work, step);
      await saveRecord(deps, view, outbox.keep(changed));
      return { record: changed, pull, outbox, progress };
    }
  }
}

async function saveRecord({ store, now }: PublishDeps, { thread }: View, record: ThreadRecord): Promise<void> {
  if (JSON.stringify(record) === JSON.stringify(thread.record)) return;
  await store.saveThreadRecord(thread.id, record, now().toISOString());
}

function logSilence(
  { log }: PublishDeps,
  silences: Silences,
  thread: string,
  { runAt, isSilenced }: Extract<Step, { kind: 'later' }>,
): void {
  if (!isSilenced || silences.get(thread) === runAt) return;
  silences.set(thread, runAt);
  log.warn({ thread, runAt }, 'posted too much in one place within an hour; silent until then');
}

/** The source of a change cannot be read now; null: it is something else that failed. */
function waitForSource(deps: PublishDeps, thread: string, error: unknown): JobResult | null {
  if (error instanceof SourceBusy) return { kind: 'later', runAt: error.retryAt.toISOString() };
  if (!(error instanceof CausewayError) || error.code !== 'repository_unreachable') return null;
  // A job that fails three times is dead, and its pull request would be lost.
  deps.log.warn({ thread, err: error }, 'the source of a change cannot be read');
  return runLater(deps, UNREACHABLE_MS);
}

/** What was done is the record that it returns. Throws GithubFailure where it is to be tried again. */
async function carryOut(
  work: Work,
  step: Exclude<Step, { kind: 'later' | 'done' | 'look' | 'follow' }>,
): Promise<ThreadRecord> {
  switch (step.kind) {
    case 'react':
      return await react(work, step.number);
    case 'delete':
      return await remove(work, step.commentId);
    case 'post':
      return await unlessRefused(work, step.comment, () => post(work, step.number, step.comment));
    case 'edit':
      return await unlessRefused(work, step.comment, () => edit(work, step.standing, step.comment));
    case 'settle':
      return await unlessRefused(work, step.comment, () => settle(work, step.standing, step.comment));
    case 'reopen':
      return await unlessRefused(work, step.comment, () => reopen(work, step.standing, step.comment));
    case 'reply':
      return await addReply(work, step);
    case 'suggest':
      return await suggest(work, step.number);
    case 'fold':
      return await fold(work);
    case 'unfold':
      return await unfold(work);
    case 'open':
      return await openPullRequest(work);
  }
}
