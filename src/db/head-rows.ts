// A head as rows: its own and those of its findings, read together so that nothing is written in between.
import { EMPTY_HEAD_RECORD, type Finding, type Head, type HeadPlace, type HeadRecord } from '../core/head.ts';
import type { HeadTable, Reader } from './schema.ts';

/** To be narrowed with `where('heads.seq', …)` or the like; a head without findings is one row. */
export function headRows(reader: Reader) {
  return reader
    .selectFrom('heads')
    .leftJoin('findings', 'findings.head_id', 'heads.id')
    .select([
      ...(['heads.id', 'heads.project_id', 'heads.sha', 'heads.branch', 'heads.state', 'heads.place'] as const),
      ...(['heads.left_out', 'heads.still_waiting', 'heads.ended_at', 'heads.record'] as const),
      ...(['heads.created_at', 'heads.changed_at'] as const),
      ...(['findings.finding', 'findings.is_own', 'findings.investigation_id', 'findings.thread_id'] as const),
    ])
    .orderBy('heads.seq', 'desc')
    .orderBy('findings.number');
}

type Row = Awaited<ReturnType<ReturnType<typeof headRows>['executeTakeFirstOrThrow']>>;

/** The heads in the order of their rows. */
export function headsFrom(rows: readonly Row[]): readonly Head[] {
  const heads = new Map<string, Head>();
  for (const row of rows) {
    const head = heads.get(row.id) ?? headFrom(row);
    const finding = findingFrom(row);
    heads.set(row.id, finding ? { ...head, findings: [...head.findings, finding] } : head);
  }
  return [...heads.values()];
}

function headFrom(row: Row): Head {
  const place: HeadPlace | null = row.place === null ? null : JSON.parse(row.place);
  const leftOut: Head['leftOut'] = JSON.parse(row.left_out);
  const stillWaiting: Head['stillWaiting'] = JSON.parse(row.still_waiting);
  const record: HeadRecord = JSON.parse(row.record);
  return {
    ...{ id: row.id, projectId: row.project_id, sha: row.sha, branch: row.branch, state: row.state, place },
    ...{ findings: [], leftOut, stillWaiting, endedAt: row.ended_at, record },
    ...{ createdAt: row.created_at, changedAt: row.changed_at },
  };
}

/** Whatever names others: they may be erased. */
type Named = 'investigationId' | 'threadId' | 'isOwnThread';

function findingFrom(row: Row): Finding | null {
  if (row.finding === null) return null;
  const kept: Omit<Finding, Named> = JSON.parse(row.finding);
  const { investigation_id: investigationId, thread_id: threadId } = row;
  return { ...kept, investigationId, threadId, isOwnThread: row.is_own === 1 && threadId !== null };
}

/** A finding without whom it names. */
export function findingText(finding: Finding): string {
  const { investigationId: _, threadId: __, isOwnThread: ___, ...kept } = finding;
  return JSON.stringify(kept satisfies Omit<Finding, Named>);
}

/** The columns that hold a record. */
export function headRecordColumns(record: HeadRecord): Pick<HeadTable, 'record' | 'is_held'> {
  return { record: JSON.stringify(record), is_held: record.held === null ? 0 : 1 };
}

/** The row of a head that nothing is known of yet. */
export function newHeadRow(
  head: { readonly id: string; readonly projectId: string; readonly sha: string; readonly branch: string },
  now: string,
): Omit<HeadTable, 'seq'> {
  return {
    ...{ id: head.id, project_id: head.projectId, sha: head.sha, branch: head.branch, state: 'waiting', is_red: 0 },
    ...{ pull_request: null, place: null, left_out: '[]', still_waiting: '[]', ended_at: '' },
    ...headRecordColumns(EMPTY_HEAD_RECORD),
    ...{ created_at: now, changed_at: now },
  };
}
