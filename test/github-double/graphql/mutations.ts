// The mutations that the double knows, besides the commit.

import { setDraft } from '../deeds/pulls.ts';
import { moveRef } from '../deeds/refs.ts';
import { isAncestor, objectType, readRefs } from '../git/read-objects.ts';
import { readNodeId } from '../resources/node-id.ts';
import { actorId, type Needs } from '../route.ts';
import type { Issue, Repository } from '../state.ts';
import { bringsWorkflows, mayWriteWorkflows } from '../workflows.ts';
import { type CommitInput, createCommitOnBranch } from './commit-on-branch.ts';
import { demand, forbiddenError, graphqlError, missing, type View } from './context.ts';
import { refView } from './git-views.ts';
import { remarkView, reviewView } from './review-view.ts';
import { reviewById } from './reviews.ts';
import { commentView, threadView } from './views.ts';

interface Input<T> {
  readonly input: T & { readonly clientMutationId?: string | null };
}

const PULLS: Needs = [{ pull_requests: 'write' }];
const CONTENTS: Needs = [{ contents: 'write' }];

export function mutations(call: View) {
  const { state } = call;
  const draft = ({ input }: Input<{ readonly pullRequestId: string }>, isDraft: boolean) => {
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
    createCommitOnBranch: ({ input }: Input<CommitInput>) => createCommitOnBranch(call, input),
    convertPullRequestToDraft: (args: Input<{ readonly pullRequestId: string }>) => draft(args, true),
    markPullRequestReadyForReview: (args: Input<{ readonly pullRequestId: string }>) => draft(args, false),
    minimizeComment: ({ input }: Input<{ readonly subjectId: string; readonly classifier: string }>) => ({
      ...echo(input),
      minimizedComment: minimize(input.subjectId, input.classifier),
    }),
    unminimizeComment: ({ input }: Input<{ readonly subjectId: string }>) => ({
      ...echo(input),
      unminimizedComment: minimize(input.subjectId, null),
    }),
    ...refMutations(call),
  };
}

function refMutations(call: View) {
  const move = async (repository: Repository, ref: { name: string; from: string | null; to: string | null }) => {
    demand(call, repository, CONTENTS);
    const { gitDir } = repository;
    if (ref.to !== null && (await objectType(gitDir, ref.to)) === null)
      throw missing(`a node with the global id of '${ref.to}'`);
    if (ref.to !== null && !mayWriteWorkflows(call.caller) && (await bringsWorkflows(gitDir, ref.to)))
      throw forbiddenError();
    const at = { ref: ref.name, from: ref.from, to: ref.to };
    await moveRef(call.state, repository, at, actorId(call.caller)).catch(() => {
      throw graphqlError('UNPROCESSABLE', `A ref named "${ref.name}" already exists in the repository.`);
    });
    return ref.to === null ? null : refView(call, repository, { name: ref.name, sha: ref.to });
  };
  return {
    createRef: async ({
      input,
    }: Input<{ readonly repositoryId: string; readonly name: string; readonly oid: string }>) => {
      const repository = call.state.repositories.get(Number(readNodeId(input.repositoryId).parts[0]));
      if (repository === undefined) throw missing(`a node with the global id of '${input.repositoryId}'`);
      return { ...echo(input), ref: await move(repository, { name: input.name, from: null, to: input.oid }) };
    },
    updateRef: async ({ input }: Input<{ readonly refId: string; readonly oid: string; readonly force: boolean }>) => {
      const { repository, name, sha } = await refOf(call, input.refId);
      if (!input.force && !(await isAncestor(repository.gitDir, sha, input.oid))) {
        throw graphqlError('UNPROCESSABLE', 'Update is not a fast forward');
      }
      return { ...echo(input), ref: await move(repository, { name, from: sha, to: input.oid }) };
    },
    deleteRef: async ({ input }: Input<{ readonly refId: string }>) => {
      const { repository, name, sha } = await refOf(call, input.refId);
      await move(repository, { name, from: sha, to: null });
      return echo(input);
    },
  };
}

function echo(input: { readonly clientMutationId?: string | null }) {
  return { clientMutationId: input.clientMutationId ?? null };
}

async function refOf(call: View, id: string): Promise<{ repository: Repository; name: string; sha: string }> {
  const { parts } = readNodeId(id);
  const repository = call.state.repositories.get(Number(parts[0]));
  const found = repository && (await readRefs(repository.gitDir)).find((one) => one.name === parts.slice(1).join(':'));
  if (repository === undefined || found === undefined) throw missing(`a node with the global id of '${id}'`);
  return { repository, name: found.name, sha: found.sha };
}

function pullOf(call: View, id: string): { repository: Repository; issue: Issue } {
  const { kind, parts } = readNodeId(id);
  const repository = kind === 'PR' ? call.state.repositories.get(Number(parts[0])) : undefined;
  const issue = repository?.issues.get(Number(parts[1]));
  if (repository === undefined || issue === undefined) throw missing(`a node with the global id of '${id}'`);
  return { repository, issue };
}

/** A comment, a review, or a remark at lines. */
function minimizableOf(call: View, id: string) {
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
