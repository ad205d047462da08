// A change set: edits against one commit. It is the truth that is stored; `Diff` is only the API's view of it.

export type FileMode = '100644' | '100755';

/** One file before and after. Text is valid UTF-8 without NUL; anything else is never changed. */
export type FileChange =
  | { readonly kind: 'added'; readonly path: string; readonly mode: FileMode; readonly after: string }
  | { readonly kind: 'deleted'; readonly path: string; readonly before: string }
  | {
      readonly kind: 'modified';
      readonly path: string;
      readonly before: string;
      readonly after: string;
      /** The new mode, only where it changed. */
      readonly mode?: FileMode;
    }
  | {
      readonly kind: 'renamed';
      readonly path: string;
      readonly previousPath: string;
      readonly before: string;
      readonly after: string;
      readonly mode?: FileMode;
    };

export interface ChangeSet {
  /** Full sha of the commit that the edits are against. */
  readonly base: string;
  readonly files: readonly FileChange[];
}
