// The checks that a certificate names, as GitHub has them: their states, their logs, and the runs of Actions behind them.
import { readJobAddress, toCheckKey } from '../../core/check/index.ts';
import { CausewayError } from '../../core/errors.ts';
import {
  type CheckedOut,
  findCheckedOut,
  listRunFaults,
  type RunFault,
  type RunRecord,
  toRunRecord,
  type Unverifiable,
  type WantedRun,
} from '../../core/proof/index.ts';
import { stripAddress } from '../../services/index.ts';
import { ACTIONS, isRedConclusion } from '../checks/index.ts';
import { readJobLog, readPages } from '../clients/index.ts';
import type { NamedRun } from './certificate.ts';
import { readOrNull, shortenCommit, type Verifying, type VerifyPlace } from './verifying.ts';

interface CheckedRun {
  readonly name: string;
  /** Slug of the App that reports it; "" for a commit status. */
  readonly app: string;
  /** Of Actions: the id of its job; null: it has no log. */
  readonly jobId: number | null;
  /** Re-runs share it; null: a commit status. */
  readonly suite: number | null;
  /** Whether no re-run has taken its place. */
  readonly isLatest: boolean;
  readonly isRed: boolean;
  readonly isGreen: boolean;
  readonly url: string;
  readonly at: string;
}

/** Of a proof of somebody else's pull request; null: of our own. */
interface RedHalfOf {
  /** Who must have started its runs. */
  readonly bot: string;
  /** GitHub has the commit no more: its runs stand for it. */
  readonly isCommitGone: boolean;
}

/** What a check of each half ran on. */
interface CheckedHalves {
  readonly red: { readonly checkedOut: CheckedOut | null };
  readonly green: { readonly checkedOut: CheckedOut | null };
}

interface CheckedRuns {
  /** What contradicts the certificate. */
  readonly faults: readonly string[];
  /** Why one of them can't be verified; null: each was. */
  readonly unread: Extract<Unverifiable, 'logs_gone' | 'other_ci'> | null;
  readonly halves: readonly CheckedHalves[];
}

export async function checkRuns(verifying: Verifying, foreign: RedHalfOf | null): Promise<CheckedRuns> {
  const { base, testCommit, fixCommit, checks, turned } = verifying.certificate;
  const onBase = await listCheckedRuns(verifying, base);
  const red = foreign?.isCommitGone ? await listNamedJobs(verifying) : await listCheckedRuns(verifying, testCommit);
  const green = await listCheckedRuns(verifying, fixCommit);
  const faults: string[] = [];
  const failed = new Set<string>();
  /** With its App, and without: the certificate names none. */
  const named = new Set<string>();
  const confirmed = new Set<string>();
  const halves: CheckedHalves[] = [];
  let unread: CheckedRuns['unread'] = null;
  for (const check of checks) {
    const before = findRun(red, check.name, check.red);
    const after = findRun(green, check.name, check.green);
    if (!before?.isRed) faults.push(`"${check.name}" did not fail at the test commit as it says`);
    else if (!after?.isGreen) faults.push(`"${check.name}" did not pass at the fix commit as it says`);
    else {
      named.add(toCheckKey(before));
      confirmed.add(before.name);
      const pair = { before, after };
      const records = foreign === null ? RECORDED : await checkRecords(verifying, pair, foreign);
      const logs = records.unread === null ? await checkLogs(verifying, pair, failed) : records;
      faults.push(...describeChance(red, before), ...describeChance(green, after), ...records.faults, ...logs.faults);
      halves.push(...logs.halves);
      unread ??= records.unread ?? logs.unread;
    }
  }
  const redOnBase = new Set(onBase.filter((run) => run.isLatest && run.isRed).map(toCheckKey));
  const isFresh = (run: CheckedRun) => run.isLatest && run.isRed && !redOnBase.has(toCheckKey(run));
  // Of those that are not as it says, that was said.
  const isSaid = ({ name }: CheckedRun) => checks.some((check) => check.name === name && !confirmed.has(name));
  for (const run of red.filter((one) => isFresh(one) && !named.has(toCheckKey(one)) && !isSaid(one)))
    faults.push(`"${run.name}" failed at the test commit too`);
  for (const run of green.filter(isFresh)) faults.push(`"${run.name}" failed at the fix commit`);
  const unseen = turned.filter((name) => !failed.has(name));
  if (unseen.length > 0 && faults.length === 0 && unread === null)
    faults.push(`no log shows that these tests failed: ${unseen.join(', ')}`);
  return { faults, unread, halves };
}

