// The audit log: who did what and when, written in the same transaction and never with the text of a report; and as people read it.

import { inChunks } from './in-chunks.ts';
import type { Reader, Trx } from './schema.ts';
import type { Acting, AuditEntry, OverviewStore } from './store.ts';

type ActorsVerb = 'token.created' | 'token.revoked' | 'secret.rotated' | 'secret.shown';

type AuditVerb =
  | 'account.made'
  | 'account.erased_by_operator'
  | 'project.erased_by_operator'
  | ActorsVerb
  | `${ActorsVerb}_by_operator`
  | 'session.started'
  | 'session.ended'
  | 'access.revoked'
  | 'webhook.resent'
  | 'report.accepted'
  | 'investigation.cancelled'
  | 'issue.erased'
  | 'thread.opened'
  | 'fix.requested'
  | 'installation.made'
  | 'installation.removed';

/** `accountId`: who did it; see `onGithub` for somebody who has no account here. `projectId`: where; absent: in no project. */
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

/** With a GitHub App the operator acts for people at the terminal: the entry is theirs, and says that they did not do it. */
export function verbOf(verb: ActorsVerb, { byOperator = false }: Acting): AuditVerb {
  return byOperator ? `${verb}_by_operator` : verb;
}

/** Stands in the place of an account for whoever runs commands at the terminal, where nobody else's would do. */
export const OPERATOR = 'operator';

/** Stands in the place of an account for a person or an owner whom we know by GitHub's number alone. */
export function onGithub({ id }: { readonly id: number }): string {
  return `github ${id}`;
}

type Filter = Parameters<OverviewStore['listAuditEntries']>[0];

export async function auditEntries(
  reader: Reader,
  { accountId, projectIds, limit, before }: Filter,
): Promise<readonly AuditEntry[]> {
  const page = { limit, before };
  const own = await numbersOf(reader, 'account_id', { ...page, among: await namesOf(reader, accountId) });
  // Each part's newest are enough: what none of them has cannot be among the newest of all.
  const theirs = await inChunks(projectIds, (among) => numbersOf(reader, 'project_id', { ...page, among }));
  const numbers = [...new Set([...own, ...theirs])].sort((a, b) => b - a).slice(0, limit);
  const entries = await inChunks(numbers, (some) => entriesOf(reader, some));
  return [...entries].sort((a, b) => b.number - a.number);
}

/** On GitHub an account is its number: what it did there is its own too. */
async function namesOf(reader: Reader, accountId: string): Promise<readonly string[]> {
  const row = await reader.selectFrom('accounts').select('github_id').where('id', '=', accountId).executeTakeFirst();
  const id = row?.github_id ?? null;
  return id === null ? [accountId] : [accountId, onGithub({ id })];
}

interface Part {
  readonly among: readonly string[];
  readonly limit: number;
  readonly before: number | undefined;
}

async function numbersOf(
  reader: Reader,
  column: 'account_id' | 'project_id',
  { among, limit, before }: Part,
): Promise<readonly number[]> {
  let query = reader.selectFrom('audit').select('seq').where(column, 'in', among).orderBy('seq', 'desc').limit(limit);
  if (before !== undefined) query = query.where('seq', '<', before);
  return (await query.execute()).map((row) => row.seq);
}

async function entriesOf(reader: Reader, numbers: readonly number[]): Promise<readonly AuditEntry[]> {
  const rows = await reader
    .selectFrom('audit')
    .leftJoin('accounts', 'accounts.id', 'audit.account_id')
    .selectAll('audit')
    .select('accounts.login')
    .where('audit.seq', 'in', numbers)
    .execute();
  return rows.map((row) => ({
    number: row.seq,
    at: row.at,
    who: row.login ?? row.account_id,
    verb: row.verb,
    subject: row.subject,
    projectId: row.project_id,
  }));
}
