// Accounts, repositories, issues, pull requests and comments as GraphQL shows them; what is costly is a function.

import { closes } from '../deeds/pulls.ts';
import { readRefs } from '../git/read-objects.ts';
import { fullName, owner } from '../lookup.ts';
import { htmlUrl, issueNodeId } from '../resources/issue.ts';
import { nodeId } from '../resources/node-id.ts';
import type { Comment, Issue, Label, Repository } from '../state.ts';
import { actorView } from './actor-view.ts';
import { connection, demand, missing, type PageArguments, type View } from './context.ts';
import { expressionView, objectView, refView } from './git-views.ts';
import { pullFields } from './pull-view.ts';
import { written } from './written.ts';

export function repositoryView(call: View, repository: Repository): object {
  const { state } = call;
  const name = fullName(state, repository);
  const ref = async (qualifiedName: string) => {
    demand(call, repository, [{ contents: 'read' }]);
    const found = (await readRefs(repository.gitDir)).find((one) => one.name === qualifiedName);
    return found === undefined ? null : refView(call, repository, found);
  };
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
    isEmpty: async () => (await readRefs(repository.gitDir, 'refs/heads/')).length === 0,
    visibility: repository.isPrivate ? 'PRIVATE' : 'PUBLIC',
    resourcePath: `/${name}`,
    url: `${state.urls.web}/${name}`,
    defaultBranchRef: () => ref(`refs/heads/${repository.defaultBranch}`),
    ref: ({ qualifiedName }: { qualifiedName: string }) =>
      ref(qualifiedName.startsWith('refs/') ? qualifiedName : `refs/heads/${qualifiedName}`),
    refs: async (args: PageArguments & { refPrefix: string }) =>
      connection(await readRefs(repository.gitDir, args.refPrefix), args, (one) => refView(call, repository, one)),
    object: ({ expression, oid }: { expression?: string; oid?: string }) => {
      demand(call, repository, [{ contents: 'read' }]);
      return oid === undefined ? expressionView(call, repository, expression ?? '') : objectView(call, repository, oid);
    },
    issue: ({ number }: { number: number }) => threadOf(call, repository, number, 'issue'),
    pullRequest: ({ number }: { number: number }) => threadOf(call, repository, number, 'pull request'),
    issueOrPullRequest: ({ number }: { number: number }) => threadOf(call, repository, number, 'either'),
    pullRequests: (args: PageArguments & PullFilter) => {
      demand(call, repository, [{ pull_requests: 'read' }]);
      return connection(pullsOf(repository, args), args, (one) => threadView(call, repository, one));
    },
    label: (args: { name: string }) => labelView(call, repository, repository.labels.get(args.name.toLowerCase())),
    labels: (args: PageArguments) =>
      connection([...repository.labels.values()], args, (one) => labelView(call, repository, one)),
  };
}

interface PullFilter {
  readonly states?: readonly string[];
  readonly headRefName?: string;
  readonly baseRefName?: string;
}

function pullsOf(repository: Repository, { states, headRefName, baseRefName }: PullFilter): readonly Issue[] {
  return [...repository.issues.values()].filter(({ state, pull }) => {
    if (pull === null) return false;
    const now = pull.mergedAt === null ? state.toUpperCase() : 'MERGED';
    if (states !== undefined && !states.includes(now)) return false;
    return pull.headRef === (headRefName ?? pull.headRef) && pull.baseRef === (baseRefName ?? pull.baseRef);
  });
}

function threadOf(call: View, repository: Repository, number: number, kind: 'issue' | 'pull request' | 'either') {
  demand(call, repository, [{ issues: 'read' }, { pull_requests: 'read' }]);
  const found = repository.issues.get(number);
  const isPull = found?.pull !== null;
  if (found === undefined || (kind === 'issue' && isPull) || (kind === 'pull request' && !isPull)) {
    throw missing(`${kind === 'issue' ? 'an Issue' : 'a PullRequest'} with the number of ${number}`);
  }
  return threadView(call, repository, found);
}

function labelView(call: View, repository: Repository, label: Label | undefined) {
  if (label === undefined) return null;
  const url = `${call.state.urls.web}/${fullName(call.state, repository)}/labels/${encodeURIComponent(label.name)}`;
  return { ...label, __typename: 'Label', id: nodeId('LA', repository.id, label.id), url };
}

/** An Issue or a PullRequest. */
export function threadView(call: View, repository: Repository, issue: Issue): object {
  const url = htmlUrl(call.state, repository, issue);
  const comments = [...repository.comments.values()].filter((one) => one.issueNumber === issue.number);
  const labels = issue.labels
    .map((name) => repository.labels.get(name.toLowerCase()))
    .filter((one) => one !== undefined);
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
    comments: (args: PageArguments) => connection(comments, args, (one) => commentView(call, repository, one)),
    labels: (args: PageArguments) => connection(labels, args, (one) => labelView(call, repository, one)),
  };
  if (issue.pull !== null) return { ...shared, ...pullFields(call, repository, issue, issue.pull) };
  return {
    ...shared,
    __typename: 'Issue',
    state: issue.state.toUpperCase(),
    stateReason: issue.stateReason?.toUpperCase() ?? null,
    closedByPullRequestsReferences: (args: PageArguments & { includeClosedPrs: boolean }) => {
      const linked = [...repository.issues.values()].filter(
        (one) => one.pull !== null && closes(one).has(issue.number) && (args.includeClosedPrs || one.state === 'open'),
      );
      return connection(linked, args, (one) => threadView(call, repository, one));
    },
  };
}

export function commentView(call: View, repository: Repository, comment: Comment): object {
  const issue = repository.issues.get(comment.issueNumber);
  const page = issue === undefined ? call.state.urls.web : htmlUrl(call.state, repository, issue);
  const url = `${page}#issuecomment-${comment.id}`;
  return {
    ...written(call, repository, comment),
    __typename: 'IssueComment',
    id: nodeId('IC', repository.id, comment.id),
    databaseId: comment.id,
    isMinimized: comment.minimized !== null,
    minimizedReason: comment.minimized?.toLowerCase() ?? null,
    viewerCanMinimize: true,
    issue: () => (issue === undefined ? null : threadView(call, repository, issue)),
    pullRequest: () => (issue === undefined || issue.pull === null ? null : threadView(call, repository, issue)),
    resourcePath: url.slice(call.state.urls.web.length),
    url,
  };
}
