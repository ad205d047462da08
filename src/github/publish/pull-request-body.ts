// The body of our pull request says how its checks stand; where a person has written in it, it is theirs.
import type { PullRequestAttempt } from '../../core/thread.ts';
import { pullRequestText } from '../render/pull-request-text.ts';
import { behind } from './behind.ts';
import type { Work } from './deps.ts';
import { personBehind } from './fix-request.ts';
import type { Following } from './follow-checks.ts';
import { isAsSealed, sealed } from './marker.ts';
import { placeOf } from './place-of.ts';
import { type Check, readChecks, redOf } from './read-checks.ts';

/** `notOurs`: red checks that are red on the base as well. */
export async function bringUpToDate(work: Work, following: Following, notOurs: readonly Check[]): Promise<void> {
  const { view, outbox, signal } = work;
  const { posted, live } = following;
  if (view.published === null || !isAsSealed(live.body)) return;
  const { body } = pullRequestText({
    place: placeOf(view, 'pull-request'),
    issue: view.published,
    requestedBy: personBehind(posted, view.thread)?.login ?? '',
    commentUrl: view.record.comment?.url ?? '',
    attempt: await lastPushed(following, signal),
    checks: posted.checks,
    ...behind(view, view.published, posted),
  });
  const text = sealed(notOurs.length === 0 ? body : `${notOursText(notOurs, live.base)}\n\n${body}`);
  if (text !== live.body) await outbox.updatePullRequest(posted.number, text, signal);
}

async function lastPushed({ posted, of }: Following, signal: AbortSignal) {
  const pushed = posted.attempts.filter(({ outcome }) => outcome === 'pushed');
  const last: PullRequestAttempt | undefined = pushed.at(-1);
  if (last === undefined) return null;
  const red = redOf(await readChecks(of, last.headSha, signal));
  return { number: pushed.length, failedChecks: red.map(({ name }) => name) };
}

function notOursText(checks: readonly Check[], base: string): string {
  const names = checks.slice(0, 10).map(({ name }) => code(name));
  return `Red on ${code(base)} as well, so not because of this change: ${names.join(', ')}.`;
}

function code(text: string): string {
  return `\`${text.replace(/[`\r\n]/g, ' ').slice(0, 100)}\``;
}
