// `webhook-secret`: shows or rotates the secret that signs the account's webhooks.
import type { Account } from '../core/account.ts';
import { CausewayError } from '../core/errors.ts';
import { SECRET_OVERLAP_MS } from '../core/webhook.ts';
import type { AccountStore } from '../db/store.ts';
import { actingFor } from './acting-for.ts';
import type { WebhookSecretCommand } from './command.ts';
import { reportFault } from './exit-code.ts';
import type { ExitCode, Io } from './io.ts';

export interface WebhookSecretDeps {
  readonly store: Pick<AccountStore, 'signingSecrets' | 'rotateSigningSecret' | 'noteSecretShown'>;
  readonly account: Account;
  readonly now: () => Date;
  /** A new `whsec_…`. */
  readonly newSecret: () => string;
}

/** Runs one `webhook-secret` command; the secret that signs from now on stands alone on standard output. */
export async function webhookSecret(
  command: WebhookSecretCommand,
  io: Pick<Io, 'out' | 'err' | 'colour'>,
  deps: WebhookSecretDeps,
): Promise<ExitCode> {
  try {
    await (command.kind === 'webhook-secret-show' ? show(io, deps) : rotate(io, deps));
    return 0;
  } catch (error) {
    return reportFault(error, io, null);
  }
}

async function show(io: Pick<Io, 'out' | 'err'>, deps: WebhookSecretDeps): Promise<void> {
  const now = deps.now().toISOString();
  const [newest, ...before] = await deps.store.signingSecrets(deps.account.id, now);
  if (newest === undefined) {
    throw new CausewayError('absent', 'The account has no webhook secret: causeway webhook-secret rotate makes one.');
  }
  // Before it is shown: nobody sees it without a trace.
  await deps.store.noteSecretShown(deps.account.id, now, actingFor(deps.account));
  io.out(`${newest}\n`);
  if (before.length > 0) io.err('The secret before it signs as well, until 24 hours after the rotation.\n');
}

async function rotate(io: Pick<Io, 'out' | 'err'>, deps: WebhookSecretDeps): Promise<void> {
  const now = deps.now();
  const overlapUntil = new Date(now.getTime() + SECRET_OVERLAP_MS).toISOString();
  const secret = deps.newSecret();
  const rotation = { accountId: deps.account.id, secret, overlapUntil, now: now.toISOString() };
  await deps.store.rotateSigningSecret({ ...rotation, ...actingFor(deps.account) });
  io.out(`${secret}\n`);
  io.err(`The secret before it signs as well until ${overlapUntil}: change your receivers over by then.\n`);
}
