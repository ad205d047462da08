// The failed jobs of the past days with what the base said before them, and the issues opened in those days.
import type { Check } from '../../core/check/index.ts';
import type { Past, PastCheck, PastIssues, PastReader } from '../../core/past.ts';
import { ignoreRefused, ignoreUnknown, isBot, readPages, recoverFrom, toPerson, toUser } from '../clients/index.ts';
import { includesLabel } from '../configuration/index.ts';
import { ACTIONS, isRedConclusion } from './list-checks.ts';
import { type Inquiry, isTesting } from './workflow-runs.ts';

/** 3,000 workflow runs. */
const MOST_RUN_PAGES = 30;
const MOST_ISSUE_PAGES = 5;
/** A matrix makes 256 jobs at most; a repeated run shows those of each attempt. */
const MOST_JOB_PAGES = 5;

type PastLimits = Parameters<PastReader['listPast']>[1];

/** At most `mostCalls` calls, of which the lists take 35 at most and the jobs of each failed run one for each 100. */
export async function listPastChecks(inquiry: Inquiry, { since, mostCalls, isPatient }: PastLimits): Promise<Past> {
  let calls = 0;
  const left = () => mostCalls - calls;
  const issues = await listIssues(inquiry, since, Math.min(MOST_ISSUE_PAGES, left()), () => (calls += 1));
  const listed = await listPastRuns(inquiry, since, Math.min(MOST_RUN_PAGES, left()), () => (calls += 1));
  const runs = listed.runs ?? [];
  const failed = runs.filter((run) => isTesting(run) && mayHaveRedJobs(run));
  const redJobs = new Map<number, readonly RedJob[]>();
  for (const run of failed) {
    if (left() <= 0) break;
    const read = () => readRedJobs(inquiry, run, Math.min(MOST_JOB_PAGES, left()), () => (calls += 1));
    const red = await recoverFrom<readonly RedJob[] | null>(isPatient ? [] : ['busy', 'unsure'], read, () => null);
    if (red !== null) redJobs.set(run.id, red);
  }
  const onDefault = runs.filter((run) => isRunOnDefault(inquiry, run));
  const checks = failed.flatMap((run): readonly PastCheck[] => {
    const before = onDefault.find((one) => one.workflow_id === run.workflow_id && one.created_at < run.created_at);
    const place = describePastPlace(inquiry, run);
    return (redJobs.get(run.id) ?? []).map(({ check, passedAgain }) => ({
      ...place,
      check,
      passedAgain,
      base: before === undefined ? { state: 'unknown' } : findOnBase(before, check.name, redJobs.get(before.id)),
    }));
  });
  const unreadRuns = failed.length - redJobs.size;
  return { checks, runs: listed.runs && runs.length, unreadRuns, from: listed.from, issues, calls };
}

/** Newest first, from any page on no more than there are calls; null: there are none to see. `from`: since when all are known. */
async function listPastRuns({ read }: Inquiry, since: string, most: number, onCall: () => void) {
  // With a search for dates GitHub would show no more than 1,000.
  let isShown = true;
  const { items, isCut } = await readUntil(since, most, async (page) => {
    onCall();
    const found = await ignoreUnknown(
      read(({ rest }, place) => rest.actions.listWorkflowRunsForRepo({ ...place, ...page })),
    );
    if (found === null) isShown = false;
    return found?.workflow_runs ?? [];
  });
  return { runs: isShown ? items : null, from: isCut ? (items.at(-1)?.created_at ?? since) : since };
}

type PastRun = NonNullable<Awaited<ReturnType<typeof listPastRuns>>['runs']>[number];

async function listIssues(inquiry: Inquiry, since: string, most: number, onCall: () => void): Promise<PastIssues> {
  const { deps, project, signal, read } = inquiry;
  const { labels } = (await deps.configuration.of(project, signal)).config;
  let isShown = true;
  const { items } = await readUntil(since, most, async (page) => {
    onCall();
    // Disabled issues are an answer of 410.
    const of = { state: 'all', sort: 'created', direction: 'desc', ...page } as const;
    const found = await ignoreRefused(read(({ rest }, place) => rest.issues.listForRepo({ ...place, ...of })));
    if (found === null) isShown = false;
    return found ?? [];
  });
  const issues = items.filter(({ pull_request: pull }) => pull === undefined);
  const labelled = issues.filter((issue) =>
    issue.labels.some((label) => includesLabel(labels, typeof label === 'string' ? label : (label.name ?? ''))),
  );
  return {
    labels,
    opened: isShown ? issues.length : null,
    labelled: labelled.map(({ number, title, html_url: url }) => ({ number, title, url })),
  };
}

