// Carries out the next step of a thread; what was done is the record that it returns.
import type { ThreadRecord } from '../../core/thread.ts';
import type { Work } from './deps.ts';
import type { Step } from './desired.ts';
import { fold, reopen, settle, unfold } from './fold-away.ts';
import { openPullRequest } from './open-pull-request.ts';
import { addReply, edit, post, react, remove, unlessRefused } from './show-comment.ts';
import { suggest } from './suggest.ts';

export type Effect = Exclude<Step, { kind: 'later' | 'done' }>;

/** Throws GithubFailure where it is to be tried again. */
export async function effectOf(work: Work, step: Effect): Promise<ThreadRecord> {
  switch (step.kind) {
    case 'react':
      return await react(work, step.number);
    case 'delete':
      return await remove(work, step.commentId);
    case 'post':
      return await unlessRefused(work, step.comment, post(work, step.number, step.comment));
    case 'edit':
      return await unlessRefused(work, step.comment, edit(work, step.standing, step.comment));
    case 'settle':
      return await unlessRefused(work, step.comment, settle(work, step.standing, step.comment));
    case 'reopen':
      return await unlessRefused(work, step.comment, reopen(work, step.standing, step.comment));
    case 'reply':
      return await addReply(work, step);
    case 'suggest':
      return await suggest(work, step.number);
    case 'fold':
      return await fold(work);
    case 'unfold':
      return await unfold(work);
    case 'open':
      return await openPullRequest(work);
    case 'look':
    case 'follow':
      return work.view.record;
  }
}
