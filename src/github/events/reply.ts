// A command that was understood and is not carried out: 😕 on it, and one line that says why.
import { isEnded } from '../../core/investigation.ts';
import type { CommandReply, Thread } from '../../core/thread.ts';
import { GithubFailure } from '../clients/github-clients.ts';
import { createInTurn } from '../projects/in-turn.ts';
import { createGithubComments } from '../publish/github-outbox.ts';
import { isRemoved } from '../publish/wanted-comment.ts';
import { appendReply, REPLY_MS, renderReply } from '../render/command-reply.ts';
import type { CausewayAppDeps } from './app-deps.ts';
import type { Wish } from './begin-analysis.ts';
import { mayPost } from './may-post.ts';
import { react } from './react.ts';

type Spot = Pick<Wish, 'project' | 'configuration' | 'subject' | 'comment' | 'trigger'>;
type ReplyDeps = Pick<
  CausewayAppDeps,
  'clients' | 'store' | 'redactor' | 'queue' | 'ceiling' | 'paused' | 'log' | 'now'
>;

/** Two commands at the same moment must not make two comments. */
const inTurn = createInTurn();

/**
 * The line goes into the footer of our one comment. Where there is none and none is coming, it is a short comment of its own, which the next
 * one replaces. Who took our comment away hears no more than the 😕. A refusal is not worth failing for.
 */
export async function reply(deps: ReplyDeps, spot: Spot, why: CommandReply['why'], signal: AbortSignal): Promise<void> {
  await react(deps, spot, 'confused', signal);
  if (!mayPost(deps, spot.configuration.config)) return;
  const answer = { why, at: spot.trigger.at };
  const thread = await deps.store.threadOf(spot.project.id, spot.subject);
  if (thread !== null && isRemoved(thread.record.comment)) return;
  if (thread !== null && (await hasComment(deps, thread))) {
    await deps.store.noteReply(thread.id, answer, deps.now().toISOString());
    deps.queue.wake();
    return;
  }
  try {
    await inTurn(spot.project.source.installationId, signal, () => say(deps, spot, answer, signal));
  } catch (error) {
    if (!(error instanceof GithubFailure) || error.kind === 'busy' || error.kind === 'unsure') throw error;
    deps.log.info({ err: error, project: spot.project.id }, 'a reply to a command was not accepted');
  }
}

/** Or will have: what a person asked for ends in one. */
async function hasComment({ store }: ReplyDeps, { record, trigger, investigationId }: Thread): Promise<boolean> {
  if (record.comment !== null) return true;
  const investigation = await store.investigation(investigationId);
  return trigger.kind !== 'checks' && investigation !== null && !isEnded(investigation.outcome);
}

/** Into whatever comment of ours is there, such as the hand-over on our own pull request. */
async function say(deps: ReplyDeps, spot: Spot, answer: CommandReply, signal: AbortSignal): Promise<void> {
  const { project, subject } = spot;
  const comments = createGithubComments(deps, project);
  const since = new Date(deps.now().getTime() - REPLY_MS).toISOString();
  const own = await comments.ownComments(subject.number, since, signal);
  const standing = own.findLast(({ body }) => endsWithMarker(body));
  if (standing === undefined) await comments.createComment(subject.number, renderReply(answer), signal);
  else await comments.updateComment(standing.id, appendReply(standing.body, answer), signal);
}

/** Comments of the publisher end with a marker in their last line. */
function endsWithMarker(body: string): boolean {
  const last = body.trimEnd().split('\n').at(-1) ?? '';
  return /<!-- causeway[ :]/.test(last) && last.endsWith('-->');
}
