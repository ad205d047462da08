// Accounts: the secrets that sign their webhooks, access tokens, sessions, and codes and states that sign in once.
import type { Selectable } from 'kysely';
import {
  type Account,
  type Scope,
  SESSION_IDLE_MS,
  SESSION_LIFE_MS,
  type Session,
  type TokenRecord,
} from '../core/account.ts';
import { createId } from '../core/ids.ts';
import { verbOf, writeAudit } from './audit.ts';
import type { Database } from './database.ts';
import type { AccountTable, Reader, SessionTable, TokenTable, Trx } from './schema.ts';
import type { Seal } from './seal.ts';
import type { AccountStore, Acting, Counted, SessionStore } from './store.ts';

type AccountVerbs = Pick<
  AccountStore & SessionStore,
  'ensureAccount' | 'listAccounts' | 'findAccount' | 'listSigningSecrets' | 'rotateSigningSecret' | 'recordSecretShown'
>;

type NewAccount = Parameters<AccountStore['ensureAccount']>[0];

type Rotation = Parameters<AccountStore['rotateSigningSecret']>[0];

export function createAccountVerbs(database: Database, seal: Seal): AccountVerbs {
  return {
    async ensureAccount(account) {
      // Asked at every start and sign-in: only the first time, and after a renaming, it is worth a transaction.
      const known = await database.read((reader) => knownAccount(reader, account));
      return known && isUpToDate(known, account) ? known : database.write((trx) => ensureAccount(trx, account, seal));
    },
    listAccounts: () => database.read(allAccounts),
    findAccount: (id) => database.read((reader) => accountOf(reader, id)),
    listSigningSecrets: (accountId, now) => database.read((reader) => signingSecrets(reader, accountId, { now, seal })),
    rotateSigningSecret: (rotation) => database.write((trx) => rotate(trx, rotation, seal)),
    recordSecretShown: (accountId, now, how = {}) =>
      database.write((trx) =>
        writeAudit(trx, { at: now, accountId, verb: verbOf('secret.shown', how), subject: accountId }),
      ),
  };
}

function toAccount(row: Pick<Selectable<AccountTable>, 'id' | 'login' | 'github_id'>): Account {
  return { id: row.id, login: row.login, githubId: row.github_id };
}

async function allAccounts(reader: Reader): Promise<readonly Account[]> {
  const rows = await reader
    .selectFrom('accounts')
    .select(['id', 'login', 'github_id'])
    .orderBy('login_lower')
    .execute();
  return rows.map(toAccount);
}

