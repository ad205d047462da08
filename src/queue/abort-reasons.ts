// Why a handler is told to stop.
import { CausewayError } from '../core/errors.ts';
import type { Claim } from './claims.ts';

export function cancelled({ kind, subject }: Claim): CausewayError {
  return new CausewayError('cancelled', `The ${kind} job of ${subject} was cancelled; stop working on it.`);
}

export function taken({ kind, subject }: Claim): CausewayError {
  return new CausewayError('lease_lost', `The ${kind} job of ${subject} went to another worker; stop working on it.`);
}

export function stopped({ kind, subject }: Claim): CausewayError {
  return new CausewayError('lease_lost', `The worker stops; the ${kind} job of ${subject} is handed back.`);
}
