// An investigation live: server-sent events that can be resumed, and end when the token does.
import type { Handler } from 'hono';
import { isEnded } from '../domain/investigation.ts';
import { type FollowEvent, follow } from '../jobs/follow.ts';
import { askingOf, visibleInvestigation } from './access.ts';
import type { ApiDeps, ApiEnv, Caller } from './api-deps.ts';
import { callerOf } from './authenticate.ts';
import { eventId, type Position, parseEventId, positionAfter, resumeAt } from './event-position.ts';
import { investigationView } from './investigations.ts';
import { refuseAbsent } from './problem.ts';

/** A comment so often keeps proxies from closing a silent stream. */
const COMMENT_MS = 15_000;
/** The token is checked again at every fourth comment: once a minute. */
const COMMENTS_PER_CHECK = 4;

/** A client that has not taken what was sent for so long reads no more: the stream is broken off, since its token is not looked at meanwhile either. */
const STALLED_MS = 60_000;

/** GET /api/v1/investigations/{investigationId}/events/ */
export function streamEvents(deps: ApiDeps): Handler<ApiEnv> {
  return async (c) => {
    const asking = askingOf(c);
    const id = c.req.param('investigationId') ?? '';
    const { investigation } = (await visibleInvestigation(deps, asking, id)) ?? refuseAbsent();
    const asked = parseEventId(c.req.header('Last-Event-ID') ?? '');
    // 204 is what tells an EventSource not to come back.
    if (asked.state === 'end' && isEnded(investigation.outcome)) return c.body(null, 204);
    const headers = { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' };
    if (c.req.method === 'HEAD') return c.body(null, 200, headers);
    const [sameStep] = asked.step === 0 ? [] : await deps.store.steps(investigation.runId, asked.step - 1);
    const stop = new AbortController();
    const stream: Stream = {
      deps,
      caller: asking.caller,
      id: investigation.id,
      position: resumeAt(asked, sameStep),
      signal: AbortSignal.any([stop.signal, asking.signal]),
      stop,
    };
    return c.body(streamOf(frames(stream), stop), 200, headers);
  };
}

interface Stream {
  readonly deps: ApiDeps;
  readonly caller: Caller;
  readonly id: string;
  readonly position: Position;
  readonly signal: AbortSignal;
  /** Ends what the stream waits for; `signal` follows it. */
  readonly stop: AbortController;
}

/** Ends quietly after an error: the client comes back with the last id, and the log has the cause. */
async function* frames(stream: Stream): AsyncGenerator<string> {
  let position = stream.position;
  try {
    for await (const event of eventsAndTicks(stream)) {
      if (event === 'tick') {
        yield ': still following\n\n';
      } else if (event.type !== 'state' || event.investigation.outcome.state !== position.state) {
        position = positionAfter(position, event);
        yield frame(event, position);
      }
    }
  } catch (error) {
    stream.deps.log.error({ err: error, investigationId: stream.id }, 'event stream failed');
  } finally {
    stream.stop.abort();
  }
}

/** What happens, and a tick every 15 seconds whatever happens; ends early when the caller may no longer look. */
async function* eventsAndTicks(stream: Stream): AsyncGenerator<FollowEvent | 'tick'> {
  const events = follow(stream.deps, stream.id, stream.position.step, stream.signal);
  let event = events.next();
  let tick = pause(COMMENT_MS, stream.signal);
  let ticks = 0;
  while (!stream.signal.aborted) {
    const got = await Promise.race([event, tick]);
    if (got === 'tick') {
      ticks += 1;
      if (ticks % COMMENTS_PER_CHECK === 0 && !(await mayStillFollow(stream))) return;
      yield got;
      tick = pause(COMMENT_MS, stream.signal);
    } else if (got.done) {
      return;
    } else {
      yield got.value;
      event = events.next();
    }
  }
}

async function mayStillFollow({ deps, caller, id, signal }: Stream): Promise<boolean> {
  const now = await callerOf(deps, caller.tokenHash);
  if (now === null || !now.token.scopes.includes('issues:read')) return false;
  return (await visibleInvestigation(deps, { caller: now, signal }, id)) !== null;
}

function frame(event: FollowEvent, position: Position): string {
  const data = event.type === 'step' ? event.step : investigationView(event.investigation);
  return `id: ${eventId(position)}\nevent: ${event.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Resolves after `ms`, or at once when the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<'tick'> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve('tick');
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve('tick');
    };
    const timer = setTimeout(finish, ms);
    signal.addEventListener('abort', finish, { once: true });
  });
}

/** Holds one frame until the client takes it, and makes the next only then. */
function streamOf(frames: AsyncGenerator<string>, stop: AbortController): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let stalled: NodeJS.Timeout | undefined;
  return new ReadableStream({
    pull: async (controller) => {
      clearTimeout(stalled);
      const { done, value } = await frames.next();
      if (done) return controller.close();
      stalled = setTimeout(() => {
        stop.abort();
        controller.error(new Error('the client of an event stream does not read'));
      }, STALLED_MS);
      controller.enqueue(encoder.encode(value));
    },
    cancel: () => {
      clearTimeout(stalled);
      stop.abort();
    },
  });
}
