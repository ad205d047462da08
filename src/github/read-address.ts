// An address on GitHub as a report, for the command line: an issue, or a failed Actions run or job with its logs.
import type { RestEndpointMethodTypes } from '@octokit/rest';
import { formatLog } from 'causeway-ci-log';
import { keepBeginning } from 'causeway-visible-text';
import type { ShortenLog } from '../core/check/index.ts';
import { CausewayError } from '../core/errors.ts';
import { type AddressedReport, MAX_REPORT_BYTES, type ReadReportAddress } from '../core/report/index.ts';
import { createPersonalClient, type GithubOptions, type PersonalClient, readJobLog } from './clients/index.ts';
import type { IssueComment } from './report/index.ts';

interface AddressOptions extends GithubOptions {
  readonly shortenLog: ShortenLog;
}

type LogClient = PersonalClient & Pick<AddressOptions, 'shortenLog'>;

/** The reader of issue, run and job addresses under `webUrl`, with a personal token or none. */
export function createAddressReader({ shortenLog, ...options }: AddressOptions): ReadReportAddress {
  const client = { ...createPersonalClient(options), shortenLog };
  return async (url, signal) => {
    const address = parseReportAddress(url, options.webUrl);
    switch (address.kind) {
      case 'issue':
        return await readIssue(client, address, signal);
      case 'run':
        return await readFailedRun(client, address, signal);
      case 'job':
        return await readFailedJob(client, address, signal);
    }
  };
}

interface AddressedRepository {
  readonly owner: string;
  readonly repo: string;
}

type NamedSubject =
  | { readonly kind: 'issue'; readonly number: number }
  /** `attempt` null: the latest. */
  | { readonly kind: 'run'; readonly runId: number; readonly attempt: number | null }
  | { readonly kind: 'job'; readonly jobId: number };

/** GitHub's own rules for names, so that nothing else reaches a path of the API. */
const NAMES = /^\/([A-Za-z0-9](?:[A-Za-z0-9_-]{0,99}))\/([A-Za-z0-9._-]{1,100})\/(.+?)\/?$/;

const FORMS: readonly { readonly form: RegExp; readonly read: (...ids: number[]) => NamedSubject }[] = [
  { form: /^issues\/(\d+)$/, read: (number = 0) => ({ kind: 'issue', number }) },
  { form: /^actions\/runs\/(\d+)$/, read: (runId = 0) => ({ kind: 'run', runId, attempt: null }) },
  {
    form: /^actions\/runs\/(\d+)\/attempts\/(\d+)$/,
    read: (runId = 0, attempt = 0) => ({ kind: 'run', runId, attempt }),
  },
  { form: /^actions\/runs\/\d+\/(?:attempts\/\d+\/)?jobs?\/(\d+)$/, read: (jobId = 0) => ({ kind: 'job', jobId }) },
  // A check run of Actions has its job's id.
  { form: /^runs\/(\d+)$/, read: (jobId = 0) => ({ kind: 'job', jobId }) },
  { form: /^pull\/\d+\/checks\?check_run_id=(\d+)$/, read: (jobId = 0) => ({ kind: 'job', jobId }) },
];

/**
 * `webUrl`: GitHub's base address for people, such as https://github.com. Throws `usage`, naming the forms that are
 * understood.
 */
export function parseReportAddress(url: string, webUrl: string): AddressedRepository & NamedSubject {
  const address = URL.parse(url);
  const base = new URL(webUrl);
  const prefix = base.pathname.replace(/(?<!\/)\/+$/, '');
  if (address === null || address.host !== base.host || !address.pathname.startsWith(`${prefix}/`)) {
    throw new CausewayError('usage', `${url} is not on ${webUrl} (GHE_HOST): paste its text as the report instead.`);
  }
  const [, owner, repo, rest] = NAMES.exec(address.pathname.slice(prefix.length)) ?? [];
  if (owner === undefined || repo === undefined || rest === undefined || /^\.+$/.test(repo)) throw refuseAddress(url);
  const checkRun = address.searchParams.get('check_run_id');
  const place = checkRun === null ? rest : `${rest}?check_run_id=${checkRun}`;
  for (const { form, read } of FORMS) {
    const match = form.exec(place);
    const ids = match?.slice(1).map(Number) ?? [];
    if (match !== null && ids.every((id) => Number.isSafeInteger(id) && id > 0))
      return { owner, repo, ...read(...ids) };
  }
  if (/^pull\/\d+/.test(rest)) throw refusePullRequest(url);
  throw refuseAddress(url);
}

/** A pull request describes a change, not a problem: what failed in it has an address of its own. */
function refusePullRequest(url: string): CausewayError {
  return new CausewayError(
    'usage',
    `${url} is a pull request, which isn't a problem report: open its failed check and give the address of that job.`,
  );
}

