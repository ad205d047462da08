// Pull requests as the API shows them.
import { fullName } from '../lookup.ts';
import { associationOf } from '../roles.ts';
import type { Issue, Repository, State } from '../state.ts';
import type { Pull } from '../state-pulls.ts';
import { htmlUrl, issueNodeId, labelsOf } from './issue.ts';
import { plainRepository } from './repository.ts';
import { simpleUserOf } from './user.ts';

/** The short form, in lists. */
export function simplePull(state: State, repository: Repository, issue: Issue, pull: Pull) {
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
    head: end(state, headOf(state, pull), pull.headRef, pull.headSha),
    base: end(state, { repository, ownerId: repository.ownerId }, pull.baseRef, pull.baseSha),
    author_association: associationOf(state, repository, issue.authorId),
    auto_merge: null,
    active_lock_reason: null,
  };
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
export function headRepository(state: State, pull: Pull): Repository | null {
  return state.repositories.get(pull.headRepositoryId) ?? null;
}

function headOf(state: State, pull: Pull) {
  const repository = headRepository(state, pull);
  return { repository, ownerId: repository?.ownerId ?? pull.headOwnerId };
}

/** Where the fork is gone its owner is still named. */
function end(state: State, held: { repository: Repository | null; ownerId: number }, ref: string, sha: string) {
  const user = simpleUserOf(state, held.ownerId);
  const repo = held.repository === null ? null : plainRepository(state, held.repository);
  return { label: `${user?.login ?? 'unknown'}:${ref}`, ref, sha, user, repo };
}

/** The whole pull request. */
export function fullPull(state: State, repository: Repository, issue: Issue, pull: Pull) {
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

function mergeableState(issue: Issue, pull: Pull): string {
  if (issue.state === 'closed') return 'unknown';
  return pull.isDraft ? 'draft' : 'clean';
}

/** The few words of a pull request inside check runs and suites: those of the same repository alone. */
export function pullsOfHead(state: State, repository: Repository, sha: string) {
  return [...repository.issues.values()].flatMap((issue) => {
    const { pull } = issue;
    const own = pull !== null && pull.headRepositoryId === repository.id;
    return own && pull.headSha === sha && issue.state === 'open' ? [minimalPull(state, repository, issue, pull)] : [];
  });
}

function minimalPull(state: State, repository: Repository, issue: Issue, pull: Pull) {
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
