// How far a client has read an event stream: the ids of its events, and where a resumed stream begins.
import { createHash } from 'node:crypto';
import type { RecordedStep } from '../db/store.ts';
import type { FollowEvent } from '../services/follow.ts';

/**
 * The last step and the last state told. Steps are numbered anew when a run starts again after a crash, so the step is
 * named by number and content: where that step is gone, the stream begins at the first.
 */
export interface Position {
  readonly step: number;
  readonly fingerprint: string;
  /** A state, `none` before any, or `end`. */
  readonly state: string;
}

const START: Position = { step: 0, fingerprint: '0', state: 'none' };

export function eventId({ step, fingerprint, state }: Position): string {
  return `${step}.${fingerprint}.${state}`;
}

/** What a client sends back is anyone's text: whatever is not of our form is the start. */
export function parseEventId(id: string): Position {
  const [, step = '', fingerprint = '', state = ''] = /^(\d{1,9})\.([0-9a-f]{1,16})\.([a-z_]{1,16})$/.exec(id) ?? [];
  return step === '' ? START : { step: Number(step), fingerprint, state };
}

export function positionAfter(position: Position, event: FollowEvent): Position {
  switch (event.type) {
    case 'step':
      return { ...position, step: event.step.number, fingerprint: fingerprintOf(event.step) };
    case 'state':
      return { ...position, state: event.investigation.outcome.state };
    case 'end':
      return { ...position, state: 'end' };
  }
}

/** Where to go on, given the step that now has the position's number (if any). */
export function resumeAt(position: Position, step: RecordedStep | undefined): Position {
  const same = step?.number === position.step && fingerprintOf(step) === position.fingerprint;
  return same ? position : { ...START, state: position.state };
}

function fingerprintOf({ action, result, analysis }: RecordedStep): string {
  return createHash('sha256')
    .update(JSON.stringify([action, result, analysis]))
    .digest('hex')
    .slice(0, 16);
}
