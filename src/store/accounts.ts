// Accounts and the secrets that sign their webhooks.
import type { Account } from '../domain/account.ts';
import { newId } from '../domain/ids.ts';
import type { AccountStore } from '../ports/store.ts';
import { writeAudit } from './audit.ts';
import type { Database } from './database.ts';
import type { Reader, Trx } from './schema.ts';
import type { Seal } from './seal.ts';

type AccountVerbs = Pick<AccountStore, 'ensureAccount' | 'signingSecrets' | 'rotateSigningSecret'>;
type NewAccount = Parameters<AccountStore['ensureAccount']>[0];
type Rotation = Parameters<AccountStore['rotateSigningSecret']>[0];

export function accountVerbs(database: Database, seal: Seal): AccountVerbs {
  return {
    async ensureAccount(account) {
      // Asked at every start and sign-in: only the first time is worth a transaction.
      const known = await database.read((reader) => accountByLogin(reader, account.login));
      return known ?? database.write((trx) => ensureAccount(trx, account, seal));
    },
    signingSecrets: (accountId, now) => database.read((reader) => signingSecrets(reader, accountId, { now, seal })),
    rotateSigningSecret: (rotation) => database.write((trx) => rotate(trx, rotation, seal)),
  };
}

/** Logins are GitHub's: equal whatever the case. */
async function accountByLogin(reader: Reader, login: string): Promise<Account | null> {
  const row = await reader
    .selectFrom('accounts')
    .select(['id', 'login'])
    .where('login_lower', '=', login.toLowerCase())
    .executeTakeFirst();
  return row ?? null;
}

async function ensureAccount(trx: Trx, wanted: NewAccount, seal: Seal): Promise<Account> {
  const known = await accountByLogin(trx, wanted.login);
  if (known) return known;
  const account = { id: newId('acc'), login: wanted.login };
  await trx
    .insertInto('accounts')
    .values({ ...account, login_lower: account.login.toLowerCase(), created_at: wanted.now })
    .execute();
  await addSecret(trx, { accountId: account.id, secret: wanted.signingSecret, now: wanted.now }, seal);
  await writeAudit(trx, { at: wanted.now, accountId: account.id, verb: 'account.made', subject: account.id });
  return account;
}

async function signingSecrets(
  reader: Reader,
  accountId: string,
  { now, seal }: { readonly now: string; readonly seal: Seal },
): Promise<readonly string[]> {
  const rows = await reader
    .selectFrom('signing_secrets')
    .select('secret')
    .where('account_id', '=', accountId)
    .where((or) => or.or([or('expires_at', 'is', null), or('expires_at', '>', now)]))
    .orderBy('seq', 'desc')
    .execute();
  return rows.map((row) => seal.open(row.secret, purposeFor(accountId)));
}

async function rotate(trx: Trx, rotation: Rotation, seal: Seal): Promise<void> {
  const { accountId, secret, overlapUntil, now } = rotation;
  // Never more than two at a time: one that was already on its way out goes at once.
  await trx
    .deleteFrom('signing_secrets')
    .where('account_id', '=', accountId)
    .where('expires_at', 'is not', null)
    .execute();
  await trx
    .updateTable('signing_secrets')
    .set({ expires_at: overlapUntil })
    .where('account_id', '=', accountId)
    .execute();
  await addSecret(trx, { accountId, secret, now }, seal);
  await writeAudit(trx, { at: now, accountId, verb: 'secret.rotated', subject: accountId });
}

async function addSecret(
  trx: Trx,
  { accountId, secret, now }: { readonly accountId: string; readonly secret: string; readonly now: string },
  seal: Seal,
): Promise<void> {
  const sealed = seal.seal(secret, purposeFor(accountId));
  await trx
    .insertInto('signing_secrets')
    .values({ account_id: accountId, secret: sealed, created_at: now, expires_at: null })
    .execute();
}

function purposeFor(accountId: string): string {
  return `signing-secret ${accountId}`;
}