function refuseAddress(url: string): CausewayError {
  return new CausewayError(
    'usage',
    `${url} is neither an issue (…/issues/1) nor an Actions run (…/actions/runs/1) or job (…/actions/runs/1/job/2).`,
  );
}

type IssueData = RestEndpointMethodTypes['issues']['get']['response']['data'];
const PAGE = 100;
/** The first comments describe the problem; in a thread of thousands the rest is mostly talk. */
const MOST_COMMENTS = 300;

/** Title, text and comments, with who wrote what and when. Throws `usage` where the number is a pull request's. */
async function readIssue(
  client: PersonalClient,
  { owner, repo, number }: AddressedRepository & { readonly number: number },
  signal: AbortSignal,
): Promise<AddressedReport> {
  const { webUrl } = client.options;
  const issue = await client.call('the issue', signal, (deadline) =>
    client.octokit.rest.issues.get({ owner, repo, issue_number: number, request: { signal: deadline } }),
  );
  if (issue.pull_request) throw refusePullRequest(`${webUrl}/${owner}/${repo}/pull/${number}`);
  const comments: IssueComment[] = [];
  for (let page = 1; comments.length < Math.min(issue.comments, MOST_COMMENTS); page++) {
    const found = await client.call("the issue's comments", signal, (deadline) => {
      const where = { owner, repo, issue_number: number, per_page: PAGE, page };
      return client.octokit.rest.issues.listComments({ ...where, request: { signal: deadline } });
    });
    comments.push(...found);
    if (found.length < PAGE) break;
  }
  return {
    text: keepBeginning(describeIssue(issue, comments), MAX_REPORT_BYTES - 1_024),
    log: '',
    repository: { url: `${webUrl}/${owner}/${repo}.git`, name: `${owner}/${repo}` },
    revision: '',
  };
}

