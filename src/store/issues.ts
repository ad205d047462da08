// Issues: built from the run's conclusion and what is the caller's own; erased with every trace.
import type { ChangeSet } from '../domain/change-set.ts';
import { issueFor } from '../domain/conclude.ts';
import type { Conclusion, Issue } from '../domain/issue.ts';
import type { IssueStore } from '../ports/store.ts';
import { writeAudit } from './audit.ts';
import type { Database } from './database.ts';
import type { Enqueuer } from './enqueuer.ts';
import { eraseInvestigations, forgetShown } from './erasing.ts';
import type { Reader, Trx } from './schema.ts';
import { nudgeShown } from './thread-nudges.ts';
import type { LearntLinks } from './thread-records.ts';

/** `forgetErased` is called after the commit, to make what was erased unreadable on disk too. */
export function issueVerbs(database: Database, enqueuer: Enqueuer, forgetErased: () => void): IssueStore {
  return {
    issue: (id) => database.read((reader) => issueWhere(reader, 'issues.id', id)),
    changeSet: (issueId) => database.read((reader) => changeSet(reader, issueId)),
    async eraseIssue(id, now, by) {
      const erased = await database.write((trx) => eraseIssue(trx, { id, by }, { enqueuer, now }));
      if (erased) forgetErased();
      return erased;
    },
  };
}

/** The Issue of that id, or of that investigation. */
export async function issueWhere(
  reader: Reader,
  column: 'issues.id' | 'issues.investigation_id',
  id: string,
): Promise<Issue | null> {
  const row = await reader
    .selectFrom('issues')
    .innerJoin('investigations', 'investigations.id', 'issues.investigation_id')
    .innerJoin('runs', 'runs.id', 'issues.run_id')
    .select([
      'issues.id',
      'issues.investigation_id',
      'issues.project_id',
      'issues.same_as',
      'issues.created_at',
      'issues.links',
      'investigations.reference',
      'investigations.origin',
      'investigations.text',
      'investigations.verdict',
      'runs.conclusion',
    ])
    .where(column, '=', id)
    .executeTakeFirst();
  if (!row || row.conclusion === null) return null;
  const conclusion: Conclusion = JSON.parse(row.conclusion);
  const owner = {
    issueId: row.id,
    investigationId: row.investigation_id,
    projectId: row.project_id,
    reference: row.reference,
    origin: row.origin,
    report: row.text,
    verdict: row.verdict,
    sameAs: row.same_as,
    createdAt: row.created_at,
  };
  const learnt: LearntLinks = row.links === null ? {} : JSON.parse(row.links);
  const links = { ...conclusion.analysis.links, ...learnt };
  return issueFor(owner, { ...conclusion, analysis: { ...conclusion.analysis, links } });
}

async function changeSet(reader: Reader, issueId: string): Promise<ChangeSet | null> {
  const row = await reader
    .selectFrom('issues')
    .innerJoin('runs', 'runs.id', 'issues.run_id')
    .select('runs.conclusion')
    .where('issues.id', '=', issueId)
    .executeTakeFirst();
  if (!row || row.conclusion === null) return null;
  const conclusion: Conclusion = JSON.parse(row.conclusion);
  return conclusion.changeSet;
}

async function eraseIssue(
  trx: Trx,
  { id, by }: { readonly id: string; readonly by: string | undefined },
  { enqueuer, now }: { readonly enqueuer: Enqueuer; readonly now: string },
): Promise<boolean> {
  const row = await trx
    .selectFrom('issues')
    .innerJoin('investigations', 'investigations.id', 'issues.investigation_id')
    .select(['investigations.id', 'investigations.account_id', 'investigations.project_id', 'investigations.thread_id'])
    .where('issues.id', '=', id)
    .executeTakeFirst();
  if (!row) return false;
  await eraseInvestigations(trx, [row.id], enqueuer);
  if (row.thread_id !== null) await forgetShown(trx, row.thread_id, now);
  await nudgeShown(trx, [row.thread_id], { enqueuer, runAt: now });
  const { account_id: caller, project_id: projectId } = row;
  await writeAudit(trx, { at: now, accountId: by ?? caller, verb: 'issue.erased', subject: id, projectId });
  return true;
}
