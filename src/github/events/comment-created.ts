// A comment was written: a command in it starts or stops an analysis, or asks for the pull request.

import { isAtLeast } from '../../core/project/index.ts';
import { isEnded } from '../../core/report/index.ts';
import type { CommandReply, Thread, Trigger } from '../../core/thread/index.ts';
import { cancelInvestigation } from '../../services/index.ts';
import { isBot, isOurs, toPerson } from '../clients/index.ts';
import { type CommentCommand, mayHaveCommand, parseCommand } from '../report/index.ts';
import { type CausewayAppDeps, type EventHandler, schedulePublish } from './app-deps.ts';
import { askForProof } from './ask-for-proof.ts';
import { carryOutKnown } from './known-command.ts';
import { overrideVerdict } from './override-verdict.ts';
import { acceptCommand, replyToCommand } from './replies.ts';
import { requestRerun } from './request-rerun.ts';
import { requestRevert } from './revert-command.ts';
import {
  findAnswer,
  findThreads,
  hasOwnBranch,
  isAnswered,
  isClosedWithAnswer,
  offerCommands,
  readStandingPull,
} from './standing.ts';
import { type AnalysisRequest, findProject, isTooOld, readTriageRole, startAnalysis } from './start-analysis.ts';

export const onCommentCreated: EventHandler<'issue_comment.created'> = async (deps, { id, payload }, signal) => {
  const { issue, comment, sender } = payload;
  const body = comment.body ?? '';
  const by = toPerson(sender);
  if (by === null || isBot(sender) || !mayHaveCommand(body)) return;
  const identity = await deps.clients.identity(signal);
  const command = parseCommand(body, identity);
  if (command === null || isOurs(identity, { user: sender }, comment)) return;
  if (isTooOld(deps, comment.created_at, id)) return;
  const project = await findProject(deps, payload, signal);
  if (project === null) return;
  const role =
    command.kind === 'rerun'
      ? await deps.permissions.roleOfPerson(by, project, signal)
      : await readTriageRole(deps, { project, by }, signal);
  if (role === null) return;
  const configuration = await deps.configuration.of(project, signal);
  const guidance = 'guidance' in command ? command.guidance : '';
  const subject = { kind: issue.pull_request ? 'pull_request' : 'issue', number: issue.number } as const;
  const trigger = { kind: 'comment', by, role, commentId: comment.id, guidance, at: comment.created_at } as const;
  const request = { deliveryId: id, project, configuration, subject, trigger, issue, comment, fresh: false };
  await carryOutCommand(deps, command, request, signal);
};

async function carryOutCommand(
  deps: CausewayAppDeps,
  command: CommentCommand,
  request: AnalysisRequest,
  signal: AbortSignal,
): Promise<void> {
  const offer = () => offerCommands(deps, request, signal);
  switch (command.kind) {
    case 'stop':
      return await stopAnalysis(deps, request, signal);
    case 'fix':
      return isAtLeast(request.trigger.role, 'write')
        ? await requestFix(deps, request, signal)
        : await replyToCommand(deps, request, { code: 'fix_needs_write' }, signal);
    case 'revert':
      return await requestRevert(deps, request, signal);
    case 'prove':
      return await askForProof(deps, request, signal);
    case 'judge':
      return await recordVote(deps, command, request, signal);
    case 'known':
      return await carryOutKnown(deps, command, request, signal);
    case 'override':
      return await overrideVerdict(deps, command, request, signal);
    case 'rerun':
      return await requestRerun(deps, request, signal);
    case 'help':
      return await replyToCommand(deps, request, { code: 'help', offer: await offer() }, signal);
    case 'unclear':
      return command.meant === null
        ? await replyToCommand(deps, request, { code: 'unknown', offer: await offer() }, signal)
        : await replyToCommand(
            deps,
            request,
            { code: 'did_you_mean', command: command.meant, offer: await offer() },
            signal,
          );
    case 'retry':
      return await startAnalysis(deps, { ...request, fresh: true }, signal);
    case 'analyse':
      // Words below an answer may be a hint or thanks: only `retry` says that they are worth another run.
      return command.guidance !== '' && (await isAnswered(deps, request, signal))
        ? await replyToCommand(deps, request, { code: 'answered', offer: await offer() }, signal)
        : await startAnalysis(deps, request, signal);
  }
}

/** Ends what runs here, on our own pull request also the analysis that it came from; where nothing runs it says so. */
async function stopAnalysis(deps: CausewayAppDeps, request: AnalysisRequest, signal: AbortSignal): Promise<void> {
  let count = 0;
  const { own, origin } = await findThreads(deps, request);
  for (const thread of [own, origin].filter((one) => one !== null)) {
    for (const id of await deps.store.listOpenInvestigationsOfThread(thread.id)) {
      const { kind } = await cancelInvestigation(deps, id, { code: 'stopped_by_command' });
      if (kind === 'cancelled') count += 1;
    }
    await schedulePublish(deps, thread);
  }
  try {
    if (count > 0) await acceptCommand(deps, request, { command: 'stop' }, signal);
    else await replyToCommand(deps, request, { code: 'nothing_to_stop' }, signal);
  } catch (error) {
    signal.throwIfAborted();
    // A second attempt for the reaction's sake would find nothing that runs.
    deps.log.info({ err: error, project: request.project.id }, 'the reaction to a command was not accepted');
  }
}

