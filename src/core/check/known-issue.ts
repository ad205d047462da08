// Known failures: issues of the same repository to which people tied a failure, or a pattern of what failed checks say.

/**
 * What failed checks have to do with an issue that people tied such failures to. `known`: the issue covers them.
 * `touched`: it does not, since the change under test touches this file, where they fail. `returned`: the issue was
 * closed before they failed.
 */
export type KnownMatch =
  | { readonly code: 'known'; readonly issue: number }
  | { readonly code: 'touched'; readonly issue: number; readonly path: string }
  | { readonly code: 'returned'; readonly issue: number; readonly endedAt: string };
