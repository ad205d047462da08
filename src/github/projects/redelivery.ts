// GitHub never repeats a failed delivery by itself: what it could not deliver is asked for again.

import type { DeliveryStore } from '../../db/store.ts';
import type { Log } from '../../log.ts';
import { type GithubClients, GithubFailure } from '../clients/github-clients.ts';
import { type Attempt, listAttempts } from './delivery-list.ts';

export interface Redelivery {
  /**
   * Looks through what GitHub tried to deliver since it last did (at first: in three days, as long as GitHub keeps it) and asks for
   * up to a hundred failed deliveries again, the oldest first; the rest is for the next calls. Returns how many it asked for.
   * Throws GithubFailure; what was found until then is kept.
   */
  askAgain(signal: AbortSignal): Promise<number>;
}

export interface RedeliveryDeps {
  readonly clients: Pick<GithubClients, 'app'>;
  readonly store: Pick<DeliveryStore, 'seenDeliveries'>;
  readonly log: Log;
  readonly now: () => Date;
}

const KEPT_MS = 3 * 24 * 60 * 60_000;
/** Attempts are listed some time after they began, and clocks differ. */
const OVERLAP_MS = 15 * 60_000;
/** GitHub lets an App make 5,000 calls an hour; who waits for an answer since the outage should not wait another one. */
const MOST_AT_ONCE = 1_000;
/** A delivery that fails however often it is sent is not asked for for ever. */
const MOST_REQUESTS = 3;

interface Memory {
  /** Failed and wanted, by the delivery's id: the last attempt. */
  readonly open: Map<string, Attempt>;
  /** What was asked for: the attempt that had failed, and how many times. */
  readonly asked: Map<string, { readonly attempt: Attempt; readonly times: number }>;
  /** Milliseconds: everything before was looked through. */
  since: number;
}

export function createRedelivery(deps: RedeliveryDeps): Redelivery {
  const memory: Memory = { open: new Map(), asked: new Map(), since: 0 };
  return {
    async askAgain(signal) {
      await look(deps, memory, signal);
      await dropSeen(deps, memory);
      return await askForOldest(deps, memory, signal);
    },
  };
}

/** The list goes from the newest to the oldest: the first attempt met of a delivery is its last. */
async function look({ clients, now }: RedeliveryDeps, memory: Memory, signal: AbortSignal): Promise<void> {
  const begin = now().getTime();
  forgetOlder(memory, begin - KEPT_MS);
  const until = Math.max(memory.since, begin - KEPT_MS);
  const met = new Set<string>();
  for await (const page of listAttempts(clients.app, signal)) {
    const recent = page.filter(({ at }) => at >= until);
    for (const attempt of recent) {
      judge(memory, attempt, met.has(attempt.delivery));
      met.add(attempt.delivery);
    }
    if (recent.length < page.length) break;
  }
  memory.since = begin - OVERLAP_MS;
}

function judge({ open, asked }: Memory, attempt: Attempt, isEarlier: boolean): void {
  const { delivery, isDelivered } = attempt;
  if (isDelivered) open.delete(delivery);
  if (isDelivered || isEarlier) return;
  const before = asked.get(delivery);
  // The very attempt that was asked for already, whose repetition is on its way.
  if (before?.attempt.id === attempt.id || (before?.times ?? 0) >= MOST_REQUESTS) return;
  open.set(delivery, attempt);
}

/** It may have come through although GitHub did not hear our answer. */
async function dropSeen({ store }: RedeliveryDeps, { open }: Memory): Promise<void> {
  if (open.size === 0) return;
  for (const seen of await store.seenDeliveries([...open.keys()])) open.delete(seen);
}

async function askForOldest({ clients, log }: RedeliveryDeps, memory: Memory, signal: AbortSignal): Promise<number> {
  const oldest = [...memory.open.values()].sort((a, b) => a.at - b.at).slice(0, MOST_AT_ONCE);
  for (const attempt of oldest) {
    await request(clients, attempt, signal);
    memory.open.delete(attempt.delivery);
    const times = (memory.asked.get(attempt.delivery)?.times ?? 0) + 1;
    memory.asked.set(attempt.delivery, { attempt, times });
  }
  if (oldest.length > 0) {
    log.info({ asked: oldest.length, left: memory.open.size }, 'requested redelivery of failed webhooks');
  }
  return oldest.length;
}

/** Where GitHub has no such attempt any more there is nothing to repeat; at a limit, or with GitHub down, it is done another time. */
async function request(clients: RedeliveryDeps['clients'], { id }: Attempt, signal: AbortSignal): Promise<void> {
  try {
    await clients.app.call(
      (octokit, options) => octokit.rest.apps.redeliverWebhookDelivery({ delivery_id: id, request: options }),
      signal,
    );
  } catch (error) {
    if (error instanceof GithubFailure && (error.kind === 'gone' || error.kind === 'refused')) return;
    throw error;
  }
}

function forgetOlder({ open, asked }: Memory, before: number): void {
  for (const [delivery, { at }] of open) if (at < before) open.delete(delivery);
  for (const [delivery, { attempt }] of asked) if (attempt.at < before) asked.delete(delivery);
}