async function accountOf(reader: Reader, id: string): Promise<Account | null> {
  const row = await reader
    .selectFrom('accounts')
    .select(['id', 'login', 'github_id'])
    .where('id', '=', id)
    .executeTakeFirst();
  return row ? toAccount(row) : null;
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
  return row ? toAccount(row) : null;
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
  const account = { id: createId('acc'), login, githubId };
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

type OnceTimes = Parameters<SessionStore['useOnce']>[1];

/** In the transaction of the act itself, so that a key is used up exactly where something was done. */
async function isFirst(trx: Trx, { once }: Counted, now: string): Promise<boolean> {
  return once === undefined || (await useOnce(trx, once.hash, { expiresAt: once.expiresAt, now }));
}

async function useOnce(trx: Trx, hash: string, { expiresAt, now }: OnceTimes): Promise<boolean> {
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

type TokenVerbs = Pick<AccountStore, 'addToken' | 'findTokenByHash' | 'listTokens' | 'revokeToken' | 'touchToken'>;

type TokenRow = Selectable<TokenTable>;

/** A call's last use is kept to the minute: to the call it would be one forced disk write for every read. */
const TOUCH_MS = 60_000;

export function createTokenVerbs(database: Database): TokenVerbs {
  return {
    addToken: (token, hash, how = {}) => database.write((trx) => addToken(trx, { token, hash, how })),
    findTokenByHash: (hash) => database.read((reader) => tokenByHash(reader, hash)),
    listTokens: (accountId) => database.read((reader) => tokens(reader, accountId)),
    revokeToken: (id, accountId, now, how = {}) =>
      database.write((trx) => revokeToken(trx, { id, accountId, now, how })),
    touchToken: (id, now) => touchToken(database, id, now),
  };
}

interface NewToken {
  readonly token: TokenRecord;
  readonly hash: string;
  readonly how: Counted & Acting;
}

async function addToken(trx: Trx, { token, hash, how }: NewToken): Promise<'done' | 'repeated'> {
  const { createdAt: at, accountId } = token;
  if (!(await isFirst(trx, how, at))) return 'repeated';
  await trx
    .insertInto('tokens')
    .values({
      id: token.id,
      account_id: token.accountId,
      name: token.name,
      hash,
      scopes: JSON.stringify(token.scopes),
      project_ids: token.projectIds && JSON.stringify(token.projectIds),
      created_at: token.createdAt,
      expires_at: token.expiresAt,
      last_used_at: token.lastUsedAt,
      revoked_at: token.revokedAt,
    })
    .execute();
  await writeAudit(trx, { at, accountId, verb: verbOf('token.created', how), subject: token.id });
  return 'done';
}

async function tokenByHash(
  reader: Reader,
  hash: string,
): Promise<{ readonly token: TokenRecord; readonly account: Account } | null> {
  const row = await reader
    .selectFrom('tokens')
    .innerJoin('accounts', 'accounts.id', 'tokens.account_id')
    .selectAll('tokens')
    .select(['accounts.login', 'accounts.github_id'])
    .where('hash', '=', hash)
    .executeTakeFirst();
  return row ? { token: toToken(row), account: toAccount({ ...row, id: row.account_id }) } : null;
}

async function tokens(reader: Reader, accountId: string): Promise<readonly TokenRecord[]> {
  const rows = await reader
    .selectFrom('tokens')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('seq', 'desc')
    .execute();
  return rows.map(toToken);
}

async function revokeToken(
  trx: Trx,
  {
    id,
    accountId,
    now,
    how,
  }: { readonly id: string; readonly accountId: string; readonly now: string; readonly how: Acting },
): Promise<boolean> {
  const revoked = await trx
    .updateTable('tokens')
    .set({ revoked_at: now })
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .where('revoked_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  if (!revoked) return false;
  await writeAudit(trx, { at: now, accountId, verb: verbOf('token.revoked', how), subject: id });
  return true;
}

async function touchToken(database: Database, id: string, now: string): Promise<void> {
  const row = await database.read((reader) =>
    reader.selectFrom('tokens').select('last_used_at').where('id', '=', id).executeTakeFirst(),
  );
  const last = row?.last_used_at;
  if (!row || (last && Math.abs(Date.parse(now) - Date.parse(last)) < TOUCH_MS)) return;
  await database.write((trx) => trx.updateTable('tokens').set({ last_used_at: now }).where('id', '=', id).execute());
}

function toToken(row: TokenRow): TokenRecord {
  const scopes: Scope[] = JSON.parse(row.scopes);
  const projectIds: string[] | null = row.project_ids === null ? null : JSON.parse(row.project_ids);
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    scopes,
    projectIds,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  };
}

type SessionVerbs = Omit<SessionStore, 'findAccount' | 'addSignInCode' | 'useSignInCode' | 'useOnce'>;

/** Kept to the minute: to the request it would be one forced disk write for every page. */
const SESSION_TOUCH_MS = 60_000;

export function createSessionVerbs(database: Database): SessionVerbs {
  return {
    addSession: (session, hash) => database.write((trx) => addSession(trx, session, hash)),
    findSessionByHash: (hash) => database.read((reader) => sessionByHash(reader, hash)),
    listSessions: (accountId) => database.read((reader) => sessions(reader, accountId)),
    touchSession: (id, now) => touchSession(database, id, now),
    endSession: (id, accountId, now) => database.write((trx) => endSession(trx, { id, accountId, now })),
    endAccess: (githubId, now) => database.write((trx) => endAccess(trx, githubId, now)),
  };
}

async function addSession(trx: Trx, session: Session, hash: string): Promise<void> {
  const { id, accountId, startedAt: at, lastSeenAt, client } = session;
  await trx
    .insertInto('sessions')
    .values({ id, account_id: accountId, hash, started_at: at, last_seen_at: lastSeenAt, client })
    .execute();
  await writeAudit(trx, { at, accountId, verb: 'session.started', subject: id });
}

async function sessionByHash(
  reader: Reader,
  hash: string,
): Promise<{ readonly session: Session; readonly account: Account } | null> {
  const row = await reader
    .selectFrom('sessions')
    .innerJoin('accounts', 'accounts.id', 'sessions.account_id')
    .selectAll('sessions')
    .select(['accounts.login', 'accounts.github_id'])
    .where('sessions.hash', '=', hash)
    .executeTakeFirst();
  return row ? { session: toSession(row), account: toAccount({ ...row, id: row.account_id }) } : null;
}

async function sessions(reader: Reader, accountId: string): Promise<readonly Session[]> {
  const rows = await reader
    .selectFrom('sessions')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('seq', 'desc')
    .execute();
  return rows.map(toSession);
}

async function touchSession(database: Database, id: string, now: string): Promise<void> {
  const row = await database.read((reader) =>
    reader.selectFrom('sessions').select('last_seen_at').where('id', '=', id).executeTakeFirst(),
  );
  if (!row || Math.abs(Date.parse(now) - Date.parse(row.last_seen_at)) < SESSION_TOUCH_MS) return;
  await database.write((trx) => trx.updateTable('sessions').set({ last_seen_at: now }).where('id', '=', id).execute());
}

async function endSession(
  trx: Trx,
  { id, accountId, now }: { readonly id: string; readonly accountId: string; readonly now: string },
): Promise<boolean> {
  const ended = await trx
    .deleteFrom('sessions')
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .returning('id')
    .executeTakeFirst();
  if (!ended) return false;
  await writeAudit(trx, { at: now, accountId, verb: 'session.ended', subject: id });
  return true;
}

/** Told a second time, there is nothing left to end, and nothing to note. */
async function endAccess(trx: Trx, githubId: number, now: string): Promise<void> {
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
  if (ended.length + revoked.length === 0) return;
  const about = { at: now, accountId };
  await writeAudit(trx, { ...about, verb: 'access.revoked', subject: accountId });
  for (const { id } of ended) await writeAudit(trx, { ...about, verb: 'session.ended', subject: id });
  for (const { id } of revoked) await writeAudit(trx, { ...about, verb: 'token.revoked', subject: id });
}

/** Those past their limits, see `isSessionAlive`. */
export async function sweepSessions(trx: Trx, now: string): Promise<void> {
  const before = (ms: number) => new Date(Date.parse(now) - ms).toISOString();
  await trx
    .deleteFrom('sessions')
    .where(({ or, eb }) =>
      or([eb('started_at', '<=', before(SESSION_LIFE_MS)), eb('last_seen_at', '<=', before(SESSION_IDLE_MS))]),
    )
    .execute();
}

function toSession(row: Selectable<SessionTable>): Session {
  return {
    id: row.id,
    accountId: row.account_id,
    startedAt: row.started_at,
    lastSeenAt: row.last_seen_at,
    client: row.client,
  };
}

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
  return row ? toAccount(row) : null;
}
