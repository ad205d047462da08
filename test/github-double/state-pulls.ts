// What the GitHub double knows of pull requests beyond issues: their ends, their reviews, and remarks at lines.
import type { Edit, Reaction } from './state.ts';

export interface Pull {
  readonly id: number;
  /** Of a repository that may be gone by now. */
  readonly headRepositoryId: number;
  readonly headOwnerId: number;
  readonly headRef: string;
  headSha: string;
  baseRef: string;
  baseSha: string;
  isDraft: boolean;
  maintainerCanModify: boolean;
  mergedAt: string | null;
  mergedById: number | null;
  mergeSha: string | null;
  readonly reviewerIds: Set<number>;
  readonly reviews: Review[];
  /** Numbers of issues that it closes when merged, beyond what its body says. */
  readonly linked: Set<number>;
  stats: { commits: number; additions: number; deletions: number; files: number };
}

export interface Review {
  readonly id: number;
  readonly authorId: number;
  body: string;
  readonly state: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED' | 'PENDING';
  readonly commitSha: string;
  readonly submittedAt: string;
  updatedAt: string;
  readonly edits: Edit[];
  /** As of comments. */
  minimized: string | null;
}

export type Side = 'LEFT' | 'RIGHT';

/** A remark at lines of a pull request's diff. */
export interface ReviewComment {
  readonly id: number;
  readonly issueNumber: number;
  /** Null: of no review. */
  readonly reviewId: number | null;
  readonly authorId: number | null;
  readonly viaAppId: number | null;
  body: string;
  readonly path: string;
  /** The last line that it is about, in the file before (`LEFT`) or after the change. */
  readonly line: number;
  readonly side: Side;
  /** Null: about one line. */
  readonly startLine: number | null;
  readonly startSide: Side | null;
  /** The commit whose diff it was written at. */
  readonly commitSha: string;
  readonly diffHunk: string;
  readonly position: number;
  /** Whether the lines have changed since: then it stands at none. */
  isOutdated: boolean;
  readonly reactions: Reaction[];
  readonly edits: Edit[];
  minimized: string | null;
  readonly createdAt: string;
  updatedAt: string;
}
