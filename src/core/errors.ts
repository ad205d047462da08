// Errors by code; every message says how to repair the problem.
import { createFailureReason, type EndReason, type FailureCode, type FailureReason } from './reason.ts';

/** All other codes; each entry point maps them to a status or an exit code. */
export type ErrorCode =
  | FailureCode
  | 'absent'
  | 'conflict'
  | 'invalid'
  | 'usage'
  | 'store_locked'
  | 'store_unavailable'
  | 'store_unusable'
  | 'lease_lost'
  | 'github_failed'
  | 'too_many_waiting';

/**
 * The only error class of the project. `code` is for programs, `message` (with the repair) for operators. Callers see
 * the text of `endReason` instead when it ends an investigation.
 */
export class CausewayError extends Error {
  override readonly name = 'CausewayError';
  readonly code: ErrorCode;
  /** Why the investigation ends, if the code is not specific enough. */
  readonly reason: EndReason | null;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions & { readonly reason?: EndReason }) {
    super(message, options);
    this.code = code;
    this.reason = options?.reason ?? null;
  }
}

/** What is wrong with the database, for surfaces that must not show a path or address. */
export type StoreFault = 'full' | 'damaged' | 'replaced' | 'not_writable';

/** `store_unusable` with a known cause. */
export class StoreUnusable extends CausewayError {
  readonly fault: StoreFault;

  constructor(fault: StoreFault, message: string, options?: ErrorOptions) {
    super('store_unusable', message, options);
    this.fault = fault;
  }
}

/**
 * Whether the database cannot be used for now: locked, stopped, full, read-only. What failed for this is tried again as
 * it was, until the database is back or its operator has acted. A damaged one does not come back.
 */
export function isStoreAway(error: unknown): boolean {
  if (error instanceof StoreUnusable) return error.fault !== 'damaged';
  return error instanceof CausewayError && error.code === 'store_unavailable';
}

/** The same sentence wherever the disk is full. */
export const NO_SPACE = 'No space left on the disk of DATA_DIR.';

const SQLITE_FULL = 13;

/** Whether the file system refused a write for lack of space. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('errcode' in error) return error.errcode === SQLITE_FULL;
  return 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}

/** Whether the error was caused by a full disk, directly or as its cause. */
export function isOutOfSpace(error: unknown): boolean {
  if (error instanceof StoreUnusable) return error.fault === 'full';
  return isDiskFull(error) || (error instanceof CausewayError && isDiskFull(error.cause));
}

const FAILURE_CODES: readonly string[] = [
  'revision_not_found',
  'repository_empty',
  'repository_unreachable',
  'access_lost',
  'cancelled',
  'internal',
];

/**
 * Why the error ends an investigation: from its code and data, never from its message. Unknown errors are `internal`.
 */
export function findEndReason(error: unknown): EndReason {
  if (!(error instanceof CausewayError)) return { code: 'internal' };
  return error.reason ?? { code: isFailureCode(error.code) ? error.code : 'internal' };
}

/** The same, as text for people. */
export function describeFailure(error: unknown): FailureReason {
  return createFailureReason(findEndReason(error));
}

function isFailureCode(code: ErrorCode): code is FailureCode {
  return FAILURE_CODES.includes(code);
}
