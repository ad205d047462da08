// People and their repositories: opened, pushed to, renamed, transferred, archived, deleted.
import { existsSync } from 'node:fs';
import { appendFile, cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tellRepositories } from '../deeds/installations.ts';
import { type Announcement, announce } from '../deeds/issues.ts';
import { moveRef } from '../deeds/pulls.ts';
import { branchSha, listRefs } from '../git/read-objects.ts';
import { git } from '../git/run-git.ts';
import { commitFiles, type FileTexts } from '../git/write-objects.ts';
import { account, fullName, owner, repository, timestamp } from '../lookup.ts';
import { GITHUB_COMMITTER } from '../resources/repository.ts';
import type { GithubAccount, GithubRepository, RepositoryRole, State } from '../state.ts';
import { accountVerbs } from './accounts.ts';

const ROLES = { read: 'pull', triage: 'triage', write: 'push', maintain: 'maintain', admin: 'admin' } as const;

export interface OpenRepository {
  /** Files of a first commit; default a README. `{}` leaves the repository empty. */
  readonly files?: FileTexts;
  /** A bare or ordinary git repository on disk: its refs are copied instead of `files`. */
  readonly from?: string;
  readonly isPrivate?: boolean;
  readonly defaultBranch?: string;
  readonly description?: string;
  readonly parent?: string;
}

export interface Push {
  readonly by: string;
  /** Default: the default branch. Made where missing, from `from` or the default branch. */
  readonly branch?: string;
  readonly files: FileTexts;
  readonly message?: string;
  readonly from?: string;
  /** Login that is named as the author, which git takes from anybody; default: the person. */
  readonly author?: string;
  /** `key`: with the committer's own signature. `api`: made through the API, where GitHub commits and signs. Default `git`: not signed. */
  readonly how?: 'git' | 'key' | 'api';
}

export type RepositoryVerbs = ReturnType<typeof repositoryVerbs>;

export function repositoryVerbs(state: State) {
  const people = accountVerbs(state);

  function tell(found: GithubRepository, action: string, by: string, parts: object = {}): void {
    const what: Announcement = { event: 'repository', action, parts, senderId: account(state, by).id };
    announce(state, found, what);
  }

  return {
    /** Opens `owner/name`; an owner who does not exist becomes an organisation. Installations on all repositories hear of it. */
    async openRepository(name: string, options: OpenRepository = {}): Promise<GithubRepository> {
      const made = addRepository(state, people, name, options);
      await fill(state, made, options);
      for (const installation of state.installations.values()) {
        if (installation.accountId !== made.ownerId || installation.selection === 'selected') continue;
        tellRepositories(state, installation, { action: 'added', repositories: [made], byId: made.ownerId });
      }
      return made;
    },
    /** A commit with these files on a branch, pushed by that person; returns its sha. Null deletes a file. */
    async push(name: string, push: Push): Promise<string> {
      const found = repository(state, name);
      const branch = push.branch ?? found.defaultBranch;
      const from = await branchSha(found.gitDir, branch);
      const start = from ?? (await branchSha(found.gitDir, push.from ?? found.defaultBranch)) ?? push.from ?? null;
      const by = people.user(push.by);
      const write = ({ name, login }: GithubAccount) => ({
        name,
        email: `${login}@example.com`,
        date: timestamp(state),
      });
      const person = write(push.author === undefined ? by : account(state, push.author));
      const message = push.message ?? 'Change files';
      const committer = push.how === 'api' ? { ...GITHUB_COMMITTER, date: timestamp(state) } : write(by);
      const sha = await commitFiles(found.gitDir, { parent: start, files: push.files, message, person, committer });
      if (push.how === 'key' || push.how === 'api') state.signed.add(sha);
      await moveRef(state, found, { ref: `refs/heads/${branch}`, from, to: sha }, by.id);
      return sha;
    },
    async deleteBranch(name: string, branch: string, by: string): Promise<void> {
      const found = repository(state, name);
      const from = await branchSha(found.gitDir, branch);
      await moveRef(state, found, { ref: `refs/heads/${branch}`, from, to: null }, account(state, by).id);
    },
    /** Gives a person a role there; `roleName` names a custom role on that base. */
    grant(name: string, login: string, role: keyof typeof ROLES, roleName: string = role): void {
      const base: RepositoryRole = ROLES[role];
      repository(state, name).collaborators.set(people.user(login).id, { base, roleName });
    },
    revoke(name: string, login: string): void {
      repository(state, name).collaborators.delete(account(state, login).id);
    },
    renameRepository(name: string, to: string, by: string): void {
      const found = repository(state, name);
      state.redirects.set(name.toLowerCase(), found.id);
      const changes = { repository: { name: { from: found.name } } };
      found.name = to;
      tell(found, 'renamed', by, { changes });
    },
    /** To an owner who exists; installations of the old owner lose it, those of the new one hear of it. */
    transferRepository(name: string, to: string, by: string): void {
      const found = repository(state, name);
      const [old, next] = [owner(state, found), account(state, to)];
      const losing = [...state.installations.values()].filter((one) => one.accountId === old.id);
      state.redirects.set(name.toLowerCase(), found.id);
      found.ownerId = next.id;
      for (const one of losing) {
        one.repositoryIds.delete(found.id);
        tellRepositories(state, one, { action: 'removed', repositories: [found], byId: account(state, by).id });
      }
      const from =
        old.type === 'Organization'
          ? { organization: { login: old.login, id: old.id } }
          : { user: { login: old.login, id: old.id } };
      tell(found, 'transferred', by, { changes: { owner: { from } } });
    },
    archiveRepository(name: string, by: string, isArchived = true): void {
      const found = repository(state, name);
      found.isArchived = isArchived;
      tell(found, isArchived ? 'archived' : 'unarchived', by);
    },
    /** Public, or with `isPrivate` private again. */
    publiciseRepository(name: string, by: string, isPrivate = false): void {
      const found = repository(state, name);
      found.isPrivate = isPrivate;
      tell(found, isPrivate ? 'privatized' : 'publicized', by);
    },
    /** A fork under that person's name, with all branches. As on GitHub, the parent gives out its commits by their sha. */
    async fork(name: string, by: string): Promise<GithubRepository> {
      const parent = repository(state, name);
      const to = `${people.user(by).login}/${parent.name}`;
      const made = await this.openRepository(to, {
        from: parent.gitDir,
        isPrivate: parent.isPrivate,
        parent: fullName(state, parent),
      });
      const objects = join(parent.gitDir, 'objects', 'info');
      await mkdir(objects, { recursive: true });
      await appendFile(join(objects, 'alternates'), `${join(made.gitDir, 'objects')}\n`);
      return made;
    },
  };
}

