// Begins another investigation for our own pull request: its checks fail, or its test passes without the fix.

import { toUnifiedPatch } from 'causeway-diff';
import { keepBeginning } from 'causeway-visible-text';
import type { Check } from '../../core/check/index.ts';
import { CausewayError } from '../../core/errors.ts';
import { MAX_REPORT_BYTES } from '../../core/report/index.ts';
import type { PostedPullRequest } from '../../core/thread/index.ts';
import { acceptReport } from '../../services/index.ts';
import { ACTIONS, readAnnotations } from '../checks/index.ts';
import { openRepository, readLogOrReason } from '../clients/index.ts';
import { investigationSettings } from '../configuration/index.ts';
import type { Work } from './view.ts';

/** `red`: the checks that fail with the fix. `green`: those that ran the new test without it, and pass. */
interface AttemptReason {
  readonly kind: 'red' | 'green';
  readonly checks: readonly Check[];
}

const KEYS = { red: 'attempt', green: 'second try' } as const;

/** Id of the investigation, accepted once for each head and kind, however often this is tried. */
export async function beginAttempt(work: Work, posted: PostedPullRequest, reason: AttemptReason): Promise<string> {
  const { deps, view } = work;
  const { headSha } = posted;
  const key = `${KEYS[reason.kind]} ${view.thread.id} ${headSha}`;
  const accepted = await acceptReport(
    deps,
    {
      projectId: view.project.id,
      accountId: view.investigation.accountId,
      origin: 'check-run',
      text: await writeReport(work, posted, reason),
      reference: '',
      revision: headSha,
      callbackUrl: '',
      // Logs may contain what outsiders wrote.
      isTrusted: false,
      settings: investigationSettings(view.config, deps),
      fresh: true,
    },
    // The logs may differ at a second look, so only the head identifies the attempt.
    { idempotency: { key, bodyHash: key }, thread: { kind: 'follows', threadId: view.thread.id } },
  );
  if (accepted.kind === 'key_reused') {
    throw new CausewayError('internal', `The key "${key}" of another attempt was used for something else: remove it.`);
  }
  return accepted.investigationId;
}

const REPORT_SHARE = 256 * 1024;
const PATCH_BYTES = 96 * 1024;
const OUTPUT_BYTES = 16 * 1024;
const LOG_BYTES = 160 * 1024;
/** Checks that fail together mostly fail for one reason. */
const MOST_CHECKS = 3;

async function writeReport(work: Work, posted: PostedPullRequest, { kind, checks }: AttemptReason): Promise<string> {
  const { deps, view } = work;
  const { headSha, branch, base } = posted;
  const names = checks.map(({ name }) => JSON.stringify(name)).join(', ');
  const changeSet = view.published === null ? null : await deps.store.findChangeSet(posted.issueId);
  const opening = {
    red: `The checks of a fix are red. The fix is the commit ${headSha} on the branch ${branch}; these failed there and not on ${base}: ${names}.`,
    green: `The test of a fix shows nothing. The commit ${headSha} on the branch ${branch} has the new test and not the fix, and these checks, which ran the test, pass there: ${names}. So the test does not show the reported fault, or the cause is another one. What is missing is the fix with a test that fails at this commit for the reported reason.`,
  }[kind];
  const parts = [
    opening,
    writeSection('The report that it answers', view.published?.analysis.report ?? '', REPORT_SHARE),
    writeSection('The cause that was found', view.published?.rootCause ?? '', REPORT_SHARE),
    writeSection('What the first fix changed', changeSet === null ? '' : toUnifiedPatch(changeSet), PATCH_BYTES),
  ];
  for (const check of checks.slice(0, MOST_CHECKS)) parts.push(...(await describeAttemptCheck(work, check)));
  return keepBeginning(parts.filter((part) => part !== '').join('\n\n'), MAX_REPORT_BYTES - 1_024);
}

async function describeAttemptCheck({ deps, view, signal }: Work, check: Check): Promise<readonly string[]> {
  const { project } = view;
  const { app, runId } = check;
  const name = `check ${JSON.stringify(check.name)}`;
  const output = [check.title, check.summary, check.text].filter(Boolean).join('\n');
  const parts = [writeSection(`Output of ${name}`, output, OUTPUT_BYTES)];
  if (runId === null) return parts;
  const annotations = await readAnnotations(openRepository(deps, project, 'read', signal), runId, 1);
  const lines = annotations.map(({ path, line, message }) => `${path}:${line}: ${message}`);
  parts.push(writeSection(`Annotations of ${name}`, lines.join('\n'), OUTPUT_BYTES));
  if (app !== ACTIONS) return parts;
  const log = await readLogOrReason(deps, { project, jobId: runId, bytes: LOG_BYTES }, signal);
  return [...parts, writeSection(`Log of ${name}`, log, LOG_BYTES)];
}

function writeSection(title: string, text: string, bytes: number): string {
  return text === '' ? '' : `=== ${title} ===\n${keepBeginning(text, bytes)}`;
}
