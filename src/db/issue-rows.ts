// Issues from what is stored: the columns of its caller's own, and what its run found.
import type { Verdict } from '../core/check.ts';
import { type Conclusion, type Issue, type IssueOwner, issueFor } from '../core/issue.ts';

import type { Origin } from '../core/report.ts';
import type { LearntLinks } from './thread-records.ts';

/** Of an Issue joined with its investigation. */
export const OWNER_COLUMNS = [
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

export function issueFrom(row: OwnerRow, conclusion: Conclusion): Issue {
  const learnt: LearntLinks = row.links === null ? {} : JSON.parse(row.links);
  const links = { ...conclusion.analysis.links, ...learnt };
  return issueFor(ownerFrom(row), { ...conclusion, analysis: { ...conclusion.analysis, links } });
}

function ownerFrom(row: OwnerRow): IssueOwner {
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
