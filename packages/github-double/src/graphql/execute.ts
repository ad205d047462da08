// Answers GraphQL: reads as views, and the mutations that are used.
import { type ExecutionResult, graphql } from 'graphql';
import { canSee } from '../access.ts';
import { makeRevert } from '../deeds/merges.ts';
import { moveRef, setDraft } from '../deeds/pulls.ts';

import { githubSchema } from '../description/validate.ts';
import { branchSha, entryAt } from '../git/read-objects.ts';
import { commitFiles, type FileTexts } from '../git/write-objects.ts';
import { owner, repositoryByName, timestamp } from '../lookup.ts';
import { GITHUB_COMMITTER } from '../resources/repository.ts';
import { nodeId, readNodeId } from '../resources/user.ts';
import { type Answer, actorId, type Call, type Needs, ok, refused, viaAppId } from '../route.ts';
import { noreply } from '../routes/git-data.ts';
import type { GithubIssue, GithubRepository, Review, ReviewRemark } from '../state.ts';
import { mayWriteWorkflows, touchesWorkflows } from '../workflows.ts';
import {
  commentView,
  commitView,
  demand,
  forbiddenError,
  graphqlError,
  missing,
  type QueryView,
  remarkView,
  repositoryView,
  reviewView,
  threadView,
} from './views.ts';

interface CommitInput {
  readonly clientMutationId?: string | null;
  readonly branch: { readonly id?: string; readonly branchName?: string; readonly repositoryNameWithOwner?: string };
  readonly expectedHeadOid: string;
  readonly message: { readonly headline: string; readonly body?: string | null };
  readonly fileChanges?: {
    readonly additions?: readonly { readonly path: string; readonly contents: string }[];
    readonly deletions?: readonly { readonly path: string }[];
  };
}

async function createCommitOnBranch(call: QueryView, input: CommitInput) {
  const { repository, branch } = target(call, input);
  demand(call, repository, [{ contents: 'write' }]);
  const head = await branchSha(repository.gitDir, branch);
  if (head === null) throw missing(`a branch named ${branch}`);
  if (head !== input.expectedHeadOid) throw stale(input.expectedHeadOid, head);
  const files = readChanges(input);
  if (touchesWorkflows(Object.keys(files)) && !mayWriteWorkflows(call.caller)) throw forbiddenError();
  await refuseAbsentNode(repository, head, files);
  const date = timestamp(call.state);
  const body = input.message.body ?? '';
  const sha = await commitFiles(repository.gitDir, {
    parent: head,
    files,
    message: body === '' ? input.message.headline : `${input.message.headline}\n\n${body}`,
    person: { ...noreply(call), date },
    committer: { ...GITHUB_COMMITTER, date },
    // Nothing says what becomes of an executable; the double makes it an ordinary file, so that who relies on more is seen.
    losesModes: true,
  }).catch((error: unknown) => {
    throw graphqlError('UNPROCESSABLE', `A path was invalid: ${String(error)}`);
  });
  call.state.signed.add(sha);
  const ref = `refs/heads/${branch}`;
  try {
    await moveRef(call.state, repository, { ref, from: head, to: sha }, actorId(call.caller));
  } catch {
    throw stale(head, (await branchSha(repository.gitDir, branch)) ?? '');
  }
  return {
    clientMutationId: input.clientMutationId ?? null,
    commit: () => commitView(call, repository, sha),
  };
}

function stale(expected: string, actual: string) {
  return graphqlError(
    'STALE_DATA',
    `Expected branch to point to "${actual}" but it did not. Pull and try again. (Expected: ${expected})`,
  );
}

