// What happens to checks: suites are asked for, runs are made and change.
import { covers, timestamp } from '../lookup.ts';
import { checkRunBody, checkSuiteBody, latestOfSuite, suiteOutcome } from '../resources/check.ts';
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
    const of = { appId: installation.appId, sha: head.sha, branch: head.branch, pusherId: head.byId };
    const suite = suiteFor(state, repository, of);
    const what = { event: 'check_suite', action: 'requested', senderId: head.byId, onlyAppId: installation.appId };
    announce(state, repository, { ...what, parts: { check_suite: await checkSuiteBody(state, repository, suite) } });
  }
}

interface SuiteOf {
  readonly appId: number;
  readonly sha: string;
  readonly branch: string | null;
  readonly pusherId: number | null;
}

/** The App's suite of that commit, made where there is none. Those of runs of GitHub Actions are never shared. */
function suiteFor(state: State, repository: Repository, of: SuiteOf): CheckSuite {
  const found = [...repository.suites.values()].find(
    (one) => !one.isOfRun && one.appId === of.appId && one.headSha === of.sha,
  );
  return found ?? makeSuite(state, repository, { ...of, isOfRun: false });
}

export function makeSuite(
  state: State,
  repository: Repository,
  { appId, sha, branch, ...more }: SuiteOf & { readonly isOfRun: boolean; readonly at?: string },
): CheckSuite {
  const { isOfRun, pusherId, at = timestamp(state) } = more;
  const shared = { appId, isOfRun, pusherId, createdAt: at, updatedAt: at };
  const suite: CheckSuite = { id: state.nextId(), headSha: sha, headBranch: branch, withoutJobs: null, ...shared };
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
  const pusherId = repository.pushers.get(made.headSha) ?? null;
  const of = { appId: made.appId, sha: made.headSha, branch, pusherId };
  const run: CheckRun = {
    id: state.nextId(),
    suiteId: made.suiteId ?? suiteFor(state, repository, of).id,
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
  // Whoever begins anew takes back how it had ended.
  if (run.status !== 'completed') Object.assign(run, { conclusion: null, completedAt: null });
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
  if (suiteOutcome(latestOfSuite(repository, suite)).status !== 'completed') return;
  await tellSuite(state, repository, suite, { action: 'completed', senderId: suite.pusherId ?? senderId });
}

interface SuiteNews {
  readonly action: 'completed' | 'rerequested';
  readonly senderId: number;
}

/** All Apps hear that a suite is done; only its own hears that somebody wants it again. */
export async function tellSuite(
  state: State,
  repository: Repository,
  suite: CheckSuite,
  { action, senderId }: SuiteNews,
): Promise<void> {
  const parts = { check_suite: await checkSuiteBody(state, repository, suite) };
  const only = action === 'rerequested' ? { onlyAppId: suite.appId } : {};
  announce(state, repository, { event: 'check_suite', action, parts, senderId, ...only });
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
