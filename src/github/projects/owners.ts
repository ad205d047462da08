// Whose installations count: the operator's list, or else whoever owns the App.
import type { Installation } from '../../core/project.ts';
import type { Log } from '../../log.ts';
import type { GithubClients } from '../clients/github-clients.ts';

interface OwnerRuleOptions {
  readonly clients: Pick<GithubClients, 'identity'>;
  /** Logins, whatever their case; empty: the owner of the App. */
  readonly allowedOwners: readonly string[];
}

export interface OwnersOptions extends OwnerRuleOptions {
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

/** Whether an owner is allowed, by login or, where none is named, by the number of the App's owner. Throws GithubFailure where GitHub is not to be asked. */
export function ownerRule({
  clients,
  allowedOwners,
}: OwnerRuleOptions): (owner: Pick<Installation['owner'], 'id' | 'login'>, signal: AbortSignal) => Promise<boolean> {
  const allowed = new Set(allowedOwners.map((login) => login.toLowerCase()));
  return async ({ id, login }, signal) => {
    if (allowed.size > 0) return allowed.has(login.toLowerCase());
    return id === (await clients.identity(signal)).owner.id;
  };
}

export function createOwners({ log, ...rule }: OwnersOptions): Owners {
  const isAllowed = ownerRule(rule);
  const ignored = new Map<number, string>();

  return {
    async counts(installation, signal) {
      const { id, owner } = installation;
      if (await isAllowed(owner, signal)) {
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
