// What can go wrong, by code; the message always contains the repair.
import { createFailureReason, type EndReason, type FailureCode, type FailureReason } from './reason.ts';

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

/**
 * The one error class of the house: `code` for programs, `message` (with the repair) for the one who runs the command
 * or the service, `cause` kept. An investigation that it ends does not show the message to other people: see
 * `endReason`.
 */
export class CausewayError extends Error {
  override readonly name = 'CausewayError';
  readonly code: ErrorCode;
  /** Why an investigation ends that meets it, where the code alone does not say it. */
  readonly reason: EndReason | null;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions & { readonly reason?: EndReason }) {
    super(message, options);
    this.code = code;
    this.reason = options?.reason ?? null;
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

/** Whether something failed because the disk is full, whatever it was that met it. */
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
 * Why an investigation ends that met the error: from its code and data, never from its words. Anything unknown is our
 * own fault.
 */
export function endReason(error: unknown): EndReason {
  if (!(error instanceof CausewayError)) return { code: 'internal' };
  return error.reason ?? { code: isFailureCode(error.code) ? error.code : 'internal' };
}

/** The same as people see it. */
export function describeFailure(error: unknown): FailureReason {
  return createFailureReason(endReason(error));
}

function isFailureCode(code: ErrorCode): code is FailureCode {
  return FAILURE_CODES.includes(code);
}
