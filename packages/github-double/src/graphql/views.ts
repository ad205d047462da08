// What GraphQL shows of accounts, commits, pull requests and reviews.

import { GraphQLError } from 'graphql';
import { allows, canSee, effectivePermissions } from '../access.ts';
import { closes } from '../deeds/pulls.ts';
import { type GitPerson, readCommit } from '../git/read-objects.ts';
import { associationOf, fullName, grantOf, mayAtLeast, owner } from '../lookup.ts';
import { htmlUrl, issueNodeId } from '../resources/issue.ts';
import { accountOfEmail, verification } from '../resources/repository.ts';
import { nodeId } from '../resources/user.ts';

import type { Call, Needs } from '../route.ts';
import type { BodyEdit, Comment, GithubIssue, GithubRepository, Pull, Review, ReviewRemark } from '../state.ts';

/** An error whose `type` GitHub puts beside the message. */
export function graphqlError(type: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { type } });
}

export const forbiddenError = () => graphqlError('FORBIDDEN', 'Resource not accessible by integration');

export function missing(what: string): GraphQLError {
  return graphqlError('NOT_FOUND', `Could not resolve to ${what}.`);
}

/** Throws NOT_FOUND or FORBIDDEN where the caller may not do that there. */
export function demand(call: Call, repository: GithubRepository, needs: Needs): void {
  const { caller, state } = call;
  if (!canSee(state, caller, repository)) throw missing('a node with that id');
  if (caller.kind === 'installation' && !allows(effectivePermissions(caller), needs)) throw forbiddenError();
  if (caller.kind === 'app') throw forbiddenError();
  const isWrite = needs.some((set) => Object.values(set).includes('write'));
  if (caller.kind === 'user' && isWrite && !mayAtLeast(grantOf(state, repository, caller.account), 'push'))
    throw forbiddenError();
  if (isWrite && repository.isArchived) throw graphqlError('FORBIDDEN', 'Repository was archived so is read-only.');
}

/** A call with the views that others contain: they know each other only through it. */
export interface QueryView extends Call {
  readonly show: {
    readonly repository: (call: QueryView, repository: GithubRepository) => object;
    readonly thread: (call: QueryView, repository: GithubRepository, issue: GithubIssue) => object;
  };
}

interface PageArguments {
  readonly first?: number | null;
  readonly last?: number | null;
  readonly after?: string | null;
}

/** One page of a list; GitHub wants `first` or `last`, at most 100. */
function connection<T>(all: readonly T[], args: PageArguments, show: (one: T) => unknown) {
  const size = args.first ?? args.last;
  if (size === undefined || size === null) {
    throw graphqlError(
      'MISSING_PAGINATION_BOUNDARIES',
      'You must provide a `first` or `last` value to properly paginate.',
    );
  }
  if (size > 100) throw graphqlError('EXCESSIVE_PAGINATION', 'Requesting more than 100 records is not permitted.');
  const given = args.after ?? null;
  const start = args.first == null ? Math.max(0, all.length - size) : given === null ? 0 : Number(given) + 1;
  const page = all.slice(start, start + size);
  return {
    totalCount: all.length,
    nodes: page.map(show),
    pageInfo: {
      hasNextPage: start + size < all.length,
      hasPreviousPage: start > 0,
      startCursor: page.length === 0 ? null : String(start),
      endCursor: page.length === 0 ? null : String(start + page.length - 1),
    },
  };
}

interface AuthoredText {
  readonly authorId: number | null;
  readonly body: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly edits: readonly BodyEdit[];
}

/** What every text of somebody has. */
function written(call: QueryView, repository: GithubRepository, of: AuthoredText) {
  const last = of.edits.at(-1);
  return {
    author: actorView(call, of.authorId),
    authorAssociation: associationOf(call.state, repository, of.authorId),
    body: of.body ?? '',
    createdAt: of.createdAt,
    updatedAt: of.updatedAt,
    editor: last === undefined ? null : actorView(call, last.byId),
    lastEditedAt: last?.at ?? null,
    includesCreatedEdit: last !== undefined,
  };
}