interface RunPair {
  readonly before: CheckedRun;
  readonly after: CheckedRun;
}

const RECORDED: CheckedRuns = { faults: [], unread: null, halves: [] };

/** A re-run that ended otherwise: at the same commit, what it says is chance. */
function describeChance(runs: readonly CheckedRun[], of: CheckedRun): readonly string[] {
  const again = runs.filter(({ name, suite }) => suite !== null && suite === of.suite && name === of.name);
  const differs = of.isRed ? again.some(({ isGreen }) => isGreen) : again.some(({ isRed }) => isRed);
  return differs ? [`"${of.name}" both passed and failed at the same commit`] : [];
}

/** Adds to `failed` the tests that failed before. */
async function checkLogs(verifying: Verifying, { before, after }: RunPair, failed: Set<string>): Promise<CheckedRuns> {
  const { turned } = verifying.certificate;
  if (before.jobId === null || after.jobId === null) return { ...RECORDED, unread: 'other_ci' };
  const red = await readRunLog(verifying, before.name, before.jobId);
  const green = await readRunLog(verifying, after.name, after.jobId);
  if (red === null || green === null) return { ...RECORDED, unread: 'logs_gone' };
  for (const test of red.tests) failed.add(test);
  const still = green.tests.filter((test) => turned.includes(test));
  return {
    faults: [
      ...(red.tests.some((test) => turned.includes(test)) ? [] : [`none of its tests failed in "${before.name}"`]),
      ...(still.length === 0 ? [] : [`these tests still fail in "${after.name}": ${still.join(', ')}`]),
    ],
    unread: null,
    halves: [{ red, green }],
  };
}

const LOG_BYTES = 512 * 1_024;

interface RunLog {
  readonly tests: readonly string[];
  readonly checkedOut: CheckedOut | null;
}

async function readRunLog(
  { client, repository, readCheck, shortenLog, signal }: Verifying,
  name: string,
  jobId: number,
): Promise<RunLog | null> {
  const of = { ...repository, jobId, bytes: LOG_BYTES };
  const log = await readOrNull(() => readJobLog({ ...client, shortenLog }, of, signal));
  if (log === null) return null;
  const { excerpt } = await readCheck({ name, output: '', log, annotations: [] });
  return { tests: excerpt.tests, checkedOut: findCheckedOut(log) };
}

/**
 * The runs of Actions behind both: a red one that somebody else started at that commit, by hand or from a branch of their own, is none of the
 * red half. What started the green one is the author's business: all that ran on the head has to pass.
 */
async function checkRecords(
  verifying: Verifying,
  { before, after }: RunPair,
  { bot }: RedHalfOf,
): Promise<CheckedRuns> {
  const { testCommit, fixCommit } = verifying.certificate;
  const repositoryId = verifying.pull.base.repo.id;
  if (before.jobId === null || after.jobId === null) return { ...RECORDED, unread: 'other_ci' };
  const red = await readJob(verifying, before.jobId);
  const green = await readJob(verifying, after.jobId);
  if (red === null || green === null) return { ...RECORDED, unread: 'logs_gone' };
  const [path, later] = [red.record.path, green.record.path];
  return {
    ...RECORDED,
    faults: [
      ...describeRecord(red, { repositoryId, sha: testCommit, bot }),
      ...describeRecord(green, { repositoryId, sha: fixCommit, bot: null }),
      ...(red.run.isRed ? [] : [`"${before.name}" did not fail at the test commit as it says`]),
      ...(green.run.isGreen ? [] : [`"${after.name}" did not pass at the fix commit as it says`]),
      ...(path === later ? [] : [`"${before.name}" is of ${path} at the test commit, and of ${later} at the head`]),
    ],
  };
}

interface ReadJob {
  readonly run: CheckedRun;
  readonly record: RunRecord;
}

/** Null: GitHub has it no more, or it never was one. */
async function readJob({ client, repository, signal }: VerifyPlace, jobId: number): Promise<ReadJob | null> {
  const { actions } = client.octokit.rest;
  const job = await readOrNull(() =>
    client.call('the job', signal, (deadline) =>
      actions.getJobForWorkflowRun({ ...repository, job_id: jobId, request: { signal: deadline } }),
    ),
  );
  if (job === null) return null;
  const found = await readOrNull(() =>
    client.call('the run', signal, (deadline) =>
      actions.getWorkflowRun({ ...repository, run_id: job.run_id, request: { signal: deadline } }),
    ),
  );
  if (found === null) return null;
  const { name, conclusion, html_url: url, completed_at: at } = job;
  return {
    run: {
      ...{ name, app: ACTIONS, jobId, suite: null, isLatest: true },
      ...{ isRed: isRedConclusion(conclusion), isGreen: conclusion === 'success' },
      ...{ url: stripAddress(url ?? ''), at: at ?? '' },
    },
    record: toRunRecord(found),
  };
}

