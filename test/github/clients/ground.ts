// Clients of GitHub for a test: a key of our own, one installation that was granted everything, and a clock that is played.
import { generateKeyPairSync } from 'node:crypto';
import type { GithubSource, Installation, PermissionLevel } from '../../../src/core/project/project.ts';
import { createGithubClients } from '../../../src/github/clients/create-github-clients.ts';
import type { GithubClients } from '../../../src/github/clients/github-clients.ts';
import { type GithubApi, type Route, startGithubApi } from './github-api.ts';

export const APP_ID = 4711;
const KEYS = generateKeyPairSync('rsa', { modulusLength: 2048 });
export const PRIVATE_KEY = KEYS.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();

export const GRANTED: Readonly<Record<string, PermissionLevel>> = {
  metadata: 'read',
  contents: 'write',
  issues: 'write',
  pull_requests: 'write',
  checks: 'write',
  actions: 'read',
  statuses: 'read',
};

export const SHOP: GithubSource = {
  kind: 'github',
  repositoryId: 501,
  installationId: 7,
  url: 'https://github.test/octo/shop.git',
  isPrivate: true,
  isArchived: false,
  defaultBranch: 'main',
};

export function installation(permissions: Installation['permissions'] = GRANTED, id = 7): Installation {
  return { id, owner: { id: 90, login: 'octo', kind: 'organization' }, permissions, isSuspended: false };
}

export interface Ground extends AsyncDisposable {
  readonly api: GithubApi;
  readonly clients: GithubClients;
  /** What the house knows of installations, by number. */
  readonly known: Map<number, Installation>;
  readonly clock: { now: Date };
}

export const NEVER = new AbortController().signal;

/** `routes` besides the one for tokens, each of which is `ghs_<count>` and good for an hour. */
export async function openGround(
  routes: Record<string, Route>,
  options: { readonly deadlineMs?: number } = {},
): Promise<Ground> {
  const clock = { now: new Date() };
  let count = 0;
  const api = await startGithubApi({
    'POST /app/installations/*/access_tokens': () => ({
      status: 201,
      body: { token: tokenName(++count), expires_at: new Date(clock.now.getTime() + 3_600_000).toISOString() },
    }),
    ...routes,
  });
  const known = new Map([[7, installation()]]);
  const clients = createGithubClients({
    appId: APP_ID,
    privateKey: PRIVATE_KEY,
    apiUrl: api.url,
    webUrl: 'https://github.test',
    userAgent: 'Causeway/test',
    installations: { findInstallation: async (id) => known.get(id) ?? null },
    now: () => clock.now,
    ...options,
  });
  return {
    api,
    clients,
    known,
    clock,
    async [Symbol.asyncDispose]() {
      clients[Symbol.dispose]();
      await api[Symbol.asyncDispose]();
    },
  };
}

export function tokenName(count: number): string {
  return `ghs_${String(count).padStart(12, '0')}`;
}
