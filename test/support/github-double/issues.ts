// Routes of the GitHub double: issues and their comments.
import type { RestEndpointMethodTypes } from '@octokit/rest';
import { type Call, type IssueState, notFound, paged, type Route } from './state.ts';
import { simpleUser } from './user.ts';

type Issue = RestEndpointMethodTypes['issues']['get']['response']['data'];
type Comment = RestEndpointMethodTypes['issues']['listComments']['response']['data'][number];

const CREATED = '2025-03-01T10:00:00Z';
const REACTIONS = { total_count: 0, '+1': 0, '-1': 0, laugh: 0, confused: 0, heart: 0, hooray: 0, eyes: 0, rocket: 0 };

export const issueRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: /^\/repos\/([^/]+\/[^/]+)\/issues\/(\d+)$/,
    answer: (call) => {
      const issue = find(call);
      return issue === undefined ? notFound() : { status: 200, body: issueBody(call, issue) };
    },
  },
  {
    method: 'GET',
    path: /^\/repos\/([^/]+\/[^/]+)\/issues\/(\d+)\/comments$/,
    answer: (call) => {
      const issue = find(call);
      if (issue === undefined) return notFound();
      return paged(call, issue.comments, (page) => page.map((comment, at) => commentBody(call, comment, at + 1)));
    },
  },
];

function find({ state, params: [name = '', number] }: Call): IssueState | undefined {
  return state.repositories.get(name)?.issues.get(Number(number));
}

function issueBody({ params: [name = '', id], apiUrl }: Call, issue: IssueState): Issue {
  const number = Number(id);
  const api = `${apiUrl}/repos/${name}/issues/${number}`;
  const folder = issue.isPullRequest ? 'pull' : 'issues';
  const html = `https://github.com/${name}/${folder}/${number}`;
  const pull = { url: api.replace('/issues/', '/pulls/'), html_url: html, diff_url: `${html}.diff` };
  return {
    url: api,
    repository_url: `${apiUrl}/repos/${name}`,
    labels_url: `${api}/labels{/name}`,
    comments_url: `${api}/comments`,
    events_url: `${api}/events`,
    html_url: html,
    id: 2_000_000_000 + number,
    node_id: `I_${number}`,
    number,
    title: issue.title,
    user: issue.author === null ? null : simpleUser(issue.author, apiUrl),
    labels: [],
    state: 'open',
    locked: false,
    assignee: null,
    assignees: [],
    milestone: null,
    comments: issue.comments.length,
    created_at: CREATED,
    updated_at: CREATED,
    closed_at: null,
    author_association: 'NONE',
    active_lock_reason: null,
    body: issue.body,
    closed_by: null,
    reactions: { url: `${api}/reactions`, ...REACTIONS },
    timeline_url: `${api}/timeline`,
    performed_via_github_app: null,
    state_reason: null,
    ...(issue.isPullRequest
      ? { draft: false, pull_request: { ...pull, patch_url: `${html}.patch`, merged_at: null } }
      : {}),
  };
}

function commentBody(
  { params: [name = '', number], apiUrl }: Call,
  comment: IssueState['comments'][number],
  id: number,
): Comment {
  const api = `${apiUrl}/repos/${name}/issues/comments/${id}`;
  return {
    url: api,
    html_url: `https://github.com/${name}/issues/${number}#issuecomment-${id}`,
    issue_url: `${apiUrl}/repos/${name}/issues/${number}`,
    id,
    node_id: `IC_${id}`,
    user: comment.author === null ? null : simpleUser(comment.author, apiUrl),
    created_at: comment.at,
    updated_at: comment.at,
    author_association: 'NONE',
    body: comment.body,
    reactions: { url: `${api}/reactions`, ...REACTIONS },
    performed_via_github_app: null,
  };
}
