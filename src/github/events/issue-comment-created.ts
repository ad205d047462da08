// A comment was written: a command in it starts, replaces or stops an analysis, or asks for the pull request.
import { isAtLeast, type Role } from '../../core/role.ts';
import type { CommandReply } from '../../core/thread.ts';
import type { CausewayAppDeps, EventHandler } from './app-deps.ts';
import { askForFix } from './ask-for-fix.ts';
import { beginAnalysis, type Wish } from './begin-analysis.ts';
import { type Command, parseCommand } from './command.ts';
import { isOurs } from './ours.ts';
import { commentCreated, isBot, personOf } from './payloads.ts';
import { projectForTrigger } from './project-for-trigger.ts';
import { reply } from './reply.ts';
import { stopAnalysis } from './stop-analysis.ts';
import { isTooOld } from './too-old.ts';
import { mayAsk } from './who-may-ask.ts';

export const onCommentCreated: EventHandler = async (deps, { id, payload }, signal) => {
  const read = commentCreated.safeParse(payload);
  if (!read.success) return;
  const { issue, comment, sender } = read.data;
  const command = parseCommand(comment.body ?? '');
  const by = personOf(sender);
  if (command === null || by === null || isBot(sender)) return;
  if (isOurs(await deps.clients.identity(signal), { sender }, comment)) return;
  if (isTooOld(deps, comment.created_at, id)) return;
  const project = await projectForTrigger(deps, read.data, signal);
  if (project === null) return;
  const role = await mayAsk(deps, { project, by }, signal);
  if (role === null) return;
  const configuration = await deps.configuration.of(project, signal);
  const guidance = 'guidance' in command ? command.guidance : '';
  const subject = { kind: issue.pull_request ? 'pull_request' : 'issue', number: issue.number } as const;
  const trigger = { kind: 'comment', by, role, commentId: comment.id, guidance, at: comment.created_at } as const;
  const wish = { deliveryId: id, project, configuration, subject, trigger, issue, comment, fresh: false };
  await carryOut(deps, { command, role, wish }, signal);
};

interface Order {
  readonly command: Command;
  readonly role: Role;
  readonly wish: Wish;
}

async function carryOut(deps: CausewayAppDeps, { command, role, wish }: Order, signal: AbortSignal): Promise<void> {
  switch (command.kind) {
    case 'stop':
      return await stopAnalysis(deps, wish, signal);
    case 'fix':
      if (isAtLeast(role, 'write')) return await askForFix(deps, wish, signal);
      return await reply(deps, wish, { code: 'fix_needs_write' }, signal);
    case 'unclear':
      return await reply(deps, wish, unclear(command.meant), signal);
    case 'retry':
      return await beginAnalysis(deps, { ...wish, fresh: true }, signal);
    case 'analyse':
      return await beginAnalysis(deps, wish, signal);
  }
}

function unclear(meant: Extract<Command, { kind: 'unclear' }>['meant']): CommandReply['why'] {
  return meant === 'feedback' ? { code: 'no_feedback_yet' } : { code: 'did_you_mean', command: meant };
}
