// What can go wrong, by code; the message always contains the repair.

/** Reasons with which an investigation gives up. The list is the contract of the `issue.failed` webhook. */
type FailureCode =
  | 'revision_not_found'
  | 'repository_empty'
  | 'repository_unreachable'
  | 'access_lost'
  | 'cancelled'
  | 'internal';

export interface FailureReason {
  readonly code: FailureCode;
  /** One or two sentences for a person: what was tried, and what to do about it. */
  readonly detail: string;
}

/** Every other code that a room may raise; doors map these to a status or an exit code. */
export type ErrorCode =
  | FailureCode
  | 'absent'
  | 'conflict'
  | 'invalid'
  | 'usage'
  | 'diff_refused'
  | 'store_locked'
  | 'store_unusable'
  | 'lease_lost'
  | 'github_failed'
  | 'too_many_waiting'
  | 'model_unavailable'
  | 'model_rejected'
  | 'model_overflow'
  | 'model_refused'
  | 'model_misbehaved';

/** The one error class of the house: `code` for programs, `message` (with the repair) for people, `cause` kept. */
export class CausewayError extends Error {
  override readonly name = 'CausewayError';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** What is wrong with the records, for places where no path or address may be shown. */
export type StoreFault = 'full' | 'damaged' | 'replaced' | 'not_writable';

/** `store_unusable` where it is known why. */
export class StoreUnusable extends CausewayError {
  readonly fault: StoreFault;

  constructor(fault: StoreFault, message: string, options?: ErrorOptions) {
    super('store_unusable', message, options);
    this.fault = fault;
  }
}

/** What is said wherever the disk is full. */
export const NO_SPACE = 'No space left on the disk of DATA_DIR.';

const SQLITE_FULL = 13;

/** Whether the file system refused a write for lack of space. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('errcode' in error) return error.errcode === SQLITE_FULL;
  return 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}

const FAILURE_CODES: readonly string[] = [
  'revision_not_found',
  'repository_empty',
  'repository_unreachable',
  'access_lost',
  'cancelled',
  'internal',
];

/** The reason that ends an investigation: a known failure keeps its words; anything else is our bug and says so without inner text. */
export function failureReason(error: unknown): FailureReason {
  if (error instanceof CausewayError && FAILURE_CODES.includes(error.code)) {
    return { code: error.code as FailureCode, detail: error.message };
  }
  return {
    code: 'internal',
    detail: 'Causeway failed on its own account. The log of the service has the details; the report can be sent again.',
  };
}
