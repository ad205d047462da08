// Issues, pull requests and reviews as the REST API shows them.

import { associationOf, fullName } from '../lookup.ts';
import type {
  Comment,
  GithubIssue,
  GithubRepository,
  Label,
  Pull,
  Reaction,
  Review,
  ReviewRemark,
  State,
} from '../state.ts';
import { plainRepository } from './repository.ts';
import { nodeId, simpleUserOf, viaApp } from './user.ts';

export const REACTIONS = ['+1', '-1', 'laugh', 'confused', 'heart', 'hooray', 'rocket', 'eyes'] as const;

export function reactionBody(state: State, reaction: Reaction) {
  return {
    id: reaction.id,
    node_id: nodeId('RE', reaction.id),
    user: simpleUserOf(state, reaction.userId),
    content: reaction.content,
    created_at: reaction.createdAt,
  };
}

/** The counts of each kind, as they stand on issues and comments. */
function rollup(url: string, reactions: readonly Reaction[]) {
  const count = (content: string) => reactions.filter((one) => one.content === content).length;
  return {
    url,
    total_count: reactions.length,
    '+1': count('+1'),
    '-1': count('-1'),
    laugh: count('laugh'),
    hooray: count('hooray'),
    confused: count('confused'),
    heart: count('heart'),
    rocket: count('rocket'),
    eyes: count('eyes'),
  };
}

