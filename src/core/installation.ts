// An installation: an owner on GitHub who let the App in, and what it may do there.

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
