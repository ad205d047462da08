// Makes the clients of GitHub: as the App, as an installation, and as one repository's token for one use.
import { createPrivateKey } from 'node:crypto';
import { createAppAuth } from '@octokit/auth-app';
import { untilAborted } from '../../core/abortable.ts';
import { CausewayError } from '../../core/errors.ts';
import { createHolds, type Holds } from '../../core/holds.ts';
import { type Installation, isGithubProject, type PermissionLevel, type Project } from '../../core/project/index.ts';
import { SourceBusy } from '../../core/source/index.ts';
import type { InstallationStore } from '../../db/index.ts';
import { registerSecret, TOKEN_LASTS_MS } from '../../log.ts';
import { readAnswer } from './failures.ts';
import {
  type AppIdentity,
  type GithubCaller,
  type GithubClients,
  GithubFailure,
  type TokenUse,
  unsureFailure,
} from './github-clients.ts';
import { type Authenticate, createCaller, createOctokit, type OctokitOptions } from './octokit.ts';
import { toGranted } from './permissions.ts';

export interface GithubClientsOptions extends Omit<OctokitOptions, 'holds' | 'lifetime'> {
  readonly appId: number;
  /** PEM. */
  readonly privateKey: string;
  readonly installations: Pick<InstallationStore, 'findInstallation'>;
  /** Where rate limits are kept, for `/metrics` to show. */
  readonly holds?: Holds;
}

type PermissionLevels = Readonly<Record<string, PermissionLevel>>;

const PERMISSIONS: Readonly<Record<TokenUse, PermissionLevels>> = {
  git: { contents: 'read' },
  read: {
    contents: 'read',
    issues: 'read',
    pull_requests: 'read',
    checks: 'read',
    statuses: 'read',
    actions: 'read',
  },
  talk: { issues: 'write', pull_requests: 'write' },
  push: { contents: 'write', pull_requests: 'write' },
  check: { checks: 'write' },
  rerun: { actions: 'write' },
};
const LISTING: PermissionLevels = { metadata: 'read' };

const IDENTITY_TTL_MS = 60 * 60_000;

/** Throws `usage` where the private key is none. Calls GitHub only when used. */
export function createGithubClients(options: GithubClientsOptions): GithubClients {
  const { appId, privateKey, now, installations } = options;
  checkPrivateKey(privateKey);
  const lifetime = new AbortController();
  const shared = { ...options, holds: options.holds ?? createHolds(now), lifetime: lifetime.signal };
  const log = { warn: () => undefined };
  const asApp = { as: 'app', holder: 'app', hook: createAppAuth({ appId, privateKey, log }).hook } as const;
  const app = createOctokit(shared, asApp);
  const anonymous = createOctokit(shared, {
    as: 'anonymous',
    holder: 'nobody',
    hook: (send, request) => send(request),
  });
  // Its requests go through our client of the App, which signs them, corrects a wrong clock and honours limits.
  const { request } = createOctokit(shared, { ...asApp, isPaced: false });
  const authenticate = createAppAuth({ appId, privateKey, log, request });

  async function requestToken(
    installationId: number,
    repositoryIds: number[],
    wanted: PermissionLevels,
    refresh: boolean,
  ) {
    const scope = { installationId, permissions: { ...wanted }, ...(repositoryIds.length > 0 && { repositoryIds }) };
    const { token } = await authenticate({ type: 'installation', ...scope, refresh });
    registerSecret(token, TOKEN_LASTS_MS);
    return token;
  }

  async function readToken(
    { installationId, repositoryId }: { readonly installationId: number; readonly repositoryId: number },
    use: TokenUse,
    refresh = false,
  ): Promise<string> {
    const known = await installations.findInstallation(installationId);
    if (known === null) throw notInstalled();
    try {
      return await requestToken(installationId, [repositoryId], limitPermissions(use, known.permissions), refresh);
    } catch (error) {
      if (!(error instanceof GithubFailure) || error.status !== 422) throw error;
      if (!/permissions requested/i.test(error.said)) throw toGone(error);
      // A permission was withdrawn and the event has not arrived yet: GitHub says what is left.
      const { data } = await app.rest.apps.getInstallation({ installation_id: installationId });
      const left = limitPermissions(use, data.permissions as Installation['permissions']);
      return await requestToken(installationId, [repositoryId], left, false);
    }
  }

  function openInstallation(installationId: number, token: (refresh?: boolean) => Promise<string>): GithubCaller {
    const holder = `installation ${installationId}`;
    return createCaller(
      createOctokit(shared, { as: 'installation', holder, hook: authenticateWith(token) }),
      lifetime.signal,
    );
  }

  const appCaller = createCaller(app, lifetime.signal);
  const installation = (id: number) =>
    openInstallation(id, (refresh = false) => requestToken(id, [], LISTING, refresh));
  let identity: { readonly answer: Promise<AppIdentity>; readonly until: number } | null = null;
  return {
    app: appCaller,
    installation,
    identity: (signal) => {
      if (identity === null || now().getTime() >= identity.until) {
        const callers = { app: appCaller, installation, anonymous: createCaller(anonymous, lifetime.signal) };
        const fresh = {
          answer: readClientIdentity(callers, lifetime.signal),
          until: now().getTime() + IDENTITY_TTL_MS,
        };
        identity = fresh;
        fresh.answer.catch(() => {
          if (identity === fresh) identity = null;
        });
      }
      return untilAborted(identity.answer, signal);
    },
    repository: (source, use) => openInstallation(source.installationId, (refresh) => readToken(source, use, refresh)),
    gitToken: (source, signal) => untilAborted(readToken(source, 'git'), signal),
    [Symbol.dispose]: () =>
      lifetime.abort(new CausewayError('cancelled', 'Causeway is stopping; it continues at the next start.')),
  };
}

