// An investigation live: server-sent events that can be resumed, and end when the token does.
import { createHash } from 'node:crypto';
import { isEnded } from '../core/report/index.ts';
import type { RecordedStep } from '../db/index.ts';
import {
  type FollowEvent,
  findVisibleInvestigation,
  followInvestigation,
  STILL_FOLLOWING,
  STREAM_HEADERS,
  streamOf,
  withTicks,
} from '../services/index.ts';
import type { ApiContext, ApiDeps, Caller } from './api-deps.ts';
import { findCaller, getAsking, holdOrRefuse, toAsking } from './auth.ts';
import { toInvestigationView } from './investigations.ts';
import { refuseAbsent } from './problem.ts';

/**
 * How far a client has read: the last step and the last state sent. Steps are numbered from 1 when a run restarts after a
 * crash, so a step is identified by number and content: where that step no longer exists, the stream begins at the first.
 */
interface Position {
  readonly step: number;
  readonly fingerprint: string;
  /** A state, `none` before any, or `end`. */
  readonly state: string;
}

const START: Position = { step: 0, fingerprint: '0', state: 'none' };

interface Stream {
  readonly caller: Caller;
  readonly id: string;
  readonly position: Position;
  readonly signal: AbortSignal;
  /** Ends what the stream waits for; `signal` follows it. */
  readonly stop: AbortController;
}

/** GET /api/v1/investigations/{investigationId}/events/ */
export async function streamEvents(c: ApiContext, deps: ApiDeps): Promise<Response> {
  const asking = getAsking(c);
  const id = c.req.param('investigationId') ?? '';
  const { investigation } = (await findVisibleInvestigation(deps, asking, id)) ?? refuseAbsent();
  const last = parseEventId(c.req.header('Last-Event-ID') ?? '');
  // 204 keeps an EventSource from connecting again.
  if (last.state === 'end' && isEnded(investigation.outcome)) return c.body(null, 204);
  if (c.req.method === 'HEAD') return c.body(null, 200, STREAM_HEADERS);
  const position = await findStreamStart(deps, investigation.runId, last);
  const stop = new AbortController();
  const hold = holdOrRefuse(deps, asking.account.id);
  stop.signal.addEventListener('abort', () => hold.release(), { once: true });
  const stream: Stream = {
    caller: c.get('caller'),
    id: investigation.id,
    position,
    signal: AbortSignal.any([stop.signal, asking.signal]),
    stop,
  };
  return c.body(streamOf(createEventFrames(deps, stream), stop), 200, STREAM_HEADERS);
}

/** The position itself while its step still exists; else the first step, with the same state. */
async function findStreamStart(deps: ApiDeps, runId: string, last: Position): Promise<Position> {
  const [step] = last.step === 0 ? [] : await deps.store.listSteps(runId, last.step - 1);
  const isSame = step?.number === last.step && hashStep(step) === last.fingerprint;
  return isSame ? last : { ...START, state: last.state };
}

/** Ends quietly after an error: the client comes back with the last id, and the log has the cause. */
async function* createEventFrames(deps: ApiDeps, stream: Stream): AsyncGenerator<string> {
  const { id, signal, stop } = stream;
  let { position } = stream;
  try {
    const events = followInvestigation(deps, id, position.step, signal);
    const mayStillFollow = async () => {
      const caller = await findCaller(deps, stream.caller.tokenHash);
      if (caller === null || !caller.token.scopes.includes('issues:read')) return false;
      return (await findVisibleInvestigation(deps, toAsking(caller, signal), id)) !== null;
    };
    for await (const event of withTicks(events, { mayStillFollow, signal })) {
      if (event === 'tick') {
        yield STILL_FOLLOWING;
      } else if (event.type !== 'state' || event.investigation.outcome.state !== position.state) {
        position = advancePosition(position, event);
        yield formatEventFrame(event, position);
      }
    }
  } catch (error) {
    deps.log.error({ err: error, investigationId: id }, 'event stream failed');
  } finally {
    stop.abort();
  }
}

function formatEventFrame(event: FollowEvent, { step, fingerprint, state }: Position): string {
  const data = event.type === 'step' ? event.step : toInvestigationView(event.investigation);
  return `id: ${step}.${fingerprint}.${state}\nevent: ${event.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** The header is untrusted text: anything that is not of our form is the start. */
function parseEventId(id: string): Position {
  const [, step = '', fingerprint = '', state = ''] = /^(\d{1,9})\.([0-9a-f]{1,16})\.([a-z_]{1,16})$/.exec(id) ?? [];
  return step === '' ? START : { step: Number(step), fingerprint, state };
}

function advancePosition(position: Position, event: FollowEvent): Position {
  switch (event.type) {
    case 'step':
      return { ...position, step: event.step.number, fingerprint: hashStep(event.step) };
    case 'state':
      return { ...position, state: event.investigation.outcome.state };
    case 'end':
      return { ...position, state: 'end' };
  }
}

function hashStep({ action, result, analysis }: RecordedStep): string {
  const text = JSON.stringify([action, result, analysis]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
