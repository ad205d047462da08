// What stands behind a pull request for a red default branch, for its text. Pure.
import type { Failure } from '../../core/failure.ts';
import type { Issue } from '../../core/issue.ts';
import type { PostedPullRequest } from '../../core/thread.ts';
import type { MendedFailure, PullRequestGround } from '../render/ground.ts';
import type { View } from './deps.ts';
import { personBehind } from './fix-request.ts';
import { isAskedAfterSeeing } from './standing.ts';

/** Nothing where a person asked for something else to be mended. `posted`: where it is open already. */
export function behind(
  { thread, failure, redNames, project }: View,
  issue: Issue,
  posted?: PostedPullRequest,
): Pick<PullRequestGround, 'failure' | 'isForPush'> {
  if (failure === null) return {};
  const fixRequest = posted === undefined ? thread.fixRequest : personBehind(posted, thread);
  const isForPush = !isAskedAfterSeeing({ fixRequest }, issue);
  // By now its own may be that of a later time, with which this change has nothing to do.
  const range = posted === undefined ? failure.range : (posted.range ?? null);
  const since = posted === undefined ? null : sinceThen(failure, issue);
  const shown = { checkNames: redNames, headline: failure.headline };
  return { failure: { branch: project.source.defaultBranch, failure: shown, range, since }, isForPush };
}

/** The end of pull requests, or that nobody saw it for long, says nothing of the default branch. */
function sinceThen({ state, closed, isOnDefault }: Failure, { createdAt }: Issue): MendedFailure['since'] {
  if (closed?.by !== 'green') return null;
  if (state === 'closed') return { kind: 'gone', sha: closed.sha };
  // GitHub's times are whole seconds: what was green within the second of the result was so after it.
  const isBack = isOnDefault && Date.parse(closed.at) >= Math.floor(Date.parse(createdAt) / 1_000) * 1_000;
  return isBack ? { kind: 'back', sha: closed.sha } : null;
}
