// Subscribes an address to events of an account's projects.

import {
  formatAddress,
  type SubscriptionFormat,
  type SubscriptionOrigin,
  type WebhookType,
} from '../core/account/index.ts';
import { createId } from '../core/ids.ts';
import type { ActOptions, Store } from '../db/index.ts';
import { registerSecret } from '../log.ts';

/**
 * Whether a webhook may go to the address; `detail` begins with the name of its field, and names the rule that refused
 * it, and the repair.
 */
export type CheckCallbackUrl = (
  url: string,
  field?: string,
) => { readonly ok: true } | { readonly ok: false; readonly rules: readonly string[]; readonly detail: string };

interface SubscribeDeps {
  readonly store: Store;
  readonly newSigningSecret: () => string;
  readonly now: () => Date;
}

interface NewAddress {
  readonly accountId: string;
  /** Checked: see `CheckCallbackUrl`. */
  readonly url: string;
  /** One that the account sees; null: all that it sees. */
  readonly projectId: string | null;
  readonly types: readonly WebhookType[];
  readonly origins: readonly SubscriptionOrigin[];
  readonly format: SubscriptionFormat;
}

type Subscribed =
  /** `secret`: shown to the caller this once; "": its format is not signed. */
  { readonly kind: 'added'; readonly id: string; readonly secret: string } | { readonly kind: 'full' | 'repeated' };

export async function subscribe(
  { store, newSigningSecret, now }: SubscribeDeps,
  { url, ...chosen }: NewAddress,
  how: ActOptions = {},
): Promise<Subscribed> {
  const id = createId('sub');
  const secret = chosen.format === 'standard' ? newSigningSecret() : '';
  registerSecret(secret);
  const made = { ...chosen, id, url, secret, address: formatAddress(new URL(url)), createdAt: now().toISOString() };
  const kind = await store.addSubscription(made, how);
  return kind === 'added' ? { kind, id, secret } : { kind };
}
