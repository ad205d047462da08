// The handler of `publish` jobs: brings what stands on GitHub for one thread up to what is known, one recorded effect after another.
import { CausewayError } from '../../core/errors.ts';
import { repositoryOf } from '../../core/project.ts';
import type { JobHandler, JobResult } from '../../core/queue.ts';
import { SourceBusy } from '../../core/source.ts';
import type { ThreadRecord } from '../../core/thread.ts';
import { GithubFailure } from '../clients/github-clients.ts';
import { addReply, edit, fold, post, react, remove, reopen, settle, unfold, unlessRefused } from './comment-effects.ts';
import { decideStep, type Progress, type Step } from './decide.ts';
import { createEffectHandler, PAUSED_MS, runLater } from './effect-job.ts';
import { follow } from './follow-pull-request.ts';
import { createGithubOutbox } from './github-outbox.ts';
import { openPullRequest } from './open-pull-request.ts';
import { createRecordingOutbox, type Outbox } from './outbox.ts';
import { suggest } from './suggestions.ts';
import { isObserved, type LivePull, loadView, type PublishDeps, type View, type Work } from './view.ts';

/** How soon a repository is asked again that git could not reach. */
const UNREACHABLE_MS = 300_000;

/** No thread needs so many effects in a row; more would be a bug that must not go round in circles on GitHub. */
const MOST_EFFECTS = 20;

interface PublishHouse extends PublishDeps {
  /** Says once for each silence that a thread has fallen silent, however often it is looked at meanwhile. */
  readonly tellSilence: (thread: string, until: string) => void;
}

export function createPublishHandler(deps: PublishDeps): JobHandler {
  const house: PublishHouse = { ...deps, tellSilence: createSilenceLog(deps) };
  return createEffectHandler(deps, {
    subject: 'thread',
    bringUp: (threadId, signal) => publishThread(house, threadId, signal),
    afterOther: (threadId, error) => waitForSource(deps, threadId, error),
    shut: 'GitHub lets nothing be written here',
    dead: 'what stands on GitHub could not be brought up to date',
  });
}

/** Of one try of the job. The publisher alone writes the record (but for a 👀, which may be given twice, and for people who are erased: what the store has forgotten of them it does not take back), so it is read only once. */
interface State {
  readonly record: ThreadRecord | null;
  readonly pull: LivePull | null;
  readonly outbox: Outbox | null;
  readonly progress: Progress;
}

const START: State = { record: null, pull: null, outbox: null, progress: { hasFollowed: false, followAt: null } };

async function publishThread(deps: PublishHouse, threadId: string, signal: AbortSignal): Promise<JobResult> {
  let state = START;
  for (let effects = 0; effects < MOST_EFFECTS; effects += 1) {
    if (deps.paused()) return runLater(deps, PAUSED_MS);
    const view = await loadView(deps, threadId, state, signal);
    if (view === null) return { kind: 'done' };
    const step = decideStep(view, state.progress);
    if (step.kind === 'done') return step;
    if (step.kind === 'later') return endWaiting(deps, threadId, step);
    const outbox = state.outbox ?? createOutbox(deps, view);
    state = await carryOutStep({ deps, outbox, view, signal }, step, state.progress);
  }
  deps.log.error({ thread: threadId }, 'a thread on GitHub does not come to rest');
  return { kind: 'done' };
}

function createOutbox(deps: PublishDeps, view: View): Outbox {
  return isObserved(deps, view.config) ? createRecordingOutbox(view.record) : createGithubOutbox(deps, view.project);
}

