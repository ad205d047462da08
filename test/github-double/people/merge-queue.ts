// The merge queue: people put pull requests into it, and it tests them on a branch of its own.
import { enqueue, leaveQueue, type MergeGroup } from '../deeds/merge-queue.ts';
import { account, repository } from '../lookup.ts';
import type { State } from '../state.ts';
import { accountVerbs } from './accounts.ts';

export type QueueVerbs = ReturnType<typeof queueVerbs>;

export function queueVerbs(state: State) {
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
