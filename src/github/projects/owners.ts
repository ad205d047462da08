// Whose installations count: the operator's list, or else whoever owns the App.
import type { Installation } from '../../domain/installation.ts';
import type { Log } from '../../log.ts';
import type { GithubClients } from '../clients/github-clients.ts';

export interface OwnersOptions {
  readonly clients: Pick<GithubClients, 'identity'>;
  /** Logins, whatever their case; empty: the owner of the App. */
  readonly allowedOwners: readonly string[];
  readonly log: Log;
}

/** Says of an installation whether it counts; says so once in the log where it does not. */
export function createOwners({ clients, allowedOwners, log }: OwnersOptions) {
  const allowed = new Set(allowedOwners.map((login) => login.toLowerCase()));
  const told = new Set<number>();
  return async ({ id, owner }: Installation, signal: AbortSignal): Promise<boolean> => {
    const counts =
      allowed.size > 0
        ? allowed.has(owner.login.toLowerCase())
        : owner.id === (await clients.identity(signal)).owner.id;
    if (!counts && !told.has(id)) {
      told.add(id);
      log.warn(
        { installation: id, owner: owner.login },
        'an installation is ignored: its owner is not in ALLOWED_OWNERS (by default the owner of the App alone)',
      );
    }
    return counts;
  };
}
