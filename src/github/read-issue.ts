// A GitHub issue as a report: title, text and comments, with who wrote what and when.
import type { RestEndpointMethodTypes } from '@octokit/rest';
import type { AddressedReport } from '../core/report.ts';
import { keepBeginning } from '../core/text.ts';
import type { GithubClient } from './github-client.ts';
import { REPORT_BYTES } from './job-log.ts';
import { pullRequest } from './report-address.ts';

type GithubIssue = RestEndpointMethodTypes['issues']['get']['response']['data'];
type Comment = RestEndpointMethodTypes['issues']['listComments']['response']['data'][number];

export interface IssueOf {
  readonly owner: string;
  readonly repo: string;
  readonly number: number;
}

const PAGE = 100;
/** The first hundreds tell the story; a thread of thousands would fill the report with talk. */
const MOST_COMMENTS = 300;

/** Throws `usage` where the number is a pull request's. */
export async function readIssue(client: GithubClient, issue: IssueOf, signal: AbortSignal): Promise<AddressedReport> {
  const { owner, repo, number } = issue;
  const { webUrl } = client.options;
  const found = await client.call('the issue', signal, (deadline) =>
    client.octokit.rest.issues.get({ owner, repo, issue_number: number, request: { signal: deadline } }),
  );
  if (found.pull_request) throw pullRequest(`${webUrl}/${owner}/${repo}/pull/${number}`);
  const comments = found.comments > 0 ? await readComments(client, issue, signal) : [];
  return {
    text: keepBeginning(issueText(found, comments), REPORT_BYTES - 1_024),
    log: '',
    repository: { url: `${webUrl}/${owner}/${repo}.git`, name: `${owner}/${repo}` },
    revision: '',
  };
}

async function readComments(client: GithubClient, issue: IssueOf, signal: AbortSignal): Promise<Comment[]> {
  const { owner, repo, number } = issue;
  const all: Comment[] = [];
  for (let page = 1; all.length < MOST_COMMENTS; page++) {
    const found = await client.call("the issue's comments", signal, (deadline) =>
      client.octokit.rest.issues.listComments({
        owner,
        repo,
        issue_number: number,
        per_page: PAGE,
        page,
        request: { signal: deadline },
      }),
    );
    all.push(...found);
    if (found.length < PAGE) break;
  }
  return all.slice(0, MOST_COMMENTS);
}

function issueText(issue: GithubIssue, comments: readonly Comment[]): string {
  const left = issue.comments - comments.length;
  return [
    issue.title,
    written('Reported', issue),
    issue.body?.trim() ?? '',
    ...comments.flatMap((comment) => [written('Comment', comment), comment.body?.trim() ?? '']),
    ...(left > 0 ? [`[${left} more comments were left out]`] : []),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function written(what: string, { user, created_at }: Pick<Comment, 'user' | 'created_at'>): string {
  return `${what} by ${user?.login ?? 'a deleted user'} on ${created_at.slice(0, 10)}:`;
}
