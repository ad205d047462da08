// A further attempt on the red checks of our own pull request: a new report with their logs, and its change as one more commit.
import { CausewayError } from '../../core/errors.ts';
import { isEnded } from '../../core/investigation.ts';
import type { PostedPullRequest, PullRequestAttempt } from '../../core/thread.ts';
import { acceptReport } from '../../services/accept-report.ts';
import { GithubFailure } from '../clients/github-clients.ts';
import { investigationSettings } from '../configuration/investigation-settings.ts';
import { attemptReport } from './attempt-report.ts';
import type { Result, Work } from './deps.ts';
import { personBehind } from './fix-request.ts';
import type { Following } from './follow-checks.ts';
import { mayStillWrite } from './may-open.ts';
import { changeFor, commit } from './open-pull-request.ts';
import type { Check } from './read-checks.ts';
import { resultOf } from './results.ts';

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
      text: await attemptReport(work, following, red),
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
  const investigation = await deps.store.investigation(attempt.investigationId);
  if (investigation !== null && !isEnded(investigation.outcome)) return null;
  const result = investigation === null ? null : await resultOf(deps, investigation);
  const pushed = result === null ? null : await pushedOnTop(work, posted, result);
  const others = posted.attempts.slice(0, -1);
  if (pushed === null) return { ...posted, attempts: [...others, { ...attempt, outcome: 'nothing' }] };
  deps.log.info({ thread: view.thread.id, pullRequest: posted.number }, 'a further attempt was pushed');
  const attempts = [...others, { ...attempt, outcome: 'pushed' as const }];
  return { ...posted, headSha: pushed, pushedAt: deps.now().toISOString(), checks: 'waiting', attempts };
}

/** Full sha of the new commit; null where the attempt has no change that may be pushed unread. */
async function pushedOnTop(work: Work, posted: PostedPullRequest, result: Result): Promise<string | null> {
  const { branch, headSha } = posted;
  const { issue } = result;
  const { outcome, guards } = issue.analysis;
  if (outcome !== 'code_fix' || issue.diff.files.length === 0 || guards.length > 0) return null;
  if (!work.view.opens || !(await mayStillWrite(work, personBehind(posted, work.view.thread)))) return null;
  const change = await changeFor(work, result, { sha: headSha, base: branch, analysed: null });
  if (change.kind === 'withheld') {
    work.deps.log.info({ thread: work.view.thread.id, reason: change.reason }, 'a further attempt is withheld');
    return null;
  }
  try {
    return await commit(work, { issue, branch, head: headSha, files: change.files });
  } catch (error) {
    if (!(error instanceof GithubFailure) || error.kind !== 'refused') throw error;
    work.deps.log.warn({ thread: work.view.thread.id, err: error }, 'GitHub refused a further attempt');
    return null;
  }
}
