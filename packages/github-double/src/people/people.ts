// All that a test lets people do.
import { enqueue, leaveQueue, type MergeGroup } from '../deeds/pulls.ts';
import { account, repository } from '../lookup.ts';
import type { App, State } from '../state.ts';
import { type AccountVerbs, accountVerbs, type InstallationVerbs, installationVerbs } from './accounts.ts';
import { type ActionsVerbs, actionsVerbs, type CheckVerbs, checkVerbs } from './checks.ts';
import { type RepositoryVerbs, repositoryVerbs } from './repositories.ts';
import { type ReviewVerbs, reviewVerbs, type ThreadVerbs, threadVerbs } from './threads.ts';

type QueueVerbs = ReturnType<typeof queueVerbs>;

function queueVerbs(state: State) {
  const people = accountVerbs(state);
  return {
    /** "Merge when ready": checks are to be reported at the `sha` of the group; the branch is pushed by GitHub's bot. */
    async enqueue(name: string, number: number, by: string): Promise<MergeGroup> {
      const found = repository(state, name);
      const issue = found.issues.get(number);
      if (issue === undefined) throw new Error(`${name} has no #${number}.`);
      const { botId } = people.otherApp('github-merge-queue');
      return enqueue(state, found, issue, { byId: account(state, by).id, botId });
    },
    /** The group was merged, or its checks have failed, or somebody took it out. The branch is gone then. */
    async leaveQueue(name: string, group: MergeGroup, how: 'merged' | 'failed' | 'taken out'): Promise<void> {
      const reason = { merged: 'merged', failed: 'invalidated', 'taken out': 'dequeued' } as const;
      await leaveQueue(state, repository(state, name), group, reason[how]);
    },
  };
}

export type People = AccountVerbs &
  RepositoryVerbs &
  ThreadVerbs &
  InstallationVerbs &
  CheckVerbs &
  ActionsVerbs &
  ReviewVerbs &
  QueueVerbs;

/** `underTest`: the App that `install` means when it is told no other. */
export function createPeople(state: State, underTest: App): People {
  return {
    ...accountVerbs(state),
    ...repositoryVerbs(state),
    ...threadVerbs(state),
    ...installationVerbs(state, underTest),
    ...checkVerbs(state),
    ...actionsVerbs(state),
    ...reviewVerbs(state),
    ...queueVerbs(state),
  };
}