function target(call: QueryView, { branch: given }: CommitInput): { repository: GithubRepository; branch: string } {
  const { parts } = given.id === undefined ? { parts: [] } : readNodeId(given.id);
  const byName = repositoryByName(call.state, given.repositoryNameWithOwner ?? '');
  const repository = given.id === undefined ? byName : call.state.repositories.get(Number(parts[0]));
  if (repository === undefined || !canSee(call.state, call.caller, repository)) {
    throw missing(`a Repository with the name '${given.repositoryNameWithOwner}'`);
  }
  const branch = (given.branchName ?? parts.slice(1).join(':')).replace(/^refs\/heads\//, '');
  return { repository, branch };
}

function readChanges({ fileChanges }: CommitInput): FileTexts {
  const additions = (fileChanges?.additions ?? []).map(({ path, contents }) => [path, Buffer.from(contents, 'base64')]);
  const deletions = (fileChanges?.deletions ?? []).map(({ path }) => [path, null]);
  return Object.fromEntries([...additions, ...deletions]) as FileTexts;
}

/** What is to be deleted has to be there. */
async function refuseAbsentNode(repository: GithubRepository, head: string, files: FileTexts): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    if (content === null && (await entryAt(repository.gitDir, head, path)) === null) {
      throw graphqlError(
        'UNPROCESSABLE',
        `A path was requested for deletion which does not exist as of commit oid \`${head}\`: ${path}`,
      );
    }
  }
}

type FoundRemark =
  | { readonly issue: GithubIssue; readonly review: Review }
  | { readonly issue: GithubIssue; readonly remark: ReviewRemark };

/** `kind` as in the node id; null: there is none. */
function reviewById(repository: GithubRepository, kind: 'PRR' | 'PRRC', id: number): FoundRemark | null {
  if (kind === 'PRRC') {
    const remark = repository.reviewComments.get(id);
    const issue = repository.issues.get(remark?.issueNumber ?? 0);
    return remark === undefined || issue === undefined ? null : { issue, remark };
  }
  for (const issue of repository.issues.values()) {
    const review = issue.pull?.reviews.find((one) => one.id === id);
    if (review !== undefined) return { issue, review };
  }
  return null;
}

interface MutationInput<T> {
  readonly input: T & { readonly clientMutationId?: string | null };
}

const PULLS: Needs = [{ pull_requests: 'write' }];

function mutations(call: QueryView) {
  const { state } = call;
  const draft = ({ input }: MutationInput<{ readonly pullRequestId: string }>, isDraft: boolean) => {
    const { repository, issue } = pullOf(call, input.pullRequestId);
    demand(call, repository, PULLS);
    setDraft(state, repository, issue, { isDraft, byId: actorId(call.caller) });
    return { ...echo(input), pullRequest: () => threadView(call, repository, issue) };
  };
  const minimize = (subjectId: string, reason: string | null) => {
    const { repository, written, needs, view } = minimizableOf(call, subjectId);
    demand(call, repository, needs);
    written.minimized = reason;
    return view;
  };
  return {
    createCommitOnBranch: ({ input }: MutationInput<CommitInput>) => createCommitOnBranch(call, input),
    revertPullRequest: ({ input }: MutationInput<RevertInput>) => revertPullRequest(call, input),
    markPullRequestReadyForReview: (args: MutationInput<{ readonly pullRequestId: string }>) => draft(args, false),
    minimizeComment: ({ input }: MutationInput<{ readonly subjectId: string; readonly classifier: string }>) => ({
      ...echo(input),
      minimizedComment: minimize(input.subjectId, input.classifier),
    }),
    unminimizeComment: ({ input }: MutationInput<{ readonly subjectId: string }>) => ({
      ...echo(input),
      unminimizedComment: minimize(input.subjectId, null),
    }),
  };
}

interface RevertInput {
  readonly clientMutationId?: string | null;
  readonly pullRequestId: string;
  readonly title?: string | null;
  readonly body?: string | null;
  readonly draft?: boolean | null;
}

/** A branch `revert-N-…` with one commit, and its pull request. */
async function revertPullRequest(call: QueryView, input: RevertInput) {
  const { state, caller } = call;
  const { repository, issue } = pullOf(call, input.pullRequestId);
  demand(call, repository, [{ contents: 'write', pull_requests: 'write' }]);
  const isDraft = input.draft === true;
  if (isDraft && repository.isPrivate && owner(state, repository).plan === 'free') {
    throw graphqlError('UNPROCESSABLE', 'Draft pull requests are not supported in this repository.');
  }
  const made = { authorId: actorId(caller), viaAppId: viaAppId(caller), isDraft };
  const opened = await makeRevert(state, repository, issue, {
    ...made,
    title: input.title ?? null,
    body: input.body ?? null,
  });
  if (!('number' in opened)) throw graphqlError('UNPROCESSABLE', opened.message);
  return {
    ...echo(input),
    pullRequest: () => threadView(call, repository, issue),
    revertPullRequest: () => threadView(call, repository, opened),
  };
}

