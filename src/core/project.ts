// A project: a repository that reports can be about.

/** Where the source comes from. `path` and `url` are the operator's words, never a stranger's. */
export type ProjectSource =
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'url'; readonly url: string }
  | GithubSource;

/** A repository that the App is installed on: it is its number, whatever it is called. */
export interface GithubSource {
  readonly kind: 'github';
  readonly repositoryId: number;
  readonly installationId: number;
  /** Where git fetches it, such as https://github.com/octo/shop.git. Follows the name. */
  readonly url: string;
  readonly isPrivate: boolean;
  readonly isArchived: boolean;
  /** Empty where the repository has no commit. */
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

/** The two parts of a GitHub project's name, as GitHub's addresses have them. */
export function getRepository(project: Pick<Project, 'name'>): { readonly owner: string; readonly repo: string } {
  const [owner = '', repo = ''] = project.name.split('/');
  return { owner, repo };
}

export type PermissionLevel = 'read' | 'write' | 'admin';

export interface Installation {
  /** GitHub's number. */
  readonly id: number;
  readonly owner: { readonly id: number; readonly login: string; readonly kind: 'organization' | 'user' };
  /** Granted permissions by GitHub's names, such as `pull_requests`; what is missing was not granted. */
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
  /** Empty where it has no commit. */
  readonly defaultBranch: string;
}