/** A request that was answered 401 did nothing, so one more try with a new token repeats no write. */
function authenticateWith(readToken: (refresh?: boolean) => Promise<string>): Authenticate {
  return async (send, request) => {
    const sendAs = (token: string) =>
      send({ ...request, headers: { ...request.headers, authorization: `token ${token}` } });
    const token = await readToken();
    try {
      return await sendAs(token);
    } catch (error) {
      if (readAnswer(error)?.status !== 401) throw error;
      return await sendAs(await readToken(true));
    }
  };
}

/** Where less was granted than is wanted, what was granted. */
function limitPermissions(use: TokenUse, granted: Installation['permissions']): PermissionLevels {
  const kept = Object.entries(PERMISSIONS[use]).flatMap(([name, wanted]) => {
    const given = Object.hasOwn(granted, name) ? granted[name] : undefined;
    return given === undefined ? [] : [[name, given === 'read' ? 'read' : wanted] as const];
  });
  return { ...LISTING, ...Object.fromEntries(kept) };
}

function notInstalled(): GithubFailure {
  return new GithubFailure(
    { kind: 'gone', status: null, retryAt: null },
    'The App is no longer installed there: install it again on the repository.',
  );
}

/** 422 is how GitHub says that the repository is not (or no longer) among those of the installation. */
function toGone(failure: GithubFailure): GithubFailure {
  const { status, said } = failure;
  if (!/repositor/i.test(said)) return failure;
  return new GithubFailure(
    { kind: 'gone', status, retryAt: null, said },
    'The App no longer has access to the repository (422): add it again in the installation of its owner.',
  );
}

/** Who we are on GitHub: the App's name and owner, and the number of its bot user. */
async function readClientIdentity(
  callers: {
    readonly app: GithubCaller;
    readonly installation: GithubClients['installation'];
    readonly anonymous: GithubCaller;
  },
  signal: AbortSignal,
): Promise<AppIdentity> {
  const { data } = await callers.app.call(
    (octokit, request) => octokit.rest.apps.getAuthenticated({ request }),
    signal,
  );
  if (data === null || typeof data.slug !== 'string') {
    throw unsureFailure(200, 'GitHub did not say which App this is. Causeway tries again.');
  }
  const botLogin = `${data.slug}[bot]`;
  const { owner } = data;
  // An App of an enterprise has an owner with a slug instead of a login.
  const login = 'login' in owner ? owner.login : owner.slug;
  const { data: listed } = await callers.app.call(
    (octokit, request) => octokit.rest.apps.listInstallations({ per_page: 100, request }),
    signal,
  );
  const usable = listed.find(({ suspended_at }) => suspended_at === null);
  // An App's own token reads no users. One of any installation does; without one, users can be read anonymously.
  const readBot = (caller: GithubCaller) =>
    caller.call((octokit, request) => octokit.rest.users.getByUsername({ username: botLogin, request }), signal);
  const bot = await (usable === undefined
    ? readBot(callers.anonymous)
    : readBot(callers.installation(usable.id)).catch((error: unknown) => {
        if (!(error instanceof GithubFailure) || error.kind !== 'busy') throw error;
        return readBot(callers.anonymous);
      }));
  const names = { slug: data.slug, owner: { id: owner.id, login }, botLogin };
  return {
    appId: data.id,
    ...names,
    botId: bot.data.id,
    permissions: toGranted(data.permissions ?? {}),
    isShared: false,
  };
}

/**
 * What git reads a project on GitHub with; null for any other project. Throws `access_lost` where the App may no longer
 * read it, SourceBusy at a limit of GitHub, `repository_unreachable` for what may pass.
 */
export async function gitCredentials(
  clients: Pick<GithubClients, 'gitToken'>,
  project: Project,
  signal: AbortSignal,
): Promise<{ readonly username: string; readonly password: string } | null> {
  if (!isGithubProject(project)) return null;
  try {
    return { username: 'x-access-token', password: await clients.gitToken(project.source, signal) };
  } catch (cause) {
    if (!(cause instanceof GithubFailure)) throw cause;
    const message = `The repository of ${project.name} could not be read. ${cause.message}`;
    if (cause.retryAt !== null) throw new SourceBusy(message, cause.retryAt, { cause });
    throw new CausewayError(cause.kind === 'gone' ? 'access_lost' : 'repository_unreachable', message, { cause });
  }
}

function checkPrivateKey(pem: string): void {
  try {
    if (createPrivateKey(pem).asymmetricKeyType === 'rsa') return;
  } catch {
    // The error below says the same, without what OpenSSL says of the text.
  }
  const repair = 'give the whole .pem file that GitHub made for the App, with its first and last line';
  throw new CausewayError('usage', `PRIVATE_KEY is not an RSA private key: ${repair}.`);
}
