// The audit log: who did what and when, written in the same transaction; never the text of a report.
import type { Trx } from './schema.ts';

type AuditVerb =
  | 'account.made'
  | 'token.created'
  | 'token.revoked'
  | 'secret.rotated'
  | 'report.accepted'
  | 'investigation.cancelled'
  | 'issue.erased';

export async function writeAudit(
  trx: Trx,
  entry: { readonly at: string; readonly accountId: string; readonly verb: AuditVerb; readonly subject: string },
): Promise<void> {
  const { at, accountId, verb, subject } = entry;
  await trx.insertInto('audit').values({ at, account_id: accountId, verb, subject }).execute();
}
