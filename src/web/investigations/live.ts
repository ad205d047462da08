// An investigation live: tells the page that something has changed, and the page looks again itself.
import type { Handler } from 'hono';
import { isEnded } from '../../core/investigation.ts';
import { type Asking, visibleInvestigation } from '../../services/access.ts';
import { pause, STILL_FOLLOWING, STREAM_HEADERS, streamOf, withTicks } from '../../services/event-stream.ts';
import { type FollowEvent, follow } from '../../services/follow.ts';
import { cookieOf } from '../cookies.ts';
import { refuseAbsentPage, WebRefusal } from '../refusal.ts';
import { sessionOf } from '../signed-in.ts';
import type { WebDeps, WebEnv } from '../web-deps.ts';

/** However much happens, a page is not told more often. */
const LEAST_MS = 500;
const FRAMES = {
  changed: 'event: changed\ndata: {}\n\n',
  end: 'event: end\ndata: {}\n\n',
  tick: STILL_FOLLOWING,
} as const;

interface Live {
  readonly deps: WebDeps;
  readonly id: string;
  readonly cookie: string;
  readonly asking: Asking;
  readonly signal: AbortSignal;
  /** Ends what the stream waits for; `signal` follows it. */
  readonly stop: AbortController;
}

/** GET /investigations/{investigationId}/live */
export function getLive(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    const asking = c.get('asking');
    const id = c.req.param('investigationId') ?? '';
    const { investigation } = (await visibleInvestigation(deps, asking, id)) ?? refuseAbsentPage();
    if (c.req.method === 'HEAD') return c.body(null, 200, STREAM_HEADERS);
    const stop = new AbortController();
    const held = deps.limiter.hold(asking.account.id);
    if (held === null) throw new WebRefusal(429, 'Too many pages are followed live: close some, or reload this one.');
    stop.signal.addEventListener('abort', () => held.release(), { once: true });
    const signal = AbortSignal.any([stop.signal, asking.signal]);
    const live: Live = { deps, id: investigation.id, cookie: cookieOf(c, deps, 'session'), asking, signal, stop };
    return c.body(streamOf(frames(live), stop), 200, STREAM_HEADERS);
  };
}

/** The last frame is `end`, also where the person may look no longer: the page looks once more, and shows what there is then. */
async function* frames(live: Live): AsyncGenerator<string> {
  const { deps, id, signal, stop } = live;
  try {
    const events = atIntervals(follow(deps, id, 0, signal), signal);
    const mayLook = () => mayStillLook(live);
    for await (const event of withTicks(events, { mayStillFollow: mayLook, signal })) {
      if (event !== 'end') yield FRAMES[event];
    }
    // A server that stops says nothing: the page comes back to the next one.
    if (!signal.aborted) yield FRAMES.end;
  } catch (error) {
    deps.log.error({ err: error, investigationId: id }, 'live page failed');
  } finally {
    stop.abort();
  }
}

/** The first change at once, those that follow within half a second together. */
async function* atIntervals(
  events: AsyncGenerator<FollowEvent>,
  signal: AbortSignal,
): AsyncGenerator<'changed' | 'end'> {
  let next = events.next();
  let rest: Promise<'over'> | null = null;
  let hasChanged = false;
  while (!signal.aborted) {
    if (hasChanged && rest === null) {
      hasChanged = false;
      rest = pause(LEAST_MS, signal);
      yield 'changed';
    }
    const got = await Promise.race(rest === null ? [next] : [next, rest]);
    if (got === 'over') {
      rest = null;
    } else if (got.done || isLast(got.value)) {
      return yield 'end';
    } else {
      hasChanged = true;
      next = events.next();
    }
  }
}

/** The last state is told with the end, after which the page looks anyway. */
function isLast(event: FollowEvent): boolean {
  return event.type === 'end' || (event.type === 'state' && isEnded(event.investigation.outcome));
}

/** As the store and GitHub know it now. */
async function mayStillLook({ deps, id, cookie, asking, signal }: Live): Promise<boolean> {
  const now = await sessionOf(deps, cookie);
  if (now === null) return false;
  return (await visibleInvestigation(deps, { ...asking, account: now.account, signal }, id)) !== null;
}
