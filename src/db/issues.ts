// Issues: built from the run's conclusion and what is the caller's own; erased with every trace.
import type { Verdict } from '../core/check.ts';
import { type Conclusion, type Issue, type IssueOwner, toIssue } from '../core/issue.ts';
import type { Origin } from '../core/report.ts';
import { writeAudit } from './audit.ts';
import type { Database } from './database.ts';
import type { Enqueuer } from './enqueuer.ts';
import { eraseInvestigations, forgetShown } from './erase.ts';
import type { Reader, Trx } from './schema.ts';
import type { IssueStore } from './store.ts';
import { type LearntLinks, nudgeShown } from './threads.ts';

interface IssueVerbsOptions {
  readonly enqueuer: Enqueuer;
  /** Called after the commit, to make what was erased unreadable on disk too. */
  readonly forgetErased: () => Promise<void>;
}

export function createIssueVerbs(database: Database, { enqueuer, forgetErased }: IssueVerbsOptions): IssueStore {
  return {
    findIssue: (id) => database.read((reader) => findIssueWhere(reader, 'issues.id', id)),
    findChangeSet: async (issueId) =>
      (await database.read((reader) => findConclusion(reader, issueId)))?.changeSet ?? null,
    listStepSources: async (issueId) => {
      const conclusion = await database.read((reader) => findConclusion(reader, issueId));
      return (conclusion?.investigationSteps ?? []).map(({ source }) => source ?? 'repository');
    },
    async eraseIssue(id, now, by) {
      const erased = await database.write((trx) => eraseIssue(trx, { id, by }, { enqueuer, now }));
      if (erased) await forgetErased();
      return erased;
    },
  };
}

/** The Issue of that id, or of that investigation. */
export async function findIssueWhere(
  reader: Reader,
  column: 'issues.id' | 'issues.investigation_id',
  id: string,
): Promise<Issue | null> {
  const row = await reader
    .selectFrom('issues')
    .innerJoin('investigations', 'investigations.id', 'issues.investigation_id')
    .innerJoin('runs', 'runs.id', 'issues.run_id')
    .select(OWNER_COLUMNS)
    .select('runs.conclusion')
    .where(column, '=', id)
    .executeTakeFirst();
  if (!row || row.conclusion === null) return null;
  return readIssue(row, JSON.parse(row.conclusion));
}

async function findConclusion(reader: Reader, issueId: string): Promise<Conclusion | null> {
  const row = await reader
    .selectFrom('issues')
    .innerJoin('runs', 'runs.id', 'issues.run_id')
    .select('runs.conclusion')
    .where('issues.id', '=', issueId)
    .executeTakeFirst();
  if (!row || row.conclusion === null) return null;
  return JSON.parse(row.conclusion);
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

/** Of an Issue joined with its investigation. */
const OWNER_COLUMNS = [
  'issues.id',
  'issues.investigation_id',
  'issues.project_id',
  'issues.same_as',
  'issues.created_at',
  'issues.links',
  'investigations.reference',
  'investigations.origin',
  'investigations.text',
  'investigations.guidance',
  'investigations.verdict',
] as const;

interface OwnerRow {
  readonly id: string;
  readonly investigation_id: string;
  readonly project_id: string;
  readonly same_as: string | null;
  readonly created_at: string;
  readonly links: string | null;
  readonly reference: string;
  readonly origin: Origin;
  readonly text: string;
  readonly guidance: string;
  readonly verdict: Verdict | null;
}

function readIssue(row: OwnerRow, conclusion: Conclusion): Issue {
  const learnt: LearntLinks = row.links === null ? {} : JSON.parse(row.links);
  const links = { ...conclusion.analysis.links, ...learnt };
  return toIssue(toOwner(row), { ...conclusion, analysis: { ...conclusion.analysis, links } });
}

function toOwner(row: OwnerRow): IssueOwner {
  return {
    issueId: row.id,
    investigationId: row.investigation_id,
    projectId: row.project_id,
    reference: row.reference,
    origin: row.origin,
    report: row.text + row.guidance,
    verdict: row.verdict,
    sameAs: row.same_as,
    createdAt: row.created_at,
  };
}
