// A further attempt on the red checks of our own pull request: a new report with their logs, and its change as one more commit.

import { toUnifiedPatch } from '../../core/diff/unified-patch.ts';
import { CausewayError } from '../../core/errors.ts';
import { isEnded } from '../../core/report.ts';
import { keepBeginning } from '../../core/text.ts';
import type { PostedPullRequest, PullRequestAttempt } from '../../core/thread.ts';
import { acceptReport } from '../../services/accept-report.ts';
import { investigationSettings } from '../configuration/effective.ts';
import { REPORT_BYTES, readJobLog } from '../job-log.ts';
import { findRequester } from './fix-standing.ts';
import type { Check, Following } from './follow-pull-request.ts';
import { recoverFrom } from './github-calls.ts';
import { commit, mayStillWrite, prepareChange } from './open-pull-request.ts';
import { loadResult, type Result, type Work } from './view.ts';

/** Accepted once for each head, however often this is tried. */
export async function beginAttempt(
  work: Work,
  following: Following,
  red: readonly Check[],
): Promise<PullRequestAttempt> {
  const { deps, view } = work;
  const { headSha } = following.live;
  const key = `attempt ${view.thread.id} ${headSha}`;
  const accepted = await acceptReport(
    deps,
    {
      projectId: view.project.id,
      accountId: view.investigation.accountId,
      origin: 'check-run',
      text: await writeAttemptReport(work, following, red),
      reference: '',
      revision: headSha,
      callbackUrl: '',
      // Logs may say what a stranger wrote.
      isTrusted: false,
      settings: investigationSettings(view.config, deps),
      fresh: true,
    },
    // The logs may read otherwise at the second look: the head alone says what is meant.
    { idempotency: { key, bodyHash: key }, thread: { kind: 'follows', threadId: view.thread.id } },
  );
  if (accepted.kind === 'key_reused') {
    throw new CausewayError(
      'internal',
      `The key "${key}" of a further attempt was used for something else: remove it.`,
    );
  }
  return { headSha, investigationId: accepted.investigationId, outcome: null };
}

/** The pull request as it is after the attempt; null while it runs. */
export async function endAttempt(
  work: Work,
  { posted }: Following,
  attempt: PullRequestAttempt,
): Promise<PostedPullRequest | null> {
  const { deps, view } = work;
  const investigation = await deps.store.findInvestigation(attempt.investigationId);
  if (investigation !== null && !isEnded(investigation.outcome)) return null;
  const result = investigation === null ? null : await loadResult(deps, investigation);
  const pushed = result === null ? null : await pushOnTop(work, posted, result);
  const others = posted.attempts.slice(0, -1);
  if (pushed === null) return { ...posted, attempts: [...others, { ...attempt, outcome: 'nothing' }] };
  deps.log.info({ thread: view.thread.id, pullRequest: posted.number }, 'a further attempt was pushed');
  const attempts = [...others, { ...attempt, outcome: 'pushed' as const }];
  return { ...posted, headSha: pushed, pushedAt: deps.now().toISOString(), checks: 'waiting', attempts };
}

/** Full sha of the new commit; null where the attempt has no change that may be pushed unread. */
async function pushOnTop(work: Work, posted: PostedPullRequest, result: Result): Promise<string | null> {
  const { branch, headSha } = posted;
  const { issue } = result;
  const { outcome, guards } = issue.analysis;
  if (outcome !== 'code_fix' || issue.diff.files.length === 0 || guards.length > 0) return null;
  if (!work.view.opens || !(await mayStillWrite(work, findRequester(posted, work.view.thread)))) return null;
  const change = await prepareChange(work, result, { sha: headSha, base: branch, analysed: null });
  if (change.kind === 'withheld') {
    work.deps.log.info({ thread: work.view.thread.id, reason: change.reason }, 'a further attempt is withheld');
    return null;
  }
  const push = () => commit(work, { issue, branch, head: headSha, files: change.files });
  return await recoverFrom<string | null>(['refused'], push, (error) => {
    work.deps.log.warn({ thread: work.view.thread.id, err: error }, 'GitHub refused a further attempt');
    return null;
  });
}