function describeIssue(issue: IssueData, comments: readonly IssueComment[]): string {
  const left = issue.comments - comments.length;
  const parts = [
    ...[issue.title, describeAuthor('Reported', issue), issue.body?.trim() ?? ''],
    ...comments.flatMap((comment) => [describeAuthor('Comment', comment), comment.body?.trim() ?? '']),
    ...(left > 0 ? [`[${left} more comments were left out]`] : []),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function describeAuthor(what: string, { user, created_at }: Pick<IssueComment, 'user' | 'created_at'>): string {
  return `${what} by ${user?.login ?? 'a deleted user'} on ${created_at.slice(0, 10)}:`;
}

type WorkflowRunData = RestEndpointMethodTypes['actions']['getWorkflowRun']['response']['data'];
type WorkflowJobData = RestEndpointMethodTypes['actions']['getJobForWorkflowRun']['response']['data'];
type RunAddress = AddressedRepository & { readonly runId: number; readonly attempt: number | null };

/** GitHub's matrix makes at most 256 jobs; a workflow of more than 300 failed ones adds nothing new. */
const MOST_PAGES = 3;
/** Jobs that fail together mostly fail for one reason: more logs aren't read. */
const MOST_LOGS = 5;
/** The rest of a report's 1 MiB is for words. */
const LOG_BYTES = MAX_REPORT_BYTES - 64 * 1024;
const FAILED: readonly (string | null)[] = ['failure', 'timed_out'];

/** Throws `usage` where the run has not failed (yet), `absent` where it or all its logs are gone. */
async function readFailedRun(client: LogClient, place: RunAddress, signal: AbortSignal): Promise<AddressedReport> {
  const run = await readRun(client, place, signal);
  const failed = (await listJobs(client, place, signal)).filter((job) => FAILED.includes(job.conclusion));
  if (failed.length === 0) throw describeNoFailure(`Run ${run.id}`, run.status, run.conclusion);
  return await toReport(client, { place, run, jobs: failed }, signal);
}

/** As for a run, for one job of it. */
async function readFailedJob(
  client: LogClient,
  place: AddressedRepository & { readonly jobId: number },
  signal: AbortSignal,
): Promise<AddressedReport> {
  const { owner, repo, jobId } = place;
  const job = await client.call('the job', signal, (deadline) =>
    client.octokit.rest.actions.getJobForWorkflowRun({ owner, repo, job_id: jobId, request: { signal: deadline } }),
  );
  if (!FAILED.includes(job.conclusion)) throw describeNoFailure(`Job "${job.name}"`, job.status, job.conclusion);
  const run = await readRun(client, { owner, repo, runId: job.run_id, attempt: job.run_attempt ?? null }, signal);
  return await toReport(client, { place, run, jobs: [job] }, signal);
}

async function readRun(
  client: PersonalClient,
  { owner, repo, runId, attempt }: RunAddress,
  signal: AbortSignal,
): Promise<WorkflowRunData> {
  const { actions } = client.octokit.rest;
  return await client.call('the run', signal, (deadline) => {
    const parameters = { owner, repo, run_id: runId, request: { signal: deadline } };
    return attempt === null
      ? actions.getWorkflowRun(parameters)
      : actions.getWorkflowRunAttempt({ ...parameters, attempt_number: attempt });
  });
}

async function listJobs(
  client: PersonalClient,
  { owner, repo, runId, attempt }: RunAddress,
  signal: AbortSignal,
): Promise<WorkflowJobData[]> {
  const { actions } = client.octokit.rest;
  const jobs: WorkflowJobData[] = [];
  for (let page = 1; page <= MOST_PAGES; page++) {
    const found = await client.call("the run's jobs", signal, (deadline) => {
      const parameters = { owner, repo, run_id: runId, per_page: PAGE, page, request: { signal: deadline } };
      return attempt === null
        ? actions.listJobsForWorkflowRun({ ...parameters, filter: 'latest' })
        : actions.listJobsForWorkflowRunAttempt({ ...parameters, attempt_number: attempt });
    });
    jobs.push(...found.jobs);
    if (found.jobs.length < PAGE) break;
  }
  return jobs;
}

interface RunFailure {
  readonly place: AddressedRepository;
  readonly run: WorkflowRunData;
  readonly jobs: readonly WorkflowJobData[];
}

async function toReport(client: LogClient, failure: RunFailure, signal: AbortSignal): Promise<AddressedReport> {
  const { place, run, jobs } = failure;
  return {
    text: describeWorkflowFailure(failure),
    log: await readLogs(client, place, jobs, signal),
    repository: {
      // A fork's commits are in the fork; the name is checked, since it becomes part of an address.
      url: `${client.options.webUrl}/${findHeadRepository(run) ?? `${place.owner}/${place.repo}`}.git`,
      name: `${place.owner}/${place.repo}`,
    },
    revision: run.head_sha,
  };
}

function findHeadRepository(run: WorkflowRunData): string | null {
  const name = run.head_repository?.full_name ?? '';
  return /^[A-Za-z0-9_-]+\/[A-Za-z0-9._-]+$/.test(name) ? name : null;
}

function describeWorkflowFailure({ run, jobs }: RunFailure): string {
  const subject = run.head_commit?.message.split('\n')[0] ?? '';
  const lines = [
    `GitHub Actions: ${run.name ?? 'workflow'} failed on ${run.head_branch ?? 'a deleted branch'} (${run.event}).`,
    ...jobs.map(
      (job) =>
        `Job "${job.name}" ${job.conclusion === 'timed_out' ? 'timed out' : 'failed'}${describeFailedSteps(job)}.`,
    ),
    `Commit ${run.head_sha}${subject === '' ? '' : `: ${subject}`}`,
    `Run ${run.html_url}, attempt ${run.run_attempt ?? 1}`,
  ];
  return lines.join('\n');
}

function describeFailedSteps(job: WorkflowJobData): string {
  const names = (job.steps ?? []).filter((step) => FAILED.includes(step.conclusion)).map((step) => `"${step.name}"`);
  return names.length === 0 ? '' : ` in step ${names.join(', ')}`;
}

async function readLogs(
  client: LogClient,
  place: AddressedRepository,
  jobs: readonly WorkflowJobData[],
  signal: AbortSignal,
): Promise<string> {
  const wanted = jobs.slice(0, MOST_LOGS);
  const bytes = Math.floor(LOG_BYTES / wanted.length);
  const logs: string[] = [];
  const notes: string[] = [];
  const missing: CausewayError[] = [];
  for (const job of wanted) {
    const log = await ignoreAbsent(readJobLog(client, { ...place, jobId: job.id, bytes }, signal));
    if (log instanceof CausewayError) {
      missing.push(log);
      notes.push(`[Job "${job.name}": ${log.message}]`);
    } else logs.push(formatLog(`job "${job.name}"`, log));
  }
  if (missing[0] !== undefined && missing.length === wanted.length) throw missing[0];
  const left = jobs.length - wanted.length;
  if (left > 0) notes.push(`[The logs of ${left} more failed jobs were left out]`);
  // What follows a log is read as a part of it.
  return [...notes, ...logs].join('\n');
}

/** One log of several may be gone: that is said in its place. */
async function ignoreAbsent(log: Promise<string>): Promise<string | CausewayError> {
  try {
    return await log;
  } catch (error) {
    if (error instanceof CausewayError && error.code === 'absent') return error;
    throw error;
  }
}

function describeNoFailure(what: string, status: string | null, conclusion: string | null): CausewayError {
  const message =
    status === 'completed'
      ? `${what} has no failed job to look at (it ended with: ${conclusion ?? 'nothing'}).`
      : `${what} has not failed so far (${status ?? 'unknown'}): ask again when it has ended.`;
  return new CausewayError('usage', message);
}
