// The audit log: who did what and when, written in the same transaction and never with the text of a report.
import { type Database, queryInChunks } from './database.ts';
import type { Reader, Trx } from './schema.ts';

type OperatorVerb = 'token.created' | 'token.revoked' | 'secret.rotated' | 'secret.shown';

type AuditVerb =
  | 'account.made'
  | 'account.erased_by_operator'
  | 'project.erased_by_operator'
  | OperatorVerb
  | `${OperatorVerb}_by_operator`
  | 'session.started'
  | 'session.ended'
  | 'access.revoked'
  | 'webhook.resent'
  | `subscription.${'created' | 'deleted' | 'disabled' | 'rotated'}`
  | 'report.accepted'
  | 'investigation.cancelled'
  | 'issue.erased'
  | 'thread.opened'
  | 'fix.requested'
  | 'installation.made'
  | 'installation.removed';

export interface AuditEntry {
  /** Rises with every entry. */
  readonly number: number;
  readonly at: string;
  /** Login of the account; `github 7` for a person who has none. */
  readonly who: string;
  /** Such as `token.created`. */
  readonly verb: string;
  /** Id of what it was done to. */
  readonly subject: string;
  readonly projectId: string | null;
}

interface AuditFilter {
  readonly accountId: string;
  readonly projectIds: readonly string[];
  readonly limit: number;
  /** `number` of the last entry of the previous page. */
  readonly before?: number;
}

/** The account id of the operator at the terminal. */
export const OPERATOR = 'operator';

/** The account id of a person or owner whom GitHub names: they may have no account here, or get one later. */
export function toGithubActor({ id }: { readonly id: number }): string {
  return `github ${id}`;
}

/** GitHub's number of that person; null: it is the id of an account. */
export function readGithubActor(actor: string): number | null {
  const [, number] = /^github (\d{1,15})$/.exec(actor) ?? [];
  return number === undefined ? null : Number(number);
}

/** The operator may act for people at the terminal: the entry is theirs, and says that they did not do it. */
export function toAuditVerb(verb: OperatorVerb, { byOperator = false }: { readonly byOperator?: boolean }): AuditVerb {
  return byOperator ? `${verb}_by_operator` : verb;
}

/** `accountId`: who did it; see `toGithubActor`. */
export async function writeAudit(
  trx: Trx,
  entry: {
    readonly at: string;
    readonly accountId: string;
    readonly verb: AuditVerb;
    readonly subject: string;
    readonly projectId?: string;
  },
): Promise<void> {
  const { at, accountId, verb, subject, projectId = null } = entry;
  await trx.insertInto('audit').values({ at, account_id: accountId, verb, subject, project_id: projectId }).execute();
}

export function createAuditVerbs(database: Database) {
  return {
    /** Newest first: what the account did, and what was done in these projects. */
    listAuditEntries: (filter: AuditFilter): Promise<readonly AuditEntry[]> =>
      database.read((reader) => listAuditEntries(reader, filter)),
  };
}

async function listAuditEntries(reader: Reader, filter: AuditFilter): Promise<readonly AuditEntry[]> {
  const { accountId, projectIds, limit } = filter;
  const account = await reader
    .selectFrom('accounts')
    .select('github_id')
    .where('id', '=', accountId)
    .executeTakeFirst();
  const actors = account?.github_id ? [accountId, toGithubActor({ id: account.github_id })] : [accountId];
  const own = await listNumbers(reader, 'account_id', actors, filter);
  const theirs = await queryInChunks(projectIds, (some) => listNumbers(reader, 'project_id', some, filter));
  const numbers = [...new Set([...own, ...theirs])].sort((a, b) => b - a).slice(0, limit);
  const rows = await queryInChunks(numbers, (some) =>
    reader
      .selectFrom('audit')
      .leftJoin('accounts', 'accounts.id', 'audit.account_id')
      .selectAll('audit')
      .select('accounts.login')
      .where('audit.seq', 'in', some)
      .execute(),
  );
  const logins = await readLogins(
    reader,
    rows.map((row) => row.account_id),
  );
  return rows
    .map((row) => ({
      number: row.seq,
      at: row.at,
      who: row.login ?? logins.get(row.account_id) ?? row.account_id,
      verb: row.verb,
      subject: row.subject,
      projectId: row.project_id,
    }))
    .sort((a, b) => b.number - a.number);
}

/** Of the people among them whom GitHub named, and who have an account by now. */
async function readLogins(reader: Reader, actors: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(actors)].map(readGithubActor).filter((id) => id !== null);
  const accounts = await queryInChunks(ids, (some) =>
    reader.selectFrom('accounts').select(['github_id', 'login']).where('github_id', 'in', some).execute(),
  );
  return new Map(accounts.flatMap(({ github_id: id, login }) => (id === null ? [] : [[toGithubActor({ id }), login]])));
}

async function listNumbers(
  reader: Reader,
  column: 'account_id' | 'project_id',
  values: readonly string[],
  { limit, before }: AuditFilter,
): Promise<readonly number[]> {
  let query = reader.selectFrom('audit').select('seq').where(column, 'in', values).orderBy('seq', 'desc').limit(limit);
  if (before !== undefined) query = query.where('seq', '<', before);
  return (await query.execute()).map((row) => row.seq);
}
