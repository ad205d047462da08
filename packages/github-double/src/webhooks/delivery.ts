// A delivery as `GET /app/hook/deliveries` lists it, and what tests do with the sender of them.
import type { App } from '../state.ts';

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

export interface WebhookSender {
  /** Newest first. */
  deliveries(appId: number): readonly ListedDelivery[];
  /** Sends the delivery again under the same guid. */
  redeliver(id: number): void;
  /** Resolves when everything that was announced so far, and what it led to meanwhile, was delivered or has failed. */
  settled(): Promise<void>;
  /** While it lasts nothing is sent: deliveries are listed as failed, and can be asked for again. */
  outage(lasts: boolean): void;
  /** Sends a published example (see publishedExamples) to the only App, whether it subscribed to the event or not. */
  postExample(name: string): Promise<ListedDelivery>;
  /** Puts these on the App's list, newest first, in place of all that it has. */
  setDeliveries(app: App, deliveries: readonly ListedDelivery[]): void;
}
