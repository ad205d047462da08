// `/analyse rerun`: failed jobs of a pull request once more, also for its author, who may have no role at all.
import {
  ChecksBusy,
  ChecksClosed,
  type Head,
  isFailing,
  isRepeatable,
  type Rerun,
  toRerunRequest,
} from '../../core/check/index.ts';
import { isAtLeast } from '../../core/project/index.ts';
import type { CommandReply } from '../../core/thread/index.ts';
import { ACTIONS } from '../checks/index.ts';
import { findGithubFailure } from '../clients/index.ts';
import type { CausewayAppDeps } from './app-deps.ts';
import { acceptCommand, addReaction, mayPost, replyToCommand } from './replies.ts';
import { readStandingPull } from './standing.ts';
import type { AnalysisRequest } from './start-analysis.ts';

/** Of a person whom GitHub gives no other way. */
const MOST_A_DAY = 3;
const DAY_MS = 24 * 60 * 60_000;

type Refused = CommandReply['why'];

/**
 * Understood and not carried out, it is answered in words for people who may give commands; for others there is a
 * reaction alone, or strangers would have us write.
 */
export async function requestRerun(
  deps: CausewayAppDeps,
  request: AnalysisRequest,
  signal: AbortSignal,
): Promise<void> {
  // Who only observes starts nothing either.
  if (!mayPost(deps, request.configuration.config)) return;
  const refused = await tryRerun(deps, request, signal);
  if (refused === null) await acceptCommand(deps, request, { command: 'rerun' }, signal);
  else if (isAtLeast(request.trigger.role, 'triage')) await replyToCommand(deps, request, refused, signal);
  else await addReaction(deps, request, 'confused', signal);
}

/** Null: it was started. */
async function tryRerun(deps: CausewayAppDeps, request: AnalysisRequest, signal: AbortSignal): Promise<Refused | null> {
  const { project, subject, trigger, issue, comment } = request;
  const isAsked = isAtLeast(trigger.role, 'triage') || issue.user?.id === trigger.by.id;
  if (subject.kind !== 'pull_request' || comment === null || !isAsked) return { code: 'no_checks' };
  if (deps.memory === 'github') return { code: 'checks_not_kept' };
  const installation = await deps.store.findInstallation(project.source.installationId);
  if (installation?.permissions['actions'] !== 'write') return { code: 'rerun_not_granted' };
  const head = await findLiveHead(deps, request, signal);
  if (head === null) return { code: 'no_checks' };
  const known = await deps.store.findRerun(head.id);
  if (known !== null && known.commentId !== comment.id) return { code: 'rerun_before' };
  if (known?.isStarted === true) return null;
  const claimed = known ?? (await claim(deps, request, { head, commentId: comment.id }));
  if ('code' in claimed) return claimed;
  const answer = await askGithub(deps, request, { head, jobIds: claimed.jobIds }, signal);
  // After a crash it is not known whether GitHub had taken it: an attempt that is there is ours.
  const isStarted = answer.kind === 'started' || (answer.kind === 'started_before' && known !== null);
  await deps.store.settleRerun(head.id, isStarted ? 'started' : 'refused', deps.now().toISOString());
  deps.log.info({ head: head.id, personId: trigger.by.id, answer }, 'a person asked for failed jobs to be run again');
  return isStarted ? null : explainRerunRefusal(answer);
}

/** Stored before GitHub is called: whatever is cut short, the next attempt goes on with it. */
async function claim(
  { store, now }: CausewayAppDeps,
  { trigger: { by, role } }: AnalysisRequest,
  { head, commentId }: { readonly head: Head; readonly commentId: number },
): Promise<{ readonly jobIds: readonly number[] } | Refused> {
  const chosen = chooseJobs(head);
  if ('code' in chosen) return chosen;
  const since = new Date(now().getTime() - DAY_MS).toISOString();
  // Who has write can run anything again on GitHub itself.
  const limit = isAtLeast(role, 'write') ? null : { count: MOST_A_DAY, since };
  const { id, projectId } = head;
  const claimed = await store.claimRerun({ id, projectId, by, commentId, ...chosen, at: now().toISOString(), limit });
  if (claimed === 'claimed') return chosen;
  return { code: claimed === 'before' ? 'rerun_before' : 'rerun_limit' };
}

/** As it is known of the commit that GitHub has as the head now; null: nothing is. */
async function findLiveHead(
  deps: CausewayAppDeps,
  request: AnalysisRequest,
  signal: AbortSignal,
): Promise<Head | null> {
  const { number } = request.subject;
  const pull = await readStandingPull(deps, request, number, signal);
  const head = await deps.store.findHeadOfCommit(request.project.id, pull.head.sha);
  const isOfIt = head?.place?.kind === 'pull_request' && head.place.number === number;
  return isOfIt && pull.state === 'open' ? head : null;
}

function explainRerunRefusal(answer: Rerun): Refused {
  switch (answer.kind) {
    case 'refused':
      return { code: 'rerun_refused', refusal: answer.why };
    case 'running':
      return { code: 'rerun_running' };
    case 'started':
    case 'started_before':
      return { code: 'rerun_before' };
  }
}

function chooseJobs(head: Head): { readonly jobIds: readonly number[] } | Refused {
  if (head.state === 'green') return { code: 'no_checks' };
  if (head.state !== 'red') return { code: 'rerun_running' };
  if (head.findings.some(({ rerun: mark }) => mark !== undefined)) return { code: 'rerun_before' };
  const red = head.findings.filter(isFailing);
  const repeatable = red.filter(isRepeatable);
  if (repeatable.length === 0) return { code: 'rerun_of_code' };
  const jobIds = repeatable.flatMap(({ checks }) =>
    checks.flatMap(({ app, runId, isRed }) => (isRed && app === ACTIONS && runId !== null ? [runId] : [])),
  );
  return jobIds.length === 0 ? { code: 'rerun_refused', refusal: { code: 'not_actions' } } : { jobIds };
}

async function askGithub(
  { checks }: CausewayAppDeps,
  { project }: AnalysisRequest,
  { head, jobIds }: { readonly head: Head; readonly jobIds: readonly number[] },
  signal: AbortSignal,
): Promise<Rerun> {
  try {
    return await checks.rerunJobs(project, toRerunRequest(head, jobIds), signal);
  } catch (error) {
    if (error instanceof ChecksClosed) return { kind: 'refused', why: { code: 'refused' } };
    // By GitHub's own failure it is known when the delivery is handled again.
    throw error instanceof ChecksBusy ? (findGithubFailure(error) ?? error) : error;
  }
}
