// Accounts with the secrets that sign their webhooks, access tokens, sessions, and the codes that sign in once.
import type { Selectable } from 'kysely';
import {
  type Account,
  type BrowserSession,
  SESSION_IDLE_MS,
  SESSION_LIFE_MS,
  type TokenRecord,
} from '../core/account/index.ts';
import { createId } from '../core/ids.ts';
import { toAuditVerb, writeAudit } from './audit.ts';
import type { Database, Enqueuer } from './database.ts';
import { eraseSubscription } from './events.ts';
import type { AccountTable, Reader, SessionTable, TokenTable, Trx } from './schema.ts';
import type { Seal } from './seal.ts';

export interface ActOptions {
  /**
   * A key that is used up in the same transaction, and remembered until it expires. Absent: the act may be repeated.
   */
  readonly once?: { readonly hash: string; readonly expiresAt: string };
  /** True: by the operator at the terminal, for the person; the audit log says so. */
  readonly byOperator?: boolean;
}

interface NewAccount {
  readonly login: string;
  readonly githubId: number | null;
  /** `whsec_…`, stored only when the account is created. */
  readonly signingSecret: string;
  readonly now: string;
}

interface SecretRotation extends ActOptions {
  readonly accountId: string;
  readonly secret: string;
  readonly overlapUntil: string;
  readonly now: string;
}

export type AccountStore = ReturnType<typeof createAccountVerbs>;
export type SessionStore = ReturnType<typeof createSessionVerbs>;

/** Last use is stored to the minute: otherwise each call would cost a disk sync. */
const TOUCH_MS = 60_000;

export function createAccountVerbs(database: Database, seal: Seal) {
  return {
    /**
     * The account of that GitHub number (null: of that login), created if it is missing, its login brought up to date.
     * If another account holds the login, its person has been renamed and loses it.
     */
    async ensureAccount(account: NewAccount): Promise<Account> {
      const known = await database.read((reader) => findSameAccount(reader, account));
      return known && isUpToDate(known, account) ? known : database.write((trx) => ensureAccount(trx, account, seal));
    },
    /** All of them, by login. */
    async listAccounts(): Promise<readonly Account[]> {
      const rows = await database.read((reader) => selectAccounts(reader).orderBy('login_lower').execute());
      return rows.map(toAccount);
    },
    /** Secrets that sign now, newest first: two during a rotation. */
    async listSigningSecrets(accountId: string, now: string): Promise<readonly string[]> {
      const rows = await database.read((reader) =>
        reader
          .selectFrom('signing_secrets')
          .select('secret')
          .where('account_id', '=', accountId)
          .where((or) => or.or([or('expires_at', 'is', null), or('expires_at', '>', now)]))
          .orderBy('seq', 'desc')
          .execute(),
      );
      return rows.map((row) => seal.open(row.secret, toSecretPurpose(accountId)));
    },
    /**
     * The new secret signs from now on; the previous one next to it until `overlapUntil`. `repeated`: the key was used
     * before.
     */
    rotateSigningSecret: (rotation: SecretRotation): Promise<'done' | 'repeated'> =>
      database.write((trx) => rotateAccountSecret(trx, rotation, seal)),
    /** For the audit log: the account's signing secret was displayed. */
    recordSecretShown: (accountId: string, now: string, how: ActOptions = {}): Promise<void> =>
      database.write((trx) =>
        writeAudit(trx, { at: now, accountId, verb: toAuditVerb('secret.shown', how), subject: accountId }),
      ),
    /** `repeated`: the key was used before, and nothing was done. */
    addToken: (token: TokenRecord, hash: string, how: ActOptions = {}): Promise<'done' | 'repeated'> =>
      database.write((trx) => addToken(trx, token, hash, how)),
    /** The token and its account, revoked or expired ones too: the caller decides by its own clock. */
    async findTokenByHash(hash: string): Promise<{ readonly token: TokenRecord; readonly account: Account } | null> {
      const row = await database.read((reader) =>
        reader
          .selectFrom('tokens')
          .innerJoin('accounts', 'accounts.id', 'tokens.account_id')
          .selectAll('tokens')
          .select(['accounts.login', 'accounts.github_id'])
          .where('hash', '=', hash)
          .executeTakeFirst(),
      );
      return row ? { token: toTokenRecord(row), account: toAccount({ ...row, id: row.account_id }) } : null;
    },
    /** Newest first. */
    async listTokens(accountId: string): Promise<readonly TokenRecord[]> {
      const rows = await database.read((reader) =>
        reader.selectFrom('tokens').selectAll().where('account_id', '=', accountId).orderBy('seq', 'desc').execute(),
      );
      return rows.map(toTokenRecord);
    },
    /** False if there is no such token of the account, or it was revoked before. */
    revokeToken: (id: string, accountId: string, now: string, how: ActOptions = {}): Promise<boolean> =>
      database.write(async (trx) => {
        const revoked = await trx
          .updateTable('tokens')
          .set({ revoked_at: now })
          .where('id', '=', id)
          .where('account_id', '=', accountId)
          .where('revoked_at', 'is', null)
          .returning('id')
          .executeTakeFirst();
        if (!revoked) return false;
        await writeAudit(trx, { at: now, accountId, verb: toAuditVerb('token.revoked', how), subject: id });
        return true;
      }),
    async touchToken(id: string, now: string): Promise<void> {
      const row = await database.read((reader) =>
        reader.selectFrom('tokens').select('last_used_at').where('id', '=', id).executeTakeFirst(),
      );
      if (!row || isWithinTouch(row.last_used_at, now)) return;
      await database.write((trx) =>
        trx.updateTable('tokens').set({ last_used_at: now }).where('id', '=', id).execute(),
      );
    },
  };
}

