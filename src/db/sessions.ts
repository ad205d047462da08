// Sessions of people who signed in, of which only a hash is kept.
import type { Selectable } from 'kysely';
import { type Account, SESSION_IDLE_MS, SESSION_LIFE_MS, type Session } from '../core/account.ts';
import { accountFrom } from './accounts.ts';
import { writeAudit } from './audit.ts';
import type { Database } from './database.ts';
import type { Reader, SessionTable, Trx } from './schema.ts';
import type { SessionStore } from './store.ts';

type SessionVerbs = Omit<SessionStore, 'account' | 'addSignInCode' | 'useSignInCode' | 'useOnce'>;

/** Kept to the minute: to the request it would be one forced disk write for every page. */
const TOUCH_MS = 60_000;

export function sessionVerbs(database: Database): SessionVerbs {
  return {
    addSession: (session, hash) => database.write((trx) => addSession(trx, session, hash)),
    sessionByHash: (hash) => database.read((reader) => sessionByHash(reader, hash)),
    sessions: (accountId) => database.read((reader) => sessions(reader, accountId)),
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
  return row ? { session: sessionFrom(row), account: accountFrom({ ...row, id: row.account_id }) } : null;
}

async function sessions(reader: Reader, accountId: string): Promise<readonly Session[]> {
  const rows = await reader
    .selectFrom('sessions')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('seq', 'desc')
    .execute();
  return rows.map(sessionFrom);
}

async function touchSession(database: Database, id: string, now: string): Promise<void> {
  const row = await database.read((reader) =>
    reader.selectFrom('sessions').select('last_seen_at').where('id', '=', id).executeTakeFirst(),
  );
  if (!row || Math.abs(Date.parse(now) - Date.parse(row.last_seen_at)) < TOUCH_MS) return;
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

function sessionFrom(row: Selectable<SessionTable>): Session {
  return {
    id: row.id,
    accountId: row.account_id,
    startedAt: row.started_at,
    lastSeenAt: row.last_seen_at,
    client: row.client,
  };
}
