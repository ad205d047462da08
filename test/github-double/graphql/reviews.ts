// Finds what a node id of a review, or of a remark at lines, means.
import type { Issue, Repository } from '../state.ts';
import type { Review, ReviewComment } from '../state-pulls.ts';

type Found =
  | { readonly issue: Issue; readonly review: Review }
  | { readonly issue: Issue; readonly remark: ReviewComment };

/** `kind` as in the node id; null: there is none. */
export function reviewById(repository: Repository, kind: 'PRR' | 'PRRC', id: number): Found | null {
  if (kind === 'PRRC') {
    const remark = repository.reviewComments.get(id);
    const issue = repository.issues.get(remark?.issueNumber ?? 0);
    return remark === undefined || issue === undefined ? null : { issue, remark };
  }
  for (const issue of repository.issues.values()) {
    const review = issue.pull?.reviews.find((one) => one.id === id);
    if (review !== undefined) return { issue, review };
  }
  return null;
}
