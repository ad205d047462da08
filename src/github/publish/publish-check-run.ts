// The handler of `check-run` jobs: brings our own check run on one head up to what is known, one recorded effect after another.
import type { RestEndpointMethodTypes } from '@octokit/rest';
import type { HeadRecord, PostedCheckRun } from '../../core/head.ts';
import { getRepository } from '../../core/project.ts';
import type { JobHandler, JobResult } from '../../core/queue.ts';
import { GithubFailure } from '../clients/github-clients.ts';
import { type CheckRunAnnotation, toAnnotationKey } from '../render/check-run-annotations.ts';
import {
  type CheckRunDeps,
  type CheckRunView,
  decideCheckRun,
  isAwaited,
  isLive,
  loadCheckRunView,
  type WantedCheckRun,
} from './decide-check-run.ts';
import { createEffectHandler, PAUSED_MS, readPages, runLater } from './github-calls.ts';
import { digestOf } from './marker.ts';
import { isObserved } from './view.ts';

/** How soon it is looked whether an investigation has ended or died without a word. */
const WATCH_MS = 60_000;
/** GitHub takes more, and no person reads them. */
const MOST_ANNOTATIONS = 100;
/** As people see it in the list of checks. */
const NAME = 'Causeway';
/** Of our own check runs on one commit, and of annotations of one of them; there are never so many. */
const MOST_PAGES = 5;
const MAX_TITLE = 255;
/** GitHub's limit of a text, in bytes. */
const MAX_TEXT = 65_535;

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
  readonly view: CheckRunView;
  readonly wanted: WantedCheckRun;
  /** Of what it should show, however much of that GitHub takes: equal where nothing in it has changed. */
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
  else await showUnlessRefused({ deps, view, wanted, digest: digestOf(JSON.stringify(wanted)), signal });
  return isAwaited(view) ? runLater(deps, WATCH_MS) : { kind: 'done' };
}

/** Nothing may leave: it is noted down instead. */
async function hold(deps: CheckRunDeps, { head }: CheckRunView, wanted: WantedCheckRun): Promise<void> {
  const text = [wanted.title, wanted.summary, wanted.text].filter((part) => part !== '').join('\n\n');
  const held = await deps.redactor.redact(text);
  if (head.record.held !== held) await saveRecord(deps, head.id, { ...head.record, held });
}

/** What GitHub takes no check run for is not tried again: the next head tells whether that has changed. */
async function showUnlessRefused(work: Work): Promise<void> {
  const { deps, view } = work;
  try {
    await showInSomeForm(work);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    deps.log.warn({ head: view.head.id, err: error }, 'GitHub takes no check run here');
    await saveRecord(deps, view.head.id, { ...(await readRecord(work)), isRefused: true });
  }
}

/** Words that GitHub does not like must not keep it from being completed: then its title has to do. */
async function showInSomeForm(work: Work): Promise<void> {
  try {
    await show(work);
  } catch (error) {
    if (!(error instanceof GithubFailure) || error.status !== 422) throw error;
    const { deps, wanted } = work;
    deps.log.warn({ head: work.view.head.id, err: error }, 'GitHub did not take our check run as it was written');
    const view = { ...work.view, head: { ...work.view.head, record: await readRecord(work) } };
    await show({ ...work, view, wanted: { ...wanted, summary: wanted.title, text: '', annotations: [] } });
  }
}

/** That our key is wrong, or the installation suspended, says nothing of this head. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof GithubFailure)) return false;
  return (error.kind === 'refused' && error.status !== 401) || (error.kind === 'gone' && error.status !== 403);
}

/** Looks for one that was made and not recorded before it makes another. */
async function show(work: Work): Promise<void> {
  const { deps, view, wanted } = work;
  const { record, id } = view.head;
  const posted = record.checkRun ?? (await adoptCheckRun(work));
  if (posted !== null) return await updateCheckRun(work, posted);
  if (view.causes.length === 0 || !isLive(view)) return;
  await saveRecord(deps, id, { ...record, isBegun: true });
  const made = await createCheckRun(work);
  await saveCheckRun(work, { ...made, annotations: wanted.annotations.length, digest: work.digest });
}

type Answer = RestEndpointMethodTypes['checks']['create']['response']['data'];

/** GitHub keeps check runs of one App apart from all others; that it is of this head its `external_id` says. The first that was made. */
async function adoptCheckRun(work: Work): Promise<PostedCheckRun | null> {
  const { deps, view, signal } = work;
  const { appId } = await deps.clients.identity(signal);
  const read = deps.clients.repository(view.project.source, 'read');
  const of = { ...getRepository(view.project), ref: view.head.sha, app_id: appId, filter: 'all' as const };
  const runs = await readPages(MOST_PAGES, async (page) => {
    const { data } = await read.call(
      ({ rest }, request) => rest.checks.listForRef({ ...of, ...page, request }),
      signal,
    );
    return data.check_runs;
  });
  const own = runs.filter((run) => run.app?.id === appId && run.external_id === view.head.id);
  const [first] = own.toSorted((one, other) => one.id - other.id);
  if (first === undefined) return null;
  const status = first.status === 'completed' ? 'completed' : 'in_progress';
  // What it shows, only GitHub knows.
  const posted = { ...toIdentity(first), status, annotations: first.output.annotations_count, digest: '' } as const;
  await saveCheckRun({ ...work, wanted: { ...work.wanted, status, buttons: [] } }, posted);
  return { ...posted, at: deps.now().toISOString() };
}

