// Repositories as the API shows them: minimal, ordinary and full.
import { fullName, owner } from '../lookup.ts';
import { type Grant, permissionFlags } from '../roles.ts';
import type { Repository, State } from '../state.ts';
import { nodeId } from './node-id.ts';
import { simpleUser } from './user.ts';

/** A repository inside other things. */
export function minimalRepository(state: State, repository: Repository) {
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
export function plainRepository(state: State, repository: Repository) {
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
export function fullRepository(state: State, repository: Repository, grant: Grant) {
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
