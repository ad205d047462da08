// People and organisations, Apps and installations come into being.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import {
  acceptPermissions,
  addInstallation,
  changeRepositories,
  removeInstallation,
  suspendInstallation,
} from '../deeds/installations.ts';
import { account, accountByLogin, account as mustFind, repository, timestamp } from '../lookup.ts';
import type { App, AppInstallation, AppOptions, AppPermissions, GithubAccount, State } from '../state.ts';

export type AccountVerbs = ReturnType<typeof accountVerbs>;

export function accountVerbs(state: State) {
  return {
    /** The person of that login, made where missing. */
    user(
      login: string,
      options: { readonly name?: string; readonly plan?: GithubAccount['plan'] } = {},
    ): GithubAccount {
      return accountByLogin(state, login) ?? addAccount(state, { login, type: 'User', ...options });
    },
    /** The organisation of that login, made where missing; `owners` and `members` are made as people. */
    organization(
      login: string,
      options: {
        readonly owners?: readonly string[];
        readonly members?: readonly string[];
        readonly plan?: GithubAccount['plan'];
      } = {},
    ): GithubAccount {
      const type = 'Organization' as const;
      const made = accountByLogin(state, login) ?? addAccount(state, { login, type, plan: options.plan ?? 'team' });
      for (const one of options.members ?? []) made.members.set(this.user(one).id, 'member');
      for (const one of options.owners ?? []) made.members.set(this.user(one).id, 'owner');
      return made;
    },
    /** Another App on GitHub, such as `github-actions`, made where missing. */
    otherApp(slug: string): App {
      return [...state.apps.values()].find((app) => app.slug === slug) ?? addApp(state, { slug, owner: 'github' });
    },
    /** What the person wrote stays, under nobody's name. */
    deleteAccount(login: string): void {
      state.accounts.delete(mustFind(state, login).id);
    },
    /** A token with which that person calls the API. */
    userToken(login: string, appId: number | null = null): string {
      const token = `ghu_${randomBytes(18).toString('hex')}`;
      state.tokens.set(token, { kind: 'user', userId: mustFind(state, login).id, appId, expiresAt: null });
      return token;
    },
  };
}

function addAccount(
  state: State,
  made: { login: string; type: GithubAccount['type']; name?: string; plan?: GithubAccount['plan'] },
): GithubAccount {
  const account: GithubAccount = {
    id: state.nextId(),
    login: made.login,
    type: made.type,
    name: made.name ?? made.login,
    plan: made.plan ?? 'free',
    members: new Map(),
    createdAt: timestamp(state),
  };
  state.accounts.set(account.id, account);
  return account;
}

/** An App with a key pair of its own and a bot. */
export function addApp(state: State, options: AppOptions): App {
  const owner =
    accountByLogin(state, options.owner) ??
    addAccount(state, { login: options.owner, type: 'Organization', plan: 'team' });
  const bot = addAccount(state, { login: `${options.slug}[bot]`, type: 'Bot' });
  // Code may name it by its number, which is the same on every GitHub.
  const id = options.slug === 'github-actions' ? 15_368 : state.nextId();
  const app: App = {
    id,
    slug: options.slug,
    name: options.name ?? options.slug,
    ownerId: owner.id,
    botId: bot.id,
    clientId: `Iv23li${id}`,
    clientSecret: randomBytes(20).toString('hex'),
    ...keys(options.slug),
    webhookSecret: options.webhookSecret ?? randomBytes(20).toString('hex'),
    webhookUrl: options.webhookUrl ?? null,
    callbackUrls: [...(options.callbackUrls ?? [])],
    permissions: options.permissions ?? { metadata: 'read' },
    events: options.events ?? [],
    createdAt: timestamp(state),
  };
  state.apps.set(id, app);
  return app;
}

const known = new Map<string, { readonly privateKey: string; readonly publicKey: string }>();

/** A pair for each slug of a process: making one takes a while, and no two doubles trust each other's Apps anyway. */
function keys(slug: string): { readonly privateKey: string; readonly publicKey: string } {
  const found = known.get(slug);
  if (found !== undefined) return found;
  const made = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  known.set(slug, made);
  return made;
}

interface Install {
  /** Default: the App under test. */
  readonly app?: App;
  /** `owner/name` each; default: all. */
  readonly repositories?: readonly string[];
  /** Default: what the App asks for. */
  readonly permissions?: AppPermissions;
  readonly events?: readonly string[];
  /** Default: the account itself. */
  readonly by?: string;
}

export type InstallationVerbs = ReturnType<typeof installationVerbs>;

export function installationVerbs(state: State, underTest: App) {
  const list = (names: readonly string[]) => names.map((name) => repository(state, name));
  return {
    install(owner: string, options: Install = {}): AppInstallation {
      const app = options.app ?? underTest;
      return addInstallation(state, {
        app,
        account: account(state, owner),
        repositories: options.repositories === undefined ? null : list(options.repositories),
        permissions: options.permissions ?? app.permissions,
        events: options.events ?? app.events,
        byId: account(state, options.by ?? owner).id,
      });
    },
    uninstall(installation: AppInstallation, by: string): void {
      removeInstallation(state, installation, account(state, by).id);
    },
    suspend(installation: AppInstallation, by: string): void {
      suspendInstallation(state, installation, { suspended: true, byId: account(state, by).id });
    },
    unsuspend(installation: AppInstallation, by: string): void {
      suspendInstallation(state, installation, { suspended: false, byId: account(state, by).id });
    },
    acceptPermissions(installation: AppInstallation, permissions: AppPermissions, by: string): void {
      acceptPermissions(state, installation, permissions, account(state, by).id);
    },
    /** Of an installation on selected repositories. */
    changeRepositories(
      installation: AppInstallation,
      change: { readonly add?: readonly string[]; readonly remove?: readonly string[]; readonly by: string },
    ): void {
      const byId = account(state, change.by).id;
      changeRepositories(state, installation, {
        added: list(change.add ?? []),
        removed: list(change.remove ?? []),
        byId,
      });
    },
  };
}
