// The commands about an account: its tokens and its signing secret, of the local one or of a person on GitHub.

import { listTokensOfAll, runAccountCommand } from '../cli/accounts.ts';
import type { TokenCommand, WebhookSecretCommand } from '../cli/command-line.ts';
import type { ExitCode } from '../cli/terminal.ts';

import type { AppCredentials, Config } from '../config.ts';
import { type Account, createSigningSecret } from '../core/account.ts';

import { CausewayError } from '../core/errors.ts';
import type { Store } from '../db/store.ts';
import { createGithubClients } from '../github/clients/create-github-clients.ts';
import { findPerson } from '../github/setup/find-person.ts';
import { registerSecret } from '../log.ts';
import type { CommandDeps } from './analyse.ts';
import { openConfiguredStore } from './data-folder.ts';
import { chooseMode } from './mode.ts';
import { LOCAL_LOGIN, openAccount, USER_AGENT } from './services.ts';
import { createSignInLink, isAnswering, readAnnouncedAddress } from './sign-in-link.ts';

/** Works while the service runs: it opens the store without owning it. */
export async function executeAccountCommand(
  command: TokenCommand | WebhookSecretCommand,
  { config, io, log, now }: CommandDeps,
  signal: AbortSignal,
): Promise<ExitCode> {
  if (command.kind === 'token-list' && command.account === null && chooseMode(config).kind === 'github') {
    await using store = await openConfiguredStore(config, log);
    await listTokensOfAll(io, store, now());
    return 0;
  }
  const find = chooseAccount(config, command.account);
  await using store = await openConfiguredStore(config, log);
  // Always, to check the key: nothing may be sealed with another one than that of the stored secrets.
  const local = await openAccount(store, now());
  const account = find === null ? local : await find(store, now, signal);
  await runAccountCommand(command, io, { store, account, now, newSecret: createSigningSecret });
  return 0;
}

/** Standard output holds only the link. Throws `usage` with a GitHub App, and where no service runs. */
export async function runSignIn({ config, io, log, now }: CommandDeps, signal: AbortSignal): Promise<ExitCode> {
  if (chooseMode(config).kind !== 'local') {
    throw new CausewayError('usage', 'With a GitHub App people sign in with GitHub: open the address of the service.');
  }
  const announced = readAnnouncedAddress(config.dataDir);
  if (announced === null) {
    throw new CausewayError(
      'usage',
      'No service is running with this data folder: start it with "causeway serve", or name its DATA_DIR.',
    );
  }
  const { address } = announced;
  if (!(await isAnswering(announced, signal))) {
    const fault = `The service that was started with this data folder at ${address} does not answer`;
    throw new CausewayError('usage', `${fault}: start it again with "causeway serve".`);
  }
  await using store = await openConfiguredStore(config, log);
  const account = await openAccount(store, now());
  io.out(`${await createSignInLink({ store, account, now }, address)}\n`);
  return 0;
}

type Find = (store: Store, now: () => Date, signal: AbortSignal) => Promise<Account>;

/** Null: the local account. Throws `usage` where the mode and --account do not fit. */
function chooseAccount(config: Config, login: string | null): Find | null {
  const mode = chooseMode(config);
  if (mode.kind === 'github') {
    if (login !== null)
      return (store, now, signal) =>
        findPersonsAccount({ config, credentials: mode.credentials, store, now, login }, signal);
    throw new CausewayError('usage', 'With a GitHub App accounts are people on GitHub: add --account LOGIN.');
  }
  if (login === null || login === LOCAL_LOGIN) return null;
  throw new CausewayError('usage', `Local mode has one account, "${LOCAL_LOGIN}": leave --account out.`);
}

interface PersonQuery {
  readonly config: Config;
  readonly credentials: AppCredentials;
  readonly store: Store;
  readonly now: () => Date;
  readonly login: string;
}

async function findPersonsAccount(
  { config, credentials, store, now, login }: PersonQuery,
  signal: AbortSignal,
): Promise<Account> {
  const { githubApiUrl: apiUrl, githubWebUrl: webUrl, githubToken } = config;
  using clients = createGithubClients({
    ...credentials,
    apiUrl,
    webUrl,
    userAgent: USER_AGENT,
    installations: store,
    now,
  });
  const github = { token: githubToken, apiUrl, webUrl, userAgent: USER_AGENT };
  const person = await findPerson({ clients, store, github }, login, signal);
  const moment = now().toISOString();
  const account = await store.ensureAccount({
    login: person.login,
    githubId: person.id,
    signingSecret: createSigningSecret(),
    now: moment,
  });
  for (const secret of await store.listSigningSecrets(account.id, moment)) registerSecret(secret);
  return account;
}
