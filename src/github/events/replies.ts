// Immediate answers to events: a reaction, a line about a command that isn't carried out, or a comment about a broken
// configuration file.

import { type GithubProject, getRepository } from '../../core/project/index.ts';
import { isEnded } from '../../core/report/index.ts';
import type { CommandReply, Thread, Trigger } from '../../core/thread/index.ts';
import { isFinal } from '../clients/index.ts';
import type { ConfigProblem, ReadConfig, RepositoryConfig } from '../configuration/index.ts';
import { createInTurn } from '../projects/index.ts';
import { createGithubWriter, isRemoved } from '../publish/index.ts';
import {
  appendReply,
  isCarriedOut,
  REPLY_MS,
  readReplyMarker,
  renderConfigComplaint,
  renderReply,
} from '../render/index.ts';
import type { CausewayAppDeps } from './app-deps.ts';

/** The issue or pull request that an event is about, and who caused it. */
export interface EventSubject {
  readonly project: GithubProject;
  readonly configuration: ReadConfig;
  readonly subject: { readonly kind: 'issue' | 'pull_request'; readonly number: number };
  /** Null: the issue or pull request itself. */
  readonly comment: { readonly id: number } | null;
  readonly trigger: Trigger;
}

const LATEST_COMMENTS = 100;

/** Two commands at the same moment must not make two comments, and two subjects not two complaints. */
const inTurn = createInTurn();

/**
 * Adds "eyes" (we are at it) or "confused" (understood, and not carried out). Says whether it is there now: doing it
 * twice leaves one. Does nothing where nothing may be written; a refusal (a locked conversation, a deleted comment) is
 * not worth failing for.
 */
export async function addReaction(
  deps: CausewayAppDeps,
  { project, configuration, subject, comment }: EventSubject,
  content: 'eyes' | 'confused',
  signal: AbortSignal,
): Promise<boolean> {
  if (!mayPost(deps, configuration.config)) return false;
  const at = { ...getRepository(project), content };
  try {
    await deps.clients.repository(project.source, 'talk').call(async ({ rest: { reactions } }, request) => {
      if (comment !== null) await reactions.createForIssueComment({ ...at, comment_id: comment.id, request });
      else await reactions.createForIssue({ ...at, issue_number: subject.number, request });
    }, signal);
    return true;
  } catch (error) {
    if (!isFinal(error)) throw error;
    deps.log.info({ err: error, project: project.id }, 'a reaction was not accepted');
    return false;
  }
}

/**
 * Answers a command in words, mostly why it is not carried out. The line goes into the footer of our one comment. Where there is none and none
 * is coming, it is a short comment of its own, which the next one replaces. Where people deleted our comment, there
 * is only the reaction.
 */
export async function replyToCommand(
  deps: CausewayAppDeps,
  at: EventSubject,
  why: CommandReply['why'],
  signal: AbortSignal,
): Promise<void> {
  await addReaction(deps, at, isCarriedOut(why) ? 'eyes' : 'confused', signal);
  if (!mayPost(deps, at.configuration.config)) return;
  const { at: givenAt, by } = at.trigger;
  const reply: CommandReply = { why, at: givenAt, to: { id: by.id, login: by.login } };
  const thread = await deps.store.findThreadOfSubject(at.project.id, at.subject);
  if (thread !== null && isRemoved(thread.record.comment)) return;
  if (thread !== null && (await hasComment(deps, thread))) {
    await deps.store.saveCommandReply(thread.id, reply, deps.now().toISOString());
    return;
  }
  try {
    await inTurn(at.project.source.installationId, signal, () => postReply(deps, at, reply, signal));
  } catch (error) {
    if (!isFinal(error)) throw error;
    deps.log.info({ err: error, project: at.project.id }, 'a reply to a command was not accepted');
  }
}

interface AcceptedCommand {
  readonly command: string;
  /** Answers about an issue that it ends besides, to whomever; absent: none. */
  readonly overtakes?: { readonly codes: readonly CommandReply['why']['code'][]; readonly issue: number | null };
}

/**
 * Says that a command is carried out: a reaction. An answer of ours that it overtakes, such as why an earlier try of the same person was not
 * carried out, says so from then on, which notifies nobody. `command`: what follows `/analyse`.
 */
export async function acceptCommand(
  deps: CausewayAppDeps,
  at: EventSubject,
  { command, overtakes }: AcceptedCommand,
  signal: AbortSignal,
): Promise<void> {
  await addReaction(deps, at, 'eyes', signal);
  if (!mayPost(deps, at.configuration.config)) return;
  const { at: givenAt, by } = at.trigger;
  const reply: CommandReply = {
    why: { code: 'carried_out', command },
    at: givenAt,
    to: { id: by.id, login: by.login },
  };
  const isOvertaken = ({ code, to, issue }: NonNullable<ReturnType<typeof readReplyMarker>>) =>
    (issue === overtakes?.issue && overtakes.codes.some((one) => one === code)) ||
    (to === by.id && !isCarriedOut({ code }));
  const thread = await deps.store.findThreadOfSubject(at.project.id, at.subject);
  const standing = thread?.record.reply;
  if (thread !== null && standing !== undefined && standing !== null) {
    const { why, to } = standing;
    if (isOvertaken({ code: why.code, to: to?.id ?? 0, issue: 'issue' in why ? why.issue : null }))
      await deps.store.saveCommandReply(thread.id, reply, deps.now().toISOString());
  }
  try {
    await inTurn(at.project.source.installationId, signal, async () => {
      const github = createGithubWriter(deps, at.project, signal);
      const since = new Date(deps.now().getTime() - REPLY_MS).toISOString();
      const said = (await github.listOwnComments(at.subject.number, since)).findLast(
        ({ body }) => readReplyMarker(body) !== null,
      );
      const read = said && readReplyMarker(said.body);
      if (said && read && isOvertaken(read)) await github.updateComment(said.id, renderReply(reply));
    });
  } catch (error) {
    if (!isFinal(error)) throw error;
    deps.log.info({ err: error, project: at.project.id }, 'an answer to an earlier command was not edited');
  }
}

