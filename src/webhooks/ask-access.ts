// Whether a webhook may still go: a role can be lost between two of its attempts, of which there are ten in three days.
import { CausewayError } from '../core/errors.ts';
import type { Webhook } from '../core/webhook.ts';
import type { Log } from '../log.ts';

/** Whether the account may still see what the webhook tells of. Throws `github_failed` where that is not known just now. */
export type MayBeTold = (webhook: Webhook, signal: AbortSignal) => Promise<boolean>;

/** For the owner of the account. */
export const ACCESS_LOST =
  'access_lost: You do not see the project (any more), so nothing was sent. With a role there again, send it again.';

interface Options {
  readonly mayBeTold?: MayBeTold | undefined;
  readonly log: Log;
}

/** An issue is what was found in the project. That there is none tells nothing of it, and must reach whoever waits for one in a project that is gone. */
export async function askAccess(
  webhook: Webhook,
  { mayBeTold, log }: Options,
  signal: AbortSignal,
): Promise<'kept' | 'lost' | 'unknown'> {
  if (webhook.type !== 'issue.created' || mayBeTold === undefined) return 'kept';
  try {
    if (await mayBeTold(webhook, signal)) return 'kept';
    log.info({ webhook: webhook.id }, 'webhook of an account that does not see the project any more');
    return 'lost';
  } catch (error) {
    if (!(error instanceof CausewayError) || error.code !== 'github_failed') throw error;
    log.info({ webhook: webhook.id, reason: error.message }, 'webhook waits until GitHub says whether it may go');
    return 'unknown';
  }
}
