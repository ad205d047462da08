// The checks of GitHub as the services see them: rules of the project, and one method for each question.
import { LRUCache } from 'lru-cache';
import { type CheckRules, type Checks, ChecksBusy, ChecksClosed, ChecksSpent } from '../../core/check/index.ts';
import type { PastReader } from '../../core/past.ts';
import type { GithubProject } from '../../core/project/index.ts';
import { GithubFailure, openRepository, ReadsSpent, unlessSpent } from '../clients/index.ts';
import { investigationSettings } from '../configuration/index.ts';
import { isAncestor, readChangedFiles, readCommitRange } from './commit-range.ts';
import { findPlace } from './find-place.ts';
import { listChecks } from './list-checks.ts';
import { listPastChecks } from './past-checks.ts';
import { readIssueState } from './read-issue.ts';
import { readWords } from './read-words.ts';
import { rerunJobs } from './rerun-jobs.ts';
import type { ChecksDeps, Inquiry, RunCache } from './workflow-runs.ts';

const BUSY_MS = 60_000;
const UNSURE_MS = 15_000;

export function createChecks(deps: ChecksDeps): Checks & PastReader {
  const runs: RunCache = new LRUCache({ max: 500 });
  const answer = <T>(project: GithubProject, signal: AbortSignal, find: (inquiry: Inquiry) => Promise<T>) => {
    const read = openRepository(deps, project, 'read', signal);
    return convertFailures(deps, find({ deps, project, signal, runs, read }));
  };
  return {
    findSelf: async (signal) => {
      const { botId, botLogin } = await convertFailures(deps, deps.clients.identity(signal));
      return { id: botId, login: botLogin };
    },
    readRules: (project, signal) => answer(project, signal, readRules),
    listAll: (project, sha, signal, extent) => answer(project, signal, (inquiry) => listChecks(inquiry, sha, extent)),
    locate: (project, head, signal) => answer(project, signal, (inquiry) => findPlace(inquiry, head)),
    readOutput: (project, check, signal, limits) =>
      answer(project, signal, (inquiry) => readWords(inquiry, check, limits)),
    listChangedFiles: (project, head, signal) =>
      answer(project, signal, (inquiry) => unlessSpent(readChangedFiles(inquiry, head), null)),
    leadsTo: (project, ends, signal) =>
      answer(project, signal, (inquiry) => unlessSpent(isAncestor(inquiry, ends), false)),
    readRange: (project, ends, signal) =>
      answer(project, signal, (inquiry) => unlessSpent(readCommitRange(inquiry, ends), null)),
    rerunJobs: (project, request, signal) => answer(project, signal, (inquiry) => rerunJobs(inquiry, request)),
    readIssue: (project, number, signal) => answer(project, signal, (inquiry) => readIssueState(inquiry, number)),
    listPast: (project, past, signal) => answer(project, signal, (inquiry) => listPastChecks(inquiry, past)),
  };
}

/** Turns failures of GitHub into the errors of `Checks`. */
async function convertFailures<T>({ now }: Pick<ChecksDeps, 'now'>, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof GithubFailure)) throw error;
    const { kind, message, retryAt } = error;
    if (error instanceof ReadsSpent) throw new ChecksSpent(message, retryAt ?? now(), { cause: error });
    if (kind === 'gone' || kind === 'refused') throw new ChecksClosed(message, { cause: error });
    const wait = kind === 'busy' ? BUSY_MS : UNSURE_MS;
    throw new ChecksBusy(message, retryAt ?? new Date(now().getTime() + wait), { cause: error });
  }
}

/** A pull request needs to write both. */
const NEEDED = ['contents', 'pull_requests'];

async function readRules({ deps, project, signal }: Inquiry): Promise<CheckRules> {
  const { config } = await deps.configuration.of(project, signal);
  const installation = await deps.store.findInstallation(project.source.installationId);
  const granted = new Map(Object.entries(installation?.permissions ?? {}));
  const mayPush = NEEDED.every((name) => (granted.get(name) ?? 'read') !== 'read');
  const isObserved = config.mode === 'observe' || deps.ceiling === 'observe';
  return {
    ...config.checks,
    opens: config.mode === 'fix' && deps.ceiling === 'fix' && mayPush,
    rerun:
      isObserved || config.checks.rerun === 'off' ? 'off' : granted.get('actions') === 'write' ? 'once' : 'not_granted',
    settings: investigationSettings(config, deps),
  };
}
