// Probot for stored deliveries: it dispatches them to the app function. Serving, logging, waiting and retrying are ours.
import { Probot, ProbotOctokit } from 'probot';
import type { Log } from '../../log.ts';

export interface ProbotOptions {
  readonly appId: number;
  /** PEM. */
  readonly privateKey: string;
  /** Base address of the API, without a slash at its end. */
  readonly apiUrl: string;
  readonly log: Log;
  readonly app: (app: Probot) => void;
}

/** An event as it arrived; the receiver has checked that name and payload belong together. */
export interface ArrivedEvent {
  readonly id: string;
  readonly name: string;
  readonly payload: unknown;
}

export interface ReceivingProbot {
  /** Rejects with an AggregateError where handlers throw. */
  receive(event: ArrivedEvent): Promise<void>;
}

export async function openProbot({ appId, privateKey, apiUrl, log, app }: ProbotOptions): Promise<ReceivingProbot> {
  const probot = new Probot({
    appId,
    privateKey,
    baseUrl: apiUrl,
    // The receiver has verified the signature; without a secret Probot would accept the word "development".
    secret: privateKey,
    // Probot logs payloads and headers.
    log: log.child({}, { level: 'silent' }),
    // The object form of these defaults would be ignored.
    Octokit: ProbotOctokit.defaults((options: object) => ({
      ...options,
      throttle: { enabled: false },
      retry: { enabled: false },
    })),
  });
  await probot.ready();
  await probot.load(app);
  // Probot types the payload by the event's name, which is known only at run time here.
  return { receive: (event) => probot.receive(event as unknown as Parameters<Probot['receive']>[0]) };
}
