// Whether an issue is open in its repository. One that was moved to another, deleted or made into a discussion is not.
import type { IssueState } from '../../core/check/index.ts';
import { GithubFailure } from '../clients/index.ts';
import type { Inquiry } from './workflow-runs.ts';

export async function readIssueState(inquiry: Inquiry, number: number): Promise<IssueState> {
  const { read } = inquiry;
  try {
    const found = await read(({ rest }, place) => rest.issues.get({ ...place, issue_number: number }));
    // GitHub leads from an issue that was moved to where it is now, which may have the same number there.
    if (found.number !== number || !(await isOfProject(inquiry, found.repository_url))) return { kind: 'gone' };
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

/** `address`: of a repository in the API. The project's may have another name since. */
async function isOfProject({ project, read }: Inquiry, address: string): Promise<boolean> {
  const name = address.split('/').slice(-2).join('/').toLowerCase();
  if (name === project.name.toLowerCase()) return true;
  const { full_name: current } = await read(({ rest }, place) => rest.repos.get({ ...place }));
  return name === current.toLowerCase();
}