/** Or will have one: an analysis that a person requested ends in a comment. */
async function hasComment({ store }: CausewayAppDeps, { record, trigger, investigationId }: Thread): Promise<boolean> {
  if (record.comment !== null) return true;
  const investigation = await store.findInvestigation(investigationId);
  return trigger.kind !== 'checks' && investigation !== null && !isEnded(investigation.outcome);
}

/** Into any comment of ours that is there, such as the hand-over on our own pull request. */
async function postReply(
  deps: CausewayAppDeps,
  at: EventSubject,
  reply: CommandReply,
  signal: AbortSignal,
): Promise<void> {
  const { project, subject } = at;
  const github = createGithubWriter(deps, project, signal);
  const since = new Date(deps.now().getTime() - REPLY_MS).toISOString();
  const own = await github.listOwnComments(subject.number, since);
  const existing = own.findLast(({ body }) => hasMarker(body));
  if (existing === undefined) await github.createComment(subject.number, renderReply(reply));
  else await github.updateComment(existing.id, appendReply(existing.body, reply));
}

/** Comments of the publisher end with a marker in their last line. */
function hasMarker(body: string): boolean {
  const last = body.trimEnd().split('\n').at(-1) ?? '';
  return /<!-- causeway[ :]/.test(last) && last.endsWith('-->');
}

/**
 * Comments on a configuration file that cannot be used, once for each state of the file. What was reported is
 * remembered; before it writes it still looks for its own marker among the repository's latest comments, so that a
 * crash in between does not make two. An owner's file is reported where it is met first. The analysis goes on with the
 * safe defaults, so a refusal is not worth failing for.
 */
export async function reportConfigProblem(deps: CausewayAppDeps, at: EventSubject, signal: AbortSignal): Promise<void> {
  const { problem, config, heldBy } = at.configuration;
  if (problem === null || !mayPost(deps, config)) return;
  const holderId = heldBy?.projectId ?? at.project.id;
  const isReported = () => deps.store.hasConfigNotice(holderId, problem.digest);
  try {
    if (await isReported()) return;
    await inTurn(at.project.source.installationId, signal, async () => {
      if (await isReported()) return;
      // The digest is ours; its form is enforced since it becomes part of a comment.
      const marker = `<!-- causeway:configuration ${problem.digest.replace(/[^0-9A-Za-z]/g, '').slice(0, 64)} -->`;
      if (!(await isPosted(deps, at, marker, signal))) await postProblem(deps, at, { problem, marker }, signal);
      await deps.store.saveConfigNotice(holderId, problem.digest, deps.now().toISOString());
    });
  } catch (error) {
    signal.throwIfAborted();
    deps.log.warn({ err: error, project: at.project.id }, 'the problem in a configuration file could not be reported');
  }
}

async function isPosted(
  { clients }: CausewayAppDeps,
  { project }: EventSubject,
  marker: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { botId } = await clients.identity(signal);
  const latest = { sort: 'created', direction: 'desc', per_page: LATEST_COMMENTS } as const;
  const { data } = await clients
    .repository(project.source, 'read')
    .call(
      ({ rest }, request) => rest.issues.listCommentsForRepo({ ...getRepository(project), ...latest, request }),
      signal,
    );
  return data.some(({ user, body }) => user?.id === botId && body?.includes(marker));
}

async function postProblem(
  deps: CausewayAppDeps,
  { project, subject, trigger, configuration }: EventSubject,
  { problem, marker }: { readonly problem: ConfigProblem; readonly marker: string },
  signal: AbortSignal,
): Promise<void> {
  const isPublic = !project.source.isPrivate;
  // The content of a file in another repository is not public.
  const isHidden = configuration.heldBy !== undefined && isPublic;
  const shown = isHidden ? { ...problem, message: 'Its content cannot be used.' } : problem;
  const place = { repository: project.name, webUrl: deps.webUrl, isPublic };
  const text = renderConfigComplaint(shown, { ...place, subject, marker, askedBy: trigger.by.login });
  const body = await deps.redactor.redact(text);
  const issue = { ...getRepository(project), issue_number: subject.number };
  await deps.clients
    .repository(project.source, 'talk')
    .call(({ rest }, request) => rest.issues.createComment({ ...issue, body, request }), signal);
}

/** Not where the repository or the operator only observes, nor while the service is paused. */
export function mayPost({ ceiling, paused }: CausewayAppDeps, { mode }: RepositoryConfig): boolean {
  return mode !== 'observe' && ceiling !== 'observe' && !paused();
}
