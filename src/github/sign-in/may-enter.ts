// Who may sign in: an allowed owner, or anybody who can reach a repository on which an allowed owner has the App.
import { CausewayError } from '../../core/errors.ts';
import type { Person } from '../../core/thread.ts';
import type { InstallationStore } from '../../db/projects.ts';
import { createOwnerRule, type OwnerRuleOptions } from '../projects/owner-rule.ts';

/** `installationIds`: those that GitHub lists for the person. Throws `github_failed` where GitHub does not say who owns the App. */
export type MayEnter = (person: Person, installationIds: readonly number[], signal: AbortSignal) => Promise<boolean>;

export interface MayEnterOptions extends OwnerRuleOptions {
  readonly store: Pick<InstallationStore, 'listInstallations'>;
}

/** Suspended installations do not count: their projects are hidden. */
export function createMayEnter({ store, ...rule }: MayEnterOptions): MayEnter {
  const isAllowed = createOwnerRule(rule);
  return async (person, installationIds, signal) => {
    const own = new Set(installationIds);
    const reached = (await store.listInstallations()).filter(({ id, isSuspended }) => !isSuspended && own.has(id));
    try {
      for (const owner of [person, ...reached.map((installation) => installation.owner)]) {
        if (await isAllowed(owner, signal)) return true;
      }
      return false;
    } catch (cause) {
      signal.throwIfAborted();
      const message = 'GitHub does not say at the moment who owns the App: sign in again in a minute.';
      throw new CausewayError('github_failed', message, { cause });
    }
  };
}
