// Commits, changed files and refs as the API shows them.

import type { ChangedFile } from '../git/read-diff.ts';
import { readDiff } from '../git/read-diff.ts';
import { type GitCommit, type GitPerson, readCommit } from '../git/read-objects.ts';
import { accountByLogin, fullName } from '../lookup.ts';
import type { Repository, State } from '../state.ts';
import { nodeId } from './node-id.ts';
import { simpleUser } from './user.ts';

/** Whom GitHub names as committer of what it commits, and signs, itself. */
export const GITHUB_COMMITTER = { name: 'GitHub', email: 'noreply@github.com' } as const;

/** What GitHub says about the signature: it signs what it committed itself. */
export function verification(commit: GitCommit) {
  const signed = commit.committer.email === GITHUB_COMMITTER.email;
  return {
    verified: signed,
    reason: signed ? 'valid' : 'unsigned',
    signature: signed ? '-----BEGIN PGP SIGNATURE-----\n\ndouble\n-----END PGP SIGNATURE-----\n' : null,
    payload: signed ? `tree ${commit.tree}\n` : null,
    verified_at: signed ? commit.committer.date : null,
  };
}

/** The account behind an address, as GitHub guesses it: `id+login@users.noreply…`, or the double's `login@example.com`. */
export function accountOfEmail(state: State, email: string) {
  const hidden = /^(\d+)\+.*@users\.noreply\.github\.com$/.exec(email);
  if (hidden !== null) return state.accounts.get(Number(hidden[1]));
  const login = /^(.+)@example\.com$/.exec(email)?.[1];
  return login === undefined ? undefined : accountByLogin(state, login);
}

/** A commit as `GET /repos/{owner}/{repo}/commits/{ref}` lists it. */
export async function commitBody(state: State, repository: Repository, sha: string) {
  const commit = await readCommit(repository.gitDir, sha);
  const name = fullName(state, repository);
  const [api, html] = [`${state.urls.api}/repos/${name}`, `${state.urls.web}/${name}`];
  const user = (person: GitPerson) => {
    const found = accountOfEmail(state, person.email);
    return found === undefined ? null : simpleUser(state, found);
  };
  return {
    sha,
    node_id: nodeId('C', repository.id, sha),
    commit: {
      author: commit.author,
      committer: commit.committer,
      message: commit.message,
      tree: { sha: commit.tree, url: `${api}/git/trees/${commit.tree}` },
      url: `${api}/git/commits/${sha}`,
      comment_count: 0,
      verification: verification(commit),
    },
    url: `${api}/commits/${sha}`,
    html_url: `${html}/commit/${sha}`,
    comments_url: `${api}/commits/${sha}/comments`,
    author: user(commit.author),
    committer: user(commit.committer),
    parents: commit.parents.map((parent) => ({
      sha: parent,
      url: `${api}/commits/${parent}`,
      html_url: `${html}/commit/${parent}`,
    })),
  };
}

/** The same with counts and files, as one commit alone is given. */
export async function commitWithFiles(state: State, repository: Repository, sha: string) {
  const body = await commitBody(state, repository, sha);
  const files = await readDiff(repository.gitDir, body.parents[0]?.sha ?? null, sha);
  const additions = files.reduce((sum, file) => sum + file.additions, 0);
  const deletions = files.reduce((sum, file) => sum + file.deletions, 0);
  return {
    ...body,
    stats: { total: additions + deletions, additions, deletions },
    files: files.map((file) => fileBody(state, repository, sha, file)),
  };
}

/** A changed file. */
export function fileBody(state: State, repository: Repository, sha: string, file: ChangedFile) {
  const name = fullName(state, repository);
  const path = file.path.split('/').map(encodeURIComponent).join('/');
  return {
    sha: file.sha,
    filename: file.path,
    status: file.status,
    additions: file.additions,
    deletions: file.deletions,
    changes: file.additions + file.deletions,
    blob_url: `${state.urls.web}/${name}/blob/${sha}/${path}`,
    raw_url: `${state.urls.web}/${name}/raw/${sha}/${path}`,
    contents_url: `${state.urls.api}/repos/${name}/contents/${path}?ref=${sha}`,
    ...(file.patch === null ? {} : { patch: file.patch }),
    ...(file.previousPath === null ? {} : { previous_filename: file.previousPath }),
  };
}

/** The few words of a commit inside check suites, workflow runs and webhooks. */
export async function simpleCommit(repository: Repository, sha: string) {
  const commit = await readCommit(repository.gitDir, sha);
  const short = ({ name, email }: GitPerson) => ({ name, email });
  return {
    id: sha,
    tree_id: commit.tree,
    message: commit.message,
    timestamp: commit.committer.date,
    author: short(commit.author),
    committer: short(commit.committer),
  };
}

export function refBody(state: State, repository: Repository, ref: { name: string; sha: string; type: string }) {
  const api = `${state.urls.api}/repos/${fullName(state, repository)}/git`;
  return {
    ref: ref.name,
    node_id: nodeId('REF', repository.id, ref.name),
    url: `${api}/${ref.name}`,
    object: { type: ref.type, sha: ref.sha, url: `${api}/${ref.type}s/${ref.sha}` },
  };
}