function describeRecord({ run: { name }, record }: ReadJob, wanted: WantedRun): readonly string[] {
  return listRunFaults(record, wanted).map((fault) => describeRunFault(fault, { name, record, wanted }));
}

function describeRunFault(
  fault: RunFault,
  { name, record, wanted }: { readonly name: string; readonly record: RunRecord; readonly wanted: WantedRun },
): string {
  const run = `the run of "${name}"`;
  switch (fault) {
    case 'elsewhere':
      return `${run} is of another repository`;
    case 'of_fork':
      return `${run} is of a commit in another repository`;
    case 'other_commit':
      return `${run} is of ${shortenCommit(record.sha)}, not of ${shortenCommit(wanted.sha)}`;
    case 'other_actor':
      return `${run} was started by ${record.actor || 'a deleted user'}, not by ${wanted.bot ?? ''}`;
    case 'other_event':
      return `${run} was started by "${record.event}", not by a push or a pull request`;
  }
}

/** The jobs that it names as red, where GitHub can't list those of their commit any more. */
async function listNamedJobs(verifying: Verifying): Promise<readonly CheckedRun[]> {
  const jobs: CheckedRun[] = [];
  for (const { red } of verifying.certificate.checks) {
    const address = readJobAddress(red.url);
    const job = address && (await readJob(verifying, address.jobId));
    if (job !== null) jobs.push(job.run);
  }
  return jobs;
}

/** Another App may have made one of the same name, address and time. */
function findRun(runs: readonly CheckedRun[], name: string, { url, at }: NamedRun): CheckedRun | undefined {
  const same = runs.filter((run) => run.name === name && run.url === url && run.at === at);
  return same.find(({ jobId }) => jobId !== null) ?? same[0];
}

/** A commit with more checks is not verified in part. */
const MAX_PAGES = 30;

export async function readWhole<T>(
  what: string,
  read: (page: { readonly per_page: number; readonly page: number }) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const { items, isCut } = await readPages(MAX_PAGES, read);
  if (!isCut) return items;
  throw new CausewayError('usage', `A commit has too many ${what} to verify the certificate.`);
}

async function listCheckedRuns(
  { client, repository, signal }: VerifyPlace,
  sha: string,
): Promise<readonly CheckedRun[]> {
  const of = { ...repository, ref: sha };
  const runs = await readWhole('checks', async (page) => {
    const found = await client.call('the checks', signal, (deadline) =>
      client.octokit.rest.checks.listForRef({ ...of, ...page, filter: 'all', request: { signal: deadline } }),
    );
    return found.check_runs;
  });
  const statuses = await readWhole('statuses', async (page) => {
    const found = await client.call('the statuses', signal, (deadline) =>
      client.octokit.rest.repos.getCombinedStatusForRef({ ...of, ...page, request: { signal: deadline } }),
    );
    return found.statuses;
  });
  const toKey = (run: (typeof runs)[number]) => `${run.check_suite?.id ?? 0} ${run.name}`;
  const newest = new Map(runs.toSorted((one, other) => one.id - other.id).map((run) => [toKey(run), run.id]));
  return [
    ...runs.map((run) => {
      const { id, name, app, conclusion, html_url, details_url, completed_at, check_suite: suite } = run;
      const url = stripAddress(html_url ?? details_url ?? '');
      // A workflow may make check runs in the name of Actions, with any address.
      const isJob = app?.slug === ACTIONS && (readJobAddress(url)?.jobId ?? id) === id;
      return {
        ...{ name, app: app?.slug ?? '', url, at: completed_at ?? '' },
        jobId: isJob ? id : null,
        suite: suite?.id ?? null,
        isLatest: newest.get(toKey(run)) === id,
        isRed: isRedConclusion(conclusion),
        isGreen: conclusion === 'success',
      };
    }),
    ...statuses.map(({ context, state, target_url, updated_at }) => ({
      ...{ name: context, app: '', jobId: null, suite: null, isLatest: true },
      isRed: state === 'failure' || state === 'error',
      isGreen: state === 'success',
      url: stripAddress(target_url ?? ''),
      at: updated_at,
    })),
  ];
}
