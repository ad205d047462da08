// The handler of `check-run` jobs: brings our own check run on one head up to date, one recorded step after another.
import type { HeadRecord, PostedCheckRun } from '../../core/check/index.ts';
import type { JobHandler, JobResult } from '../../core/queue.ts';
import { CHECK_NAME, GithubFailure, isOwnCheck, openRepository, readPages } from '../clients/index.ts';
import { type CheckRunAnnotation, MAX_CHECK_TITLE, toAnnotationKey } from '../render/index.ts';
import {
  type CheckRunView,
  decideCheckRun,
  isAwaited,
  isLive,
  loadCheckRunView,
  type WantedCheckRun,
} from './decide-check-run.ts';
import { digestOf } from './marker.ts';
import { createPublishJob, runLater } from './publish-job.ts';
import { isObserved, type PublishDeps } from './view.ts';

/** An investigation may die without notice. */
const WATCH_MS = 60_000;
/** GitHub accepts more, but people don't read them. */
const MOST_ANNOTATIONS = 100;
const MOST_PAGES = 5;
/** GitHub's limit of a text, in bytes. */
const MAX_TEXT = 65_535;

interface CheckRunWork {
  readonly deps: PublishDeps;
  readonly view: CheckRunView;
  readonly wanted: WantedCheckRun;
  /** Of what it should show, whether or not GitHub accepts all of it. */
  readonly digest: string;
  readonly signal: AbortSignal;
}

export function createCheckRunHandler(deps: PublishDeps): JobHandler {
  return createPublishJob(deps, 'head', async (headId, signal): Promise<JobResult> => {
    const view = await loadCheckRunView(deps, headId, signal);
    if (view === null || view.head.record.isRefused === true) return { kind: 'done' };
    const wanted = decideCheckRun(view);
    if (wanted === null) return { kind: 'done' };
    if (isObserved(deps, view.config)) await hold(deps, view, wanted);
    else await showUnlessRefused({ deps, view, wanted, digest: digestOf(JSON.stringify(wanted)), signal });
    return isAwaited(view) ? runLater(deps, WATCH_MS) : { kind: 'done' };
  });
}

/** Stores what would be shown. */
async function hold(deps: PublishDeps, { head }: CheckRunView, wanted: WantedCheckRun): Promise<void> {
  const text = [wanted.title, wanted.summary, wanted.text].filter(Boolean).join('\n\n');
  const held = await deps.redactor.redact(text);
  if (head.record.held !== held) await saveRecord(deps, head.id, { ...head.record, held });
}

/** A refused check run isn't tried again: the next head shows whether that has changed. */
async function showUnlessRefused(work: CheckRunWork): Promise<void> {
  const { deps, view, wanted } = work;
  const { id } = view.head;
  const readRecord = async () => (await deps.store.findHead(id))?.record ?? view.head.record;
  try {
    try {
      await showCheckRun(work);
    } catch (error) {
      if (!(error instanceof GithubFailure) || error.status !== 422) throw error;
      deps.log.warn({ head: id, err: error }, 'GitHub refused the text of our check run; only its title is shown');
      const titleOnly = { ...wanted, summary: wanted.title, text: '', annotations: [] };
      await showCheckRun({
        ...work,
        view: { ...view, head: { ...view.head, record: await readRecord() } },
        wanted: titleOnly,
      });
    }
  } catch (error) {
    // A wrong key or a suspended installation says nothing about this head.
    const isRefused =
      error instanceof GithubFailure &&
      ((error.kind === 'refused' && error.status !== 401) || (error.kind === 'gone' && error.status !== 403));
    if (!isRefused) throw error;
    deps.log.warn({ head: id, err: error }, 'GitHub refused our check run');
    await saveRecord(deps, id, { ...(await readRecord()), isRefused: true });
  }
}

/** Looks for a check run that was created but not recorded before it creates one. */
async function showCheckRun(work: CheckRunWork): Promise<void> {
  const { deps, view, wanted, digest, signal } = work;
  const { head, project } = view;
  const posted = head.record.checkRun ?? (await adoptCheckRun(work));
  if (posted !== null) return await updateCheckRun(work, posted);
  if (view.causes.length === 0 || !isLive(head)) return;
  await saveRecord(deps, head.id, { ...head.record, isBegun: true });
  const run = {
    name: CHECK_NAME,
    head_sha: head.sha,
    external_id: head.id,
    ...(await toFields(work, wanted.annotations)),
  };
  const write = openRepository(deps, project, 'check', signal);
  const data = await write(({ rest }, place) => rest.checks.create({ ...place, ...run }));
  await saveCheckRun(work, { ...toIdentity(data), annotations: wanted.annotations.length, digest });
}

