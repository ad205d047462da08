// Branches and commits on GitHub, made so that GitHub signs them.
import { GithubFailure } from '../clients/github-clients.ts';
import type { Post } from './github-outbox.ts';
import type { BranchHead, NewCommit, Outbox } from './outbox.ts';

type Branches = Pick<Outbox, 'branch' | 'branchesNamed' | 'createBranch' | 'moveBranch' | 'isPartOf' | 'commit'>;

const COMMIT =
  'mutation ($input: CreateCommitOnBranchInput!) { createCommitOnBranch(input: $input) { commit { oid } } }';

interface Committed {
  readonly createCommitOnBranch: { readonly commit: { readonly oid: string } };
}

export function githubBranches(post: Post): Branches {
  const { place } = post;
  const push = post.caller('push');
  return {
    branch: (name, signal) => unlessAbsent(headOf(post, name, signal)),
    branchesNamed: async (prefix, signal) => {
      const ref = `heads/${prefix}`;
      const { data } = await push.call(
        ({ rest }, request) => rest.git.listMatchingRefs({ ...place, ref, request }),
        signal,
      );
      return data.map((found) => found.ref.replace(/^refs\/heads\//, ''));
    },
    createBranch: async (name, sha, signal) => {
      const ref = `refs/heads/${name}`;
      await push.call(({ rest }, request) => rest.git.createRef({ ...place, ref, sha, request }), signal);
    },
    moveBranch: async (name, sha, signal) => {
      const ref = `heads/${name}`;
      await push.call(({ rest }, request) => rest.git.updateRef({ ...place, ref, sha, force: false, request }), signal);
    },
    isPartOf: async (branch, base, signal) => {
      const { data } = await push.call(
        ({ rest }, request) =>
          rest.repos.compareCommitsWithBasehead({ ...place, basehead: `${base}...${branch}`, per_page: 1, request }),
        signal,
      );
      return data.ahead_by === 0;
    },
    commit: async (commit, signal) => {
      const message = {
        headline: await post.clean(commit.message.headline),
        body: await post.clean(commit.message.body),
      };
      const cleaned = { ...commit, message };
      return commit.files.hasExecutables ? commitObjects(post, cleaned, signal) : commitFiles(post, cleaned, signal);
    },
  };
}

/**
 * One mutation, atomic. It knows contents alone: what is new becomes an ordinary file, and no documentation says what becomes of an
 * executable that is written again. So it is used only where no file of the commit is executable, before or after.
 */
async function commitFiles(post: Post, commit: NewCommit, signal: AbortSignal): Promise<string> {
  const { place } = post;
  const input = {
    branch: { repositoryNameWithOwner: `${place.owner}/${place.repo}`, branchName: commit.branch },
    expectedHeadOid: commit.expectedHead,
    message: commit.message,
    fileChanges: {
      additions: commit.files.written.map(({ path, text }) => ({
        path,
        contents: Buffer.from(text).toString('base64'),
      })),
      deletions: commit.files.removed.map((path) => ({ path })),
    },
  };
  const answer = await post
    .caller('push')
    .call((octokit, request) => octokit.graphql<Committed>(COMMIT, { input, request }), signal);
  return answer.createCommitOnBranch.commit.oid;
}

/** Tree, commit, and last the branch, which only ever moves forward: a branch that stands elsewhere by then is refused. */
async function commitObjects(post: Post, commit: NewCommit, signal: AbortSignal): Promise<string> {
  const { place } = post;
  const push = post.caller('push');
  const parent = commit.expectedHead;
  const before = await push.call(
    ({ rest }, request) => rest.git.getCommit({ ...place, commit_sha: parent, request }),
    signal,
  );
  const base_tree = before.data.tree.sha;
  const tree = await push.call(
    ({ rest }, request) => rest.git.createTree({ ...place, base_tree, tree: treeEntries(commit), request }),
    signal,
  );
  const message = `${commit.message.headline}\n\n${commit.message.body}`;
  const made = await push.call(
    ({ rest }, request) =>
      rest.git.createCommit({ ...place, message, tree: tree.data.sha, parents: [parent], request }),
    signal,
  );
  const ref = `heads/${commit.branch}`;
  const { sha } = made.data;
  await push.call(({ rest }, request) => rest.git.updateRef({ ...place, ref, sha, force: false, request }), signal);
  return sha;
}

function treeEntries({ files }: NewCommit) {
  const written = files.written.map(({ path, text, mode }) => ({ path, mode, type: 'blob' as const, content: text }));
  const removed = files.removed.map((path) => ({ path, mode: '100644' as const, type: 'blob' as const, sha: null }));
  return [...written, ...removed];
}

async function headOf(post: Post, name: string, signal: AbortSignal): Promise<BranchHead> {
  const { place } = post;
  const push = post.caller('push');
  const ref = await push.call(
    ({ rest }, request) => rest.git.getRef({ ...place, ref: `heads/${name}`, request }),
    signal,
  );
  const { sha } = ref.data.object;
  const { data } = await push.call(
    ({ rest }, request) => rest.repos.getCommit({ ...place, ref: sha, request }),
    signal,
  );
  return {
    sha,
    message: data.commit.message,
    parents: data.parents.map((parent) => parent.sha),
    isOurs: data.author?.id === (await post.botId(signal)),
  };
}

async function unlessAbsent<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof GithubFailure && error.status === 404) return null;
    throw error;
  }
}
