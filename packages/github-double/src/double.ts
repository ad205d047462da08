// What a test holds of the GitHub double: its addresses, its state, the people who act in it, what was asked of it, and its faults.
import type { FaultRule } from './faults.ts';
import type { SignIns } from './oauth.ts';
import type { People } from './people/people.ts';
import type { App, EventSink, State, Urls } from './state.ts';

export interface DoubleOptions {
  /** Default 0: any free one. */
  readonly port?: number;
  /** Such as `/api/v3`, which makes it look like GitHub Enterprise; default "". */
  readonly basePath?: string;
  /** Given the state, makes the sender of webhooks; default: events go nowhere. */
  readonly sink?: (state: State) => DoubleSink;
  /** Validates every exchange against GitHub's own description; default: the vendored one. Null switches it off. */
  readonly validate?: ((exchange: Exchange) => readonly string[]) | null;
  /** Serves what the API does not: the page for people. True: it answered. */
  readonly page?: (double: GithubDouble) => PageHandler;
}

export type PageHandler = (
  request: import('node:http').IncomingMessage,
  response: import('node:http').ServerResponse,
) => Promise<boolean>;

/** A sender of webhooks with its list of deliveries, as `GET /app/hook/deliveries` shows them, newest first. */
export interface DoubleSink extends EventSink, AsyncDisposable {
  deliveries(appId: number): readonly ListedDelivery[];
  /** Sends the delivery again under the same guid. */
  redeliver(id: number): void;
}

export interface ListedDelivery {
  readonly id: number;
  readonly guid: string;
  readonly deliveredAt: string;
  readonly redelivery: boolean;
  /** Seconds. */
  readonly duration: number;
  /** Such as `OK` or `Invalid HTTP Response: 503`. */
  readonly status: string;
  readonly statusCode: number;
  readonly event: string;
  readonly action: string | null;
  readonly installationId: number | null;
  readonly repositoryId: number | null;
  readonly url: string;
  readonly request: { readonly headers: Readonly<Record<string, string>>; readonly payload: object };
  readonly response: { readonly headers: Readonly<Record<string, string>>; readonly payload: string };
}

export interface Exchange {
  readonly method: string;
  /** Without base address and query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly requestBody: unknown;
  readonly status: number;
  readonly responseBody: unknown;
}

/** One request that the double got. */
export interface SeenRequest {
  readonly method: string;
  /** Without the base path, with its query. */
  readonly path: string;
  readonly tokenKind: 'none' | 'app' | 'client' | 'installation' | 'user' | 'bad';
  /** Of an installation token; empty otherwise. */
  readonly permissions: Readonly<Record<string, string>>;
  /** Of an installation token: ids it is limited to; null: all of the installation. */
  readonly repositoryIds: readonly number[] | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** As the double answered it; 0: no answer was given (hang, reset). */
  readonly status: number;
}

export interface GithubDouble extends AsyncDisposable {
  readonly urls: Urls;
  readonly apiUrl: string;
  readonly webUrl: string;
  readonly state: State;
  /** Everything that a person could do on GitHub. */
  readonly people: People;
  /** The App under test: made at start, owned by the organisation `octo`. */
  readonly app: App;
  readonly requests: readonly SeenRequest[];
  /** What was asked or answered wrongly; disposal throws where it is not empty. */
  readonly problems: string[];
  /** Faults to come, the first that matches is used up first. */
  readonly faults: { add(rule: FaultRule): void; clear(): void };
  /** Who sits at the browser when somebody is sent to sign in. */
  readonly signIns: SignIns;
  readonly sink: DoubleSink;
}
