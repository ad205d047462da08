// The last lines of our commit messages, by which a commit is found again whose making was never recorded.
import type { BranchHead, CommitMessage } from './outbox.ts';

interface Carries {
  readonly threadId: string;
  readonly issueId: string;
}

/** What makes CI leave a commit out. */
const SKIPS = /\[(skip|no|ci|actions)([ -])(ci|skip|actions)\]/gi;

export function withTrailers({ headline, body }: CommitMessage, { threadId, issueId }: Carries): CommitMessage {
  const text = body
    .replace(SKIPS, '($1$2$3)')
    .replace(/^skip-checks:/gim, 'skip checks:')
    .trimEnd();
  const trailers = `Causeway-Thread: ${threadId}\nCauseway-Issue: ${issueId}`;
  return { headline: headline.replace(SKIPS, '($1$2$3)'), body: text === '' ? trailers : `${text}\n\n${trailers}` };
}

/** The Issue that the commit carries out; null where it is not ours, or another thread's. */
export function issueCarriedBy(head: BranchHead, threadId: string): string | null {
  const [, thread, issue] =
    /^Causeway-Thread: (thr_[0-9A-Za-z]+)\nCauseway-Issue: (iss_[0-9A-Za-z]+)\s*$/m.exec(head.message) ?? [];
  return head.isOurs && thread === threadId && issue !== undefined ? issue : null;
}
