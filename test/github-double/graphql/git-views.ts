// Refs, commits and files as GraphQL shows them.

import { readDiff } from '../git/read-diff.ts';
import { type GitPerson, objectType, type Ref, readBlob, readCommit, readTree } from '../git/read-objects.ts';
import { gitTry } from '../git/run-git.ts';
import { fullName } from '../lookup.ts';
import { latestStatuses } from '../resources/check.ts';
import { accountOfEmail, verification } from '../resources/commit.ts';
import { nodeId } from '../resources/node-id.ts';
import type { Repository } from '../state.ts';
import { actorView } from './actor-view.ts';
import { connection, type PageArguments, type View } from './context.ts';

export function refView(call: View, repository: Repository, ref: Pick<Ref, 'name' | 'sha'>) {
  const [, kind = 'heads', name = ''] = /^refs\/([^/]+)\/(.*)$/.exec(ref.name) ?? [];
  return {
    __typename: 'Ref',
    id: nodeId('REF', repository.id, ref.name),
    name,
    prefix: `refs/${kind}/`,
    repository: () => call.show.repository(call, repository),
    target: () => objectView(call, repository, ref.sha),
  };
}

/** A commit, tree or blob by its sha; null where there is none. */
export async function objectView(call: View, repository: Repository, sha: string) {
  const type = await objectType(repository.gitDir, sha);
  const shared = {
    id: nodeId('C', repository.id, sha),
    oid: sha,
    abbreviatedOid: sha.slice(0, 7),
    repository: () => call.show.repository(call, repository),
  };
  if (type === 'commit') return commitView(call, repository, sha);
  if (type === 'tree') {
    return {
      ...shared,
      __typename: 'Tree',
      entries: async () =>
        ((await readTree(repository.gitDir, sha, false)) ?? []).map((entry) => ({
          mode: Number.parseInt(entry.mode, 8),
          name: entry.path.split('/').at(-1),
          path: entry.path,
          oid: entry.sha,
          size: entry.size ?? 0,
          type: entry.type,
          object: () => objectView(call, repository, entry.sha),
        })),
    };
  }
  if (type !== 'blob') return null;
  const bytes = await readBlob(repository.gitDir, sha);
  const isBinary = bytes.includes(0);
  const text = isBinary ? null : bytes.toString('utf8');
  return { ...shared, __typename: 'Blob', byteSize: bytes.length, isBinary, isTruncated: false, text };
}

/** What an expression such as `main:src/a.ts` means. */
export async function expressionView(call: View, repository: Repository, expression: string) {
  const sha = await gitTry(repository.gitDir, ['rev-parse', '--verify', '--quiet', '--end-of-options', expression]);
  return sha === null ? null : objectView(call, repository, sha);
}

export async function commitView(call: View, repository: Repository, sha: string) {
  const { state } = call;
  const commit = await readCommit(repository.gitDir, sha);
  const path = `/${fullName(state, repository)}/commit/${sha}`;
  const { verified } = verification(commit);
  const files = () => readDiff(repository.gitDir, commit.parents[0] ?? null, sha);
  const count = async (which: 'additions' | 'deletions') => (await files()).reduce((sum, file) => sum + file[which], 0);
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
    additions: () => count('additions'),
    deletions: () => count('deletions'),
    changedFilesIfAvailable: async () => (await files()).length,
    parents: (args: PageArguments) =>
      connection(commit.parents, args, (parent) => commitView(call, repository, parent)),
    repository: () => call.show.repository(call, repository),
    signature: verified
      ? {
          __typename: 'GpgSignature',
          email: commit.committer.email,
          isValid: true,
          state: 'VALID',
          wasSignedByGitHub: true,
        }
      : null,
    statusCheckRollup: () => rollup(repository, sha),
    tree: () => objectView(call, repository, commit.tree),
    resourcePath: path,
    url: `${state.urls.web}${path}`,
  };
}

/** Checks and statuses of a commit in one word; null where there are none. */
function rollup(repository: Repository, sha: string) {
  const runs = [...repository.checkRuns.values()].filter((run) => run.headSha === sha);
  const states = latestStatuses(repository, sha).map((one) => one.state);
  if (runs.length + states.length === 0) return null;
  const red = runs.some((run) =>
    ['failure', 'timed_out', 'cancelled', 'action_required'].includes(run.conclusion ?? ''),
  );
  const waits = runs.some((run) => run.status !== 'completed') || states.includes('pending');
  const id = nodeId('SC', repository.id, sha);
  if (red || states.includes('failure') || states.includes('error')) return { id, state: 'FAILURE' };
  return { id, state: waits ? 'PENDING' : 'SUCCESS' };
}
