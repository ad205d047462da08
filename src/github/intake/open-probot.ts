// Probot for stored deliveries: it hands them to the app function, and neither serves, logs, waits nor tries again.
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

/** An event as it arrived: name and payload belong together, as the receiver has seen to. */
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
    // The receiver has checked the signature; without a secret Probot would believe a word that everybody knows.
    secret: privateKey,
    // Probot logs payloads and headers; what matters is logged by us.
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
  // Probot's types tell each event's payload by its name, which only one who looks into the body can know.
  return { receive: (event) => probot.receive(event as unknown as Parameters<Probot['receive']>[0]) };
}
