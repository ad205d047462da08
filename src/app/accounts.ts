// The commands about an account: its tokens and its signing secret, of the local one or of a person on GitHub.

import { listTokensOfAll, runAccountCommand } from '../cli/accounts.ts';
import type { TokenCommand, WebhookSecretCommand } from '../cli/command-line.ts';
import type { ExitCode } from '../cli/terminal.ts';

import type { AppCredentials, Config } from '../config.ts';
import { type Account, createSigningSecret } from '../core/account/index.ts';

import { CausewayError } from '../core/errors.ts';
import type { Store } from '../db/index.ts';
import { createGithubClients } from '../github/clients/index.ts';
import { findPerson } from '../github/setup/index.ts';
import { registerSecret } from '../log.ts';
import type { CommandDeps } from './analyse.ts';
import { openConfiguredStore } from './data-folder.ts';
import { chooseMode } from './mode.ts';
import { readServedAs } from './served-as.ts';
import { LOCAL_LOGIN, openAccount, USER_AGENT } from './services.ts';
import { createSignInLink, isAnswering, readAnnouncedAddress } from './sign-in-link.ts';

/** Works while the service runs: it opens the store without owning it. */
export async function executeAccountCommand(
  command: TokenCommand | WebhookSecretCommand,
  { config, io, log, now }: CommandDeps,
  signal: AbortSignal,
): Promise<ExitCode> {
  await using store = await openConfiguredStore(config, log);
  const mode = await findAccountsMode(config, store);
  if (command.kind === 'token-list' && command.account === null && mode.kind === 'github') {
    await listTokensOfAll(io, store, now());
    return 0;
  }
  // Always, to check the key: nothing may be sealed with another one than that of the stored secrets.
  const local = await openAccount(store, now());
  const login = requireLogin(mode, command.account);
  const account =
    login === null
      ? local
      : await findPersonsAccount({ config, github: login.of, store, now, login: login.name }, signal);
  await runAccountCommand(command, io, { store, account, now, newSecret: createSigningSecret });
  return 0;
}

/** Standard output holds only the link. Throws `usage` with a GitHub App, and where no service runs. */
export async function runSignIn({ config, io, log, now }: CommandDeps, signal: AbortSignal): Promise<ExitCode> {
  if (chooseMode(config).kind !== 'local' || (!config.localMode && readServedAs(config.dataDir)?.github)) {
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

/** Whose the accounts are. `credentials`: null where only the data folder or its records say that there is an App. */
type AccountsMode =
  | { readonly kind: 'local' }
  | {
      readonly kind: 'github';
      readonly credentials: AppCredentials | null;
      readonly apiUrl: string;
      readonly webUrl: string;
    };

/**
 * As the service over these records: the configuration decides, then how the folder was last served, then the records.
 * Throws `usage` where the service waits for its App.
 */
async function findAccountsMode(config: Config, store: Store): Promise<AccountsMode> {
  const mode = chooseMode(config);
  const { githubApiUrl: apiUrl, githubWebUrl: webUrl } = config;
  if (mode.kind === 'github') return { kind: 'github', credentials: mode.credentials, apiUrl, webUrl };
  if (config.localMode) return { kind: 'local' };
  const servedAs = readServedAs(config.dataDir);
  if (servedAs?.github) return { kind: 'github', credentials: null, ...servedAs.github };
  if (servedAs === null && (await hasGithubRecords(store)))
    return { kind: 'github', credentials: null, apiUrl, webUrl };
  if (mode.kind === 'local') return { kind: 'local' };
  throw new CausewayError(
    'usage',
    'The service is not connected to GitHub yet: create its App at /setup first. For local mode set LOCAL_MODE=1 and HOST=127.0.0.1.',
  );
}

async function hasGithubRecords(store: Store): Promise<boolean> {
  if ((await store.listInstallations()).length > 0) return true;
  return (await store.listAccounts()).some(({ githubId }) => githubId !== null);
}

/** Null: the local account. Throws `usage` where the mode and --account do not fit. */
function requireLogin(mode: AccountsMode, name: string | null) {
  if (mode.kind === 'github') {
    if (name !== null) return { name, of: mode };
    throw new CausewayError('usage', 'With a GitHub App accounts are people on GitHub: add --account LOGIN.');
  }
  if (name === null || name === LOCAL_LOGIN) return null;
  throw new CausewayError(
    'usage',
    `Local mode has one account, "${LOCAL_LOGIN}": leave --account out, or name the DATA_DIR of the service.`,
  );
}

interface PersonQuery {
  readonly config: Config;
  readonly github: Extract<AccountsMode, { kind: 'github' }>;
  readonly store: Store;
  readonly now: () => Date;
  readonly login: string;
}

async function findPersonsAccount(
  { config, github: { credentials, apiUrl, webUrl }, store, now, login }: PersonQuery,
  signal: AbortSignal,
): Promise<Account> {
  using opened = new DisposableStack();
  const client = { apiUrl, webUrl, userAgent: USER_AGENT };
  const clients =
    credentials === null
      ? null
      : opened.use(createGithubClients({ ...credentials, ...client, installations: store, now }));
  const person = await findPerson({ clients, store, github: { ...client, token: config.githubToken } }, login, signal);
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
