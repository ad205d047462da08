// A project: a repository that reports can be about.

/** Where the source comes from. `path` and `url` are the operator's words, never a stranger's. */
export type ProjectSource =
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'url'; readonly url: string };

export interface Project {
  readonly id: string;
  /** `owner/name` on GitHub, `local/<folder>` in local mode. */
  readonly name: string;
  readonly source: ProjectSource;
  readonly createdAt: string;
}
