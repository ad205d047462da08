// The store's verbs by which something ends, told to the counters: investigations, webhooks, deliveries.
import type { Outcome } from '../core/issue.ts';
import type { Accepted, Store } from '../db/store.ts';
import type { Log } from '../log.ts';
import type { Instruments } from './instruments.ts';
import { activeSpan } from './spans.ts';

/** Of one run; those beyond it count as the first does. Nobody should wait for a thousand look-ups. */
const MOST_LOOKED_UP = 20;

/** Of an attempt to tell a caller, by where its webhook stands after it. */
export const ATTEMPT_RESULTS = {
  delivered: 'delivered',
  pending: 'failed',
  dead: 'abandoned',
  stopped: 'stopped',
} as const;

interface StoreWatch {
  readonly instruments: Instruments;
  readonly log: Log;
}

/** The same store. Counting never makes a verb fail. */
export function watchStore<T extends Store>(store: T, watch: StoreWatch): T {
  const ends = watchedEnds(store, watch);
  return { ...store, ...ends, ...watchedSends(store, watch) };
}

function watchedSends(store: Store, { instruments }: StoreWatch): Pick<Store, 'recordAttempt' | 'endDelivery'> {
  return {
    recordAttempt: async (id, result) => {
      await store.recordAttempt(id, result);
      instruments.webhooks.inc({ result: ATTEMPT_RESULTS[result.state] });
      activeSpan()?.setAttribute('causeway.webhook.result', ATTEMPT_RESULTS[result.state]);
    },
    endDelivery: async (id, end, detail) => {
      await store.endDelivery(id, end, detail);
      instruments.deliveriesEnded.inc({ result: end === 'done' ? 'handled' : 'failed' });
    },
  };
}

type Ends = Pick<Store, 'accept' | 'conclude' | 'concludeFromEqual' | 'giveUp' | 'cancel'>;

function watchedEnds(store: Store, watch: StoreWatch): Ends {
  const issues = (ids: readonly string[], outcome: Outcome | null, now: string) =>
    counted(watch, { ids, now }, (id) => endedIssue(store, id, outcome));
  const others = (ids: readonly string[], outcome: string, now: string) =>
    counted(watch, { ids, now }, async (id) => endedInvestigation(store, id, outcome));
  return {
    accept: async (acceptance) => {
      const accepted = await store.accept(acceptance);
      const { origin } = acceptance.report;
      if (hasReplaced(accepted)) watch.instruments.investigations.inc({ origin, outcome: 'replaced' });
      // The run has a trace of its own, later and perhaps elsewhere: it is found by its id.
      if (accepted.kind === 'accepted') activeSpan()?.setAttributes(idsOf(accepted));
      return accepted;
    },
    conclude: async (run, conclusion, now) => {
      const ids = await store.conclude(run, conclusion, now);
      await issues(ids, conclusion.analysis.outcome, now);
      return ids;
    },
    concludeFromEqual: async (run, equal, now) => {
      const ids = await store.concludeFromEqual(run, equal, now);
      await issues(ids, null, now);
      return ids;
    },
    giveUp: async (run, reason, now) => {
      const ids = await store.giveUp(run, reason, now);
      await others(ids, 'gave_up', now);
      return ids;
    },
    cancel: async (id, reason, now, by) => {
      const cancelled = await store.cancel(id, reason, now, by);
      const outcome = reason.code === 'cancelled' ? 'cancelled' : 'gave_up';
      if (cancelled.kind === 'cancelled') await others([id], outcome, now);
      return cancelled;
    },
  };
}

function idsOf({ runId, investigationId }: Extract<Accepted, { kind: 'accepted' }>) {
  return { 'causeway.run.id': runId, 'causeway.investigation.id': investigationId };
}

function hasReplaced(accepted: Accepted): boolean {
  return accepted.kind === 'accepted' && accepted.replacedRunId !== null;
}

interface Ended {
  readonly origin: string;
  readonly outcome: string;
  readonly createdAt: string;
}

async function endedIssue(store: Store, issueId: string, outcome: Outcome | null): Promise<Ended | null> {
  const issue = await store.issue(issueId);
  if (issue === null) return null;
  return await endedInvestigation(store, issue.analysis.investigationId, outcome ?? issue.analysis.outcome);
}

async function endedInvestigation(store: Store, id: string, outcome: string): Promise<Ended | null> {
  const investigation = await store.investigation(id);
  return investigation && { origin: investigation.origin, outcome, createdAt: investigation.createdAt };
}

async function counted(
  { instruments, log }: StoreWatch,
  { ids, now }: { readonly ids: readonly string[]; readonly now: string },
  look: (id: string) => Promise<Ended | null>,
): Promise<void> {
  let last: Ended | null = null;
  for (const [at, id] of ids.entries()) {
    try {
      if (at < MOST_LOOKED_UP) last = await look(id);
    } catch (error) {
      log.warn({ err: error }, 'an investigation that ended could not be looked up for the metrics');
      return;
    }
    if (last === null) continue;
    const { origin, outcome, createdAt } = last;
    instruments.investigations.inc({ origin, outcome });
    const seconds = (Date.parse(now) - Date.parse(createdAt)) / 1_000;
    instruments.investigationSeconds.observe({ origin, outcome }, Math.max(0, seconds));
  }
}
