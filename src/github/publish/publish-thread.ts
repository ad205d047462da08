// The handler of `publish` jobs: brings what stands on GitHub for one thread up to what is known, one recorded effect after another.
import { CausewayError } from '../../core/errors.ts';
import type { JobHandler, JobResult } from '../../core/queue.ts';
import { SourceBusy } from '../../core/source.ts';
import type { ThreadRecord } from '../../core/thread.ts';
import { type Effect, effectOf } from './carry-out.ts';
import type { LivePull, PublishDeps, View, Work } from './deps.ts';
import { nextStep, type Progress, type Step } from './desired.ts';
import { createEffectHandler, later, PAUSED_MS } from './effect-job.ts';
import { follow } from './follow-checks.ts';
import { createGithubOutbox } from './github-outbox.ts';
import { lookAtPull } from './live-pull.ts';
import type { Outbox } from './outbox.ts';
import { createRecordingOutbox } from './recording-outbox.ts';
import { isObserved, loadView } from './view.ts';

/** How soon a repository is asked again that git could not reach. */
const UNREACHABLE_MS = 300_000;
/** No thread needs so many effects in a row; more would be a bug that must not go round in circles on GitHub. */
const MOST_EFFECTS = 20;

interface PublishHouse extends PublishDeps {
  /** Says once for each silence that a thread has fallen silent, however often it is looked at meanwhile. */
  readonly tellSilence: (thread: string, until: string) => void;
}

export function createPublishHandler(deps: PublishDeps): JobHandler {
  const house: PublishHouse = { ...deps, tellSilence: silenceTeller(deps) };
  return createEffectHandler(deps, {
    subject: 'thread',
    bringUp: (threadId, signal) => publishThread(house, threadId, signal),
    afterOther: (threadId, error) => withoutSource(deps, threadId, error),
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
    if (deps.paused()) return later(deps, PAUSED_MS);
    const view = await loadView(deps, threadId, state, signal);
    if (view === null) return { kind: 'done' };
    const step = nextStep(view, state.progress);
    if (step.kind === 'done') return step;
    if (step.kind === 'later') return waiting(deps, threadId, step);
    const outbox = state.outbox ?? outboxFor(deps, view);
    state = await carriedOut({ deps, outbox, view, signal }, step, state.progress);
  }
  deps.log.error({ thread: threadId }, 'a thread on GitHub does not come to rest');
  return { kind: 'done' };
}

function outboxFor(deps: PublishDeps, view: View): Outbox {
  return isObserved(deps, view.config) ? createRecordingOutbox(view.record) : createGithubOutbox(deps, view);
}

/** What was done is recorded before anything else is. */
async function carriedOut(work: Work, step: Effect, progress: Progress): Promise<State> {
  const { deps, outbox, view } = work;
  const { pull } = view;
  if (step.kind === 'look') return { record: view.record, pull: await lookAtPull(work, step.number), outbox, progress };
  const { pullRequest } = view.record;
  if (step.kind !== 'follow' || pullRequest === null) {
    const record = await effectOf(work, step);
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

function waiting(
  { tellSilence }: PublishHouse,
  thread: string,
  { runAt, isSilenced }: Extract<Step, { kind: 'later' }>,
): JobResult {
  if (isSilenced) tellSilence(thread, runAt);
  return { kind: 'later', runAt };
}

const MOST_SILENCES = 1_000;

function silenceTeller({ log }: Pick<PublishDeps, 'log'>): PublishHouse['tellSilence'] {
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
function withoutSource(deps: PublishDeps, thread: string, error: unknown): JobResult | null {
  if (error instanceof SourceBusy) return { kind: 'later', runAt: error.retryAt.toISOString() };
  if (!(error instanceof CausewayError) || error.code !== 'repository_unreachable') return null;
  // A job that fails thrice is dead, and its pull request would be lost.
  deps.log.warn({ thread, err: error }, 'the source of a change cannot be read');
  return later(deps, UNREACHABLE_MS);
}
