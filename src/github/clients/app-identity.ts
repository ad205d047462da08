// Who we are on GitHub: the App's name and owner, and the number of its bot user.

import { unsureFailure } from './failures.ts';
import { type AppIdentity, type GithubCaller, GithubFailure } from './github-clients.ts';

export interface IdentityOptions {
  readonly app: GithubCaller;
  readonly installation: (id: number) => GithubCaller;
  /** Without any credential. */
  readonly anonymous: GithubCaller;
}

export async function readIdentity(options: IdentityOptions, signal: AbortSignal): Promise<AppIdentity> {
  const { data } = await options.app.call(
    (octokit, request) => octokit.rest.apps.getAuthenticated({ request }),
    signal,
  );
  if (data === null || typeof data.slug !== 'string') {
    throw unsureFailure(200, 'GitHub did not say which App this is. Causeway tries again.');
  }
  const botLogin = `${data.slug}[bot]`;
  const bot = await readUser(botLogin, options, signal);
  const { owner } = data;
  // An App of an enterprise has an owner with a slug instead of a login.
  const login = 'login' in owner ? owner.login : owner.slug;
  return { appId: data.id, slug: data.slug, owner: { id: owner.id, login }, botLogin, botId: bot.id };
}

/** The limit of one installation must not keep all of them waiting for our name. */
const MAX_CALLERS = 5;

/** An App's own token reads no users. One of any installation does; before the first one, anybody may look up a user. */
async function readUser(
  username: string,
  { app, installation, anonymous }: IdentityOptions,
  signal: AbortSignal,
): Promise<{ readonly id: number }> {
  const { data } = await app.call(
    (octokit, request) => octokit.rest.apps.listInstallations({ per_page: 100, request }),
    signal,
  );
  const usable = data.filter(({ suspended_at }) => suspended_at === null).slice(0, MAX_CALLERS);
  for (const { id } of usable) {
    try {
      return await lookUp(installation(id), username, signal);
    } catch (error) {
      if (!(error instanceof GithubFailure) || error.kind !== 'busy') throw error;
    }
  }
  return await lookUp(anonymous, username, signal);
}

async function lookUp(caller: GithubCaller, username: string, signal: AbortSignal): Promise<{ readonly id: number }> {
  const { data } = await caller.call(
    (octokit, request) => octokit.rest.users.getByUsername({ username, request }),
    signal,
  );
  return data;
}