/** Those of a list from the newest to the oldest that are not older than `since`. */
async function readUntil<T extends { readonly created_at: string }>(
  since: string,
  most: number,
  readPage: (page: { readonly per_page: number; readonly page: number }) => Promise<readonly T[]>,
): Promise<{ readonly items: readonly T[]; readonly isCut: boolean }> {
  const isOld = ({ created_at: at }: T) => Date.parse(at) < Date.parse(since);
  const { items, isCut } = await readPages(most, async (page) => {
    const found = await readPage(page);
    return found.filter((one) => !isOld(one));
  });
  return { items, isCut };
}

/** A run that passed may have done so when it was repeated. */
function mayHaveRedJobs({ conclusion, run_attempt: attempt = 1 }: PastRun): boolean {
  return conclusion === 'failure' || conclusion === 'timed_out' || (conclusion === 'success' && attempt > 1);
}

/** Whether it tested the default branch as it was then. */
function isRunOnDefault({ project }: Inquiry, run: PastRun): boolean {
  const isOwn = run.head_repository?.id === project.source.repositoryId;
  const isAtTip = run.event !== 'pull_request' && run.event !== 'merge_group' && isTesting(run);
  const isEnded = ['success', 'failure', 'timed_out'].includes(run.conclusion ?? '');
  return isOwn && isAtTip && isEnded && run.head_branch === project.source.defaultBranch;
}

function findOnBase({ conclusion }: PastRun, name: string, red: readonly RedJob[] | undefined): PastCheck['base'] {
  const job = red?.find(({ check, passedAgain }) => check.name === name && !passedAgain);
  if (job !== undefined) return { state: 'red', runId: job.check.runId ?? 0 };
  return { state: conclusion === 'success' || red !== undefined ? 'green' : 'unknown' };
}

function describePastPlace({ project }: Inquiry, run: PastRun): Omit<PastCheck, keyof RedJob | 'base'> {
  const { id, full_name: name } = run.head_repository ?? {};
  const branch = run.head_branch ?? '';
  // A fork's branch is named as GitHub does it: its `main` isn't ours.
  const isOwn = id === project.source.repositoryId;
  const isFork = !isOwn && branch !== '';
  const actor = toUser(run.actor);
  return {
    sha: run.head_sha,
    branch: isFork ? `${name?.split('/')[0] ?? 'unknown'}:${branch}` : branch,
    pullRequest: run.pull_requests?.[0]?.number ?? null,
    isTrusted: isOwn && toPerson(actor) !== null && !isBot(actor),
  };
}

type RedJob = Pick<PastCheck, 'check' | 'passedAgain'>;

/** Each job that failed in an attempt, as it was the last time that it did. Null: GitHub does not show them. */
async function readRedJobs(
  { read }: Inquiry,
  run: PastRun,
  most: number,
  onCall: () => void,
): Promise<readonly RedJob[] | null> {
  const isRepeated = (run.run_attempt ?? 1) > 1;
  const of = { run_id: run.id, filter: isRepeated ? 'all' : 'latest' } as const;
  const pages = readPages(most, async (page) => {
    onCall();
    return (await read(({ rest }, place) => rest.actions.listJobsForWorkflowRun({ ...place, ...of, ...page }))).jobs;
  });
  const found = await ignoreRefused(pages);
  if (found === null) return null;
  const jobs = found.items.toSorted((one, other) => one.id - other.id);
  const red = new Map(jobs.filter(({ conclusion }) => isRedConclusion(conclusion)).map((job) => [job.name, job]));
  return [...red.values()].map((job) => ({
    check: toCheck(job),
    passedAgain: jobs.some(({ name, id, conclusion }) => name === job.name && id > job.id && conclusion === 'success'),
  }));
}

interface PastJob {
  readonly id: number;
  readonly name: string;
  readonly conclusion: string | null;
  readonly started_at: string;
  readonly completed_at: string | null;
  readonly html_url: string | null;
}

function toCheck({ id, name, conclusion, started_at, completed_at, html_url }: PastJob): Check {
  return {
    name,
    app: ACTIONS,
    runId: id,
    state: 'red',
    conclusion: conclusion ?? '',
    startedAt: started_at,
    endedAt: completed_at ?? '',
    url: html_url ?? '',
    title: '',
    summary: '',
    text: '',
    // The one that only says that a process ended, or that the runner was lost.
    annotations: 1,
  };
}
