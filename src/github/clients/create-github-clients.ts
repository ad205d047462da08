// Makes the clients of GitHub: as the App, as an installation, and as one repository's token for one use.
import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { CausewayError } from '../../core/errors.ts';
import { createHolds, type Holds } from '../../core/holds.ts';
import { isGithubProject, type Project } from '../../core/project.ts';
import { SourceBusy } from '../../core/source.ts';
import { untilAborted } from '../../core/until-aborted.ts';
import type { InstallationStore } from '../../db/store.ts';
import { readIdentity } from './app-identity.ts';
import { type AppIdentity, type GithubClients, GithubFailure, type WatchCall } from './github-clients.ts';
import { createInstallationTokens, type TokenScope } from './installation-tokens.ts';
import { type CallerOptions, type Credential, createCaller, createOctokit, type Proof } from './octokit-caller.ts';
import { RateLimitGate } from './rate-limit-gate.ts';

export interface GithubClientsOptions {
  readonly appId: number;
  /** PEM. */
  readonly privateKey: string;
  /** Base address of the API, such as https://api.github.com, without a slash at its end. */
  readonly apiUrl: string;
  /** Base address for people, such as https://github.com. */
  readonly webUrl: string;
  readonly userAgent: string;
  readonly installations: Pick<InstallationStore, 'findInstallation'>;
  /** Instead of node's own, such as one through a proxy. */
  readonly fetch?: typeof fetch;
  /** Of every request (default 20 s): GitHub ends its own after 10 s. */
  readonly deadlineMs?: number;
  readonly now: () => Date;
  readonly watch?: WatchCall;
  /** Where limits are kept, for `/metrics` to show. */
  readonly holds?: Holds;
}

const IDENTITY_TTL_MS = 60 * 60_000;

/** Throws `usage` where the private key is none. Calls GitHub only when used. */
export function createGithubClients(options: GithubClientsOptions): GithubClients {
  const { now, installations } = options;
  const lifetime = new AbortController();
  const holds = options.holds ?? createHolds(now);
  const gates = new Map<string, RateLimitGate>();
  const callerOptions: CallerOptions = {
    ...options,
    fetch: options.fetch ?? fetch,
    deadlineMs: options.deadlineMs ?? 20_000,
    watch: options.watch,
    lifetime: lifetime.signal,
  };
  const openAs = (credential: Credential) => {
    const gate = gates.get(credential.holder) ?? new RateLimitGate(credential.holder, holds, now);
    gates.set(credential.holder, gate);
    return createOctokit(callerOptions, credential, gate);
  };
  const app = openAs({ as: 'app', holder: 'app', prove: createAppProof(options) });
  const anonymous = openAs({
    ...{ as: 'anonymous', holder: 'nobody' },
    prove: async () => ({ authorization: null, renew: async () => null }),
  });
  const tokens = createInstallationTokens({ app, appId: options.appId, installations, now });
  const openScoped = (scope: TokenScope) => {
    const prove = async (isRefresh = false): Promise<Proof> => ({
      authorization: `token ${await tokens.token(scope, isRefresh)}`,
      renew: () => prove(true),
    });
    const holder = `installation ${scope.installationId}`;
    return createCaller(openAs({ as: 'installation', holder, prove }), lifetime.signal);
  };
  const appCaller = createCaller(app, lifetime.signal);
  const openInstallation = (installationId: number) => openScoped({ installationId, repository: null });
  const identity = keepFor(IDENTITY_TTL_MS, now, () =>
    readIdentity(
      { app: appCaller, installation: openInstallation, anonymous: createCaller(anonymous, lifetime.signal) },
      lifetime.signal,
    ),
  );
  return {
    app: appCaller,
    installation: openInstallation,
    identity,
    repository: ({ installationId, repositoryId }, use) =>
      openScoped({ installationId, repository: { id: repositoryId, use } }),
    gitToken: ({ installationId, repositoryId }, signal) =>
      untilAborted(tokens.token({ installationId, repository: { id: repositoryId, use: 'git' } }), signal),
    [Symbol.dispose]: () =>
      lifetime.abort(new CausewayError('cancelled', 'Causeway is stopping; it continues at the next start.')),
  };
}

/**
 * What git reads a project on GitHub with; null for any other project. Throws `access_lost` where the App may no longer read it, SourceBusy
 * at a limit of GitHub, `repository_unreachable` for what may pass.
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

/** GitHub takes no token from the future, and none that is valid for more than 10 minutes. */
const BACKDATED_S = 60;
const LIFETIME_S = 9 * 60;
const MAX_SKEW_MS = 30_000;

/** A token signed with the App's key. Where GitHub refuses it and its clock differs from ours, the next one is made by GitHub's clock. */
function createAppProof({ appId, privateKey, now }: GithubClientsOptions): () => Promise<Proof> {
  const key = readRsaKey(privateKey);
  let aheadMs = 0;
  const prove = async (): Promise<Proof> => {
    const madeAt = now().getTime() + aheadMs;
    return {
      authorization: `Bearer ${signJwt(appId, key, madeAt)}`,
      renew: async (date) => {
        const theirs = Date.parse(date ?? '');
        if (!(Math.abs(theirs - madeAt) > MAX_SKEW_MS)) return null;
        aheadMs = theirs - now().getTime();
        return await prove();
      },
    };
  };
  return prove;
}

function signJwt(appId: number, key: KeyObject, at: number): string {
  const seconds = Math.floor(at / 1_000);
  const claims = { iat: seconds - BACKDATED_S, exp: seconds + LIFETIME_S, iss: String(appId) };
  const parts = [{ alg: 'RS256', typ: 'JWT' }, claims].map((part) => Buffer.from(JSON.stringify(part)));
  const content = parts.map((part) => part.toString('base64url')).join('.');
  return `${content}.${sign('sha256', Buffer.from(content), key).toString('base64url')}`;
}

function readRsaKey(pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'rsa') return key;
  } catch {
    // The error says the same, without what OpenSSL says of the text.
  }
  const repair = 'give the whole .pem file that GitHub made for the App, with its first and last line';
  throw new CausewayError('usage', `PRIVATE_KEY is not an RSA private key: ${repair}.`);
}

/** One answer for all callers until it is too old; a failure is not kept. */
function keepFor(ttlMs: number, now: () => Date, read: () => Promise<AppIdentity>): GithubClients['identity'] {
  let kept: { readonly answer: Promise<AppIdentity>; readonly until: number } | null = null;
  return (signal) => {
    if (kept === null || now().getTime() >= kept.until) {
      const fresh = { answer: read(), until: now().getTime() + ttlMs };
      kept = fresh;
      fresh.answer.catch(() => {
        if (kept === fresh) kept = null;
      });
    }
    return untilAborted(kept.answer, signal);
  };
}
