// Whose act a command about an account is: a person on GitHub did not sit at this terminal, the operator did.
import type { Account } from '../core/account.ts';
import type { Acting } from '../db/store.ts';

/** The local account is the operator's own. */
export function actingFor({ githubId }: Account): Acting {
  return { byOperator: githubId !== null };
}