export function createSessionVerbs(database: Database) {
  return {
    findAccount: (id: string): Promise<Account | null> => database.read((reader) => findAccount(reader, id)),
    /** A code that signs in once, for a person at this machine; unused codes of the account are deleted. */
    async addSignInCode(code: {
      readonly hash: string;
      readonly accountId: string;
      readonly expiresAt: string;
      readonly now: string;
    }): Promise<void> {
      const { hash, accountId, expiresAt, now } = code;
      await database.write(async (trx) => {
        await trx.deleteFrom('sign_in_codes').where('account_id', '=', accountId).execute();
        await sweepSignIns(trx, now);
        await trx.insertInto('sign_in_codes').values({ hash, account_id: accountId, expires_at: expiresAt }).execute();
      });
    },
    /** The account of the code, which works once; null: unknown, used or expired. */
    useSignInCode: (hash: string, now: string): Promise<Account | null> =>
      database.write(async (trx) => {
        // Deleted before it is checked, so that of two simultaneous uses only one succeeds.
        const used = await trx
          .deleteFrom('sign_in_codes')
          .where('hash', '=', hash)
          .returning(['account_id', 'expires_at'])
          .executeTakeFirst();
        return used && used.expires_at > now ? findAccount(trx, used.account_id) : null;
      }),
    /** False if it was used before; remembered until it expires: states of sign-ins, and forms that must count once. */
    useOnce: (hash: string, times: { readonly expiresAt: string; readonly now: string }): Promise<boolean> =>
      database.write((trx) => useOnce(trx, hash, times)),
    async addSession(session: BrowserSession, hash: string): Promise<void> {
      const { id, accountId, startedAt: at, lastSeenAt, client } = session;
      await database.write(async (trx) => {
        await trx
          .insertInto('sessions')
          .values({ id, account_id: accountId, hash, started_at: at, last_seen_at: lastSeenAt, client })
          .execute();
        await writeAudit(trx, { at, accountId, verb: 'session.started', subject: id });
      });
    },
    /** Expired ones too: the caller decides by its own clock. */
    async findSessionByHash(
      hash: string,
    ): Promise<{ readonly session: BrowserSession; readonly account: Account } | null> {
      const row = await database.read((reader) =>
        reader
          .selectFrom('sessions')
          .innerJoin('accounts', 'accounts.id', 'sessions.account_id')
          .selectAll('sessions')
          .select(['accounts.login', 'accounts.github_id'])
          .where('sessions.hash', '=', hash)
          .executeTakeFirst(),
      );
      return row ? { session: toSession(row), account: toAccount({ ...row, id: row.account_id }) } : null;
    },
    /** Last started first. */
    async listSessions(accountId: string): Promise<readonly BrowserSession[]> {
      const rows = await database.read((reader) =>
        reader.selectFrom('sessions').selectAll().where('account_id', '=', accountId).orderBy('seq', 'desc').execute(),
      );
      return rows.map(toSession);
    },
    async touchSession(id: string, now: string): Promise<void> {
      const row = await database.read((reader) =>
        reader.selectFrom('sessions').select('last_seen_at').where('id', '=', id).executeTakeFirst(),
      );
      if (!row || isWithinTouch(row.last_seen_at, now)) return;
      await database.write((trx) =>
        trx.updateTable('sessions').set({ last_seen_at: now }).where('id', '=', id).execute(),
      );
    },
    /** False if the account has no such session. */
    endSession: (id: string, accountId: string, now: string): Promise<boolean> =>
      database.write(async (trx) => {
        const ended = await trx
          .deleteFrom('sessions')
          .where('id', '=', id)
          .where('account_id', '=', accountId)
          .returning('id')
          .executeTakeFirst();
        if (!ended) return false;
        await writeAudit(trx, { at: now, accountId, verb: 'session.ended', subject: id });
        return true;
      }),
    /** Ends every session, token and subscription of the person: they revoked the App's authorization. */
    endAccess: (githubId: number, now: string): Promise<void> =>
      database.write((trx) => endAccess(trx, database.jobs, githubId, now)),
  };
}

