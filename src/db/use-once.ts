// What counts once: states of sign-ins, and forms, each by a hash that is remembered until it expires.

import type { Trx } from './schema.ts';
import type { Counted, SessionStore } from './store.ts';

type OnceTimes = Parameters<SessionStore['useOnce']>[1];

/** In the transaction of the act itself, so that a key is used up exactly where something was done. */
export async function isFirst(trx: Trx, { once }: Counted, now: string): Promise<boolean> {
  return once === undefined || (await useOnce(trx, once.hash, { expiresAt: once.expiresAt, now }));
}

export async function useOnce(trx: Trx, hash: string, { expiresAt, now }: OnceTimes): Promise<boolean> {
  await sweepSignIns(trx, now);
  const first = await trx
    .insertInto('sign_in_states')
    .values({ hash, expires_at: expiresAt })
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .returning('hash')
    .executeTakeFirst();
  return first !== undefined;
}

/** Codes and states that have expired. */
export async function sweepSignIns(trx: Trx, now: string): Promise<void> {
  await trx.deleteFrom('sign_in_codes').where('expires_at', '<=', now).execute();
  await trx.deleteFrom('sign_in_states').where('expires_at', '<=', now).execute();
}
