// The audit log: who did what and when, written in the same transaction; never the text of a report.
import type { Trx } from './schema.ts';
import type { Acting } from './store.ts';

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
