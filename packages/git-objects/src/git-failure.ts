// What can go wrong besides a fault of the caller, as one class of errors.

/**
 * The repository cannot be read, or not now:
 * `unreachable` (network, address, what is there), `refused` (access), `not_found` (no repository there, or not for
 * these credentials), `timeout`, `too_large` (for the limit of one repository), `no_space` (our disk), `locked` (another
 * process is at the mirror), `empty` (no commit yet). In a repository that was opened: `absent` (an object that is
 * missing in the source too), `no_commit` (what is compared with does not exist), `invalid` (an argument that git cannot
 * take), `closed` (the source was disposed), `internal` (git itself failed).
 */
export type GitFailureCode =
  | 'unreachable'
  | 'refused'
  | 'not_found'
  | 'timeout'
  | 'too_large'
  | 'no_space'
  | 'locked'
  | 'empty'
  | 'absent'
  | 'no_commit'
  | 'invalid'
  | 'closed'
  | 'internal';

/** `message` says what to do, for who runs the program: it may name addresses and folders, and never a credential. */
export class GitFailure extends Error {
  override readonly name = 'GitFailure';
  readonly code: GitFailureCode;
  /** The repository as messages name it, such as `The repository of acme/shop (https://…)`; "" if none is meant. */
  readonly what: string;

  constructor(code: GitFailureCode, message: string, options: ErrorOptions & { readonly what?: string } = {}) {
    super(message, options);
    this.code = code;
    this.what = options.what ?? '';
  }
}

/** Of the locks, which are files of SQLite. */
const SQLITE_FULL = 13;

/** Whether the file system refused a write for lack of space. */
export function isFullDisk(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('errcode' in error) return error.errcode === SQLITE_FULL;
  return 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}

/** `what` could not be read, since its mirror cannot be written. */
export function createNoSpace(what: string, cause: unknown): GitFailure {
  return new GitFailure('no_space', `${what} could not be read. No space left on the disk of its mirror.`, {
    what,
    cause,
  });
}
