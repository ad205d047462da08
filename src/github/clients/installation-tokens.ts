// Installation tokens: each for one repository and one use, kept until shortly before they end, asked for once by all who wait.
import type { Installation } from '../../core/project.ts';
import type { InstallationStore } from '../../db/store.ts';
import { registerSecret, TOKEN_LASTS_MS } from '../../log.ts';
import { type GithubCaller, GithubFailure, type TokenUse } from './github-clients.ts';
import { LISTING, permissionsFor, type TokenPermissions } from './token-scope.ts';
import { untilAborted } from './until-aborted.ts';

export interface TokenScope {
  readonly installationId: number;
  /** Null: all repositories of the installation, to list them. */
  readonly repository: { readonly id: number; readonly use: TokenUse } | null;
}

export interface InstallationTokens {
  /** Throws GithubFailure, `gone` where the installation is not known (any more). */
  token(scope: TokenScope, signal: AbortSignal): Promise<string>;
  /** Forgets a token that GitHub no longer takes. */
  drop(token: string): void;
}

export interface InstallationTokensOptions {
  readonly app: GithubCaller;
  readonly installations: Pick<InstallationStore, 'installation'>;
  readonly now: () => Date;
  readonly lifetime: AbortSignal;
}

interface Kept {
  readonly token: string;
  /** Milliseconds; not to be used from then on. */
  readonly until: number;
}

const SPARE_MS = 5 * 60_000;
const MOST_KEPT = 2_000;

export function createInstallationTokens(options: InstallationTokensOptions): InstallationTokens {
  const kept = new Map<string, Kept>();
  const asked = new Map<string, Promise<Kept>>();

  function keep(key: string, one: Kept): void {
    const now = options.now().getTime();
    for (const [old, { until }] of kept) if (until <= now) kept.delete(old);
    kept.set(key, one);
    const [oldest] = kept.keys();
    if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
  }

  function ask(key: string, scope: TokenScope, permissions: TokenPermissions): Promise<Kept> {
    const running = asked.get(key);
    if (running !== undefined) return running;
    const request = requestToken(options, scope, permissions)
      .then((one) => {
        keep(key, one);
        return one;
      })
      .finally(() => asked.delete(key));
    asked.set(key, request);
    return request;
  }

  return {
    async token(scope, signal) {
      const permissions = await permissionsOf(options.installations, scope);
      const key = JSON.stringify([scope, permissions]);
      const known = kept.get(key);
      if (known !== undefined && known.until > options.now().getTime()) return known.token;
      return (await untilAborted(ask(key, scope, permissions), signal)).token;
    },
    drop(token) {
      for (const [key, one] of kept) if (one.token === token) kept.delete(key);
    },
  };
}

async function permissionsOf(
  installations: InstallationTokensOptions['installations'],
  { installationId, repository }: TokenScope,
): Promise<TokenPermissions> {
  if (repository === null) return LISTING;
  const installation = await installations.installation(installationId);
  if (installation !== null) return permissionsFor(repository.use, installation.permissions);
  throw new GithubFailure(
    { kind: 'gone', status: null, retryAt: null },
    'The App is not installed there any more: install it again on the repository.',
  );
}

/** What was granted may have been taken back since we last heard: then GitHub itself is asked what is left. */
async function requestToken(
  options: InstallationTokensOptions,
  scope: TokenScope,
  permissions: TokenPermissions,
): Promise<Kept> {
  try {
    return await create(options, scope, permissions);
  } catch (error) {
    if (!(error instanceof GithubFailure) || error.status !== 422) throw error;
    if (scope.repository === null || !/permissions requested/i.test(error.said)) throw notThere(error);
    const granted = await grantedNow(options, scope.installationId);
    return await create(options, scope, permissionsFor(scope.repository.use, granted));
  }
}

async function create(
  { app, now, lifetime }: InstallationTokensOptions,
  { installationId, repository }: TokenScope,
  permissions: TokenPermissions,
): Promise<Kept> {
  const { data } = await app.call(
    (octokit, request) =>
      octokit.rest.apps.createInstallationAccessToken({
        installation_id: installationId,
        permissions: { ...permissions },
        ...(repository === null ? {} : { repository_ids: [repository.id] }),
        request,
      }),
    lifetime,
  );
  registerSecret(data.token, TOKEN_LASTS_MS);
  const ends = Date.parse(data.expires_at);
  return { token: data.token, until: (Number.isNaN(ends) ? now().getTime() : ends) - SPARE_MS };
}

async function grantedNow(
  { app, lifetime }: InstallationTokensOptions,
  installationId: number,
): Promise<Installation['permissions']> {
  const { data } = await app.call(
    (octokit, request) => octokit.rest.apps.getInstallation({ installation_id: installationId, request }),
    lifetime,
  );
  return data.permissions as Installation['permissions'];
}

/** 422 is how GitHub says that the repository is not among those of the installation (any more). */
function notThere(failure: GithubFailure): GithubFailure {
  if (!/repositor/i.test(failure.said)) return failure;
  return new GithubFailure(
    { kind: 'gone', status: failure.status, retryAt: null, said: failure.said },
    'The App has no access to the repository any more (422): add it again in the installation of its owner.',
  );
}
