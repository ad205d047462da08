// Whose installations count, and who may sign in: the operator's list, or else the owner of the App.
import type { GithubClients } from '../clients/github-clients.ts';

export interface OwnerRuleOptions {
  readonly clients: Pick<GithubClients, 'identity'>;
  /** Logins, in any case; empty: the owner of the App. */
  readonly allowedOwners: readonly string[];
}

export type OwnerRule = (
  owner: { readonly id: number; readonly login: string },
  signal: AbortSignal,
) => Promise<boolean>;

/** Compares logins or, where none is named, the number of the App's owner. Throws GithubFailure where GitHub does not say who that is. */
export function createOwnerRule({ clients, allowedOwners }: OwnerRuleOptions): OwnerRule {
  const allowed = new Set(allowedOwners.map((login) => login.toLowerCase()));
  return async ({ id, login }, signal) => {
    if (allowed.size > 0) return allowed.has(login.toLowerCase());
    return id === (await clients.identity(signal)).owner.id;
  };
}