function echo(input: { readonly clientMutationId?: string | null }) {
  return { clientMutationId: input.clientMutationId ?? null };
}

function pullOf(call: QueryView, id: string): { repository: GithubRepository; issue: GithubIssue } {
  const { kind, parts } = readNodeId(id);
  const repository = kind === 'PR' ? call.state.repositories.get(Number(parts[0])) : undefined;
  const issue = repository?.issues.get(Number(parts[1]));
  if (repository === undefined || issue === undefined) throw missing(`a node with the global id of '${id}'`);
  return { repository, issue };
}

/** A comment, a review, or a remark at lines. */
function minimizableOf(call: QueryView, id: string) {
  const { kind, parts } = readNodeId(id);
  const repository = call.state.repositories.get(Number(parts[0]));
  if (repository === undefined) throw missing(`a node with the global id of '${id}'`);
  const comment = kind === 'IC' ? repository.comments.get(Number(parts[1])) : undefined;
  if (comment !== undefined) {
    const needs: Needs = [{ issues: 'write' }, { pull_requests: 'write' }];
    return { repository, written: comment, needs, view: () => commentView(call, repository, comment) };
  }
  const found = kind === 'PRR' || kind === 'PRRC' ? reviewById(repository, kind, Number(parts[1])) : null;
  if (found === null) throw missing(`a node with the global id of '${id}'`);
  if ('review' in found) {
    const view = () => reviewView(call, repository, found.issue, found.review);
    return { repository, written: found.review, needs: PULLS, view };
  }
  const view = () => remarkView(call, repository, found.issue, found.remark);
  return { repository, written: found.remark, needs: PULLS, view };
}

/** With status 200 whatever went wrong, as GitHub does; GraphQL is for the signed-in only. */
export async function answerGraphql(call: Call): Promise<Answer> {
  if (call.caller.kind === 'none') return refused(401, 'This endpoint requires you to be authenticated.');
  const { query, variables } = call.body;
  if (typeof query !== 'string')
    return ok({ errors: [{ message: 'A query attribute must be specified and must be a string.' }] });
  const view: QueryView = { ...call, show: { repository: repositoryView, thread: threadView } };
  const result = await graphql({
    schema: githubSchema(),
    source: query,
    rootValue: { ...queries(view), ...mutations(view) },
    variableValues: (variables ?? {}) as Record<string, unknown>,
  });
  return ok(inGithubsForm(result));
}

/** GitHub puts the type of an error beside its message. */
function inGithubsForm({ data, errors }: ExecutionResult): object {
  if (errors === undefined) return { data };
  const told = errors.map((error) => {
    const { extensions, locations, message, path } = error.toJSON();
    const type = extensions?.['type'];
    return {
      ...(type === undefined ? {} : { type }),
      ...(path === undefined ? {} : { path }),
      // What the query itself got wrong has no place in the data.
      ...(path === undefined ? { extensions: { code: 'invalidQuery' } } : {}),
      locations,
      message,
    };
  });
  return data === undefined ? { errors: told } : { data, errors: told };
}

function queries(call: QueryView) {
  const { state, caller } = call;
  return {
    /** Of an installation's token: the bot of its App. */
    viewer: () => {
      const id = caller.kind === 'user' ? caller.account.id : 'app' in caller ? caller.app?.botId : undefined;
      const account = id === undefined ? undefined : state.accounts.get(id);
      if (account === undefined) throw forbiddenError();
      return { login: account.login, databaseId: account.id, id: nodeId('U', account.id), name: account.name };
    },
    repository: ({ owner, name, followRenames }: { owner: string; name: string; followRenames: boolean }) => {
      const asked = `${owner}/${name}`;
      const moved = followRenames ? state.repositories.get(state.redirects.get(asked.toLowerCase()) ?? 0) : undefined;
      const found = repositoryByName(state, asked) ?? moved;
      if (found === undefined || !canSee(state, caller, found)) throw missing(`a Repository with the name '${asked}'`);
      return repositoryView(call, found);
    },
  };
}
