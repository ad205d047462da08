// From what went wrong to one line for a person and an exit code for a script.
import { CausewayError } from '../core/errors.ts';
import type { ExitCode, Io } from './io.ts';
import { printable } from './printable.ts';
import { style } from './style.ts';

/** Faults of what was asked, which the caller can put right: exit code 2. */
const WRONG_USE = new Set(['usage', 'invalid', 'absent', 'conflict']);

/**
 * Says the fault on standard error and gives the exit code: 130 where `signal` was aborted (nothing is said then), 2 for wrong use, else 1.
 * Throws what is not a CausewayError: that is our own bug, and its stack is wanted.
 */
export function reportFault(error: unknown, io: Pick<Io, 'err' | 'colour'>, signal: AbortSignal | null): ExitCode {
  if (signal?.aborted) return 130;
  if (!(error instanceof CausewayError)) throw error;
  const paint = style(io.colour.err);
  io.err(`${paint.red('causeway:')} ${printable(error.message)}\n`);
  return WRONG_USE.has(error.code) ? 2 : 1;
}
