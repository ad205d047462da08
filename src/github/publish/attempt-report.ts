// What a further attempt is told: the report, what was changed for it, and what the checks say to that.

import { keepBeginning } from '../../core/cut-text.ts';
import { toUnifiedPatch } from '../../core/diff/unified-patch.ts';
import { CausewayError } from '../../core/errors.ts';
import { REPORT_BYTES } from '../cut-text.ts';
import { readJobLog } from '../job-log.ts';
import type { Work } from './deps.ts';
import type { Following } from './follow-checks.ts';
import type { Check } from './read-checks.ts';

const REPORT_SHARE = 256 * 1024;
const PATCH_BYTES = 96 * 1024;
const OUTPUT_BYTES = 16 * 1024;
const LOG_BYTES = 160 * 1024;
/** Checks that fail together mostly fail alike: of so many the output and log are read. */
const MOST_CHECKS = 3;
const MOST_ANNOTATIONS = 50;

/** Checks and logs that cannot be read are said to be missing: what is there is reason enough to try. */
export async function attemptReport(work: Work, following: Following, red: readonly Check[]): Promise<string> {
  const { posted } = following;
  const names = red.map(({ name }) => JSON.stringify(name)).join(', ');
  const parts = [
    `The checks of a fix are red. The fix is the commit ${posted.headSha} on the branch ${posted.branch}; these failed there and not on ${posted.base}: ${names}.`,
    ...(await fixParts(work, posted.issueId)),
  ];
  for (const check of red.slice(0, MOST_CHECKS)) parts.push(...(await checkParts(work, following, check)));
  return keepBeginning(parts.filter((part) => part !== '').join('\n\n'), REPORT_BYTES - 1_024);
}

async function fixParts({ deps, view }: Work, issueId: string): Promise<readonly string[]> {
  if (view.published === null) return [];
  const changeSet = await deps.store.changeSet(issueId);
  return [
    `=== The report that it answers ===\n${keepBeginning(view.published.analysis.report, REPORT_SHARE)}`,
    `=== The cause that was found ===\n${view.published.rootCause}`,
    changeSet === null
      ? ''
      : `=== What the first fix changed ===\n${keepBeginning(toUnifiedPatch(changeSet), PATCH_BYTES)}`,
  ];
}

async function checkParts(work: Work, following: Following, check: Check): Promise<readonly string[]> {
  const title = `check ${JSON.stringify(check.name)}`;
  const annotations = check.runId === null ? '' : await orNothing(work, annotationsOf(work, following, check.runId));
  const log = check.runId === null || !check.isAction ? '' : await orNothing(work, logOf(work, following, check.runId));
  return [
    check.output === '' ? '' : `=== Output of ${title} ===\n${keepBeginning(check.output, OUTPUT_BYTES)}`,
    annotations === '' ? '' : `=== Annotations of ${title} ===\n${annotations}`,
    log === '' ? '' : `=== Log of ${title} ===\n${log}`,
  ];
}

async function annotationsOf({ signal }: Work, { of }: Following, runId: number): Promise<string> {
  const { data } = await of.caller.call(
    ({ rest }, request) =>
      rest.checks.listAnnotations({ ...of.place, check_run_id: runId, per_page: MOST_ANNOTATIONS, request }),
    signal,
  );
  const lines = data.map(({ path, start_line, message }) => `${path}:${start_line}: ${message ?? ''}`);
  return keepBeginning(lines.join('\n'), OUTPUT_BYTES);
}

/** The number of a check run of Actions is that of its job. */
function logOf({ deps, signal }: Work, { of }: Following, jobId: number): Promise<string> {
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

async function orNothing({ signal, deps, view }: Work, asked: Promise<string>): Promise<string> {
  try {
    return await asked;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof CausewayError)) throw error;
    deps.log.info({ thread: view.thread.id, err: error }, 'a part of a failed check could not be read');
    return '';
  }
}
