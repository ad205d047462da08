// The handler of `check-run` jobs: brings our own check run on one head up to what is known, one recorded effect after another.
import type { HeadRecord, PostedCheckRun } from '../../core/head.ts';
import type { JobHandler, JobResult } from '../../core/queue.ts';
import { GithubFailure } from '../clients/github-clients.ts';
import { annotationKey } from '../render/check-run-annotations.ts';
import type { CheckRunOutbox, StandingCheckRun } from './check-run-outbox.ts';
import {
  type CheckRunDeps,
  type CheckRunView,
  decideCheckRun,
  isAwaited,
  isLive,
  loadCheckRunView,
  type WantedCheckRun,
} from './decide-check-run.ts';
import { createEffectHandler, PAUSED_MS, runLater } from './effect-job.ts';
import { createGithubCheckRuns } from './github-check-runs.ts';
import { digestOf } from './marker.ts';
import { isObserved } from './view.ts';

/** How soon it is looked whether an investigation has ended or died without a word. */
const WATCH_MS = 60_000;
/** GitHub takes more, and nobody reads them. */
const MOST_ANNOTATIONS = 100;

export function createCheckRunHandler(deps: CheckRunDeps): JobHandler {
  return createEffectHandler(deps, {
    subject: 'head',
    bringUp: (headId, signal) => publishCheckRun(deps, headId, signal),
    shut: 'GitHub lets nothing be read here',
    dead: 'our check run could not be brought up to date',
  });
}

interface Work {
  readonly deps: CheckRunDeps;
  readonly outbox: CheckRunOutbox;
  readonly view: CheckRunView;
  readonly wanted: WantedCheckRun;
  /** Of what it should show, however much of that GitHub takes. */
  readonly digest: string;
  readonly signal: AbortSignal;
}

async function publishCheckRun(deps: CheckRunDeps, headId: string, signal: AbortSignal): Promise<JobResult> {
  if (deps.paused()) return runLater(deps, PAUSED_MS);
  const view = await loadCheckRunView(deps, headId, signal);
  if (view === null || view.head.record.isRefused === true) return { kind: 'done' };
  const wanted = decideCheckRun(view);
  if (wanted === null) return { kind: 'done' };
  if (isObserved(deps, view.config)) await hold(deps, view, wanted);
  else
    await unlessRefused({
      deps,
      outbox: createGithubCheckRuns(deps, view),
      view,
      wanted,
      digest: digest(wanted),
      signal,
    });
  return isAwaited(view) ? runLater(deps, WATCH_MS) : { kind: 'done' };
}

/** Nothing may leave: it is noted down instead. */
async function hold(deps: CheckRunDeps, { head }: CheckRunView, wanted: WantedCheckRun): Promise<void> {
  const text = [wanted.title, wanted.summary, wanted.text].filter((part) => part !== '').join('\n\n');
  const held = await deps.redactor.redact(text);
  if (head.record.held !== held) await remember(deps, head.id, { ...head.record, held });
}

/** What GitHub takes no check run for is not tried again: the next head tells whether that has changed. */
async function unlessRefused(work: Work): Promise<void> {
  const { deps, view } = work;
  try {
    await inSomeForm(work);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    deps.log.warn({ head: view.head.id, err: error }, 'GitHub takes no check run here');
    const latest = (await deps.store.head(view.head.id))?.record ?? view.head.record;
    await remember(deps, view.head.id, { ...latest, isRefused: true });
  }
}

/** Words that GitHub does not like must not keep it from being completed: then its title has to do. */
async function inSomeForm(work: Work): Promise<void> {
  try {
    await show(work);
  } catch (error) {
    if (!(error instanceof GithubFailure) || error.status !== 422) throw error;
    const { deps, wanted } = work;
    deps.log.warn({ head: work.view.head.id, err: error }, 'GitHub did not take our check run as it was written');
    const record = (await deps.store.head(work.view.head.id))?.record ?? work.view.head.record;
    const view = { ...work.view, head: { ...work.view.head, record } };
    await show({ ...work, view, wanted: { ...wanted, summary: wanted.title, text: '', annotations: [] } });
  }
}

/** That our key is wrong, or the installation suspended, says nothing of this head. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof GithubFailure)) return false;
  return (error.kind === 'refused' && error.status !== 401) || (error.kind === 'gone' && error.status !== 403);
}

async function show(work: Work): Promise<void> {
  const { deps, outbox, view, wanted, signal } = work;
  const { record } = view.head;
  const place = { sha: view.head.sha, externalId: view.head.id };
  if (record.checkRun !== null) return await bringUp(work, record.checkRun);
  const found = await outbox.find(place, signal);
  if (found !== null) return await bringUp(work, await adopted(work, found));
  if (view.causes.length === 0 || !isLive(view)) return;
  await remember(deps, view.head.id, { ...record, isBegun: true });
  const made = await outbox.create(place, wanted, signal);
  const annotations = wanted.annotations.length;
  await noted(work, { ...made, status: wanted.status, annotations, digest: work.digest });
}

/** One that was made and not recorded; what it shows, only GitHub knows. */
async function adopted(work: Work, found: StandingCheckRun): Promise<PostedCheckRun> {
  const posted = { ...found, digest: '', at: work.deps.now().toISOString() };
  await noted(work, posted, []);
  return posted;
}

/** GitHub only ever adds annotations: those that are there are not sent again. */
async function bringUp(work: Work, standing: PostedCheckRun): Promise<void> {
  const { outbox, wanted, signal } = work;
  if (standing.digest === work.digest) return;
  const { id, url } = standing;
  const there = wanted.annotations.length === 0 ? [] : await outbox.annotations(id, signal);
  const known = new Set(there.map(annotationKey));
  const missing = (await outbox.cleaned(wanted.annotations)).filter((one) => !known.has(annotationKey(one)));
  const added = missing.slice(0, Math.max(0, MOST_ANNOTATIONS - there.length));
  await outbox.update(id, { ...wanted, annotations: added }, signal);
  const annotations = wanted.annotations.length === 0 ? standing.annotations : there.length + added.length;
  await noted(work, { id, url, status: wanted.status, annotations, digest: work.digest });
}

async function noted(
  { deps, view, wanted }: Work,
  shown: Omit<PostedCheckRun, 'at' | 'buttons'>,
  buttons: WantedCheckRun['buttons'] = wanted.buttons,
): Promise<void> {
  const asked = buttons.map(({ threadId, investigationId }) => ({ threadId, investigationId }));
  const { id, url, status, annotations, digest: shows } = shown;
  await remember(deps, view.head.id, {
    checkRun: {
      ...{ id, url, status, annotations, digest: shows, at: deps.now().toISOString() },
      ...(asked.length === 0 ? {} : { buttons: asked }),
    },
    held: null,
    isBegun: true,
  });
}

async function remember({ store, now }: CheckRunDeps, headId: string, record: HeadRecord): Promise<void> {
  await store.saveHeadRecord(headId, record, now().toISOString());
}

/** Equal where nothing that it shows or its buttons ask for has changed. */
function digest(wanted: WantedCheckRun): string {
  return digestOf(JSON.stringify(wanted));
}
