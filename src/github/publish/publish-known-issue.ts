// The handler of `known` jobs: keeps our one comment on an issue that people tied failures to up to date, at most once an hour.
import type { IssueState, KnownIssue, KnownRecord } from '../../core/check/index.ts';
import { type GithubProject, isGithubProject } from '../../core/project/index.ts';
import type { JobHandler, JobResult } from '../../core/queue.ts';
import { recoverFrom } from '../clients/index.ts';
import { renderKnownComment } from '../render/index.ts';
import { createGithubWriter, type GithubWriter } from './github-writer.ts';
import { digestOf, knownMarkerText, readKnownMarker } from './marker.ts';
import { createPublishJob } from './publish-job.ts';
import { isObserved, type PublishDeps } from './view.ts';

const HOUR_MS = 60 * 60 * 1_000;
/** Clocks differ; our comment is not older than the record by more than this. */
const SLACK_MS = 600_000;

interface KnownWork {
  readonly deps: PublishDeps;
  readonly known: KnownIssue;
  readonly project: GithubProject;
  readonly github: GithubWriter;
}

const DONE: JobResult = { kind: 'done' };

/** Looks at what is, as often as it runs: whether the issue is open, what it covered, and what our comment says. */
export function createKnownHandler(deps: PublishDeps): JobHandler {
  return createPublishJob(deps, 'known', async (id, signal) => {
    const known = await deps.store.findKnownIssue(id);
    const project = known === null ? null : await deps.store.findProject(known.projectId);
    if (known === null || known.state === 'idle' || project === null || !isGithubProject(project)) return DONE;
    const state = await deps.checks.readIssue(project, known.number, signal);
    const current = await endWhereClosed(deps, known, state);
    if (state.kind === 'gone' || current === null) return DONE;
    const { config } = await deps.configuration.of(project, signal);
    if (isObserved(deps, config)) return DONE;
    const github = createGithubWriter(deps, project, signal);
    return await writeKnownComment({ deps, known: current, project, github });
  });
}

/** A delivery that says so may be lost. */
async function endWhereClosed(
  { store, now }: PublishDeps,
  known: KnownIssue,
  state: IssueState,
): Promise<KnownIssue | null> {
  if (known.state !== 'open' || state.kind === 'open') return known;
  const at = (state.kind === 'closed' && state.closedAt) || now().toISOString();
  const end = { by: state.kind, person: null, at, now: now().toISOString() } as const;
  await store.endKnownIssue({ projectId: known.projectId, number: known.number, ...end });
  return await store.findKnownIssue(known.id);
}

async function writeKnownComment(work: KnownWork): Promise<JobResult> {
  const { deps, known } = work;
  const { comment, isRefused = false } = known.record;
  // People deleted it, or GitHub does not take it.
  if (isRefused || comment?.url === '') return DONE;
  const text = await composeKnownText(work);
  if (text === null) return DONE;
  if (comment !== null && comment.digest === digestOf(text)) return DONE;
  const posted = comment ?? (await adoptKnownComment(work));
  if (posted !== null) {
    const dueAt = Date.parse(posted.at) + HOUR_MS;
    if (dueAt > deps.now().getTime()) return { kind: 'later', runAt: new Date(dueAt).toISOString() };
  }
  await recoverFrom(
    ['refused'],
    () => write(work, posted, text),
    async (error) => {
      deps.log.warn({ known: known.id, err: error }, 'GitHub refused the comment on a known failure');
      await save(work, { ...known.record, isRefused: true });
    },
  );
  return DONE;
}

/** Null: there is nothing to tell yet. */
async function composeKnownText({ deps, known, project }: KnownWork): Promise<string | null> {
  const hits = await deps.store.readKnownHits(known.id);
  if (hits.count === 0 && known.record.comment === null) return null;
  const headlines = new Map<string, string>();
  for (const tie of known.ties) {
    const failure = tie.kind === 'failure' ? await deps.store.findFailure(tie.failureId) : null;
    if (failure !== null) headlines.set(failure.id, failure.headline);
  }
  const address = `${deps.webUrl}/${project.name}`;
  return renderKnownComment({ known, hits, headlines, address, marker: knownMarkerText(known.id) });
}

type Posted = NonNullable<KnownRecord['comment']>;

/** One that was posted and not recorded. */
async function adoptKnownComment(work: KnownWork): Promise<Posted | null> {
  const { github, known, deps } = work;
  const since = new Date(Date.parse(known.createdAt) - SLACK_MS).toISOString();
  const own = await github.listOwnComments(known.number, since);
  const found = own.find(({ body }) => readKnownMarker(body) === known.id);
  if (found === undefined) return null;
  const posted = { id: found.id, url: found.url, digest: digestOf(found.body), at: deps.now().toISOString() };
  await save(work, { ...known.record, comment: posted });
  return posted;
}

async function write(work: KnownWork, posted: Posted | null, text: string): Promise<void> {
  const { github, known, deps } = work;
  const about = { digest: digestOf(text), at: deps.now().toISOString() };
  if (posted === null) {
    const { id, url } = await github.createComment(known.number, text);
    return await save(work, { ...known.record, comment: { id, url, ...about } });
  }
  const url = await recoverFrom(
    ['gone'],
    async () => {
      await github.updateComment(posted.id, text);
      return posted.url;
    },
    (error) => {
      deps.log.info({ known: known.id, err: error }, 'our comment on a known failure is gone');
      return '';
    },
  );
  await save(work, { ...known.record, comment: { id: posted.id, url, ...about } });
}

async function save({ deps, known }: KnownWork, record: KnownRecord): Promise<void> {
  await deps.store.saveKnownRecord(known.id, record);
}