function selectAccounts(reader: Reader) {
  return reader.selectFrom('accounts').select(['id', 'login', 'github_id']);
}

async function findAccount(reader: Reader, id: string): Promise<Account | null> {
  const row = await selectAccounts(reader).where('id', '=', id).executeTakeFirst();
  return row ? toAccount(row) : null;
}

/** A person on GitHub is identified by their number; an account without one by its login. */
async function findSameAccount(reader: Reader, { login, githubId }: NewAccount): Promise<Account | null> {
  const accounts = selectAccounts(reader);
  const row = await (githubId === null
    ? accounts.where('login_lower', '=', login.toLowerCase()).where('github_id', 'is', null)
    : accounts.where('github_id', '=', githubId)
  ).executeTakeFirst();
  return row ? toAccount(row) : null;
}

function isUpToDate(known: Account, { login, githubId }: NewAccount): boolean {
  return githubId === null || known.login === login;
}

async function ensureAccount(trx: Trx, wanted: NewAccount, seal: Seal): Promise<Account> {
  const known = await findSameAccount(trx, wanted);
  if (known && isUpToDate(known, wanted)) return known;
  const { login, githubId, now } = wanted;
  const names = { login, login_lower: await takeLogin(trx, wanted, known) };
  if (known) {
    await trx.updateTable('accounts').set(names).where('id', '=', known.id).execute();
    return { ...known, login };
  }
  const account = { id: createId('acc'), login, githubId };
  const row = { id: account.id, ...names, github_id: githubId, created_at: now };
  await trx.insertInto('accounts').values(row).execute();
  await addSecret(trx, { accountId: account.id, secret: wanted.signingSecret, now }, seal);
  await writeAudit(trx, { at: now, accountId: account.id, verb: 'account.made', subject: account.id });
  return account;
}

/**
 * The key of the login. A person on GitHub who holds it has been renamed, and gets a login that GitHub does not allow
 * instead. The service's own account has no number on GitHub and keeps its login.
 */
async function takeLogin(trx: Trx, { login, githubId }: NewAccount, known: Account | null): Promise<string> {
  const key = login.toLowerCase();
  const holder = await selectAccounts(trx)
    .where('login_lower', '=', key)
    .where('id', '!=', known?.id ?? '')
    .executeTakeFirst();
  if (!holder) return key;
  if (holder.github_id === null) return `${key}~${githubId}`;
  const former = `${holder.login}~${holder.github_id}`;
  const names = { login: former, login_lower: former.toLowerCase() };
  await trx.updateTable('accounts').set(names).where('id', '=', holder.id).execute();
  return key;
}

async function rotateAccountSecret(trx: Trx, rotation: SecretRotation, seal: Seal): Promise<'done' | 'repeated'> {
  const { accountId, overlapUntil, now } = rotation;
  if (!(await isFirstUse(trx, rotation, now))) return 'repeated';
  const secrets = () => trx.updateTable('signing_secrets').where('account_id', '=', accountId);
  // At most two at a time: one that was already expiring is deleted now.
  await trx
    .deleteFrom('signing_secrets')
    .where('account_id', '=', accountId)
    .where('expires_at', 'is not', null)
    .execute();
  await secrets().set({ expires_at: overlapUntil }).execute();
  await addSecret(trx, rotation, seal);
  await writeAudit(trx, { at: now, accountId, verb: toAuditVerb('secret.rotated', rotation), subject: accountId });
  return 'done';
}

async function addSecret(
  trx: Trx,
  { accountId, secret, now }: Pick<SecretRotation, 'accountId' | 'secret' | 'now'>,
  seal: Seal,
): Promise<void> {
  const sealed = seal.seal(secret, toSecretPurpose(accountId));
  const row = { account_id: accountId, secret: sealed, created_at: now, expires_at: null };
  await trx.insertInto('signing_secrets').values(row).execute();
}

