// How it stands with the secret that signs an account's webhooks: how many sign, since when, until when.
import { SECRET_OVERLAP_MS } from '../../core/webhook.ts';
import type { AccountStore, OverviewStore } from '../../db/store.ts';

export interface SecretStanding {
  /** Secrets that sign now: 0, 1, or 2 during a rotation. */
  readonly signing: number;
  /** ISO 8601; `never`; null: longer ago than is looked at. */
  readonly rotatedAt: string | null;
  /** ISO 8601, during a rotation; "" where there is none, or it is not known. */
  readonly overlapUntil: string;
}

/** Entries of the audit log that are looked at for the last rotation. */
const LOOK_BACK = 500;

export async function secretStanding(
  store: Pick<AccountStore, 'signingSecrets'> & Pick<OverviewStore, 'auditEntries'>,
  accountId: string,
  now: Date,
): Promise<SecretStanding> {
  const { length: signing } = await store.signingSecrets(accountId, now.toISOString());
  const entries = await store.auditEntries({ accountId, projectIds: [], limit: LOOK_BACK });
  const at = entries.find(({ verb }) => verb === 'secret.rotated' || verb === 'secret.rotated_by_operator')?.at;
  const rotatedAt = at ?? (entries.length < LOOK_BACK ? 'never' : null);
  const overlapUntil = signing > 1 && at !== undefined ? overlapEnd(new Date(at)) : '';
  return { signing, rotatedAt, overlapUntil };
}

/** Until when the secret before signs beside one that was made then. */
export function overlapEnd(rotated: Date): string {
  return new Date(rotated.getTime() + SECRET_OVERLAP_MS).toISOString();
}
