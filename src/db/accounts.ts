// Accounts and the secrets that sign their webhooks.
import type { Selectable } from 'kysely';
import type { Account } from '../core/account.ts';
import { newId } from '../core/ids.ts';
import { verbOf, writeAudit } from './audit.ts';
import type { Database } from './database.ts';
import type { AccountTable, Reader, Trx } from './schema.ts';
import type { Seal } from './seal.ts';
import type { AccountStore, SessionStore } from './store.ts';
import { isFirst } from './use-once.ts';

type AccountVerbs = Pick<
  AccountStore & SessionStore,
  'ensureAccount' | 'accounts' | 'account' | 'signingSecrets' | 'rotateSigningSecret' | 'noteSecretShown'
>;
type NewAccount = Parameters<AccountStore['ensureAccount']>[0];
type Rotation = Parameters<AccountStore['rotateSigningSecret']>[0];

export function accountVerbs(database: Database, seal: Seal): AccountVerbs {
  return {
    async ensureAccount(account) {
      // Asked at every start and sign-in: only the first time, and after a renaming, it is worth a transaction.
      const known = await database.read((reader) => knownAccount(reader, account));
      return known && isUpToDate(known, account) ? known : database.write((trx) => ensureAccount(trx, account, seal));
    },
    accounts: () => database.read(allAccounts),
    account: (id) => database.read((reader) => accountOf(reader, id)),
    signingSecrets: (accountId, now) => database.read((reader) => signingSecrets(reader, accountId, { now, seal })),
    rotateSigningSecret: (rotation) => database.write((trx) => rotate(trx, rotation, seal)),
    noteSecretShown: (accountId, now, how = {}) =>
      database.write((trx) =>
        writeAudit(trx, { at: now, accountId, verb: verbOf('secret.shown', how), subject: accountId }),
      ),
  };
}

export function accountFrom(row: Pick<Selectable<AccountTable>, 'id' | 'login' | 'github_id'>): Account {
  return { id: row.id, login: row.login, githubId: row.github_id };
}

async function allAccounts(reader: Reader): Promise<readonly Account[]> {
  const rows = await reader
    .selectFrom('accounts')
    .select(['id', 'login', 'github_id'])
    .orderBy('login_lower')
    .execute();
  return rows.map(accountFrom);
}

async function accountOf(reader: Reader, id: string): Promise<Account | null> {
  const row = await reader
    .selectFrom('accounts')
    .select(['id', 'login', 'github_id'])
    .where('id', '=', id)
    .executeTakeFirst();
  return row ? accountFrom(row) : null;
}

/** A person on GitHub is their number; whoever has none is their login, whatever its case. */
async function knownAccount(
  reader: Reader,
  { login, githubId }: Pick<NewAccount, 'login' | 'githubId'>,
): Promise<Account | null> {
  const accounts = reader.selectFrom('accounts').select(['id', 'login', 'github_id']);
  const found =
    githubId === null
      ? accounts.where('login_lower', '=', login.toLowerCase()).where('github_id', 'is', null)
      : accounts.where('github_id', '=', githubId);
  const row = await found.executeTakeFirst();
  return row ? accountFrom(row) : null;
}

function isUpToDate(known: Account, { login, githubId }: NewAccount): boolean {
  return githubId === null || known.login === login;
}

async function ensureAccount(trx: Trx, wanted: NewAccount, seal: Seal): Promise<Account> {
  const known = await knownAccount(trx, wanted);
  if (known && isUpToDate(known, wanted)) return known;
  const { login, githubId, now } = wanted;
  const names = { login, login_lower: await takeLogin(trx, wanted, known) };
  if (known) {
    await trx.updateTable('accounts').set(names).where('id', '=', known.id).execute();
    return { ...known, login };
  }
  const account = { id: newId('acc'), login, githubId };
  await trx
    .insertInto('accounts')
    .values({ id: account.id, ...names, github_id: githubId, created_at: now })
    .execute();
  await addSecret(trx, { accountId: account.id, secret: wanted.signingSecret, now }, seal);
  await writeAudit(trx, { at: now, accountId: account.id, verb: 'account.made', subject: account.id });
  return account;
}

/**
 * The key under which the login may be kept from now on. A person on GitHub who holds it has been renamed, and gives it up for one that
 * nobody on GitHub can have. The account of the house itself is nobody on GitHub, and stays what it is called.
 */
async function takeLogin(trx: Trx, { login, githubId }: NewAccount, known: Account | null): Promise<string> {
  const key = login.toLowerCase();
  const holder = await trx
    .selectFrom('accounts')
    .select(['id', 'login', 'github_id'])
    .where('login_lower', '=', key)
    .where('id', '!=', known?.id ?? '')
    .executeTakeFirst();
  if (!holder) return key;
  if (holder.github_id === null) return `${key}~${githubId}`;
  const former = `${holder.login}~${holder.github_id}`;
  await trx
    .updateTable('accounts')
    .set({ login: former, login_lower: former.toLowerCase() })
    .where('id', '=', holder.id)
    .execute();
  return key;
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
  return rows.map((row) => seal.open(row.secret, secretPurpose(accountId)));
}

async function rotate(trx: Trx, rotation: Rotation, seal: Seal): Promise<'done' | 'repeated'> {
  const { accountId, secret, overlapUntil, now } = rotation;
  if (!(await isFirst(trx, rotation, now))) return 'repeated';
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
  await writeAudit(trx, { at: now, accountId, verb: verbOf('secret.rotated', rotation), subject: accountId });
  return 'done';
}

async function addSecret(
  trx: Trx,
  { accountId, secret, now }: { readonly accountId: string; readonly secret: string; readonly now: string },
  seal: Seal,
): Promise<void> {
  const sealed = seal.seal(secret, secretPurpose(accountId));
  await trx
    .insertInto('signing_secrets')
    .values({ account_id: accountId, secret: sealed, created_at: now, expires_at: null })
    .execute();
}

/** What the signing secrets of an account are sealed for. */
export function secretPurpose(accountId: string): string {
  return `signing-secret ${accountId}`;
}
