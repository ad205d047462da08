// Whether an issue is open in its repository. One that was moved to another, deleted or made into a discussion is not.
import type { IssueState } from '../../core/check/index.ts';
import { GithubFailure } from '../clients/index.ts';
import type { Inquiry } from './workflow-runs.ts';

export async function readIssueState({ read }: Inquiry, number: number): Promise<IssueState> {
  try {
    const found = await read(({ rest }, place) => rest.issues.get({ ...place, issue_number: number }));
    // GitHub leads from an issue that was moved to where it is now. A renamed repository keeps its numbers.
    if (found.number !== number) return { kind: 'gone' };
    const { title, pull_request: pull, closed_at: closedAt } = found;
    const kind = found.state === 'open' ? 'open' : 'closed';
    return { kind, title, isPullRequest: pull != null, closedAt: closedAt ?? '' };
  } catch (error) {
    // That the App has no access any more says nothing about the issue.
    const isOfIssue = error instanceof GithubFailure && error.route?.includes('/issues/') === true;
    if (isOfIssue && (error.status === 404 || error.status === 410)) return { kind: 'gone' };
    throw error;
  }
}
