// The mutation createCommitOnBranch: one signed commit on a branch that must still be where the caller saw it.

import { canSee } from '../access.ts';
import { moveRef } from '../deeds/refs.ts';
import { commitFiles, type FileTexts } from '../git/commit-files.ts';
import { branchSha, entryAt } from '../git/read-objects.ts';
import { repositoryByName, timestamp } from '../lookup.ts';
import { GITHUB_COMMITTER } from '../resources/commit.ts';
import { readNodeId } from '../resources/node-id.ts';
import { actorId } from '../route.ts';
import { noreply } from '../routes/git-data.ts';
import type { Repository } from '../state.ts';
import { mayWriteWorkflows, touchesWorkflows } from '../workflows.ts';
import { demand, forbiddenError, graphqlError, missing, type View } from './context.ts';
import { commitView, refView } from './git-views.ts';

export interface CommitInput {
  readonly clientMutationId?: string | null;
  readonly branch: { readonly id?: string; readonly branchName?: string; readonly repositoryNameWithOwner?: string };
  readonly expectedHeadOid: string;
  readonly message: { readonly headline: string; readonly body?: string | null };
  readonly fileChanges?: {
    readonly additions?: readonly { readonly path: string; readonly contents: string }[];
    readonly deletions?: readonly { readonly path: string }[];
  };
}

export async function createCommitOnBranch(call: View, input: CommitInput) {
  const { repository, branch } = target(call, input);
  demand(call, repository, [{ contents: 'write' }]);
  const head = await branchSha(repository.gitDir, branch);
  if (head === null) throw missing(`a branch named ${branch}`);
  if (head !== input.expectedHeadOid) throw stale(input.expectedHeadOid, head);
  const files = readChanges(input);
  if (touchesWorkflows(Object.keys(files)) && !mayWriteWorkflows(call.caller)) throw forbiddenError();
  await refuseAbsent(repository, head, files);
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
  const ref = `refs/heads/${branch}`;
  try {
    await moveRef(call.state, repository, { ref, from: head, to: sha }, actorId(call.caller));
  } catch {
    throw stale(head, (await branchSha(repository.gitDir, branch)) ?? '');
  }
  return {
    clientMutationId: input.clientMutationId ?? null,
    commit: () => commitView(call, repository, sha),
    ref: () => refView(call, repository, { name: ref, sha }),
  };
}

function stale(expected: string, actual: string) {
  return graphqlError(
    'STALE_DATA',
    `Expected branch to point to "${actual}" but it did not. Pull and try again. (Expected: ${expected})`,
  );
}

function target(call: View, { branch: given }: CommitInput): { repository: Repository; branch: string } {
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
async function refuseAbsent(repository: Repository, head: string, files: FileTexts): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    if (content === null && (await entryAt(repository.gitDir, head, path)) === null) {
      throw graphqlError(
        'UNPROCESSABLE',
        `A path was requested for deletion which does not exist as of commit oid \`${head}\`: ${path}`,
      );
    }
  }
}
