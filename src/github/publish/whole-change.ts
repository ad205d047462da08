// What our pull request changes as a whole: the first change, and those of further attempts on top of it. Pure.

import { type ChangeSet, joinChanges, toDiff } from 'causeway-diff';
import { splitChange } from '../../core/proof/index.ts';
import type { PostedPullRequest } from '../../core/thread/index.ts';
import type { Result } from './view.ts';

/**
 * The first result with the change as it is on the branch, and the steps that belong to it. Its change set is null, and
 * its diff empty, where the changes don't fit together, such as after a merge with a newer base.
 */
export function addFurther(first: Result, further: readonly Result[], { proof }: PostedPullRequest): Result {
  const last = further.at(-1);
  if (last === undefined) return first;
  // On the branch of a second try there was only the test of the first change.
  const isSecondTry = (proof?.secondTry?.issueId ?? null) !== null;
  const whole = first.changeSet !== null && isSecondTry ? splitChange(first.changeSet)?.test : first.changeSet;
  const changeSet = further.reduce<ChangeSet | null>(
    (joined, next) => (joined === null || next.changeSet === null ? null : joinChanges(joined, next.changeSet)),
    whole ?? null,
  );
  const diff = changeSet === null ? { files: [] } : toDiff(changeSet);
  return { issue: { ...first.issue, solutionSteps: last.issue.solutionSteps, diff }, changeSet };
}
