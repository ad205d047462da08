// A failure of the ledger as a row, and back.
import type { Insertable, Selectable } from 'kysely';
import type { Closing, CommitRange, Failure, Sighting } from '../core/failure.ts';
import type { FailureTable } from './schema.ts';

type SeenIn = Pick<Failure, 'checkNames' | 'branches' | 'pullRequests'>;

export function failureFrom(row: Selectable<FailureTable>): Failure {
  const seenIn: SeenIn = JSON.parse(row.seen_in);
  const firstSeen: Sighting = JSON.parse(row.first_seen);
  const lastSeen: Sighting = JSON.parse(row.last_seen);
  const range: CommitRange | null = row.commit_range === null ? null : JSON.parse(row.commit_range);
  return {
    ...{ id: row.id, projectId: row.project_id, fingerprint: row.fingerprint, headline: row.headline },
    ...{ state: row.state, opening: row.opening, isOnDefault: row.is_on_default === 1 },
    ...{ hits: row.hits, flakyHits: row.flaky_hits, firstSeen, lastSeen },
    ...{ checkNames: seenIn.checkNames, branches: seenIn.branches, pullRequests: seenIn.pullRequests },
    ...{ investigationId: row.investigation_id, threadId: row.thread_id },
    ...{ closed: closingFrom(row), range },
  };
}

type ClosedColumns = Pick<Selectable<FailureTable>, 'closed_sha' | 'closed_at' | 'closed_by'>;

function closingFrom({ closed_sha: sha, closed_at: at, closed_by: by }: ClosedColumns): Closing | null {
  return sha === null || at === null || by === null ? null : { sha, at, by };
}

/** A new row. */
export function failureRow(failure: Failure): Insertable<FailureTable> {
  const { id, projectId, fingerprint } = failure;
  return { id, project_id: projectId, fingerprint, ...failureColumns(failure) };
}

/** All columns that may change. */
export function failureColumns(failure: Failure) {
  const { checkNames, branches, pullRequests, firstSeen, lastSeen, closed, range } = failure;
  return {
    ...{ headline: failure.headline, state: failure.state, opening: failure.opening },
    is_on_default: failure.isOnDefault ? (1 as const) : (0 as const),
    ...{ hits: failure.hits, flaky_hits: failure.flakyHits, first_seen: JSON.stringify(firstSeen) },
    ...{ last_seen: JSON.stringify(lastSeen), last_seen_at: moment(lastSeen.at) },
    ...{ seen_in: JSON.stringify({ checkNames, branches, pullRequests } satisfies SeenIn) },
    ...{ investigation_id: failure.investigationId, thread_id: failure.threadId },
    ...{ closed_sha: closed?.sha ?? null, closed_at: closed && moment(closed.at), closed_by: closed?.by ?? null },
    commit_range: range && JSON.stringify(range),
  };
}

/** A time as all others are written, so that texts compare as moments do: GitHub leaves the milliseconds out. */
export function moment(at: string): string {
  const ms = Date.parse(at);
  return Number.isNaN(ms) ? at : new Date(ms).toISOString();
}
