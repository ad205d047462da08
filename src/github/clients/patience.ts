// Until when nothing is asked of GitHub with one kind of credential: as long as GitHub says, or longer each time where it says nothing.
import { limited } from './limit-words.ts';

const FIRST_MS = 60_000;
const LONGEST_MS = 30 * 60_000;

/** What GitHub counts on its own. A secondary limit holds for all of them. */
export type Resource = 'core' | 'graphql' | 'search';

interface Hold {
  readonly until: Date;
  /** For a person. */
  readonly message: string;
}

export interface Patience {
  /** Null: it may be asked. */
  held(resource: Resource): Hold | null;
  /** Nothing is asked before then; never shortens what holds already. Null: of all resources. */
  hold(hold: Hold, resource: Resource | null): void;
  /** The same for a limit, which holds for every process that has this credential. */
  limit(until: Date, resource: Resource | null): void;
  /** Until when to stay away after a refusal that names no time: a minute at least, and longer each time. Refusals within one wait count once. */
  refused(): Date;
  answered(): void;
}

/** What all processes know of the limits of one credential. Null: those of all resources. */
export interface SharedLimits {
  until(resource: Resource | null): Date | null;
  hold(resource: Resource | null, until: Date): void;
}

/** Without `shared` it learns by refusals of its own alone. */
export function createPatience(now: () => Date, shared: SharedLimits | null = null): Patience {
  let waitMs = 0;
  let until = 0;
  const holds = new Map<Resource | null, Hold>();
  const own = (resource: Resource | null): Hold | null => {
    const hold = holds.get(resource);
    if (hold !== undefined && hold.until.getTime() > now().getTime()) return hold;
    holds.delete(resource);
    return null;
  };
  const standing = (resource: Resource | null): Hold | null => {
    const until = shared?.until(resource) ?? null;
    return later(own(resource), until === null ? null : { until, message: limited(until) });
  };
  const hold = (one: Hold, resource: Resource | null) => void holds.set(resource, later(own(resource), one) ?? one);
  return {
    held: (resource) => later(standing(null), standing(resource)),
    hold,
    limit(end, resource) {
      // Kept in one place, so that lifting it there lifts it.
      if (shared === null) hold({ until: end, message: limited(end) }, resource);
      else shared.hold(resource, end);
    },
    refused() {
      const moment = now().getTime();
      if (moment >= until) {
        waitMs = Math.min(LONGEST_MS, waitMs === 0 ? FIRST_MS : waitMs * 2);
        until = moment + waitMs;
      }
      return new Date(until);
    },
    answered() {
      // An answer to what was asked before the refusal says nothing.
      if (now().getTime() >= until) waitMs = 0;
    },
  };
}

function later(one: Hold | null, other: Hold | null): Hold | null {
  if (one === null || other === null) return one ?? other;
  return one.until > other.until ? one : other;
}
