// Issues, labels and comments as the API shows them.
import { fullName } from '../lookup.ts';
import { associationOf } from '../roles.ts';
import type { Comment, Issue, Label, Repository, State } from '../state.ts';
import { viaApp } from './app.ts';
import { nodeId } from './node-id.ts';
import { rollup } from './reactions.ts';
import { simpleUserOf } from './user.ts';

export function labelBody(state: State, repository: Repository, label: Label) {
  return {
    id: label.id,
    node_id: nodeId('LA', repository.id, label.id),
    url: `${state.urls.api}/repos/${fullName(state, repository)}/labels/${encodeURIComponent(label.name)}`,
    name: label.name,
    color: label.color,
    default: false,
    description: label.description,
  };
}

/** The labels of an issue that still exist. */
export function labelsOf(state: State, repository: Repository, issue: Issue) {
  return issue.labels
    .map((name) => repository.labels.get(name.toLowerCase()))
    .filter((label) => label !== undefined)
    .map((label) => labelBody(state, repository, label));
}

/** An issue, or a pull request seen as one. */
export function issueBody(state: State, repository: Repository, issue: Issue) {
  const name = fullName(state, repository);
  const url = `${state.urls.api}/repos/${name}/issues/${issue.number}`;
  const html = htmlUrl(state, repository, issue);
  const comments = [...repository.comments.values()].filter((one) => one.issueNumber === issue.number).length;
  return {
    url,
    repository_url: `${state.urls.api}/repos/${name}`,
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    html_url: html,
    id: issue.id,
    node_id: issueNodeId(repository, issue),
    number: issue.number,
    title: issue.title,
    user: simpleUserOf(state, issue.authorId),
    labels: labelsOf(state, repository, issue),
    state: issue.state,
    locked: issue.locked,
    assignee: null,
    assignees: [],
    milestone: null,
    comments,
    created_at: issue.createdAt,
    updated_at: issue.updatedAt,
    closed_at: issue.closedAt,
    closed_by: simpleUserOf(state, issue.closedById),
    author_association: associationOf(state, repository, issue.authorId),
    active_lock_reason: null,
    body: issue.body,
    reactions: rollup(`${url}/reactions`, issue.reactions),
    timeline_url: `${url}/timeline`,
    performed_via_github_app: viaApp(state, issue.viaAppId),
    state_reason: issue.stateReason,
    ...(issue.pull === null ? {} : pullPart(state, repository, issue)),
  };
}

function pullPart(state: State, repository: Repository, issue: Issue) {
  const html = htmlUrl(state, repository, issue);
  return {
    draft: issue.pull?.isDraft ?? false,
    pull_request: {
      url: `${state.urls.api}/repos/${fullName(state, repository)}/pulls/${issue.number}`,
      html_url: html,
      diff_url: `${html}.diff`,
      patch_url: `${html}.patch`,
      merged_at: issue.pull?.mergedAt ?? null,
    },
  };
}

export function issueNodeId(repository: Repository, issue: Issue): string {
  return nodeId(issue.pull === null ? 'I' : 'PR', repository.id, issue.number);
}

/** The page for people. */
export function htmlUrl(state: State, repository: Repository, issue: Issue): string {
  return `${state.urls.web}/${fullName(state, repository)}/${issue.pull === null ? 'issues' : 'pull'}/${issue.number}`;
}

export function commentBody(state: State, repository: Repository, comment: Comment) {
  const name = fullName(state, repository);
  const url = `${state.urls.api}/repos/${name}/issues/comments/${comment.id}`;
  const issue = repository.issues.get(comment.issueNumber);
  const page = issue === undefined ? state.urls.web : htmlUrl(state, repository, issue);
  return {
    url,
    html_url: `${page}#issuecomment-${comment.id}`,
    issue_url: `${state.urls.api}/repos/${name}/issues/${comment.issueNumber}`,
    id: comment.id,
    node_id: nodeId('IC', repository.id, comment.id),
    user: simpleUserOf(state, comment.authorId),
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    body: comment.body,
    author_association: associationOf(state, repository, comment.authorId),
    reactions: rollup(`${url}/reactions`, comment.reactions),
    performed_via_github_app: viaApp(state, comment.viaAppId),
  };
}
