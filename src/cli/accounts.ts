// `token` and `webhook-secret`: access tokens and the signing secret of an account, while the service runs or not.

import { toPrintableLine } from 'causeway-safe-markdown';
import {
  type Account,
  createToken,
  createTokenRecord,
  hashToken,
  SECRET_OVERLAP_MS,
  type TokenRecord,
} from '../core/account/index.ts';
import { CausewayError } from '../core/errors.ts';
import type { ActOptions, Store } from '../db/index.ts';
import type { TokenCommand, WebhookSecretCommand } from './command-line.ts';
import { createStyle, type Io, padEnd, truncateColumns } from './terminal.ts';

interface AccountContext {
  readonly store: Store;
  readonly account: Account;
  readonly now: () => Date;
  /** A new `whsec_…`. */
  readonly newSecret: () => string;
}

/** A new token or secret is all that goes to standard output, so that a script can take it from there. */
export async function runAccountCommand(
  command: TokenCommand | WebhookSecretCommand,
  io: Io,
  context: AccountContext,
): Promise<void> {
  switch (command.kind) {
    case 'token-create':
      return createAccountToken(command, io, context);
    case 'token-list':
      return listTokens(io, context);
    case 'token-revoke':
      return revokeToken(command.id, io, context);
    case 'webhook-secret-show':
      return showSecret(io, context);
    case 'webhook-secret-rotate':
      return rotateWebhookSecret(io, context);
  }
}

/** All tokens of all accounts, each account under its login. */
export async function listTokensOfAll(io: Io, store: Store, now: Date): Promise<void> {
  const tables: string[] = [];
  for (const { id, login } of await store.listAccounts()) {
    const tokens = await store.listTokens(id);
    const title = createStyle(io.colour.out).bold(toPrintableLine(login));
    if (tokens.length > 0) tables.push(`${title}\n${formatTable(io, tokens, now)}`);
  }
  io.out(tables.join('\n'));
  if (tables.length === 0) {
    io.err('There are no tokens yet. Create one: causeway token create --account LOGIN --name laptop\n');
  }
}

async function createAccountToken(
  command: Extract<TokenCommand, { kind: 'token-create' }>,
  io: Io,
  { store, account, now }: AccountContext,
): Promise<void> {
  const value = createToken();
  const created = now();
  const expiresAt = command.expiresIn === null ? null : new Date(created.getTime() + command.expiresIn).toISOString();
  const { name, scopes } = command;
  const record = createTokenRecord(account.id, created, { name, scopes, expiresAt });
  await store.addToken(record, hashToken(value), toActing(account));
  io.out(`${value}\n`);
  const expiry =
    expiresAt === null
      ? 'does not expire'
      : `expires on ${formatAccountDay(expiresAt)} at ${expiresAt.slice(11, 16)} UTC`;
  io.err(`Token ${record.id} has ${command.scopes.join(', ')} and ${expiry}.\n`);
  io.err("You won't see it again: only a hash of it is stored.\n");
}

async function listTokens(io: Io, { store, account, now }: AccountContext): Promise<void> {
  const tokens = await store.listTokens(account.id);
  const owner = account.githubId === null ? '' : ` --account ${account.login}`;
  if (tokens.length === 0) io.err(`There are no tokens yet. Create one: causeway token create${owner} --name laptop\n`);
  else io.out(formatTable(io, tokens, now()));
}

const WIDTHS = [24, 16, 10, 10, 10];

function formatTable(io: Io, tokens: readonly TokenRecord[], now: Date): string {
  const paint = createStyle(io.colour.out);
  const formatRow = (...cells: readonly string[]) =>
    cells
      .map((cell, at) => padEnd(truncateColumns(cell, WIDTHS[at] ?? 0), WIDTHS[at] ?? 0))
      .join('  ')
      .trimEnd();
  const rows = tokens.map(({ id, name, createdAt, lastUsedAt, scopes, projectIds, ...token }) => {
    const row = formatRow(
      id,
      toPrintableLine(name),
      formatAccountDay(createdAt),
      formatAccountDay(lastUsedAt),
      describeExpiry(token, now),
    );
    return `${row}\n${paint.dim(`    ${scopes.join(' ')}${projectIds === null ? '' : ` (${projectIds.join(' ')})`}`)}\n`;
  });
  return `${paint.bold(formatRow('ID', 'NAME', 'CREATED', 'LAST USED', 'EXPIRES'))}\n${rows.join('')}`;
}

function describeExpiry({ revokedAt, expiresAt }: Pick<TokenRecord, 'revokedAt' | 'expiresAt'>, now: Date): string {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && Date.parse(expiresAt) <= now.getTime() ? 'expired' : formatAccountDay(expiresAt);
}

function formatAccountDay(moment: string | null): string {
  return moment === null ? 'never' : moment.slice(0, 10);
}

async function revokeToken(id: string, io: Io, { store, account, now }: AccountContext): Promise<void> {
  if (!(await store.revokeToken(id, account.id, now().toISOString(), toActing(account)))) {
    const message = `There is no active token ${toPrintableLine(id)}: "causeway token list" lists them.`;
    throw new CausewayError('absent', message);
  }
  io.err(`Token ${id} is revoked: the next call with it is refused.\n`);
}

async function showSecret(io: Io, { store, account, now }: AccountContext): Promise<void> {
  const moment = now().toISOString();
  const [newest, ...earlier] = await store.listSigningSecrets(account.id, moment);
  if (newest === undefined) {
    throw new CausewayError(
      'absent',
      'The account has no webhook secret: create one with "causeway webhook-secret rotate".',
    );
  }
  // Recorded first: without a record it is not shown.
  await store.recordSecretShown(account.id, moment, toActing(account));
  io.out(`${newest}\n`);
  if (earlier.length > 0) io.err('The previous secret also signs, until 24 hours after the rotation.\n');
}

async function rotateWebhookSecret(io: Io, { store, account, now, newSecret }: AccountContext): Promise<void> {
  const moment = now();
  const overlapUntil = new Date(moment.getTime() + SECRET_OVERLAP_MS).toISOString();
  const secret = newSecret();
  const rotation = { accountId: account.id, secret, overlapUntil, now: moment.toISOString() };
  await store.rotateSigningSecret({ ...rotation, ...toActing(account) });
  io.out(`${secret}\n`);
  io.err(`The previous secret also signs until ${overlapUntil}: switch your receivers over by then.\n`);
}

/** The local account is the operator's own. */
function toActing({ githubId }: Account): ActOptions {
  return { byOperator: githubId !== null };
}