async function createCheckRun(work: Work): Promise<Pick<PostedCheckRun, 'id' | 'url'>> {
  const { deps, view, wanted, signal } = work;
  const { head, project } = view;
  const identity = { ...getRepository(project), name: NAME, head_sha: head.sha, external_id: head.id };
  const of = { ...identity, ...(await toFields(work, wanted.annotations)) };
  const write = deps.clients.repository(project.source, 'check');
  const { data } = await write.call(({ rest }, request) => rest.checks.create({ ...of, request }), signal);
  return toIdentity(data);
}

/** GitHub only ever adds annotations: those that are there are not sent again. */
async function updateCheckRun(work: Work, posted: PostedCheckRun): Promise<void> {
  const { deps, view, wanted, signal } = work;
  if (posted.digest === work.digest) return;
  const { id, url } = posted;
  const there = wanted.annotations.length === 0 ? [] : await readAnnotations(work, id);
  const known = new Set(there.map(toAnnotationKey));
  const missing = wanted.annotations.filter((one) => !known.has(toAnnotationKey(one)));
  const added = missing.slice(0, Math.max(0, MOST_ANNOTATIONS - there.length));
  const of = { ...getRepository(view.project), check_run_id: id, ...(await toFields(work, added)) };
  const write = deps.clients.repository(view.project.source, 'check');
  await write.call(({ rest }, request) => rest.checks.update({ ...of, request }), signal);
  const annotations = wanted.annotations.length === 0 ? posted.annotations : there.length + added.length;
  await saveCheckRun(work, { id, url, annotations, digest: work.digest });
}

async function readAnnotations(
  { deps, view, signal }: Work,
  id: number,
): Promise<readonly Pick<CheckRunAnnotation, 'path' | 'line'>[]> {
  const read = deps.clients.repository(view.project.source, 'read');
  const of = { ...getRepository(view.project), check_run_id: id };
  const all = await readPages(MOST_PAGES, async (page) => {
    const { data } = await read.call(
      ({ rest }, request) => rest.checks.listAnnotations({ ...of, ...page, request }),
      signal,
    );
    return data;
  });
  return all.map(({ path, start_line: line }) => ({ path, line }));
}

/** The fields of a call, every text through the redactor once more. GitHub marks it as completed by its conclusion. */
async function toFields({ deps, wanted }: Work, annotations: readonly CheckRunAnnotation[]) {
  const clean = (text: string) => deps.redactor.redact(text);
  const text = fitText(await clean(wanted.text));
  const marks = await Promise.all(
    annotations.map(async ({ path, line, title, message }) => ({
      ...{ path, start_line: line, end_line: line, annotation_level: 'warning' as const },
      ...{ title, message: await clean(message) },
    })),
  );
  return {
    ...(wanted.status === 'completed'
      ? { status: 'completed' as const, conclusion: 'neutral' as const }
      : { status: 'in_progress' as const }),
    output: {
      title: (await clean(wanted.title)).slice(0, MAX_TITLE).toWellFormed(),
      summary: fitText(await clean(wanted.summary)),
      ...(text !== '' && { text }),
      ...(marks.length > 0 && { annotations: marks }),
    },
    actions: wanted.buttons.map(({ label, description, identifier }) => ({ label, description, identifier })),
  };
}

/** Our texts are made to fit; this holds where the redactor has made one longer. Half a text might set free what it quotes. */
function fitText(text: string): string {
  return Buffer.byteLength(text) <= MAX_TEXT ? text : 'This text was too long to be shown here.';
}

function toIdentity({ id, html_url: url }: Answer): Pick<PostedCheckRun, 'id' | 'url'> {
  if (typeof id === 'number') return { id, url: url ?? '' };
  const failure = { kind: 'unsure', status: null, retryAt: null } as const;
  throw new GithubFailure(failure, 'GitHub gave a check run without a number. It is looked for again.');
}

async function saveCheckRun(
  { deps, view, wanted }: Work,
  { id, url, annotations, digest }: Pick<PostedCheckRun, 'id' | 'url' | 'annotations' | 'digest'>,
): Promise<void> {
  const buttons = wanted.buttons.map(({ threadId, investigationId }) => ({ threadId, investigationId }));
  await saveRecord(deps, view.head.id, {
    checkRun: {
      ...{ id, url, status: wanted.status, annotations, digest, at: deps.now().toISOString() },
      ...(buttons.length > 0 && { buttons }),
    },
    held: null,
    isBegun: true,
  });
}

async function readRecord({ deps, view }: Work): Promise<HeadRecord> {
  return (await deps.store.findHead(view.head.id))?.record ?? view.head.record;
}

async function saveRecord({ store, now }: CheckRunDeps, headId: string, record: HeadRecord): Promise<void> {
  await store.saveHeadRecord(headId, record, now().toISOString());
}