function addRepository(
  state: State,
  people: ReturnType<typeof accountVerbs>,
  name: string,
  options: OpenRepository,
): GithubRepository {
  const [login = '', short = ''] = name.split('/');
  const holder = [...state.accounts.values()].find((one) => one.login === login) ?? people.organization(login);
  const [id, now] = [state.nextId(), timestamp(state)];
  const made: GithubRepository = {
    id,
    ownerId: holder.id,
    name: short,
    gitDir: join(state.folder, `${id}.git`),
    description: options.description ?? null,
    isPrivate: options.isPrivate ?? false,
    isArchived: false,
    actionsMayOpenPulls: false,
    isBlocked: false,
    defaultBranch: options.defaultBranch ?? 'main',
    parentId: options.parent === undefined ? null : repository(state, options.parent).id,
    collaborators: new Map(),
    labels: new Map(),
    issues: new Map(),
    goneIssues: new Map(),
    comments: new Map(),
    suites: new Map(),
    checkRuns: new Map(),
    statuses: [],
    workflowRuns: new Map(),
    disabledWorkflows: new Map(),
    requiredWorkflows: [],
    reviewComments: new Map(),
    pushers: new Map(),
    nextNumber: 1,
    createdAt: now,
    updatedAt: now,
    pushedAt: now,
  };
  state.repositories.set(id, made);
  return made;
}

const FORMAT = '[core]\n\trepositoryformatversion = 0\n';
const CONFIG = `[core]
\tbare = true
[http]
\treceivepack = true
[uploadpack]
\tallowFilter = true
\tallowAnySHA1InWant = true
`;

async function fill(state: State, made: GithubRepository, options: OpenRepository): Promise<void> {
  if (options.from !== undefined) {
    const from = existsSync(join(options.from, '.git')) ? join(options.from, '.git') : options.from;
    await cp(from, made.gitDir, { recursive: true });
    await rm(join(made.gitDir, 'hooks'), { recursive: true, force: true });
    for (const ref of await listRefs(made.gitDir, 'refs/pull/')) await git(made.gitDir, ['update-ref', '-d', ref.name]);
  } else {
    for (const folder of ['objects', 'refs/heads', 'refs/tags'])
      await mkdir(join(made.gitDir, folder), { recursive: true });
    await writeFile(join(made.gitDir, 'config'), FORMAT);
  }
  // Later lines win, and two files cost less than five processes.
  await appendFile(join(made.gitDir, 'config'), CONFIG);
  await writeFile(join(made.gitDir, 'HEAD'), `ref: refs/heads/${made.defaultBranch}\n`);
  const files = options.files ?? { 'README.md': `# ${made.name}\n` };
  if (options.from !== undefined || Object.keys(files).length === 0) return;
  const person = { name: 'Octo Cat', email: 'octocat@example.com', date: timestamp(state) };
  const sha = await commitFiles(made.gitDir, { parent: null, files, message: 'First commit', person });
  await git(made.gitDir, ['update-ref', `refs/heads/${made.defaultBranch}`, sha]);
}
