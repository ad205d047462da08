// A subscription: an address that gets events of an account's projects, chosen by type, project and origin.
import type { Origin } from '../report/index.ts';
import type { Subject } from '../thread/index.ts';
import type { WebhookState, WebhookType } from './webhook.ts';

export const SUBSCRIPTION_ORIGINS = ['label', 'check', 'api'] as const;

/** What an event began with: a GitHub issue, a failed check, a report over the API or in the terminal. */
export type SubscriptionOrigin = (typeof SUBSCRIPTION_ORIGINS)[number];

export const SUBSCRIPTION_FORMATS = ['standard', 'slack', 'teams'] as const;

export type SubscriptionFormat = (typeof SUBSCRIPTION_FORMATS)[number];

export interface Subscription {
  readonly id: string;
  readonly accountId: string;
  /** Null: all projects that the account sees. */
  readonly projectId: string | null;
  readonly types: readonly WebhookType[];
  readonly origins: readonly SubscriptionOrigin[];
  readonly format: SubscriptionFormat;
  /** What may be shown of its address: host and last four characters. */
  readonly address: string;
  readonly createdAt: string;
  /** `gone`: its receiver answered 410. */
  readonly disabled: { readonly at: string; readonly reason: 'gone' } | null;
}

export interface ListedSubscription extends Subscription {
  readonly lastDelivery: LastDelivery | null;
}

interface LastDelivery {
  readonly id: string;
  readonly type: WebhookType;
  readonly state: WebhookState;
  readonly error: string;
  readonly createdAt: string;
}

/** Of an account. */
export const MAX_SUBSCRIPTIONS = 50;

const ORIGINS: Readonly<Record<Origin, SubscriptionOrigin>> = {
  'github-issue': 'label',
  'check-run': 'check',
  api: 'api',
  cli: 'api',
};

export function toSubscriptionOrigin(origin: Origin): SubscriptionOrigin {
  return ORIGINS[origin];
}

const SUBJECTS: Readonly<Record<Subject['kind'], SubscriptionOrigin>> = {
  issue: 'label',
  pull_request: 'check',
  failure: 'check',
  report: 'api',
};

export function toSubjectOrigin({ kind }: Subject): SubscriptionOrigin {
  return SUBJECTS[kind];
}

/** The last characters of a shorter address would be most of its secret. */
const LEAST_SECRET = 16;

/** Such as `hooks.slack.com …x7Qd`: enough to recognise it by, too little to use it. */
export function formatAddress(url: URL): string {
  const secret = url.pathname + url.search;
  return secret.length < LEAST_SECRET ? url.host : `${url.host} …${secret.slice(-4)}`;
}
