// What the App under test was told, for the double's own tests: events and payloads, oldest first.
import type { GithubDouble } from './double.ts';
import { startGithubDouble } from './start.ts';
import { type WebhookSender, webhookSender } from './webhooks/sender.ts';

interface Told {
  /** `check_run.completed`. */
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: payloads are looked into as they come.
  readonly payload: any;
}

export interface Listener {
  readonly github: GithubDouble;
  /** Since the last call; of the events named, or of all. */
  heard(...events: readonly string[]): Promise<readonly Told[]>;
}

/** A double whose App is told what it asked for, and nobody answers. Subscribe to more before it is installed. */
export async function listeningDouble(): Promise<Listener> {
  let sender: WebhookSender | undefined;
  const github = await startGithubDouble({
    sink: (state) => {
      sender = webhookSender(state);
      return sender;
    },
  });
  let seen = 0;
  return {
    github,
    heard: async (...events) => {
      await sender?.settled();
      const all = github.sink.deliveries(github.app.id).toReversed();
      const fresh = all.slice(seen);
      seen = all.length;
      return fresh
        .filter(({ event }) => events.length === 0 || events.includes(event))
        .map(({ event, action, request }) => ({
          name: action === null ? event : `${event}.${action}`,
          payload: request.payload,
        }));
    },
  };
}
