// Everything that people can do on the double, in one object for tests and for the page.
import type { App, State } from '../state.ts';
import { type AccountVerbs, accountVerbs } from './accounts.ts';
import { type ActionsVerbs, actionsVerbs } from './actions.ts';
import { type CheckVerbs, checkVerbs } from './checks.ts';
import { type InstallationVerbs, installationVerbs } from './installations.ts';
import { type QueueVerbs, queueVerbs } from './merge-queue.ts';
import { type RepositoryVerbs, repositoryVerbs } from './repositories.ts';
import { type ReviewVerbs, reviewVerbs } from './reviews.ts';
import { type ThreadVerbs, threadVerbs } from './threads.ts';

export type People = AccountVerbs &
  RepositoryVerbs &
  ThreadVerbs &
  InstallationVerbs &
  CheckVerbs &
  ActionsVerbs &
  ReviewVerbs &
  QueueVerbs;

/** `underTest`: the App that `install` means when it is told no other. */
export function people(state: State, underTest: App): People {
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
