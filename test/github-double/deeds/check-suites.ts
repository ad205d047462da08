// What happens to checks: suites are asked for, runs are made and change.
import { covers, timestamp } from '../lookup.ts';
import { checkRunBody, checkSuiteBody, runsOfSuite, suiteOutcome } from '../resources/check.ts';
import type { Repository, State } from '../state.ts';
import type { CheckRun, CheckSuite } from '../state-checks.ts';
import { announce } from './announce.ts';
import { touch } from './issues.ts';

/** After a push GitHub makes a suite for every App that may write checks, and asks it to begin. */
export async function requestSuites(
  state: State,
  repository: Repository,
  head: { readonly sha: string; readonly branch: string; readonly byId: number },
): Promise<void> {
  for (const installation of state.installations.values()) {
    if (!covers(installation, repository) || installation.permissions['checks'] !== 'write') continue;
    if (installation.suspendedAt !== null) continue;
    const suite = suiteFor(state, repository, { appId: installation.appId, sha: head.sha, branch: head.branch });
    const what = { event: 'check_suite', action: 'requested', senderId: head.byId, onlyAppId: installation.appId };
    announce(state, repository, { ...what, parts: { check_suite: await checkSuiteBody(state, repository, suite) } });
  }
}

/** The App's suite of that commit, made where there is none. */
export function suiteFor(
  state: State,
  repository: Repository,
  of: { readonly appId: number; readonly sha: string; readonly branch: string | null },
): CheckSuite {
  const found = [...repository.suites.values()].find((one) => one.appId === of.appId && one.headSha === of.sha);
  if (found !== undefined) return found;
  const now = timestamp(state);
  const suite = {
    id: state.nextId(),
    appId: of.appId,
    headSha: of.sha,
    headBranch: of.branch,
    createdAt: now,
    updatedAt: now,
  };
  repository.suites.set(suite.id, suite);
  return suite;
}

export type NewCheckRun = Pick<CheckRun, 'appId' | 'headSha' | 'name'> & Partial<CheckRun>;

export async function addCheckRun(
  state: State,
  repository: Repository,
  made: NewCheckRun & { readonly branch: string | null; readonly senderId: number },
): Promise<CheckRun> {
  const { branch, senderId, ...given } = made;
  const suite = suiteFor(state, repository, { appId: made.appId, sha: made.headSha, branch });
  const run: CheckRun = {
    id: state.nextId(),
    suiteId: suite.id,
    status: 'queued',
    conclusion: null,
    externalId: '',
    detailsUrl: null,
    startedAt: timestamp(state),
    completedAt: null,
    output: { title: null, summary: null, text: null },
    annotations: [],
    actions: [],
    ...given,
  };
  repository.checkRuns.set(run.id, run);
  await tellCheckRun(state, repository, run, { action: 'created', senderId });
  await afterCompletion(state, repository, run, senderId);
  return run;
}

export async function changeCheckRun(
  state: State,
  repository: Repository,
  run: CheckRun,
  change: Partial<CheckRun> & { readonly senderId: number },
): Promise<void> {
  const { senderId, ...fields } = change;
  const wasDone = run.status === 'completed';
  Object.assign(run, fields);
  if (!wasDone) await afterCompletion(state, repository, run, senderId);
}

/** A run that is done is announced; so is its suite when it was the last one. */
async function afterCompletion(state: State, repository: Repository, run: CheckRun, senderId: number): Promise<void> {
  if (run.status !== 'completed') return;
  run.completedAt ??= timestamp(state);
  await tellCheckRun(state, repository, run, { action: 'completed', senderId });
  const suite = repository.suites.get(run.suiteId);
  if (suite === undefined) return;
  touch(state, suite);
  if (suiteOutcome(runsOfSuite(repository, suite)).status !== 'completed') return;
  const parts = { check_suite: await checkSuiteBody(state, repository, suite) };
  announce(state, repository, { event: 'check_suite', action: 'completed', parts, senderId });
}

interface CheckNews {
  readonly action: 'created' | 'completed' | 'rerequested' | 'requested_action';
  readonly senderId: number;
  /** Of `requested_action`. */
  readonly identifier?: string;
}

/** All Apps hear of runs that are made and done; only its own App hears that somebody pressed its buttons. */
export async function tellCheckRun(
  state: State,
  repository: Repository,
  run: CheckRun,
  news: CheckNews,
): Promise<void> {
  const suite = repository.suites.get(run.suiteId);
  if (suite === undefined) return;
  const { head_commit, repository: _, ...short } = await checkSuiteBody(state, repository, suite);
  const pressed = news.action === 'rerequested' || news.action === 'requested_action';
  announce(state, repository, {
    event: 'check_run',
    action: news.action,
    senderId: news.senderId,
    parts: {
      check_run: { ...checkRunBody(state, repository, run), check_suite: { ...short, repository: undefined } },
      ...(news.identifier === undefined ? {} : { requested_action: { identifier: news.identifier } }),
    },
    ...(pressed ? { onlyAppId: run.appId } : {}),
  });
}