export function labelBody(state: State, repository: GithubRepository, label: Label) {
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
export function labelsOf(state: State, repository: GithubRepository, issue: GithubIssue) {
  return issue.labels
    .map((name) => repository.labels.get(name.toLowerCase()))
    .filter((label) => label !== undefined)
    .map((label) => labelBody(state, repository, label));
}

/** An issue, or a pull request seen as one. */
export function issueBody(state: State, repository: GithubRepository, issue: GithubIssue) {
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

function pullPart(state: State, repository: GithubRepository, issue: GithubIssue) {
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

export function issueNodeId(repository: GithubRepository, issue: GithubIssue): string {
  return nodeId(issue.pull === null ? 'I' : 'PR', repository.id, issue.number);
}

/** The page for people. */
export function htmlUrl(state: State, repository: GithubRepository, issue: GithubIssue): string {
  return `${state.urls.web}/${fullName(state, repository)}/${issue.pull === null ? 'issues' : 'pull'}/${issue.number}`;
}

export function commentBody(state: State, repository: GithubRepository, comment: Comment) {
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

/** The short form, in lists. */
export function simplePull(state: State, repository: GithubRepository, issue: GithubIssue, pull: Pull) {
  const api = `${state.urls.api}/repos/${fullName(state, repository)}`;
  const html = htmlUrl(state, repository, issue);
  return {
    ...links(api, html, issue.number, pull),
    id: pull.id,
    node_id: issueNodeId(repository, issue),
    number: issue.number,
    state: issue.state,
    locked: issue.locked,
    title: issue.title,
    user: simpleUserOf(state, issue.authorId),
    body: issue.body,
    created_at: issue.createdAt,
    updated_at: issue.updatedAt,
    closed_at: issue.closedAt,
    merged_at: pull.mergedAt,
    merge_commit_sha: pull.mergeSha,
    assignee: null,
    assignees: [],
    requested_reviewers: [...pull.reviewerIds].map((id) => simpleUserOf(state, id)),
    requested_teams: [],
    labels: labelsOf(state, repository, issue),
    milestone: null,
    draft: pull.isDraft,
    head: describePullEnd(state, getHeadOwner(state, pull), pull.headRef, pull.headSha),
    base: describePullEnd(state, { repository, ownerId: repository.ownerId }, pull.baseRef, pull.baseSha),
    author_association: associationOf(state, repository, issue.authorId),
    auto_merge: autoMerge(state, pull),
    active_lock_reason: null,
  };
}

function autoMerge(state: State, { autoMergeById }: Pull) {
  const by = simpleUserOf(state, autoMergeById);
  if (by === null) return null;
  return { enabled_by: by, merge_method: 'merge' as const, commit_title: '', commit_message: '' };
}

function links(api: string, html: string, number: number, pull: Pull) {
  const url = `${api}/pulls/${number}`;
  const all = {
    url,
    html_url: html,
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
    issue_url: `${api}/issues/${number}`,
    commits_url: `${url}/commits`,
    review_comments_url: `${url}/comments`,
    review_comment_url: `${api}/pulls/comments{/number}`,
    comments_url: `${api}/issues/${number}/comments`,
    statuses_url: `${api}/statuses/${pull.headSha}`,
  };
  return {
    ...all,
    _links: {
      self: { href: all.url },
      html: { href: all.html_url },
      issue: { href: all.issue_url },
      comments: { href: all.comments_url },
      review_comments: { href: all.review_comments_url },
      review_comment: { href: all.review_comment_url },
      commits: { href: all.commits_url },
      statuses: { href: all.statuses_url },
    },
  };
}

/** Null where the fork is gone. */
export function headRepository(state: State, pull: Pull): GithubRepository | null {
  return state.repositories.get(pull.headRepositoryId) ?? null;
}

function getHeadOwner(state: State, pull: Pull) {
  const repository = headRepository(state, pull);
  return { repository, ownerId: repository?.ownerId ?? pull.headOwnerId };
}

/** Where the fork is gone its owner is still named. */
function describePullEnd(
  state: State,
  held: { repository: GithubRepository | null; ownerId: number },
  ref: string,
  sha: string,
) {
  const user = simpleUserOf(state, held.ownerId);
  const repo = held.repository === null ? null : plainRepository(state, held.repository);
  return { label: `${user?.login ?? 'unknown'}:${ref}`, ref, sha, user, repo };
}

/** The whole pull request. */
export function fullPull(state: State, repository: GithubRepository, issue: GithubIssue, pull: Pull) {
  const isOpen = issue.state === 'open';
  return {
    ...simplePull(state, repository, issue, pull),
    merged: pull.mergedAt !== null,
    mergeable: isOpen ? true : null,
    rebaseable: isOpen ? true : null,
    mergeable_state: mergeableState(issue, pull),
    merged_by: simpleUserOf(state, pull.mergedById),
    comments: [...repository.comments.values()].filter((one) => one.issueNumber === issue.number).length,
    review_comments: [...repository.reviewComments.values()].filter((one) => one.issueNumber === issue.number).length,
    maintainer_can_modify: pull.maintainerCanModify,
    commits: pull.stats.commits,
    additions: pull.stats.additions,
    deletions: pull.stats.deletions,
    changed_files: pull.stats.files,
  };
}

function mergeableState(issue: GithubIssue, pull: Pull): string {
  if (issue.state === 'closed') return 'unknown';
  return pull.isDraft ? 'draft' : 'clean';
}

/** The few words of a pull request inside check runs and suites: those of the same repository alone. */
export function pullsOfHead(state: State, repository: GithubRepository, sha: string) {
  return [...repository.issues.values()].flatMap((issue) => {
    const { pull } = issue;
    const own = pull !== null && pull.headRepositoryId === repository.id;
    return own && pull.headSha === sha && issue.state === 'open' ? [minimalPull(state, repository, issue, pull)] : [];
  });
}

function minimalPull(state: State, repository: GithubRepository, issue: GithubIssue, pull: Pull) {
  const api = `${state.urls.api}/repos/${fullName(state, repository)}`;
  const repo = { id: repository.id, url: api, name: repository.name };
  return {
    id: pull.id,
    number: issue.number,
    url: `${api}/pulls/${issue.number}`,
    head: { ref: pull.headRef, sha: pull.headSha, repo },
    base: { ref: pull.baseRef, sha: pull.baseSha, repo },
  };
}

export function reviewBody(state: State, repository: GithubRepository, issue: GithubIssue, review: Review) {
  const html = `${htmlUrl(state, repository, issue)}#pullrequestreview-${review.id}`;
  const pull = `${state.urls.api}/repos/${fullName(state, repository)}/pulls/${issue.number}`;
  return {
    id: review.id,
    node_id: nodeId('PRR', repository.id, review.id),
    user: simpleUserOf(state, review.authorId),
    body: review.body,
    state: review.state as string,
    html_url: html,
    pull_request_url: pull,
    author_association: associationOf(state, repository, review.authorId),
    _links: { html: { href: html }, pull_request: { href: pull } },
    ...(review.state === 'PENDING' ? {} : { submitted_at: review.submittedAt }),
    commit_id: review.commitSha,
  };
}

/** What has happened on an issue or a pull request, oldest first: its comments, its labels and its reviews. */
export function timelineOf(state: State, repository: GithubRepository, issue: GithubIssue): readonly object[] {
  const comments = [...repository.comments.values()]
    .filter((one) => one.issueNumber === issue.number)
    .map((one) => {
      const body = commentBody(state, repository, one);
      return { at: one.createdAt, body: { ...body, event: 'commented', actor: body.user } };
    });
  const labels = issue.labelled.map(({ id, name, byId, at }) => {
    const { color } = repository.labels.get(name.toLowerCase()) ?? { color: '' };
    const of = { id, node_id: nodeId('LE', repository.id, id), url: `${issueUrl(state, repository)}/events/${id}` };
    const by = { actor: simpleUserOf(state, byId), performed_via_github_app: null };
    const nothing = { commit_id: null, commit_url: null };
    return { at, body: { ...of, ...by, ...nothing, event: 'labeled', created_at: at, label: { name, color } } };
  });
  const reviews = (issue.pull?.reviews ?? []).map((one) => ({
    at: one.submittedAt,
    body: { ...reviewBody(state, repository, issue, one), event: 'reviewed' },
  }));
  const all = [...comments, ...labels, ...reviews];
  return all.toSorted((one, other) => one.at.localeCompare(other.at)).map(({ body }) => body);
}

function issueUrl(state: State, repository: GithubRepository): string {
  return `${state.urls.api}/repos/${fullName(state, repository)}/issues`;
}

/** Without places in the file where the lines have changed since. */
export function reviewCommentBody(state: State, repository: GithubRepository, comment: ReviewRemark) {
  const api = `${state.urls.api}/repos/${fullName(state, repository)}/pulls`;
  const url = `${api}/comments/${comment.id}`;
  const issue = repository.issues.get(comment.issueNumber);
  const html = `${issue === undefined ? state.urls.web : htmlUrl(state, repository, issue)}#discussion_r${comment.id}`;
  const pull = `${api}/${comment.issueNumber}`;
  const live = comment.isOutdated
    ? { position: null, line: null, start_line: null }
    : { position: comment.position, line: comment.line, start_line: comment.startLine };
  return {
    url,
    pull_request_review_id: comment.reviewId,
    id: comment.id,
    node_id: nodeId('PRRC', repository.id, comment.id),
    diff_hunk: comment.diffHunk,
    path: comment.path,
    commit_id: comment.isOutdated ? comment.commitSha : (issue?.pull?.headSha ?? comment.commitSha),
    original_commit_id: comment.commitSha,
    user: simpleUserOf(state, comment.authorId),
    body: comment.body,
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    html_url: html,
    pull_request_url: pull,
    author_association: associationOf(state, repository, comment.authorId),
    _links: { self: { href: url }, html: { href: html }, pull_request: { href: pull } },
    reactions: rollup(`${url}/reactions`, comment.reactions),
    ...live,
    original_position: comment.position,
    original_line: comment.line,
    original_start_line: comment.startLine,
    start_side: comment.startSide,
    side: comment.side,
    subject_type: 'line',
  };
}