const REPORT_SHARE = 256 * 1024;

const PATCH_BYTES = 96 * 1024;

const OUTPUT_BYTES = 16 * 1024;

const LOG_BYTES = 160 * 1024;

/** Checks that fail together mostly fail alike: of so many the output and log are read. */
const MOST_CHECKS = 3;

const MOST_ANNOTATIONS = 50;

/** Checks and logs that cannot be read are said to be missing: what is there is reason enough to try. */
async function writeAttemptReport(work: Work, following: Following, red: readonly Check[]): Promise<string> {
  const { posted } = following;
  const names = red.map(({ name }) => JSON.stringify(name)).join(', ');
  const parts = [
    `The checks of a fix are red. The fix is the commit ${posted.headSha} on the branch ${posted.branch}; these failed there and not on ${posted.base}: ${names}.`,
    ...(await describeFix(work, posted.issueId)),
  ];
  for (const check of red.slice(0, MOST_CHECKS)) parts.push(...(await describeCheck(work, following, check)));
  return keepBeginning(parts.filter((part) => part !== '').join('\n\n'), REPORT_BYTES - 1_024);
}

async function describeFix({ deps, view }: Work, issueId: string): Promise<readonly string[]> {
  if (view.published === null) return [];
  const changeSet = await deps.store.findChangeSet(issueId);
  return [
    `=== The report that it answers ===\n${keepBeginning(view.published.analysis.report, REPORT_SHARE)}`,
    `=== The cause that was found ===\n${view.published.rootCause}`,
    changeSet === null
      ? ''
      : `=== What the first fix changed ===\n${keepBeginning(toUnifiedPatch(changeSet), PATCH_BYTES)}`,
  ];
}

async function describeCheck(work: Work, following: Following, check: Check): Promise<readonly string[]> {
  const title = `check ${JSON.stringify(check.name)}`;
  const annotations =
    check.runId === null ? '' : await readOrNothing(work, readAnnotations(work, following, check.runId));
  const log =
    check.runId === null || !check.isAction ? '' : await readOrNothing(work, readLog(work, following, check.runId));
  return [
    check.output === '' ? '' : `=== Output of ${title} ===\n${keepBeginning(check.output, OUTPUT_BYTES)}`,
    annotations === '' ? '' : `=== Annotations of ${title} ===\n${annotations}`,
    log === '' ? '' : `=== Log of ${title} ===\n${log}`,
  ];
}

async function readAnnotations({ signal }: Work, { of }: Following, runId: number): Promise<string> {
  const { data } = await of.caller.call(
    ({ rest }, request) =>
      rest.checks.listAnnotations({ ...of.place, check_run_id: runId, per_page: MOST_ANNOTATIONS, request }),
    signal,
  );
  const lines = data.map(({ path, start_line, message }) => `${path}:${start_line}: ${message ?? ''}`);
  return keepBeginning(lines.join('\n'), OUTPUT_BYTES);
}

/** The number of a check run of Actions is that of its job. */
function readLog({ deps, signal }: Work, { of }: Following, jobId: number): Promise<string> {
  const { apiUrl, webUrl, userAgent, now } = deps;
  const options = {
    token: '',
    apiUrl,
    webUrl,
    userAgent,
    now,
    ...(deps.fetch === undefined ? {} : { fetch: deps.fetch }),
  };
  return of.caller.call((octokit, request) => {
    const call = () => Promise.reject(new Error('the log is read by one request'));
    return readJobLog({ octokit, options, call }, { ...of.place, jobId }, LOG_BYTES, request.signal);
  }, signal);
}

async function readOrNothing({ signal, deps, view }: Work, asked: Promise<string>): Promise<string> {
  try {
    return await asked;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof CausewayError)) throw error;
    deps.log.info({ thread: view.thread.id, err: error }, 'a part of a failed check could not be read');
    return '';
  }
}