/** On the answer that our comment shows, or that our own pull request implements. */
async function recordVote(
  deps: CausewayAppDeps,
  { vote, why }: Extract<CommentCommand, { kind: 'judge' }>,
  request: AnalysisRequest,
  signal: AbortSignal,
): Promise<void> {
  const { store, redactor } = deps;
  if (deps.memory === 'github') return await replyToCommand(deps, request, { code: 'not_kept' }, signal);
  const { by, at } = request.trigger;
  const now = deps.now().toISOString();
  const answered = await findAnswer(deps, request);
  // For the person's name next to the answer.
  await store.ensureAccount({ login: by.login, githubId: by.id, signingSecret: deps.newSigningSecret(), now });
  const given = { personId: by.id, source: 'command', vote, why: await redactor.redact(why), at } as const;
  const isRecorded =
    answered?.kind === 'thread'
      ? await store.recordVoteInThread(answered.threadId, given, now)
      : answered !== null && (await store.recordVote(answered.issueId, given, now));
  if (isRecorded) await acceptCommand(deps, request, { command: vote }, signal);
  else {
    const offer = await offerCommands(deps, request, signal);
    await replyToCommand(deps, request, { code: 'nothing_to_judge', offer }, signal);
  }
}

/**
 * The pull request of the current result, or an analysis that leads to one. While one runs, its end brings the pull
 * request.
 */
async function requestFix(deps: CausewayAppDeps, request: AnalysisRequest, signal: AbortSignal): Promise<void> {
  const { project, subject, trigger } = request;
  // Nothing is pushed to a fork.
  if (subject.kind === 'pull_request' && !(await hasOwnBranch(deps, request, signal))) {
    return await replyToCommand(deps, request, { code: 'branch_in_fork' }, signal);
  }
  const thread = await deps.store.findThreadOfSubject(project.id, subject);
  if (thread === null || !(await leadsToChange(deps, thread))) {
    if (await isClosedWithAnswer(deps, request)) {
      const offer = await offerCommands(deps, request, signal);
      return await replyToCommand(deps, request, { code: 'closed', offer }, signal);
    }
    // An equal report would be answered with the result that has no change.
    return await startAnalysis(deps, { ...request, fresh: true, isForFix: true }, signal);
  }
  const isAfter = isAfterAnswer(thread, trigger);
  if (!isAfter && (await isSuperseded(deps, thread, trigger.at))) {
    return await replyToCommand(deps, request, { code: 'overtaken' }, signal);
  }
  const posted = await findPostedPull(deps, request, thread, signal);
  if (posted !== null) return await replyToCommand(deps, request, posted, signal);
  await acceptCommand(deps, request, { command: 'fix' }, signal);
  const now = deps.now().toISOString();
  // As of the comment: its author has not seen what was concluded since. Never later than now, or with a clock that is behind GitHub's
  // it would follow an answer that is still to come.
  const isEarlier = Date.parse(trigger.at) < Date.parse(now);
  await deps.store.requestFix(thread.id, { ...trigger.by, at: isEarlier && !isAfter ? trigger.at : now }, now);
}

/** GitHub's numbers ascend: they tell also within a second, and where its clock is not ours. */
function isAfterAnswer({ record: { comment }, investigationId }: Thread, { commentId }: Trigger): boolean {
  if (comment?.shows !== 'result' || comment.investigationId !== investigationId) return false;
  return commentId !== null && commentId > comment.id;
}

/** The pull request that the request would lead to, as GitHub has it now; null: none is open, nor was the answer's merged. */
async function findPostedPull(
  deps: CausewayAppDeps,
  request: AnalysisRequest,
  { id, record: { pullRequest: posted } }: Thread,
  signal: AbortSignal,
): Promise<Extract<CommandReply['why'], { readonly number: number }> | null> {
  if (posted === null || posted.number === 0) return null;
  const { number, url } = posted;
  const pull = posted.state === 'closed' ? null : await readStandingPull(deps, request, number, signal);
  if (pull?.state === 'open') return { code: 'already_open', number, url };
  const isOfShown = pull?.merged === true && (await deps.store.findShownIssue(id)) === posted.issueId;
  return isOfShown ? { code: 'already_merged', number, url } : null;
}

/** A newer analysis began after the comment, which meant the one before. GitHub's times are whole seconds. */
async function isSuperseded({ store }: CausewayAppDeps, thread: Thread, commentedAt: string): Promise<boolean> {
  const investigation = await store.findInvestigation(thread.investigationId);
  return investigation !== null && Date.parse(investigation.createdAt) >= Date.parse(commentedAt) + 1_000;
}

async function leadsToChange({ store }: CausewayAppDeps, thread: Thread): Promise<boolean> {
  for (const id of await listThreadInvestigations({ store }, thread)) {
    const outcome = (await store.findInvestigation(id))?.outcome;
    if (outcome === undefined) continue;
    if (!isEnded(outcome)) return true;
    const change = outcome.state === 'concluded' ? await store.findChangeSet(outcome.issueId) : null;
    if (change !== null && change.files.length > 0) return true;
  }
  return false;
}

/** Failed checks may have several causes, each with an investigation of its own: any of them may have a fix. */
async function listThreadInvestigations({ store }: Pick<CausewayAppDeps, 'store'>, thread: Thread) {
  const { id, projectId, subject, trigger, investigationId } = thread;
  if (trigger.kind !== 'checks' || subject.kind !== 'pull_request') return [investigationId];
  const findings = (await store.findHeadOfPullRequest(projectId, subject.number))?.findings ?? [];
  const own = findings.filter(({ threadId }) => threadId === id).flatMap((finding) => finding.investigationId ?? []);
  return own.length === 0 ? [investigationId] : own;
}
