// What a failed check says beyond its name: the log of its job, and its annotations.
import { type Annotation, CHECK_LOG_BYTES, type Check, type CheckOutput, ChecksBusy } from '../../core/check.ts';
import { GithubFailure } from '../clients/github-clients.ts';
import { ignoreRefused, type RepositoryCaller, readPages } from '../clients/repository.ts';
import { explainNoLog, readCheckLog } from '../job-log.ts';
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
export async function readWords(inquiry: Inquiry, check: Check, bytes = CHECK_LOG_BYTES): Promise<CheckOutput> {
  const { runId, app, annotations: count } = check;
  if (runId === null) return { log: '', noLog: '', annotations: [] };
  const words = app === ACTIONS ? await readLog(inquiry, check, { jobId: runId, bytes }) : { log: '', noLog: '' };
  const isRepeated = count <= 1 && words.log.includes(EXIT_CODE);
  const annotations = count === 0 || isRepeated ? [] : await readAnnotations(inquiry.read, runId);
  return { ...words, annotations };
}

async function readLog(
  { deps, project, signal }: Inquiry,
  { endedAt }: Check,
  job: { readonly jobId: number; readonly bytes: number },
): Promise<Pick<CheckOutput, 'log' | 'noLog'>> {
  try {
    return { log: await readCheckLog(deps, { project, ...job, shorten: deps.shortenLog }, signal), noLog: '' };
  } catch (error) {
    signal.throwIfAborted();
    const kind = error instanceof GithubFailure ? error.kind : 'unsure';
    if (kind === 'busy') throw error;
    const now = deps.now().getTime();
    if (kind === 'unsure' && now - Date.parse(endedAt) < LATE_MS) {
      const message = 'The log of a job that has just ended is not available yet. It is requested again.';
      throw new ChecksBusy(message, new Date(now + RETRY_MS), { cause: error });
    }
    return { log: '', noLog: kind === 'refused' ? NOT_GRANTED : explainNoLog(error) };
  }
}

/** Empty where we may not read them. */
export async function readAnnotations(
  read: RepositoryCaller,
  runId: number,
  maxPages = MAX_PAGES,
): Promise<readonly Annotation[]> {
  const found = await ignoreRefused(
    readPages(
      maxPages,
      (page) => read(({ rest }, place) => rest.checks.listAnnotations({ ...place, check_run_id: runId, ...page })),
      PAGE,
    ),
  );
  return (found?.items ?? []).map(({ path, start_line, end_line, annotation_level: level, title, message }) => ({
    path,
    line: start_line,
    endLine: end_line,
    level: level === 'failure' || level === 'warning' ? level : 'notice',
    title: (title ?? '').slice(0, MESSAGE_CHARACTERS),
    message: (message ?? '').slice(0, MESSAGE_CHARACTERS),
  }));
}
