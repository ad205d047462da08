// The comments of an issue as they stood when an analysis was asked for.
import type { RestEndpointMethodTypes } from '@octokit/rest';
import { type GithubProject, repositoryOf } from '../../core/project.ts';
import type { GithubClients } from '../clients/github-clients.ts';

export type IssueComment = RestEndpointMethodTypes['issues']['listComments']['response']['data'][number];

export interface PinnedComments {
  readonly comments: readonly IssueComment[];
  /** Written before, and changed since: what they said is not known any more. */
  readonly edited: readonly IssueComment[];
  /** Whether there are more than were read. */
  readonly isCut: boolean;
}

const PAGE = 100;
/** The first hundreds tell the story; a thread of thousands would fill the report with talk. */
const MOST_COMMENTS = 300;

/** `at`: when it was asked, ISO 8601. `leave`: those that are none of the report's business. */
export async function pinnedComments(
  clients: Pick<GithubClients, 'repository'>,
  asked: { readonly project: GithubProject; readonly number: number; readonly at: string },
  leave: (comment: IssueComment) => boolean,
  signal: AbortSignal,
): Promise<PinnedComments> {
  const all = await readComments(clients, asked, signal);
  const at = Date.parse(asked.at);
  const before = all.filter((comment) => Date.parse(comment.created_at) <= at && !leave(comment));
  const isEdited = (comment: IssueComment) => Date.parse(comment.updated_at) > at;
  return {
    comments: before.filter((comment) => !isEdited(comment)),
    edited: before.filter(isEdited),
    isCut: all.length >= MOST_COMMENTS,
  };
}

async function readComments(
  clients: Pick<GithubClients, 'repository'>,
  { project, number }: { readonly project: GithubProject; readonly number: number },
  signal: AbortSignal,
): Promise<readonly IssueComment[]> {
  const caller = clients.repository(project.source, 'read');
  const all: IssueComment[] = [];
  for (let page = 1; all.length < MOST_COMMENTS; page++) {
    const where = { ...repositoryOf(project), issue_number: number, per_page: PAGE, page };
    const { data } = await caller.call(
      (octokit, request) => octokit.rest.issues.listComments({ ...where, request }),
      signal,
    );
    all.push(...data);
    if (data.length < PAGE) break;
  }
  return all.slice(0, MOST_COMMENTS);
}
