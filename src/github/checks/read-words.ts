// What a failed check says beyond its name: the log of its job, its annotations, and the result files it uploaded.
import type { RestEndpointMethodTypes } from '@octokit/rest';
import type { Annotation, FailedResult, ResultBudget, UnreadFile } from 'causeway-ci-log';
import {
  ALL_OUTPUT,
  type Check,
  type CheckOutput,
  ChecksBusy,
  createResultBudget,
  type OutputLimits,
  readJobAddress,
} from '../../core/check/index.ts';
import {
  downloadArtifact,
  explainNoLog,
  GithubFailure,
  ignoreRefused,
  ReadsSpent,
  type RepositoryCaller,
  readCheckLog,
  readPages,
  unlessSpent,
} from '../clients/index.ts';
import { ACTIONS } from './list-checks.ts';
import type { Inquiry } from './workflow-runs.ts';

const PAGE = 50;
const MAX_PAGES = 2;
const MESSAGE_CHARACTERS = 4_000;
/** A log may become available some moments after its job has ended. */
const LATE_MS = 120_000;
const RETRY_MS = 10_000;
const NOT_GRANTED = "`Actions: read` wasn't granted.";
/**
 * A failed step of Actions has one annotation that only says that a process ended with an exit code, and so does its
 * log. Where the log doesn't, no step failed: the runner was lost, and only the annotation says so.
 */
const EXIT_CODE = '##[error]Process completed with exit code ';

/**
 * A call for the log of a job, and one for each 50 annotations. For a log that can't be read, the reason is returned.
 */
export async function readWords(inquiry: Inquiry, check: Check, limits = ALL_OUTPUT): Promise<CheckOutput> {
  const { runId, app, annotations: count } = check;
  if (runId === null || app !== ACTIONS) {
    const annotations = runId === null || count === 0 ? [] : await readAnnotations(inquiry.read, runId);
    return { ...(await readBuild(inquiry, check, limits)), annotations };
  }
  const words = await readActionsLog(inquiry, check, { jobId: runId, bytes: limits.logBytes });
  const isRepeated = count <= 1 && words.log.includes(EXIT_CODE);
  const annotations = count === 0 || isRepeated ? [] : await readAnnotations(inquiry.read, runId);
  return { ...words, annotations, ...(await readJobResults(inquiry, check, words.log, limits)) };
}

/** Of another CI, where the operator has named its host. */
async function readBuild(
  { deps, project, signal }: Inquiry,
  { build, endedAt }: Check,
  { logBytes: bytes }: OutputLimits,
): Promise<Pick<CheckOutput, 'log' | 'noLog' | 'results'>> {
  const request = build && { ...build, repository: project.name, endedAt, bytes };
  return (request && (await deps.readBuildLog(request, signal))) ?? { log: '', noLog: '' };
}

async function readActionsLog(
  { deps, project, signal }: Inquiry,
  { endedAt }: Check,
  job: { readonly jobId: number; readonly bytes: number },
): Promise<Pick<CheckOutput, 'log' | 'noLog'>> {
  try {
    return { log: await readCheckLog(deps, { project, ...job, shorten: deps.shortenLog }, signal), noLog: '' };
  } catch (error) {
    signal.throwIfAborted();
    const kind = classifyFailure(error);
    if (!(error instanceof ReadsSpent)) throwIfLate({ deps, error, endedAt });
    return { log: '', noLog: kind === 'refused' ? NOT_GRANTED : explainNoLog(error) };
  }
}

function classifyFailure(error: unknown): GithubFailure['kind'] {
  return error instanceof GithubFailure ? error.kind : 'unsure';
}

/** Throws at a rate limit, and while what a job stored may be on its way. */
function throwIfLate({ deps, error, endedAt }: { deps: Inquiry['deps']; error: unknown; endedAt: string }): void {
  const kind = classifyFailure(error);
  if (kind === 'busy') throw error;
  const now = deps.now().getTime();
  if (kind !== 'unsure' || now - Date.parse(endedAt) >= LATE_MS) return;
  const message = 'What a job that has just ended has stored is not available yet. It is requested again.';
  throw new ChecksBusy(message, new Date(now + RETRY_MS), { cause: error });
}

const ARTIFACT_PAGES = 3;
const MOST_ARTIFACTS = 4;
/** Where the name says nothing of tests. */
const SMALL_BYTES = 2 * 1_024 * 1_024;
const NAMES_RESULTS = /test|junit|spec|report|result|surefire|failsafe|sarif|scan|lint|jest|cypress|playwright|xml/i;

/**
 * What the result files say failed that the job uploaded: a call for the list, and one for each artifact that its log
 * names as uploaded by this job. Empty where there are none, or they cannot be read.
 */
