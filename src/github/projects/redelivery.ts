// GitHub never repeats a failed delivery by itself: this requests a redelivery of what could not be delivered.
import type { DeliveryStore } from '../../db/index.ts';
import type { Log } from '../../log.ts';
import { type GithubCaller, type GithubClients, isFinal } from '../clients/index.ts';

export interface Redelivery {
  /**
   * Looks through what GitHub tried to deliver since the last look (at first: in three days, as long as GitHub keeps
   * it) and requests failed deliveries again, up to a thousand, the oldest first; the rest is for the next calls.
   * Returns how many it requested. Throws GithubFailure; what was found until then is kept.
   */
  askAgain(signal: AbortSignal): Promise<number>;
}

export interface RedeliveryOptions {
  readonly clients: Pick<GithubClients, 'app'>;
  readonly store: Pick<DeliveryStore, 'findSeenDeliveries'>;
  readonly log: Log;
  readonly now: () => Date;
}

interface DeliveryAttempt {
  /** Of this attempt: only to be sent back, since Octokit makes a bigint of it where a float cannot hold it. */
  readonly id: number;
  /** X-GitHub-Delivery: the same for every attempt at one delivery. */
  readonly delivery: string;
  /** Milliseconds. */
  readonly at: number;
  readonly isDelivered: boolean;
}

const KEPT_MS = 3 * 24 * 60 * 60_000;
/** Attempts are listed some time after they began, and clocks differ. */
const OVERLAP_MS = 15 * 60_000;
/** GitHub lets an App make 5,000 calls an hour. */
const MAX_AT_ONCE = 1_000;
const MAX_REQUESTS = 3;

export function createRedelivery({ clients, store, log, now }: RedeliveryOptions): Redelivery {
  /** Failed and wanted, by the delivery's id: the last attempt. */
  const open = new Map<string, DeliveryAttempt>();
  /** What was requested: the attempt that had failed, and how many times. */
  const requested = new Map<string, { readonly attempt: DeliveryAttempt; readonly times: number }>();
  let lookedUntil = 0;

  /** The list goes from the newest to the oldest: the first attempt seen of a delivery is its last. */
  async function look(signal: AbortSignal): Promise<void> {
    const begin = now().getTime();
    const since = Math.max(lookedUntil, begin - KEPT_MS);
    forgetBefore(begin - KEPT_MS);
    const seen = new Set<string>();
    for await (const page of listAttempts(clients.app, signal)) {
      const recent = page.filter(({ at }) => at >= since);
      for (const attempt of recent) {
        note(attempt, seen.has(attempt.delivery));
        seen.add(attempt.delivery);
      }
      if (recent.length < page.length) break;
    }
    lookedUntil = begin - OVERLAP_MS;
  }

  function forgetBefore(oldest: number): void {
    for (const [delivery, { at }] of open) if (at < oldest) open.delete(delivery);
    for (const [delivery, { attempt }] of requested) if (attempt.at < oldest) requested.delete(delivery);
  }

  function note(attempt: DeliveryAttempt, isEarlier: boolean): void {
    const { delivery, isDelivered } = attempt;
    if (isDelivered) open.delete(delivery);
    if (isDelivered || isEarlier) return;
    const before = requested.get(delivery);
    // The same attempt was requested already, and its repetition is on its way; or it fails whenever it is sent.
    if (before?.attempt.id === attempt.id || (before?.times ?? 0) >= MAX_REQUESTS) return;
    open.set(delivery, attempt);
  }

  /**
   * Where GitHub no longer has the attempt there is nothing to repeat; at a limit, or with GitHub down, it is done
   * another time.
   */
  async function request(attempt: DeliveryAttempt, signal: AbortSignal): Promise<void> {
    const redeliver = { delivery_id: attempt.id };
    await clients.app
      .call(({ rest }, options) => rest.apps.redeliverWebhookDelivery({ ...redeliver, request: options }), signal)
      .catch((error: unknown) => {
        if (!isFinal(error)) throw error;
      });
    open.delete(attempt.delivery);
    const times = (requested.get(attempt.delivery)?.times ?? 0) + 1;
    requested.set(attempt.delivery, { attempt, times });
  }

  return {
    async askAgain(signal) {
      await look(signal);
      // A delivery may have come through although GitHub did not receive our answer.
      if (open.size > 0) for (const seen of await store.findSeenDeliveries([...open.keys()])) open.delete(seen);
      const oldest = [...open.values()].sort((a, b) => a.at - b.at).slice(0, MAX_AT_ONCE);
      for (const attempt of oldest) await request(attempt, signal);
      if (oldest.length > 0) {
        log.info({ requested: oldest.length, left: open.size }, 'requested redelivery of failed webhooks');
      }
      return oldest.length;
    },
  };
}

/**
 * Every attempt at a delivery of the App, page by page, the newest first. Throws GithubFailure where one could not be
 * read.
 */
async function* listAttempts(app: GithubCaller, signal: AbortSignal): AsyncGenerator<readonly DeliveryAttempt[]> {
  let cursor: string | null = null;
  do {
    const from: { cursor?: string } = cursor === null ? {} : { cursor };
    const { data, headers } = await app.call(
      ({ rest }, request) => rest.apps.listWebhookDeliveries({ per_page: 100, ...from, request }),
      signal,
    );
    yield data.map((listed) => ({
      id: listed.id,
      delivery: listed.guid,
      at: Date.parse(listed.delivered_at),
      isDelivered: listed.status_code >= 200 && listed.status_code < 300,
    }));
    const next = nextCursor(headers.link);
    // A page that leads to itself would have no end.
    cursor = next === cursor ? null : next;
  } while (cursor !== null);
}

function nextCursor(link: string | undefined): string | null {
  const address = /<([^<>]+)>;\s*rel="next"/.exec(link ?? '')?.[1] ?? '';
  return URL.canParse(address) ? new URL(address).searchParams.get('cursor') : null;
}
