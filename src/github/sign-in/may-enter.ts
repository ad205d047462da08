// Who may sign in: an allowed owner, or whoever can reach a repository on which an allowed owner has the App.
import { CausewayError } from '../../core/errors.ts';
import type { Person } from '../../core/thread.ts';
import type { InstallationStore } from '../../db/store.ts';
import type { GithubClients } from '../clients/github-clients.ts';
import { ownerRule } from '../projects/owners.ts';

/** `installationIds`: those that GitHub lists for the person. Throws `github_failed` where GitHub does not say who owns the App. */
export type MayEnter = (person: Person, installationIds: readonly number[], signal: AbortSignal) => Promise<boolean>;

export interface MayEnterOptions {
  readonly clients: Pick<GithubClients, 'identity'>;
  /** Logins, whatever their case; empty: the owner of the App. */
  readonly allowedOwners: readonly string[];
  readonly store: Pick<InstallationStore, 'installations'>;
}

/** What was suspended counts for nobody: its projects are hidden. */
export function createMayEnter({ store, ...rule }: MayEnterOptions): MayEnter {
  const isAllowed = ownerRule(rule);
  return async (person, installationIds, signal) => {
    const theirs = new Set(installationIds);
    const reached = (await store.installations()).filter(({ id, isSuspended }) => !isSuspended && theirs.has(id));
    try {
      for (const owner of [person, ...reached.map((installation) => installation.owner)]) {
        if (await isAllowed(owner, signal)) return true;
      }
      return false;
    } catch (cause) {
      signal.throwIfAborted();
      const words = 'GitHub does not say just now who owns the App: begin to sign in again in a minute.';
      throw new CausewayError('github_failed', words, { cause });
    }
  };
}
