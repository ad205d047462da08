// `token` and `webhook-secret`: access tokens and the signing secret of an account, next to a running server if there is one.
import { type Account, createToken, hashToken, type TokenRecord } from '../core/account.ts';
import { CausewayError } from '../core/errors.ts';
import { createId } from '../core/ids.ts';
import { SECRET_OVERLAP_MS } from '../core/webhook.ts';
import type { AccountStore, Acting } from '../db/store.ts';
import type { TokenCommand, WebhookSecretCommand } from './command.ts';
import { type ExitCode, type Io, padEnd, printableLine, reportFault, style, truncate } from './terminal.ts';

interface TokenDeps {
  readonly store: Pick<AccountStore, 'addToken' | 'listTokens' | 'revokeToken'>;
  /** The account that the command is about. */
  readonly account: Account;
  readonly now: () => Date;
}

/** Runs one `token` command; a new token stands alone on standard output. */
export async function token(command: TokenCommand, io: Io, deps: TokenDeps): Promise<ExitCode> {
  try {
    switch (command.kind) {
      case 'token-create':
        await create(command, io, deps);
        break;
      case 'token-list':
        await list(io, deps);
        break;
      case 'token-revoke':
        await revoke(command.id, io, deps);
        break;
    }
    return 0;
  } catch (error) {
    return reportFault(error, io, null);
  }
}

/** All tokens of all accounts, each account under its login. */
export async function tokensOfAll(
  io: Io,
  deps: Pick<TokenDeps, 'now'> & {
    readonly store: Pick<AccountStore, 'listAccounts' | 'listTokens'>;
  },
): Promise<ExitCode> {
  const paint = style(io.colour.out);
  let count = 0;
  for (const { id, login } of await deps.store.listAccounts()) {
    const tokens = await deps.store.listTokens(id);
    if (tokens.length === 0) continue;
    io.out(`${count === 0 ? '' : '\n'}${paint.bold(printableLine(login))}\n`);
    printTable(io, tokens, deps.now());
    count += tokens.length;
  }
  if (count === 0) io.err('There is no token yet: causeway token create --account LOGIN --name laptop makes one.\n');
  return 0;
}

type CreateCommand = Extract<TokenCommand, { kind: 'token-create' }>;

async function create(command: CreateCommand, io: Io, deps: TokenDeps): Promise<void> {
  const value = createToken();
  const now = deps.now();
  const expiresAt = command.expiresIn === null ? null : new Date(now.getTime() + command.expiresIn).toISOString();
  const record: TokenRecord = {
    id: createId('tok'),
    accountId: deps.account.id,
    name: command.name,
    scopes: command.scopes,
    projectIds: null,
    createdAt: now.toISOString(),
    expiresAt,
    lastUsedAt: null,
    revokedAt: null,
  };
  await deps.store.addToken(record, hashToken(value), actingFor(deps.account));
  io.out(`${value}\n`);
  const until =
    expiresAt === null ? 'does not expire' : `expires on ${day(expiresAt)} at ${expiresAt.slice(11, 16)} UTC`;
  io.err(`Token ${record.id} may ${command.scopes.join(', ')} and ${until}.\n`);
  io.err('It is shown this once: only a hash of it is kept.\n');
}

const COLUMNS = [
  { title: 'ID', width: 24 },
  { title: 'NAME', width: 16 },
  { title: 'CREATED', width: 10 },
  { title: 'LAST USED', width: 10 },
  { title: 'EXPIRES', width: 10 },
] as const;

async function list(io: Io, deps: TokenDeps): Promise<void> {
  const tokens = await deps.store.listTokens(deps.account.id);
  if (tokens.length === 0) return io.err('There is no token yet: causeway token create --name laptop makes one.\n');
  printTable(io, tokens, deps.now());
}

function printTable(io: Io, tokens: readonly TokenRecord[], now: Date): void {
  const paint = style(io.colour.out);
  io.out(`${paint.bold(row(COLUMNS.map((column) => column.title)))}\n`);
  for (const record of tokens) {
    const state = standing(record, now);
    const line = row([record.id, printableLine(record.name), day(record.createdAt), day(record.lastUsedAt), state]);
    const limits = `    ${record.scopes.join(' ')}${record.projectIds === null ? '' : ` (${record.projectIds.join(' ')})`}`;
    io.out(`${line}\n${paint.dim(limits)}\n`);
  }
}

function row(cells: readonly string[]): string {
  return COLUMNS.map(({ width }, at) => padEnd(truncate(cells[at] ?? '', width), width))
    .join('  ')
    .trimEnd();
}

function standing(record: TokenRecord, now: Date): string {
  if (record.revokedAt !== null) return 'revoked';
  if (record.expiresAt === null) return 'never';
  return Date.parse(record.expiresAt) <= now.getTime() ? 'expired' : day(record.expiresAt);
}

function day(moment: string | null): string {
  return moment === null ? 'never' : moment.slice(0, 10);
}

async function revoke(id: string, io: Io, deps: TokenDeps): Promise<void> {
  if (await deps.store.revokeToken(id, deps.account.id, deps.now().toISOString(), actingFor(deps.account))) {
    return io.err(`Token ${id} is revoked: the next call with it is refused.\n`);
  }
  const shown = printableLine(id);
  throw new CausewayError(
    'absent',
    `There is no token ${shown} that could be revoked; "causeway token list" shows them.`,
  );
}

interface WebhookSecretDeps {
  readonly store: Pick<AccountStore, 'listSigningSecrets' | 'rotateSigningSecret' | 'recordSecretShown'>;
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
  const [newest, ...before] = await deps.store.listSigningSecrets(deps.account.id, now);
  if (newest === undefined) {
    throw new CausewayError('absent', 'The account has no webhook secret: causeway webhook-secret rotate makes one.');
  }
  // Before it is shown: nobody sees it without a trace.
  await deps.store.recordSecretShown(deps.account.id, now, actingFor(deps.account));
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

/** The local account is the operator's own. */
function actingFor({ githubId }: Account): Acting {
  return { byOperator: githubId !== null };
}
