// Runs failed jobs of GitHub Actions once more, where what runs with them is harmless. GitHub counts the attempts of a
// workflow run: only the first one is followed by ours, so that a call that was repeated after a crash starts nothing twice.
import type { Rerun, RerunRequest } from '../../core/check/index.ts';
import { ignoreUnknown, openRepository, readPages, recoverFrom } from '../clients/index.ts';
import { findRerunRisk } from './rerun-risk.ts';
import type { Inquiry } from './workflow-runs.ts';

const MAX_PAGES = 3;
const MAX_FILE_BYTES = 512 * 1_024;
/** Of these a run tests a commit with the rights that its author has; any other may do more, or for someone else. */
const REPEATED = ['pull_request', 'push'];

/** Of the workflow runs of these jobs, each on its own. */
export async function rerunJobs(inquiry: Inquiry, request: RerunRequest): Promise<Rerun> {
  if (await isWaitingForApproval(inquiry, request)) return { kind: 'refused', why: { code: 'approval' } };
  const answers: Rerun[] = [];
  for (const [runId, jobIds] of await groupByRun(inquiry, request)) {
    answers.push(await rerunOne(inquiry, request, { runId, jobIds }));
  }
  const isOf = (kind: Rerun['kind']) => (answer: Rerun) => answer.kind === kind;
  const kinds = ['started', 'started_before', 'running', 'refused'] as const;
  const first = kinds.map((kind) => answers.find(isOf(kind))).find((answer) => answer !== undefined);
  return first ?? { kind: 'refused', why: { code: 'not_actions' } };
}

/** A first contribution: a maintainer decides whether anything of it runs. */
async function isWaitingForApproval({ read }: Inquiry, { sha, isFork }: RerunRequest): Promise<boolean> {
  if (!isFork) return false;
  const { items } = await readPages(MAX_PAGES, async (page) => {
    const found = await read(({ rest }, place) =>
      rest.actions.listWorkflowRunsForRepo({ ...place, head_sha: sha, ...page }),
    );
    return found.workflow_runs;
  });
  return items.some(({ status, conclusion }) =>
    [status, conclusion].some((state) => state === 'action_required' || state === 'waiting'),
  );
}

async function groupByRun({ read }: Inquiry, { jobIds }: RerunRequest): Promise<ReadonlyMap<number, Set<number>>> {
  const byRun = new Map<number, Set<number>>();
  for (const id of jobIds) {
    const job = await ignoreUnknown(
      read(({ rest }, place) => rest.actions.getJobForWorkflowRun({ ...place, job_id: id })),
    );
    if (job === null) continue;
    byRun.set(job.run_id, (byRun.get(job.run_id) ?? new Set()).add(id));
  }
  return byRun;
}

interface OneRun {
  readonly runId: number;
  readonly jobIds: ReadonlySet<number>;
}

const NOT_FAILED: readonly (string | null)[] = ['success', 'neutral', 'skipped', null];

async function rerunOne(inquiry: Inquiry, request: RerunRequest, { runId, jobIds }: OneRun): Promise<Rerun> {
  const { read, project } = inquiry;
  const run = await read(({ rest }, place) => rest.actions.getWorkflowRun({ ...place, run_id: runId }));
  if ((run.run_attempt ?? 1) > 1) return { kind: 'started_before' };
  const isOwn = run.head_repository?.id === project.source.repositoryId;
  const isRepeated = REPEATED.includes(run.event) && (run.event === 'pull_request' || (isOwn && !request.isFork));
  if (!isRepeated || run.head_sha !== request.sha) return { kind: 'refused', why: { code: 'event' } };
  if (run.status !== 'completed') return { kind: 'running' };
  const { items: all, isCut } = await readPages(MAX_PAGES, async (page) => {
    const found = await read(({ rest }, place) =>
      rest.actions.listJobsForWorkflowRun({ ...place, run_id: runId, ...page }),
    );
    return found.jobs;
  });
  if (isCut) return { kind: 'refused', why: { code: 'unread' } };
  const failed = all.filter(({ conclusion }) => !NOT_FAILED.includes(conclusion));
  const wanted = failed.filter(({ id }) => jobIds.has(id));
  const [only] = wanted;
  if (only === undefined) return { kind: 'refused', why: { code: 'refused' } };
  const others = failed.filter(({ id }) => !jobIds.has(id));
  // GitHub repeats one job, or all that failed: those that the first failure cancelled belong to the latter.
  const isAll = failed.length > 1 && others.every(({ conclusion }) => conclusion === 'cancelled');
  if (!isAll && wanted.length > 1) return { kind: 'refused', why: { code: 'others_failed' } };
  const files = await readWorkflowFiles(inquiry, request, { path: run.path, event: run.event });
  const isReadOnly = run.event === 'pull_request' && !isOwn && !project.source.isPrivate;
  if (files === null) return { kind: 'refused', why: { code: 'unread' } };
  const toNames = (jobs: typeof all) => jobs.map(({ name }) => name);
  const subject = { files, jobs: toNames(wanted), cancelled: isAll ? toNames(others) : [], isReadOnly };
  const why = findRerunRisk(subject);
  return why === null
    ? await startAttempt(inquiry, isAll ? { run_id: runId } : { job_id: only.id })
    : { kind: 'refused', why };
}

async function startAttempt(
  { deps, project, signal }: Inquiry,
  what: { readonly run_id: number } | { readonly job_id: number },
): Promise<Rerun> {
  const write = openRepository(deps, project, 'rerun', signal);
  return await recoverFrom<Rerun>(
    ['gone', 'refused'],
    async () => {
      await write(({ rest: { actions } }, place) =>
        'run_id' in what
          ? actions.reRunWorkflowFailedJobs({ ...place, ...what })
          : actions.reRunJobForWorkflowRun({ ...place, ...what }),
      );
      return { kind: 'started' };
    },
    () => ({ kind: 'refused', why: { code: 'refused' } }),
  );
}

/** Null: it cannot be read. A pull request may add a workflow, or be older than one of its base. */
async function readWorkflowFiles(
  inquiry: Inquiry,
  { sha, base }: RerunRequest,
  { path, event }: { readonly path: string; readonly event: string },
): Promise<readonly string[] | null> {
  const [file = ''] = path.split('@');
  if (!/^\.github\/workflows\/[^/]{1,200}\.ya?ml$/.test(file)) return null;
  const files: string[] = [];
  for (const ref of event === 'pull_request' ? [sha, base] : [sha]) {
    if (ref === null) return null;
    const read = await readFileAt(inquiry, file, ref);
    if (read === 'unread') return null;
    if (read !== 'absent') files.push(read.text);
  }
  return files.length === 0 ? null : files;
}

async function readFileAt(
  { read }: Inquiry,
  path: string,
  ref: string,
): Promise<{ readonly text: string } | 'absent' | 'unread'> {
  const found = await ignoreUnknown(read(({ rest }, place) => rest.repos.getContent({ ...place, path, ref })));
  if (found === null) return 'absent';
  const { type, size, encoding, content } = found as Readonly<Record<string, unknown>>;
  const isText = type === 'file' && encoding === 'base64' && typeof content === 'string';
  if (!isText || Number(size) > MAX_FILE_BYTES) return 'unread';
  return { text: Buffer.from(content, 'base64').toString('utf8') };
}