/** Null for accounts that are gone. A bot's login has no `[bot]` here. */
function actorView(call: Call, id: number | null) {
  const account = id === null ? undefined : call.state.accounts.get(id);
  if (account === undefined) return null;
  const kind = { User: 'U', Organization: 'O', Bot: 'BOT' } as const;
  const login = account.login.replace(/\[bot\]$/, '');
  return {
    __typename: account.type,
    id: nodeId(kind[account.type], account.id),
    databaseId: account.id,
    login,
    name: account.name,
    createdAt: account.createdAt,
    avatarUrl: `${call.state.urls.web}/avatars/${account.id}?v=4`,
    resourcePath: account.type === 'Bot' ? `/apps/${login}` : `/${login}`,
    url: `${call.state.urls.web}/${account.type === 'Bot' ? 'apps/' : ''}${login}`,
  };
}

export async function commitView(call: QueryView, repository: GithubRepository, sha: string) {
  const { state } = call;
  const commit = await readCommit(repository.gitDir, sha);
  const path = `/${fullName(state, repository)}/commit/${sha}`;
  const { verified } = verification(state, commit);
  const actor = (person: GitPerson) => {
    const account = accountOfEmail(state, person.email);
    return { ...person, user: account?.type === 'User' ? actorView(call, account.id) : null };
  };
  return {
    __typename: 'Commit',
    id: nodeId('C', repository.id, sha),
    oid: sha,
    abbreviatedOid: sha.slice(0, 7),
    message: commit.message,
    messageHeadline: commit.message.split('\n')[0] ?? '',
    messageBody: commit.message.split('\n').slice(1).join('\n').trim(),
    committedDate: commit.committer.date,
    author: actor(commit.author),
    committer: actor(commit.committer),
    signature: verified
      ? {
          __typename: 'GpgSignature',
          email: commit.committer.email,
          isValid: true,
          state: 'VALID',
          wasSignedByGitHub: true,
        }
      : null,
    resourcePath: path,
    url: `${state.urls.web}${path}`,
  };
}

function pullFields(call: QueryView, repository: GithubRepository, issue: GithubIssue, pull: Pull) {
  const now = pull.mergedAt === null ? issue.state.toUpperCase() : 'MERGED';
  return {
    __typename: 'PullRequest',
    state: now,
    isDraft: pull.isDraft,
    merged: pull.mergedAt !== null,
    mergedAt: pull.mergedAt,
    mergeCommit: () => (pull.mergeSha === null ? null : commitView(call, repository, pull.mergeSha)),
    mergeable: issue.state === 'open' ? 'MERGEABLE' : 'UNKNOWN',
    additions: pull.stats.additions,
    deletions: pull.stats.deletions,
    changedFiles: pull.stats.files,
    commits: { totalCount: pull.stats.commits },
    baseRefName: pull.baseRef,
    baseRefOid: pull.baseSha,
    headRefName: pull.headRef,
    headRefOid: pull.headSha,
    isCrossRepository: pull.headRepositoryId !== repository.id,
  };
}

export function reviewView(call: QueryView, repository: GithubRepository, issue: GithubIssue, review: Review): object {
  const anchor = `#pullrequestreview-${review.id}`;
  return {
    ...written(call, repository, { ...review, createdAt: review.submittedAt }),
    ...folded(review),
    ...placed(call, repository, issue, anchor),
    __typename: 'PullRequestReview',
    id: nodeId('PRR', repository.id, review.id),
    databaseId: review.id,
    state: review.state,
    submittedAt: review.state === 'PENDING' ? null : review.submittedAt,
  };
}

export function remarkView(
  call: QueryView,
  repository: GithubRepository,
  issue: GithubIssue,
  comment: ReviewRemark,
): object {
  return {
    ...written(call, repository, comment),
    ...folded(comment),
    ...placed(call, repository, issue, `#discussion_r${comment.id}`),
    __typename: 'PullRequestReviewComment',
    id: nodeId('PRRC', repository.id, comment.id),
    databaseId: comment.id,
    path: comment.path,
    line: comment.isOutdated ? null : comment.line,
    startLine: comment.isOutdated ? null : comment.startLine,
    originalLine: comment.line,
    originalStartLine: comment.startLine,
    outdated: comment.isOutdated,
    diffHunk: comment.diffHunk,
  };
}

function folded({ minimized }: { readonly minimized: string | null }) {
  return {
    isMinimized: minimized !== null,
    minimizedReason: minimized?.toLowerCase() ?? null,
    viewerCanMinimize: true,
  };
}

