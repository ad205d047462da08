// Sends webhooks as GitHub does: signed, in order, once, and kept in the list from which an App can ask for them again.
import { randomUUID } from 'node:crypto';
import type { DoubleSink, ListedDelivery } from '../double.ts';
import { nodeId } from '../resources/node-id.ts';
import type { App, State } from '../state.ts';
import { publishedExamples } from './examples.ts';
import { type Letter, type Outcome, post, signedHeaders, unreached } from './post.ts';
import { hearerOf } from './subscriptions.ts';

export interface WebhookSender extends DoubleSink {
  /** Resolves when everything that was emitted so far, and what it led to meanwhile, was delivered or has failed. */
  settled(): Promise<void>;
  /** While it lasts nothing is sent: deliveries are listed as failed, and can be asked for again. */
  outage(lasts: boolean): void;
  /** Sends a published example (see publishedExamples) to the only App, whether it subscribed to the event or not. */
  postExample(name: string): Promise<ListedDelivery>;
}

interface Parcel extends Letter {
  readonly app: App;
  readonly installationId: number | null;
  readonly redelivery: boolean;
}

/** GitHub does not deliver what is larger. */
const LONGEST_BODY = 25 * 1024 * 1024;

/** Sends as long as it is not disposed; what is then under way is cut off. */
export function webhookSender(state: State): WebhookSender {
  const stop = new AbortController();
  const sent: { readonly appId: number; readonly parcel: Parcel; readonly listed: ListedDelivery }[] = [];
  let isOut = false;
  let last: Promise<unknown> = Promise.resolve();

  const deliver = async (parcel: Parcel): Promise<ListedDelivery> => {
    const headers = signedHeaders(parcel.app, parcel);
    const outcome = await attempt(parcel, headers);
    const listed = listedDelivery(state, parcel, headers, outcome);
    sent.unshift({ appId: parcel.app.id, parcel, listed });
    return listed;
  };
  const attempt = async ({ app, body }: Parcel, headers: Readonly<Record<string, string>>): Promise<Outcome> => {
    if (app.webhookUrl === null) return unreached('no webhook address', 0, 0);
    if (isOut || stop.signal.aborted) return unreached('failed to connect to host', 502, 0);
    return post(app.webhookUrl, headers, body, stop.signal);
  };
  /** One after the other, so that what happened first arrives first. */
  const queue = (parcel: Parcel): Promise<ListedDelivery> => {
    const delivered = last.then(() => deliver(parcel));
    last = delivered;
    return delivered;
  };

  return {
    emit: (event, payload, installationId) => {
      const hearer = hearerOf(state, event, payload, installationId);
      if (hearer === null) return;
      // As it is now: what happens afterwards is another delivery's matter.
      const body = JSON.stringify(withInstallation(payload, hearer.installationId));
      if (Buffer.byteLength(body) > LONGEST_BODY) return;
      void queue({ ...hearer, guid: randomUUID(), event, body, redelivery: false });
    },
    deliveries: (appId) => sent.filter((one) => one.appId === appId).map(({ listed }) => listed),
    redeliver: (id) => {
      const earlier = sent.find(({ listed }) => listed.id === id);
      if (earlier === undefined) throw new Error(`There is no delivery ${id}.`);
      void queue({ ...earlier.parcel, redelivery: true });
    },
    settled: async () => {
      for (let seen: unknown; seen !== last; ) {
        seen = last;
        await last;
      }
    },
    outage: (lasts) => {
      isOut = lasts;
    },
    postExample: (name) => {
      const example = publishedExamples().find((one) => one.name === name);
      if (example === undefined) throw new Error(`GitHub publishes no example "${name}".`);
      const [app] = state.apps.values();
      if (app === undefined) throw new Error('There is no App to send an example to.');
      const body = JSON.stringify(example.payload);
      return queue({ app, installationId: null, guid: randomUUID(), event: example.event, body, redelivery: false });
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await last;
    },
  };
}

/** Every payload for an App names the installation. */
function withInstallation(payload: object, installationId: number | null): object {
  if (installationId === null || 'installation' in payload) return payload;
  return { ...payload, installation: { id: installationId, node_id: nodeId('MDI', installationId) } };
}

function listedDelivery(
  state: State,
  parcel: Parcel,
  headers: Readonly<Record<string, string>>,
  outcome: Outcome,
): ListedDelivery {
  const payload: { action?: string; repository?: { id?: number } } = JSON.parse(parcel.body);
  return {
    id: state.nextId(),
    guid: parcel.guid,
    deliveredAt: state.clock.now().toISOString(),
    redelivery: parcel.redelivery,
    duration: outcome.duration,
    status: outcome.status,
    statusCode: outcome.statusCode,
    event: parcel.event,
    action: payload.action ?? null,
    installationId: parcel.installationId,
    repositoryId: payload.repository?.id ?? null,
    url: parcel.app.webhookUrl ?? '',
    request: { headers, payload },
    response: { headers: outcome.headers, payload: outcome.body },
  };
}
