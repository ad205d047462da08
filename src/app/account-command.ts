// The commands about an account: its tokens and its signing secret, of the local one or of a person on GitHub.

import type { TokenCommand, WebhookSecretCommand } from '../cli/command.ts';
import type { ExitCode, Io } from '../cli/io.ts';
import { token, tokensOfAll } from '../cli/token.ts';
import { webhookSecret } from '../cli/webhook-secret.ts';
import type { AppCredentials, Config } from '../config.ts';
import type { Account } from '../core/account.ts';
import { CausewayError } from '../core/errors.ts';
import { createSeal } from '../db/seal.ts';
import type { Store } from '../db/store.ts';
import { createGithubClients } from '../github/clients/create-github-clients.ts';
import { findPerson } from '../github/setup/find-person.ts';
import { createLog, registerSecret } from '../log.ts';
import { newSigningSecret } from '../webhooks/sign.ts';
import { openDataFolder } from './data-folder.ts';
import { LOCAL_LOGIN, openAccount } from './house.ts';
import { openStore } from './open-records.ts';
import { chooseMode } from './service-mode.ts';
import { announcedAddress, answersAt, signInLink } from './sign-in-link.ts';
import { VERSION } from './version.ts';

export interface AccountCommandDeps {
  readonly config: Config;
  readonly context: { readonly io: Io; readonly now: () => Date };
}

/** Works beside a running server: it opens the store without owning it. */
export async function accountCommand(
  command: TokenCommand | WebhookSecretCommand,
  { config, context }: AccountCommandDeps,
  signal: AbortSignal,
): Promise<ExitCode> {
  const { io, now } = context;
  if (command.kind === 'token-list' && command.account === null && chooseMode(config).kind === 'github') {
    await using store = await openKept(config);
    return await tokensOfAll(io, { store, now });
  }
  const find = whose(config, command.account);
  await using store = await openKept(config);
  // Always: with another key than that of the stored secrets nothing may be sealed.
  const local = await openAccount(store, now());
  const account = find === null ? local : await find(store, now, signal);
  const deps = { store, account, now, newSecret: newSigningSecret };
  return command.kind === 'webhook-secret-show' || command.kind === 'webhook-secret-rotate'
    ? await webhookSecret(command, io, deps)
    : await token(command, io, deps);
}

/** The link stands alone on standard output. Throws `usage` with a GitHub App, and where no server runs that it would lead to. */
export async function signInCommand({ config, context }: AccountCommandDeps, signal: AbortSignal): Promise<ExitCode> {
  if (chooseMode(config).kind !== 'local') {
    throw new CausewayError('usage', 'With a GitHub App people sign in with GitHub: open the address of the service.');
  }
  const { io, now } = context;
  const announced = announcedAddress(config.dataDir);
  if (announced === null) {
    throw new CausewayError(
      'usage',
      'No service runs over this data folder: start it with "causeway serve", or name its DATA_DIR.',
    );
  }
  const { address } = announced;
  if (!(await answersAt(announced, signal))) {
    const fault = `The service that was started over this data folder at ${address} does not answer`;
    throw new CausewayError('usage', `${fault}: start it again with "causeway serve".`);
  }
  await using store = await openKept(config);
  const account = await openAccount(store, now());
  io.out(`${await signInLink({ store, account, now }, address)}\n`);
  return 0;
}

type Find = (store: Store, now: () => Date, signal: AbortSignal) => Promise<Account>;

/** Null: the local account. Throws `usage` where the mode and --account do not fit. */
function whose(config: Config, login: string | null): Find | null {
  const mode = chooseMode(config);
  if (mode.kind === 'github') {
    if (login !== null)
      return (store, now, signal) =>
        personsAccount({ config, credentials: mode.credentials, store, now, login }, signal);
    throw new CausewayError('usage', 'With a GitHub App accounts are people on GitHub: add --account LOGIN.');
  }
  if (login === null || login === LOCAL_LOGIN) return null;
  throw new CausewayError('usage', `Local mode has one account, "${LOCAL_LOGIN}": leave --account out.`);
}

interface Sought {
  readonly config: Config;
  readonly credentials: AppCredentials;
  readonly store: Store;
  readonly now: () => Date;
  readonly login: string;
}

async function personsAccount(
  { config, credentials, store, now, login }: Sought,
  signal: AbortSignal,
): Promise<Account> {
  const { githubApiUrl: apiUrl, githubWebUrl: webUrl, githubToken } = config;
  const userAgent = `causeway/${VERSION}`;
  using clients = createGithubClients({ ...credentials, apiUrl, webUrl, userAgent, installations: store, now });
  const github = { token: githubToken, apiUrl, webUrl, userAgent };
  const person = await findPerson({ clients, store, github }, login, signal);
  const moment = now().toISOString();
  const account = await store.ensureAccount({
    login: person.login,
    githubId: person.id,
    signingSecret: newSigningSecret(),
    now: moment,
  });
  for (const secret of await store.signingSecrets(account.id, moment)) registerSecret(secret);
  return account;
}

function openKept(config: Config): Promise<Store> {
  const { database, encryptionKey } = openDataFolder(config.dataDir, config.encryptionKey, config.database);
  return openStore({ database, seal: createSeal(encryptionKey), log: createLog({ level: config.logLevel }) });
}
