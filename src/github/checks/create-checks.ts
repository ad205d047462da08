// The checks of GitHub as the services see them: rules of the project, what a red check says, and one method for each question.
import { LRUCache } from 'lru-cache';
import {
  type Annotation,
  CHECK_LOG_BYTES,
  type Check,
  type CheckOutput,
  type CheckRules,
  type Checks,
  ChecksBusy,
} from '../../core/check.ts';
import type { GithubProject } from '../../core/project.ts';
import { GithubFailure } from '../clients/github-clients.ts';
import { investigationSettings } from '../configuration/effective.ts';
import { explainNoLog, readCheckLog } from '../job-log.ts';
import { type Asking, ask, askPages, type ChecksDeps, ignoreClosed, type RunMemory, toChecksErrors } from './ask.ts';
import { isAncestor, readChangedFiles, readCommitRange } from './commit-range.ts';
import { findPlace } from './find-place.ts';
import { ACTIONS, listChecks, readPastChecks } from './list-checks.ts';

export function createChecks(deps: ChecksDeps): Checks {
  const runs: RunMemory = new LRUCache({ max: 500 });
  const asked = <T>(project: GithubProject, signal: AbortSignal, answer: (asking: Asking) => Promise<T>): Promise<T> =>
    toChecksErrors(deps, answer({ deps, project, signal, runs }));
  return {
    findSelf: async (signal) => {
      const { botId, botLogin } = await toChecksErrors(deps, deps.clients.identity(signal));
      return { id: botId, login: botLogin };
    },
    readRules: (project, signal) => asked(project, signal, readCheckRules),
    listAll: (project, sha, signal) => asked(project, signal, (asking) => listChecks(asking, sha)),
    locate: (project, head, signal) => asked(project, signal, (asking) => findPlace(asking, head)),
    readOutput: (project, check, signal, logBytes) =>
      asked(project, signal, (asking) => readWords(asking, check, logBytes)),
    listChangedFiles: (project, head, signal) => asked(project, signal, (asking) => readChangedFiles(asking, head)),
    leadsTo: (project, ends, signal) => asked(project, signal, (asking) => isAncestor(asking, ends)),
    readRange: (project, ends, signal) => asked(project, signal, (asking) => readCommitRange(asking, ends)),
    listPast: (project, page, signal) => asked(project, signal, (asking) => readPastChecks(asking, page)),
  };
}

const NEEDED = ['contents', 'pull_requests'];

/** Throws GithubFailure. */
async function readCheckRules({ deps, project, signal }: Asking): Promise<CheckRules> {
  const { config } = await deps.configuration.of(project, signal);
  const installation = await deps.store.findInstallation(project.source.installationId);
  const granted = new Map(Object.entries(installation?.permissions ?? {}));
  return {
    ...config.checks,
    opens: config.mode === 'fix' && deps.ceiling === 'fix' && NEEDED.every((name) => isWrite(granted.get(name))),
    settings: investigationSettings(config, deps),
  };
}

function isWrite(level: string | undefined): boolean {
  return level !== undefined && level !== 'read';
}

const NOT_GRANTED = '`Actions: read` is not granted.';

const PAGE = 50;

const MOST_PAGES = 2;

/** A log may reach its store some moments after its job has ended; a store that fails for longer has nothing for us. */
const LATE_MS = 120_000;

const AGAIN_MS = 10_000;

/** A failed step of Actions has one annotation that says no more than that a process ended with an exit code; its log does too. */
const OF_ITSELF = 1;

/** Where it does not say so, it was not a step that failed: the runner is lost, and only the annotation tells. */
const EXIT_CODE = '##[error]Process completed with exit code ';

const MESSAGE_CHARACTERS = 4_000;

/** A call for the log of a job, and one for each 50 annotations. For a log that is gone or not readable, the reason is returned. */
async function readWords(asking: Asking, check: Check, bytes = CHECK_LOG_BYTES): Promise<CheckOutput> {
  const { runId, app } = check;
  const log =
    runId === null || app !== ACTIONS ? { log: '', noLog: '' } : await readLog(asking, check, { jobId: runId, bytes });
  const isTold = check.annotations <= OF_ITSELF && log.log.includes(EXIT_CODE);
  const annotations = runId === null || check.annotations === 0 || isTold ? [] : await readAnnotations(asking, runId);
  return { ...log, annotations };
}

async function readLog(
  asking: Asking,
  check: Check,
  job: { readonly jobId: number; readonly bytes: number },
): Promise<Pick<CheckOutput, 'log' | 'noLog'>> {
  const { deps, project, signal } = asking;
  try {
    return { log: await readCheckLog(deps, { project, ...job, shorten: deps.shortenLog }, signal), noLog: '' };
  } catch (error) {
    signal.throwIfAborted();
    const isFailure = error instanceof GithubFailure;
    if (isFailure && error.kind === 'busy') throw error;
    const isDefinite = isFailure && error.kind !== 'unsure';
    if (!isDefinite) awaitLate(asking, check, error);
    return { log: '', noLog: isFailure && error.kind === 'refused' ? NOT_GRANTED : explainNoLog(error) };
  }
}

/** Throws ChecksBusy where the job ended only just now. */
function awaitLate({ deps }: Asking, { endedAt }: Check, cause: unknown): void {
  const now = deps.now().getTime();
  if (!(now - Date.parse(endedAt) < LATE_MS)) return;
  const message = 'The log of a job that has just ended is not there yet. It is asked for again.';
  throw new ChecksBusy(message, new Date(now + AGAIN_MS), { cause });
}

async function readAnnotations(asking: Asking, id: number): Promise<readonly Annotation[]> {
  const found = await ignoreClosed(
    askPages({ most: MOST_PAGES, size: PAGE }, (page) =>
      ask(asking, ({ rest }, place) =>
        rest.checks.listAnnotations({ ...place, check_run_id: id, per_page: PAGE, page }),
      ),
    ),
  );
  return (found?.items ?? []).map(({ path, start_line, end_line, annotation_level, title, message }) => ({
    path,
    line: start_line,
    endLine: end_line,
    level: toLevel(annotation_level),
    title: (title ?? '').slice(0, MESSAGE_CHARACTERS),
    message: (message ?? '').slice(0, MESSAGE_CHARACTERS),
  }));
}

function toLevel(level: string | null): Annotation['level'] {
  return level === 'failure' || level === 'warning' ? level : 'notice';
}
