// Installation tokens: each for one repository and one use, with no more than the installation was granted.
import { createAppAuth } from '@octokit/auth-app';
import type { Octokit } from '@octokit/rest';
import type { Installation, PermissionLevel } from '../../core/project.ts';
import type { InstallationStore } from '../../db/store.ts';
import { registerSecret, TOKEN_LASTS_MS } from '../../log.ts';
import { GithubFailure, type TokenUse } from './github-clients.ts';

export interface TokenScope {
  readonly installationId: number;
  /** Null: all repositories of the installation, to list them. */
  readonly repository: { readonly id: number; readonly use: TokenUse } | null;
}

export interface InstallationTokens {
  /** `isRefresh`: GitHub refused the last one. Throws GithubFailure, `gone` where the installation is not known (any more). */
  token(scope: TokenScope, isRefresh?: boolean): Promise<string>;
}

export interface InstallationTokensOptions {
  /** As the App. */
  readonly app: Octokit;
  readonly appId: number;
  readonly installations: Pick<InstallationStore, 'findInstallation'>;
  readonly now: () => Date;
}

type Permissions = Readonly<Record<string, PermissionLevel>>;

const WANTED: Readonly<Record<TokenUse, Permissions>> = {
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
};
const LISTING: Permissions = { metadata: 'read' };

const SPARE_MS = 5 * 60_000;

/** Tokens are kept, and requested once for all who wait, by @octokit/auth-app. */
export function createInstallationTokens(options: InstallationTokensOptions): InstallationTokens {
  const { app, appId, installations, now } = options;
  const auth = createAppAuth({
    appId,
    // The requests go through our own client of the App, which proves itself: the library corrects a wrong clock only outside of token requests.
    createJwt: async () => ({ jwt: '', expiresAt: '' }),
    request: app.request,
    log: { warn: () => undefined },
  });

  async function requestToken(scope: TokenScope, permissions: Permissions, isRefresh: boolean): Promise<string> {
    const { installationId, repository } = scope;
    const wanted = {
      ...({ type: 'installation', installationId, permissions: { ...permissions } } as const),
      ...(repository && { repositoryIds: [repository.id] }),
    };
    const found = await auth({ ...wanted, refresh: isRefresh });
    const isFresh = Date.parse(found.expiresAt) - SPARE_MS > now().getTime();
    const { token } = isFresh ? found : await auth({ ...wanted, refresh: true });
    registerSecret(token, TOKEN_LASTS_MS);
    return token;
  }

  /** A permission was withdrawn and we have not heard of it yet: GitHub says what is left. */
  async function requestGranted(scope: TokenScope, use: TokenUse, error: unknown): Promise<string> {
    if (!(error instanceof GithubFailure) || error.status !== 422) throw error;
    if (!/permissions requested/i.test(error.said)) throw toGone(error);
    const { data } = await app.rest.apps.getInstallation({ installation_id: scope.installationId });
    return await requestToken(scope, limitPermissions(use, data.permissions as Installation['permissions']), false);
  }

  return {
    async token(scope, isRefresh = false) {
      const { installationId, repository } = scope;
      if (repository === null) return await requestToken(scope, LISTING, isRefresh);
      const known = await installations.findInstallation(installationId);
      if (known === null) throw notInstalled();
      const permissions = limitPermissions(repository.use, known.permissions);
      const requested = requestToken(scope, permissions, isRefresh);
      return await requested.catch((error: unknown) => requestGranted(scope, repository.use, error));
    },
  };
}

/** Where less was granted than is wanted, what was granted. */
function limitPermissions(use: TokenUse, granted: Installation['permissions']): Permissions {
  const kept = Object.entries(WANTED[use]).flatMap(([name, wanted]) => {
    const given = Object.hasOwn(granted, name) ? granted[name] : undefined;
    return given === undefined ? [] : [[name, given === 'read' ? 'read' : wanted] as const];
  });
  return { ...LISTING, ...Object.fromEntries(kept) };
}

/** What the App lacks to do everything, such as `checks: write`; empty where everything was granted. */
export function missingPermissions(granted: Installation['permissions']): readonly string[] {
  const { git, read, ...writing } = WANTED;
  const wanted: Permissions = Object.assign({}, git, read, ...Object.values(writing));
  return Object.entries(wanted)
    .filter(([name, level]) => !Object.hasOwn(granted, name) || (level === 'write' && granted[name] === 'read'))
    .map(([name, level]) => `${name}: ${level}`)
    .sort();
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