/** What the signing secrets of an account are sealed for. */
export function toSecretPurpose(accountId: string): string {
  return `signing-secret ${accountId}`;
}

/** In the transaction of the act itself, so that a key is used up exactly when something was done. */
export async function isFirstUse(trx: Trx, { once }: ActOptions, now: string): Promise<boolean> {
  return once === undefined || (await useOnce(trx, once.hash, { expiresAt: once.expiresAt, now }));
}

async function useOnce(
  trx: Trx,
  hash: string,
  { expiresAt, now }: { readonly expiresAt: string; readonly now: string },
): Promise<boolean> {
  await sweepSignIns(trx, now);
  const first = await trx
    .insertInto('sign_in_states')
    .values({ hash, expires_at: expiresAt })
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .returning('hash')
    .executeTakeFirst();
  return first !== undefined;
}

/** Deletes codes and states that have expired. */
export async function sweepSignIns(trx: Trx, now: string): Promise<void> {
  await trx.deleteFrom('sign_in_codes').where('expires_at', '<=', now).execute();
  await trx.deleteFrom('sign_in_states').where('expires_at', '<=', now).execute();
}

/** Deletes sessions past their limits, see `isSessionAlive`. */
export async function sweepSessions(trx: Trx, now: string): Promise<void> {
  const before = (ms: number) => new Date(Date.parse(now) - ms).toISOString();
  await trx
    .deleteFrom('sessions')
    .where(({ or, eb }) =>
      or([eb('started_at', '<=', before(SESSION_LIFE_MS)), eb('last_seen_at', '<=', before(SESSION_IDLE_MS))]),
    )
    .execute();
}

async function addToken(trx: Trx, token: TokenRecord, hash: string, how: ActOptions): Promise<'done' | 'repeated'> {
  const { createdAt: at, accountId } = token;
  if (!(await isFirstUse(trx, how, at))) return 'repeated';
  await trx
    .insertInto('tokens')
    .values({
      id: token.id,
      account_id: accountId,
      name: token.name,
      hash,
      scopes: JSON.stringify(token.scopes),
      project_ids: token.projectIds && JSON.stringify(token.projectIds),
      created_at: at,
      expires_at: token.expiresAt,
      last_used_at: token.lastUsedAt,
      revoked_at: token.revokedAt,
    })
    .execute();
  await writeAudit(trx, { at, accountId, verb: toAuditVerb('token.created', how), subject: token.id });
  return 'done';
}

async function endAccess(trx: Trx, jobs: Enqueuer, githubId: number, now: string): Promise<void> {
  const account = await trx.selectFrom('accounts').select('id').where('github_id', '=', githubId).executeTakeFirst();
  if (!account) return;
  const accountId = account.id;
  await trx.deleteFrom('sign_in_codes').where('account_id', '=', accountId).execute();
  const ended = await trx.deleteFrom('sessions').where('account_id', '=', accountId).returning('id').execute();
  const revoked = await trx
    .updateTable('tokens')
    .set({ revoked_at: now })
    .where('account_id', '=', accountId)
    .where('revoked_at', 'is', null)
    .returning('id')
    .execute();
  const subscribed = await trx.selectFrom('subscriptions').select('id').where('account_id', '=', accountId).execute();
  if (ended.length + revoked.length + subscribed.length === 0) return;
  const entry = { at: now, accountId };
  await writeAudit(trx, { ...entry, verb: 'access.revoked', subject: accountId });
  for (const { id } of ended) await writeAudit(trx, { ...entry, verb: 'session.ended', subject: id });
  for (const { id } of revoked) await writeAudit(trx, { ...entry, verb: 'token.revoked', subject: id });
  for (const { id } of subscribed) await eraseSubscription(trx, jobs, { id, accountId, now });
}

function isWithinTouch(last: string | null, now: string): boolean {
  return last !== null && Math.abs(Date.parse(now) - Date.parse(last)) < TOUCH_MS;
}

function toAccount(row: Pick<Selectable<AccountTable>, 'id' | 'login' | 'github_id'>): Account {
  return { id: row.id, login: row.login, githubId: row.github_id };
}

function toTokenRecord(row: Selectable<TokenTable>): TokenRecord {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    scopes: JSON.parse(row.scopes),
    projectIds: row.project_ids === null ? null : JSON.parse(row.project_ids),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  };
}

function toSession(row: Selectable<SessionTable>): BrowserSession {
  return {
    id: row.id,
    accountId: row.account_id,
    startedAt: row.started_at,
    lastSeenAt: row.last_seen_at,
    client: row.client,
  };
}
