// Access tokens, of which only a hash is kept.
import type { Selectable } from 'kysely';
import type { Account, Scope, TokenRecord } from '../core/account.ts';
import { accountFrom } from './accounts.ts';
import { verbOf, writeAudit } from './audit.ts';
import type { Database } from './database.ts';
import type { Reader, TokenTable, Trx } from './schema.ts';
import type { AccountStore, Acting, Counted } from './store.ts';
import { isFirst } from './use-once.ts';

type TokenVerbs = Pick<AccountStore, 'addToken' | 'tokenByHash' | 'tokens' | 'revokeToken' | 'touchToken'>;
type TokenRow = Selectable<TokenTable>;

/** A call's last use is kept to the minute: to the call it would be one forced disk write for every read. */
const TOUCH_MS = 60_000;

export function tokenVerbs(database: Database): TokenVerbs {
  return {
    addToken: (token, hash, how = {}) => database.write((trx) => addToken(trx, { token, hash, how })),
    tokenByHash: (hash) => database.read((reader) => tokenByHash(reader, hash)),
    tokens: (accountId) => database.read((reader) => tokens(reader, accountId)),
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
  return row ? { token: tokenFrom(row), account: accountFrom({ ...row, id: row.account_id }) } : null;
}

async function tokens(reader: Reader, accountId: string): Promise<readonly TokenRecord[]> {
  const rows = await reader
    .selectFrom('tokens')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('seq', 'desc')
    .execute();
  return rows.map(tokenFrom);
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

function tokenFrom(row: TokenRow): TokenRecord {
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
