// Who we are on GitHub: the App's name and owner, and the number of its bot user.
import type { AppIdentity, GithubCaller } from './github-clients.ts';
import { unsureFailure } from './read-failure.ts';

export interface IdentityOptions {
  readonly app: GithubCaller;
  readonly installation: (id: number) => GithubCaller;
  /** Without any credential. */
  readonly nobody: GithubCaller;
}

export async function readIdentity(options: IdentityOptions, signal: AbortSignal): Promise<AppIdentity> {
  const { data } = await options.app.call(
    (octokit, request) => octokit.rest.apps.getAuthenticated({ request }),
    signal,
  );
  if (data === null || typeof data.slug !== 'string') {
    throw unsureFailure(200, 'GitHub did not say which App this is. It is tried again.');
  }
  const botLogin = `${data.slug}[bot]`;
  const bot = await (await anyone(options, signal)).call(
    (octokit, request) => octokit.rest.users.getByUsername({ username: botLogin, request }),
    signal,
  );
  const { owner } = data;
  // An App of an enterprise has an owner with a slug instead of a login.
  const login = 'login' in owner ? owner.login : owner.slug;
  return { appId: data.id, slug: data.slug, owner: { id: owner.id, login }, botLogin, botId: bot.data.id };
}

/** An App's own token reads no users. One of any installation does; without one, users are asked for as anybody may. */
async function anyone({ app, installation, nobody }: IdentityOptions, signal: AbortSignal): Promise<GithubCaller> {
  const { data } = await app.call(
    (octokit, request) => octokit.rest.apps.listInstallations({ per_page: 100, request }),
    signal,
  );
  const usable = data.find(({ suspended_at }) => suspended_at === null);
  return usable === undefined ? nobody : installation(usable.id);
}