/** The first check run of our App whose `external_id` names this head; null: there is none. */
async function adoptCheckRun(work: CheckRunWork): Promise<PostedCheckRun | null> {
  const { deps, view, signal } = work;
  const identity = await deps.clients.identity(signal);
  const of = { ref: view.head.sha, app_id: identity.appId, filter: 'all' } as const;
  const read = openRepository(deps, view.project, 'read', signal);
  const { items } = await readPages(MOST_PAGES, async (page) => {
    const found = await read(({ rest }, place) => rest.checks.listForRef({ ...place, ...of, ...page }));
    return found.check_runs;
  });
  const own = items.filter((run) => isOwnCheck(identity, run) && run.external_id === view.head.id);
  const [first] = own.toSorted((one, other) => one.id - other.id);
  if (first === undefined) return null;
  const status = first.status === 'completed' ? 'completed' : 'in_progress';
  const posted = { ...toIdentity(first), status, annotations: first.output.annotations_count, digest: '' } as const;
  await saveCheckRun({ ...work, wanted: { ...work.wanted, status, buttons: [], reverts: [] } }, posted);
  return { ...posted, at: deps.now().toISOString() };
}

/** GitHub only adds annotations: those that are there aren't sent again. */
async function updateCheckRun(work: CheckRunWork, { id, url, ...posted }: PostedCheckRun): Promise<void> {
  const { deps, view, wanted, digest, signal } = work;
  if (posted.digest === digest) return;
  const read = openRepository(deps, view.project, 'read', signal);
  const listAnnotations = (page: { readonly per_page: number; readonly page: number }) =>
    read(({ rest }, place) => rest.checks.listAnnotations({ ...place, check_run_id: id, ...page }));
  const existing = wanted.annotations.length === 0 ? [] : (await readPages(MOST_PAGES, listAnnotations)).items;
  const known = new Set(existing.map(({ path, start_line: line }) => toAnnotationKey({ path, line })));
  const added = wanted.annotations
    .filter((one) => !known.has(toAnnotationKey(one)))
    .slice(0, Math.max(0, MOST_ANNOTATIONS - existing.length));
  const run = { check_run_id: id, ...(await toFields(work, added)) };
  const write = openRepository(deps, view.project, 'check', signal);
  await write(({ rest }, place) => rest.checks.update({ ...place, ...run }));
  const annotations = wanted.annotations.length === 0 ? posted.annotations : existing.length + added.length;
  await saveCheckRun(work, { id, url, annotations, digest });
}

/** The fields of a call, every text redacted once more. */
async function toFields({ deps, wanted }: CheckRunWork, annotations: readonly CheckRunAnnotation[]) {
  const redact = (text: string) => deps.redactor.redact(text);
  const text = fitText(await redact(wanted.text));
  const marks = await Promise.all(
    annotations.map(async ({ path, line, title, message }) => ({
      path,
      start_line: line,
      end_line: line,
      annotation_level: 'warning' as const,
      title: fitTitle(await redact(title)),
      message: await redact(message),
    })),
  );
  return {
    ...(wanted.status === 'completed'
      ? { status: 'completed' as const, conclusion: 'neutral' as const }
      : { status: 'in_progress' as const }),
    output: {
      title: fitTitle(await redact(wanted.title)),
      summary: fitText(await redact(wanted.summary)),
      ...(text !== '' && { text }),
      ...(marks.length > 0 && { annotations: marks }),
    },
    actions: [...wanted.buttons, ...wanted.reverts].map(({ label, description, identifier }) => ({
      label,
      description,
      identifier,
    })),
  };
}

function fitTitle(title: string): string {
  return title.slice(0, MAX_CHECK_TITLE).toWellFormed();
}

/** Redaction can make a text longer. A cut could expose what was quoted. */
function fitText(text: string): string {
  return Buffer.byteLength(text) <= MAX_TEXT ? text : 'This text was too long to be shown here.';
}

function toIdentity({ id, html_url: url }: { readonly id: number; readonly html_url: string | null }) {
  if (typeof id === 'number') return { id, url: url ?? '' };
  const failure = { kind: 'unsure', status: null, retryAt: null } as const;
  throw new GithubFailure(failure, "GitHub's answer has no id of the check run. It is looked for again.");
}

async function saveCheckRun(
  { deps, view, wanted }: CheckRunWork,
  { id, url, annotations, digest }: Pick<PostedCheckRun, 'id' | 'url' | 'annotations' | 'digest'>,
): Promise<void> {
  const buttons = wanted.buttons.map(({ threadId, investigationId }) => ({ threadId, investigationId }));
  const reverts = wanted.reverts.map(({ failureId, sha }) => ({ failureId, sha }));
  await saveRecord(deps, view.head.id, {
    checkRun: {
      id,
      url,
      status: wanted.status,
      annotations,
      digest,
      at: deps.now().toISOString(),
      ...(buttons.length > 0 && { buttons }),
      ...(reverts.length > 0 && { reverts }),
    },
    held: null,
    isBegun: true,
  });
}

async function saveRecord({ store, now }: PublishDeps, headId: string, record: HeadRecord): Promise<void> {
  await store.saveHeadRecord(headId, record, now().toISOString());
}