function placed(call: QueryView, repository: GithubRepository, issue: GithubIssue, anchor: string) {
  const url = `${htmlUrl(call.state, repository, issue)}${anchor}`;
  return {
    url,
    resourcePath: url.slice(call.state.urls.web.length),
  };
}

export function repositoryView(call: QueryView, repository: GithubRepository): object {
  const { state } = call;
  const name = fullName(state, repository);
  return {
    __typename: 'Repository',
    id: nodeId('R', repository.id),
    databaseId: repository.id,
    name: repository.name,
    nameWithOwner: name,
    owner: actorView(call, owner(state, repository).id),
    isArchived: repository.isArchived,
    isPrivate: repository.isPrivate,
    isFork: repository.parentId !== null,
    visibility: repository.isPrivate ? 'PRIVATE' : 'PUBLIC',
    resourcePath: `/${name}`,
    url: `${state.urls.web}/${name}`,
    issues: ({ states, ...page }: PageArguments & { states?: readonly string[] | null }) => {
      demand(call, repository, [{ issues: 'read' }]);
      const all = [...repository.issues.values()].filter(({ pull }) => pull === null);
      const wanted = all.filter(({ state: one }) => states?.includes(one.toUpperCase()) ?? true);
      // Everybody asks for the newest first.
      const sorted = wanted.toSorted((one, other) => other.number - one.number);
      return connection(sorted, page, (one) => threadView(call, repository, one));
    },
    issue: ({ number }: { number: number }) => {
      demand(call, repository, [{ issues: 'read' }, { pull_requests: 'read' }]);
      const found = repository.issues.get(number);
      if (found?.pull !== null) throw missing(`an Issue with the number of ${number}`);
      return threadView(call, repository, found);
    },
  };
}

/** An Issue or a PullRequest. */
export function threadView(call: QueryView, repository: GithubRepository, issue: GithubIssue): object {
  const url = htmlUrl(call.state, repository, issue);
  const shared = {
    ...written(call, repository, issue),
    id: issueNodeId(repository, issue),
    databaseId: issue.id,
    number: issue.number,
    title: issue.title,
    locked: issue.locked,
    closed: issue.state === 'closed',
    closedAt: issue.closedAt,
    resourcePath: new URL(url).pathname,
    url,
  };
  if (issue.pull !== null) return { ...shared, ...pullFields(call, repository, issue, issue.pull) };
  return {
    ...shared,
    __typename: 'Issue',
    state: issue.state.toUpperCase(),
    stateReason: issue.stateReason?.toUpperCase() ?? null,
    timelineItems: (args: PageArguments & { itemTypes?: readonly string[] | null }) => {
      const isWanted = issue.state === 'closed' && (args.itemTypes?.includes('CLOSED_EVENT') ?? true);
      return connection(isWanted ? [issue] : [], args, () => closedEventView(call, repository, issue));
    },
    closedByPullRequestsReferences: (args: PageArguments & { includeClosedPrs: boolean }) => {
      const linked = [...repository.issues.values()].filter(
        (one) => one.pull !== null && closes(one).has(issue.number) && (args.includeClosedPrs || one.state === 'open'),
      );
      return connection(linked, args, (one) => threadView(call, repository, one));
    },
  };
}

function closedEventView(call: QueryView, repository: GithubRepository, issue: GithubIssue): object {
  const { closer } = issue;
  const pull = typeof closer === 'number' ? repository.issues.get(closer) : undefined;
  return {
    __typename: 'ClosedEvent',
    id: nodeId('CE', repository.id, issue.id),
    createdAt: issue.closedAt,
    actor: actorView(call, issue.closedById),
    closer: () => {
      if (typeof closer === 'string') return commitView(call, repository, closer);
      return pull === undefined ? null : threadView(call, repository, pull);
    },
  };
}

export function commentView(call: QueryView, repository: GithubRepository, comment: Comment): object {
  const issue = repository.issues.get(comment.issueNumber);
  const page = issue === undefined ? call.state.urls.web : htmlUrl(call.state, repository, issue);
  const url = `${page}#issuecomment-${comment.id}`;
  return {
    ...written(call, repository, comment),
    __typename: 'IssueComment',
    id: nodeId('IC', repository.id, comment.id),
    databaseId: comment.id,
    ...folded(comment),
    resourcePath: url.slice(call.state.urls.web.length),
    url,
  };
}