async function readJobResults(
  { deps, project, read, signal }: Inquiry,
  { url, endedAt }: Check,
  log: string,
  { artifactBytes: most, resultBudget: budget = createResultBudget() }: OutputLimits,
): Promise<Pick<CheckOutput, 'results' | 'unread'>> {
  const job = readJobAddress(url);
  const uploads = most > 0 ? findUploads(log) : [];
  if (job === null || uploads.length === 0) return {};
  try {
    const { items } = await readPages(ARTIFACT_PAGES, async (page) => {
      // A run has artifacts of all its jobs.
      const of = { run_id: job.runId, ...page };
      return (await read(({ rest }, place) => rest.actions.listWorkflowRunArtifacts({ ...place, ...of }))).artifacts;
    });
    return await readArtifacts({ deps, project, signal }, chooseArtifacts(items, uploads, most), { most, budget });
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ReadsSpent)) throwIfLate({ deps, error, endedAt });
    return {};
  }
}

async function readArtifacts(
  { deps, project, signal }: Pick<Inquiry, 'deps' | 'project' | 'signal'>,
  artifacts: readonly ListedArtifact[],
  { most, budget }: { readonly most: number; readonly budget: ResultBudget },
): Promise<Pick<CheckOutput, 'results' | 'unread'>> {
  const results: FailedResult[] = [];
  const unread: UnreadFile[] = [];
  for (const { id, name } of artifacts) {
    const isSpent = budget.bytes <= 0;
    if (isSpent) unread.push({ file: name, why: 'total_size' });
    const archive = isSpent ? null : await downloadArtifact(deps, { project, id, most }, signal);
    const found = archive && (await deps.readArtifact({ name, archive, budget }, signal));
    results.push(...(found?.results ?? []));
    unread.push(...(found?.unread ?? []));
  }
  return { ...(results.length > 0 && { results }), ...(unread.length > 0 && { unread }) };
}

interface Upload {
  readonly name: string;
  /** Null: its action, an older one, does not say. */
  readonly id: number | null;
}

const MOST_UPLOADS = 50;
const UPLOADED = ' has been successfully uploaded!';
const BEFORE = 300;
const BEHIND = 120;
const UPLOAD_ID = /^ Final size is \d{1,15} bytes\. Artifact ID is (\d{1,15})/;

/** As `actions/upload-artifact` says it (https://github.com/actions/upload-artifact). The log may also lie. */
function findUploads(log: string): readonly Upload[] {
  const uploads: Upload[] = [];
  for (let at = log.indexOf(UPLOADED); at >= 0 && uploads.length < MOST_UPLOADS; at = log.indexOf(UPLOADED, at + 1)) {
    const line =
      log
        .slice(Math.max(0, at - BEFORE), at)
        .split('\n')
        .at(-1) ?? '';
    const name = line.slice(line.indexOf('Artifact ') + 'Artifact '.length);
    const id = UPLOAD_ID.exec(log.slice(at + UPLOADED.length, at + UPLOADED.length + BEHIND))?.[1];
    if (line.includes('Artifact ')) uploads.push({ name, id: id === undefined ? null : Number(id) });
  }
  return uploads;
}

type ListedArtifact =
  RestEndpointMethodTypes['actions']['listWorkflowRunArtifacts']['response']['data']['artifacts'][number];

function chooseArtifacts(
  artifacts: readonly ListedArtifact[],
  uploads: readonly Upload[],
  most: number,
): readonly ListedArtifact[] {
  const isNamed = ({ name }: ListedArtifact) => NAMES_RESULTS.test(name.slice(0, BEFORE));
  const own = artifacts.filter((artifact) =>
    uploads.some(({ id, name }) => (id === null ? name === artifact.name : id === artifact.id)),
  );
  return own
    .filter((one) => !one.expired && one.size_in_bytes <= (isNamed(one) ? most : SMALL_BYTES))
    .toSorted((a, b) => Number(isNamed(b)) - Number(isNamed(a)))
    .slice(0, MOST_ARTIFACTS);
}

/** Empty where we may not read them, or no more. */
export async function readAnnotations(
  read: RepositoryCaller,
  runId: number,
  maxPages = MAX_PAGES,
): Promise<readonly Annotation[]> {
  const pages = readPages(
    maxPages,
    (page) => read(({ rest }, place) => rest.checks.listAnnotations({ ...place, check_run_id: runId, ...page })),
    PAGE,
  );
  const found = await ignoreRefused(unlessSpent(pages, { items: [], isCut: true }));
  return (found?.items ?? []).map(({ path, start_line, end_line, annotation_level: level, title, message }) => ({
    path,
    line: start_line,
    endLine: end_line,
    level: level === 'failure' || level === 'warning' ? level : 'notice',
    title: (title ?? '').slice(0, MESSAGE_CHARACTERS),
    message: (message ?? '').slice(0, MESSAGE_CHARACTERS),
  }));
}
