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

export interface Owners {
  /** Whether the installation counts; says so once in the log where it does not. */
  counts(installation: Installation, signal: AbortSignal): Promise<boolean>;
  /** The installation is gone. */
  forget(installationId: number): void;
  /** Logins of those whose installations do not count. */
  ignored(): readonly string[];
}

export function createOwners({ clients, allowedOwners, log }: OwnersOptions): Owners {
  const allowed = new Set(allowedOwners.map((login) => login.toLowerCase()));
  const ignored = new Map<number, string>();

  async function isAllowed({ owner }: Installation, signal: AbortSignal): Promise<boolean> {
    if (allowed.size > 0) return allowed.has(owner.login.toLowerCase());
    return owner.id === (await clients.identity(signal)).owner.id;
  }

  return {
    async counts(installation, signal) {
      const { id, owner } = installation;
      if (await isAllowed(installation, signal)) {
        ignored.delete(id);
        return true;
      }
      if (!ignored.has(id)) {
        log.warn(
          { installation: id, owner: owner.login },
          'an installation is ignored: its owner is not in ALLOWED_OWNERS (by default the owner of the App alone)',
        );
      }
      ignored.set(id, owner.login);
      return false;
    },
    forget: (id) => void ignored.delete(id),
    ignored: () => [...new Set(ignored.values())].sort(),
  };
}
