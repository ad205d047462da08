// Makes the clients of GitHub: as the App, as an installation, and as one repository's token for one use.

import { CausewayError } from '../../core/errors.ts';
import { GITHUB_HOLDS, type Holds } from '../../core/holds.ts';
import type { InstallationStore } from '../../db/store.ts';
import { createAppKey } from './app-key.ts';
import { type CallerOptions, type Credential, createCaller } from './caller.ts';
import type { AppIdentity, GithubClients } from './github-clients.ts';
import { readIdentity } from './identity.ts';
import { createInstallationTokens, type InstallationTokens, type TokenScope } from './installation-tokens.ts';
import { createPatience, type Patience, type Resource, type SharedLimits } from './patience.ts';
import { untilAborted } from './until-aborted.ts';
import type { WatchCall } from './watch-call.ts';

export interface GithubClientsOptions {
  readonly appId: number;
  /** PEM. */
  readonly privateKey: string;
  /** Base address of the API, such as https://api.github.com, without a slash at its end. */
  readonly apiUrl: string;
  /** Base address for people, such as https://github.com. */
  readonly webUrl: string;
  readonly userAgent: string;
  readonly installations: Pick<InstallationStore, 'installation'>;
  /** Instead of node's own, such as one through a proxy. */
  readonly fetch?: typeof fetch;
  /** Of every call (default 20 s). */
  readonly deadlineMs?: number;
  readonly now: () => Date;
  /** Absent: nobody looks. */
  readonly watch?: WatchCall;
  /** Where limits are noted for other processes, too. Absent: they are not. */
  readonly holds?: Holds;
}

const IDENTITY_MS = 60 * 60_000;

/** Throws `usage` where the private key is none. Asks GitHub nothing yet. */
export function createGithubClients(options: GithubClientsOptions): GithubClients {
  const { apiUrl, webUrl, userAgent, now, installations, watch } = options;
  const key = createAppKey(options);
  const lifetime = new AbortController();
  // Limits are counted for each installation, and for the App as a whole.
  const patience = new Map<string, Patience>();
  const caller = (about: string, credential: Credential) => {
    const patient = patience.get(about) ?? createPatience(now, sharedLimits(about, options.holds));
    patience.set(about, patient);
    const ways: CallerOptions = {
      apiUrl,
      webUrl,
      userAgent,
      fetch: options.fetch ?? fetch,
      // Octokit itself waits for ever; GitHub cuts its own requests after 10 s.
      deadlineMs: options.deadlineMs ?? 20_000,
      now,
      ...(watch && { watch: (route, send) => watch({ route, holder: about }, send) }),
      patience: patient,
      lifetime: lifetime.signal,
    };
    return createCaller(ways, credential);
  };
  const app = caller('app', {
    as: 'app',
    header: async () => `Bearer ${key.jwt()}`,
    // Of calls that were sent at once with a wrong clock the first one refused has learnt it, and the others find it learnt.
    renew: (header, date) => key.learnClock(date) || header !== `Bearer ${key.jwt()}`,
  });
  const nobody = caller('nobody', { as: 'nobody', header: async () => null, renew: () => false });
  const tokens = createInstallationTokens({ app, installations, now, lifetime: lifetime.signal });
  const scoped = (scope: TokenScope) => caller(`installation ${scope.installationId}`, scopedCredential(tokens, scope));
  const installation = (installationId: number) => scoped({ installationId, repository: null });
  return {
    app,
    installation,
    identity: keptFor(IDENTITY_MS, now, () => readIdentity({ app, installation, nobody }, lifetime.signal)),
    repository: ({ installationId, repositoryId }, use) =>
      scoped({ installationId, repository: { id: repositoryId, use } }),
    gitToken: ({ installationId, repositoryId }, signal) =>
      tokens.token({ installationId, repository: { id: repositoryId, use: 'git' } }, signal),
    [Symbol.dispose]: () =>
      lifetime.abort(new CausewayError('cancelled', 'Causeway is stopping; it goes on at the next start.')),
  };
}

/** A call as nobody counts by the address that it comes from, which is another for each machine. */
function sharedLimits(about: string, holds: Holds | undefined): SharedLimits | null {
  if (holds === undefined || about === 'nobody') return null;
  const nameOf = (resource: Resource | null) => [`${GITHUB_HOLDS}${about}`, resource ?? []].flat().join(' ');
  return {
    until: (resource) => holds.until(nameOf(resource)),
    hold: (resource, until) => holds.hold(nameOf(resource), until),
  };
}

function scopedCredential(tokens: InstallationTokens, scope: TokenScope): Credential {
  return {
    as: 'installation',
    header: async (signal) => `token ${await tokens.token(scope, signal)}`,
    renew(header) {
      tokens.drop(header?.replace(/^token /, '') ?? '');
      return true;
    },
  };
}

/** One answer for all, for so long; a failure is not kept. */
function keptFor(
  ms: number,
  now: () => Date,
  read: () => Promise<AppIdentity>,
): (signal: AbortSignal) => Promise<AppIdentity> {
  let kept: { readonly answer: Promise<AppIdentity>; readonly until: number } | null = null;
  return (signal) => {
    if (kept !== null && now().getTime() < kept.until) return untilAborted(kept.answer, signal);
    const answer = read();
    const mine = { answer, until: now().getTime() + ms };
    kept = mine;
    answer.catch(() => {
      if (kept === mine) kept = null;
    });
    return untilAborted(answer, signal);
  };
}
