// What signs somebody in once: codes made at this machine, and the states of sign-ins with GitHub. Only hashes are kept.
import type { Account } from '../core/account.ts';
import { accountFrom } from './accounts.ts';
import type { Database } from './database.ts';
import type { Trx } from './schema.ts';
import type { SessionStore } from './store.ts';
import { sweepSignIns, useOnce } from './use-once.ts';

type NewCode = Parameters<SessionStore['addSignInCode']>[0];

export function signInVerbs(database: Database): Pick<SessionStore, 'addSignInCode' | 'useSignInCode' | 'useOnce'> {
  return {
    addSignInCode: (code) => database.write((trx) => addCode(trx, code)),
    useSignInCode: (hash, now) => database.write((trx) => useCode(trx, hash, now)),
    useOnce: (hash, times) => database.write((trx) => useOnce(trx, hash, times)),
  };
}

async function addCode(trx: Trx, { hash, accountId, expiresAt, now }: NewCode): Promise<void> {
  await trx.deleteFrom('sign_in_codes').where('account_id', '=', accountId).execute();
  await sweepSignIns(trx, now);
  await trx.insertInto('sign_in_codes').values({ hash, account_id: accountId, expires_at: expiresAt }).execute();
}

/** Taken out before it is judged, so that of two who bring it at the same moment one is nobody. */
async function useCode(trx: Trx, hash: string, now: string): Promise<Account | null> {
  const used = await trx
    .deleteFrom('sign_in_codes')
    .where('hash', '=', hash)
    .returning(['account_id', 'expires_at'])
    .executeTakeFirst();
  if (!used || used.expires_at <= now) return null;
  const row = await trx
    .selectFrom('accounts')
    .select(['id', 'login', 'github_id'])
    .where('id', '=', used.account_id)
    .executeTakeFirst();
  return row ? accountFrom(row) : null;
}