/** What was done is recorded before anything else is. */
async function carryOutStep(work: Work, step: Effect, progress: Progress): Promise<State> {
  const { deps, outbox, view } = work;
  const { pull } = view;
  if (step.kind === 'look') return { record: view.record, pull: await lookAtPull(work, step.number), outbox, progress };
  const { pullRequest } = view.record;
  if (step.kind !== 'follow' || pullRequest === null) {
    const record = await carryOut(work, step);
    await remember(deps, view, outbox.keep(record));
    return { record, pull, outbox, progress };
  }
  const { record, lookAt } = await follow(work, pullRequest);
  await remember(deps, view, outbox.keep(record));
  return { record, pull, outbox, progress: { hasFollowed: true, followAt: lookAt } };
}

async function remember({ store, now }: PublishDeps, { thread }: View, record: ThreadRecord): Promise<void> {
  if (JSON.stringify(record) === JSON.stringify(thread.record)) return;
  await store.saveThreadRecord(thread.id, record, now().toISOString());
}

function endWaiting(
  { tellSilence }: PublishHouse,
  thread: string,
  { runAt, isSilenced }: Extract<Step, { kind: 'later' }>,
): JobResult {
  if (isSilenced) tellSilence(thread, runAt);
  return { kind: 'later', runAt };
}

const MOST_SILENCES = 1_000;

function createSilenceLog({ log }: Pick<PublishDeps, 'log'>): PublishHouse['tellSilence'] {
  const told = new Map<string, string>();
  return (thread, runAt) => {
    if (told.get(thread) === runAt) return;
    told.delete(thread);
    told.set(thread, runAt);
    const [oldest] = told.keys();
    if (told.size > MOST_SILENCES && oldest !== undefined) told.delete(oldest);
    log.warn({ thread, runAt }, 'posted too much in one place within an hour; silent until then');
  };
}

/** The source of a change cannot be read now; null: it is something else that failed. */
function waitForSource(deps: PublishDeps, thread: string, error: unknown): JobResult | null {
  if (error instanceof SourceBusy) return { kind: 'later', runAt: error.retryAt.toISOString() };
  if (!(error instanceof CausewayError) || error.code !== 'repository_unreachable') return null;
  // A job that fails thrice is dead, and its pull request would be lost.
  deps.log.warn({ thread, err: error }, 'the source of a change cannot be read');
  return runLater(deps, UNREACHABLE_MS);
}

type Effect = Exclude<Step, { kind: 'later' | 'done' }>;

/** Throws GithubFailure where it is to be tried again. */
async function carryOut(work: Work, step: Effect): Promise<ThreadRecord> {
  switch (step.kind) {
    case 'react':
      return await react(work, step.number);
    case 'delete':
      return await remove(work, step.commentId);
    case 'post':
      return await unlessRefused(work, step.comment, post(work, step.number, step.comment));
    case 'edit':
      return await unlessRefused(work, step.comment, edit(work, step.standing, step.comment));
    case 'settle':
      return await unlessRefused(work, step.comment, settle(work, step.standing, step.comment));
    case 'reopen':
      return await unlessRefused(work, step.comment, reopen(work, step.standing, step.comment));
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
    case 'look':
    case 'follow':
      return work.view.record;
  }
}

/** What is not there for us counts as closed. */
const GONE: LivePull = { state: 'closed', headSha: '', isDraft: false, isFork: true };

export async function lookAtPull({ deps, view, signal }: Omit<Work, 'outbox'>, number: number): Promise<LivePull> {
  const pull = { ...repositoryOf(view.project), pull_number: number };
  try {
    const { data } = await deps.clients
      .repository(view.project.source, 'read')
      .call(({ rest }, request) => rest.pulls.get({ ...pull, request }), signal);
    return {
      state: data.state === 'open' ? 'open' : 'closed',
      headSha: data.head.sha,
      isDraft: data.draft ?? false,
      isFork: data.head.repo?.id !== data.base.repo.id,
    };
  } catch (error) {
    if (!(error instanceof GithubFailure) || (error.kind !== 'gone' && error.kind !== 'refused')) throw error;
    deps.log.info({ thread: view.thread.id, err: error }, 'a pull request cannot be looked at');
    return GONE;
  }
}
