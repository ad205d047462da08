// A project: a repository that reports can be about.

/** Where the source comes from. `path` and `url` are configured by the operator, never taken from a report. */
export type ProjectSource =
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'url'; readonly url: string }
  | GithubSource;

/** A repository with the App installed. It is identified by its number, since its name can change. */
export interface GithubSource {
  readonly kind: 'github';
  readonly repositoryId: number;
  readonly installationId: number;
  /** Clone address, such as https://github.com/octo/shop.git. Changes with the name. */
  readonly url: string;
  readonly isPrivate: boolean;
  readonly isArchived: boolean;
  /** Empty if the repository has no commit. */
  readonly defaultBranch: string;
}

export interface Project {
  readonly id: string;
  /** `owner/name` on GitHub, `local/<folder>` in local mode. */
  readonly name: string;
  readonly source: ProjectSource;
  readonly createdAt: string;
}

export type GithubProject = Project & { readonly source: GithubSource };

export function isGithubProject(project: Project): project is GithubProject {
  return project.source.kind === 'github';
}

/** Owner and name of a GitHub project. */
export function getRepository(project: Pick<Project, 'name'>): { readonly owner: string; readonly repo: string } {
  const [owner = '', repo = ''] = project.name.split('/');
  return { owner, repo };
}

export type PermissionLevel = 'read' | 'write' | 'admin';

export interface Installation {
  /** GitHub's number. */
  readonly id: number;
  readonly owner: { readonly id: number; readonly login: string; readonly kind: 'organization' | 'user' };
  /** Granted permissions by GitHub's names, such as `pull_requests`. */
  readonly permissions: Readonly<Record<string, PermissionLevel>>;
  readonly isSuspended: boolean;
}

/** A repository as GitHub lists it for an installation. */
export interface InstalledRepository {
  readonly id: number;
  /** `owner/name`. */
  readonly fullName: string;
  readonly cloneUrl: string;
  readonly isPrivate: boolean;
  readonly isArchived: boolean;
  /** Empty if it has no commit. */
  readonly defaultBranch: string;
}
