// An investigation live: server-sent events that can be resumed, and end when the token does.
import type { Handler } from 'hono';
import { isEnded } from '../core/investigation.ts';
import { visibleInvestigation } from '../services/access.ts';
import { STILL_FOLLOWING, STREAM_HEADERS, streamOf, withTicks } from '../services/event-stream.ts';
import { type FollowEvent, follow } from '../services/follow.ts';
import type { ApiDeps, ApiEnv, Caller } from './api-deps.ts';
import { askingFor, askingOf, callerOf } from './authenticate.ts';
import { eventId, type Position, parseEventId, positionAfter, resumeAt } from './event-position.ts';
import { holdOrRefuse } from './held-answers.ts';
import { investigationView } from './investigations.ts';
import { refuseAbsent } from './problem.ts';

/** GET /api/v1/investigations/{investigationId}/events/ */
export function streamEvents(deps: ApiDeps): Handler<ApiEnv> {
  return async (c) => {
    const asking = askingOf(c);
    const id = c.req.param('investigationId') ?? '';
    const { investigation } = (await visibleInvestigation(deps, asking, id)) ?? refuseAbsent();
    const asked = parseEventId(c.req.header('Last-Event-ID') ?? '');
    // 204 is what tells an EventSource not to come back.
    if (asked.state === 'end' && isEnded(investigation.outcome)) return c.body(null, 204);
    if (c.req.method === 'HEAD') return c.body(null, 200, STREAM_HEADERS);
    const [sameStep] = asked.step === 0 ? [] : await deps.store.steps(investigation.runId, asked.step - 1);
    const stop = new AbortController();
    const held = holdOrRefuse(deps, asking.account.id);
    stop.signal.addEventListener('abort', () => held.release(), { once: true });
    const stream: Stream = {
      deps,
      caller: c.get('caller'),
      id: investigation.id,
      position: resumeAt(asked, sameStep),
      signal: AbortSignal.any([stop.signal, asking.signal]),
      stop,
    };
    return c.body(streamOf(frames(stream), stop), 200, STREAM_HEADERS);
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
    const events = follow(stream.deps, stream.id, position.step, stream.signal);
    const mayLook = () => mayStillFollow(stream);
    for await (const event of withTicks(events, { mayStillFollow: mayLook, signal: stream.signal })) {
      if (event === 'tick') {
        yield STILL_FOLLOWING;
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

async function mayStillFollow({ deps, caller, id, signal }: Stream): Promise<boolean> {
  const now = await callerOf(deps, caller.tokenHash);
  if (now === null || !now.token.scopes.includes('issues:read')) return false;
  return (await visibleInvestigation(deps, askingFor(now, signal), id)) !== null;
}

function frame(event: FollowEvent, position: Position): string {
  const data = event.type === 'step' ? event.step : investigationView(event.investigation);
  return `id: ${eventId(position)}\nevent: ${event.type}\ndata: ${JSON.stringify(data)}\n\n`;
}
