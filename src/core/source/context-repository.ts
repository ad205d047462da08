// A repository that a run reads besides the project's own.

/** `unreadable` does not say whether there is such a repository: writing the file does not entitle to know that. */
export type ContextRefusal = 'other_owner' | 'unreadable' | 'unreachable' | 'commit_missing' | 'too_many';

export interface ContextRepository {
  /** `owner/name`. */
  readonly repository: string;
  readonly via: 'configuration' | 'submodule';
  /** Folder of the submodule; "" for others. */
  readonly path: string;
  /** Full sha that was read; "": it was not read. */
  readonly revision: string;
  /** The tag that the dependency's version led to, else the default branch; "" for a submodule and where unknown. */
  readonly ref: string;
  /** Null: it was read. */
  readonly refused: ContextRefusal | null;
  /** Identifies it whatever its name is now; "": it was not read. */
  readonly projectId: string;
}
