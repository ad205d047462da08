// Repositories and commits as the REST API shows them.

import { type DiffedFile, readDiff } from '../git/read-diff.ts';
import { type GitCommit, type GitPerson, readCommit } from '../git/read-objects.ts';
import { accountByLogin, fullName, type Grant, owner, permissionFlags } from '../lookup.ts';
import type { GithubAccount, GithubRepository, State } from '../state.ts';
import { nodeId, simpleUser } from './user.ts';

/** A repository inside other things. */
export function minimalRepository(state: State, repository: GithubRepository) {
  const name = fullName(state, repository);
  const api = `${state.urls.api}/repos/${name}`;
  return {
    id: repository.id,
    node_id: nodeId('R', repository.id),
    name: repository.name,
    full_name: name,
    private: repository.isPrivate,
    owner: simpleUser(state, owner(state, repository)),
    html_url: `${state.urls.web}/${name}`,
    description: repository.description,
    fork: repository.parentId !== null,
    url: api,
    ...templates(api),
    ...addresses(api),
  };
}

/** Addresses with a part that the reader fills in. */
function templates(api: string) {
  return {
    archive_url: `${api}/{archive_format}{/ref}`,
    assignees_url: `${api}/assignees{/user}`,
    blobs_url: `${api}/git/blobs{/sha}`,
    branches_url: `${api}/branches{/branch}`,
    collaborators_url: `${api}/collaborators{/collaborator}`,
    comments_url: `${api}/comments{/number}`,
    commits_url: `${api}/commits{/sha}`,
    compare_url: `${api}/compare/{base}...{head}`,
    contents_url: `${api}/contents/{+path}`,
    git_commits_url: `${api}/git/commits{/sha}`,
    git_refs_url: `${api}/git/refs{/sha}`,
    git_tags_url: `${api}/git/tags{/sha}`,
    issue_comment_url: `${api}/issues/comments{/number}`,
    issue_events_url: `${api}/issues/events{/number}`,
    issues_url: `${api}/issues{/number}`,
    keys_url: `${api}/keys{/key_id}`,
    labels_url: `${api}/labels{/name}`,
    milestones_url: `${api}/milestones{/number}`,
    notifications_url: `${api}/notifications{?since,all,participating}`,
    pulls_url: `${api}/pulls{/number}`,
    releases_url: `${api}/releases{/id}`,
    statuses_url: `${api}/statuses/{sha}`,
    trees_url: `${api}/git/trees{/sha}`,
  };
}

function addresses(api: string) {
  return {
    contributors_url: `${api}/contributors`,
    deployments_url: `${api}/deployments`,
    downloads_url: `${api}/downloads`,
    events_url: `${api}/events`,
    forks_url: `${api}/forks`,
    hooks_url: `${api}/hooks`,
    languages_url: `${api}/languages`,
    merges_url: `${api}/merges`,
    stargazers_url: `${api}/stargazers`,
    subscribers_url: `${api}/subscribers`,
    subscription_url: `${api}/subscription`,
    tags_url: `${api}/tags`,
    teams_url: `${api}/teams`,
  };
}

/** The ordinary form: in lists, webhooks, pull requests. */
export function plainRepository(state: State, repository: GithubRepository) {
  const name = fullName(state, repository);
  const { web } = state.urls;
  const open = [...repository.issues.values()].filter((issue) => issue.state === 'open').length;
  return {
    ...minimalRepository(state, repository),
    git_url: `git://${new URL(web).host}/${name}.git`,
    ssh_url: `git@${new URL(web).hostname}:${name}.git`,
    clone_url: `${web}/${name}.git`,
    svn_url: `${web}/${name}`,
    mirror_url: null,
    homepage: null,
    language: null,
    forks_count: 0,
    stargazers_count: 0,
    watchers_count: 0,
    size: 1,
    default_branch: repository.defaultBranch,
    open_issues_count: open,
    is_template: false,
    topics: [],
    has_issues: true,
    has_projects: true,
    has_wiki: false,
    has_pages: false,
    has_downloads: true,
    has_discussions: false,
    archived: repository.isArchived,
    disabled: false,
    visibility: repository.isPrivate ? 'private' : 'public',
    pushed_at: repository.pushedAt,
    created_at: repository.createdAt,
    updated_at: repository.updatedAt,
    allow_forking: true,
    web_commit_signoff_required: false,
    license: null,
    forks: 0,
    open_issues: open,
    watchers: 0,
  };
}

/** As `GET /repos/{owner}/{repo}` gives it, with what the asker may do. */
export function fullRepository(state: State, repository: GithubRepository, grant: Grant) {
  const holder = owner(state, repository);
  return {
    ...plainRepository(state, repository),
    permissions: permissionFlags(grant),
    allow_squash_merge: true,
    allow_merge_commit: true,
    allow_rebase_merge: true,
    allow_auto_merge: false,
    delete_branch_on_merge: false,
    ...(holder.type === 'Organization' ? { organization: simpleUser(state, holder) } : {}),
    network_count: 0,
    subscribers_count: 0,
  };
}

/** Whom GitHub names as committer of what it commits, and signs, itself. */
export const GITHUB_COMMITTER = { name: 'GitHub', email: 'noreply@github.com' } as const;

/** The account behind that committer. */
const WEB_FLOW: GithubAccount = {
  id: 19_864_447,
  login: 'web-flow',
  type: 'User',
  name: 'GitHub Web Flow',
  plan: 'free',
  members: new Map(),
  createdAt: '2016-06-10T16:23:40Z',
};

/** What GitHub says about the signature. The names in a commit say nothing: git takes any. */
export function verification(state: State, commit: GitCommit) {
  const signed = state.signed.has(commit.sha);
  return {
    verified: signed,
    reason: signed ? 'valid' : 'unsigned',
    signature: signed ? '-----BEGIN PGP SIGNATURE-----\n\ndouble\n-----END PGP SIGNATURE-----\n' : null,
    payload: signed ? `tree ${commit.tree}\n` : null,
    verified_at: signed ? commit.committer.date : null,
  };
}

/** The account behind an address, as GitHub guesses it: `id+login@users.noreply…`, its own, or the double's `login@example.com`. */
export function accountOfEmail(state: State, email: string): GithubAccount | undefined {
  if (email === GITHUB_COMMITTER.email) return WEB_FLOW;
  const hidden = /^(\d+)\+.*@users\.noreply\.github\.com$/.exec(email);
  if (hidden !== null) return state.accounts.get(Number(hidden[1]));
  const login = /^(.+)@example\.com$/.exec(email)?.[1];
  return login === undefined ? undefined : accountByLogin(state, login);
}

/** A commit as `GET /repos/{owner}/{repo}/commits/{ref}` lists it. */
export async function commitBody(state: State, repository: GithubRepository, sha: string) {
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
      verification: verification(state, commit),
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
export async function commitWithFiles(state: State, repository: GithubRepository, sha: string) {
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
export function fileBody(state: State, repository: GithubRepository, sha: string, file: DiffedFile) {
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
export async function simpleCommit(repository: GithubRepository, sha: string) {
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

export function refBody(state: State, repository: GithubRepository, ref: { name: string; sha: string; type: string }) {
  const api = `${state.urls.api}/repos/${fullName(state, repository)}/git`;
  return {
    ref: ref.name,
    node_id: nodeId('REF', repository.id, ref.name),
    url: `${api}/${ref.name}`,
    object: { type: ref.type, sha: ref.sha, url: `${api}/${ref.type}s/${ref.sha}` },
  };
}
