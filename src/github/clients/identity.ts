// Who we are on GitHub: the App's name and owner, and the number of its bot user.
import { type AppIdentity, type GithubCaller, GithubFailure } from './github-clients.ts';
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
  const bot = await userNamed(botLogin, options, signal);
  const { owner } = data;
  // An App of an enterprise has an owner with a slug instead of a login.
  const login = 'login' in owner ? owner.login : owner.slug;
  return { appId: data.id, slug: data.slug, owner: { id: owner.id, login }, botLogin, botId: bot.id };
}

/** The limit of one installation must not keep all of them waiting for our name. */
const MOST_ASKED = 5;

/** An App's own token reads no users. One of any installation does; without one, users are asked for as anybody may. */
async function userNamed(
  username: string,
  { app, installation, nobody }: IdentityOptions,
  signal: AbortSignal,
): Promise<{ readonly id: number }> {
  const { data } = await app.call(
    (octokit, request) => octokit.rest.apps.listInstallations({ per_page: 100, request }),
    signal,
  );
  const usable = data.filter(({ suspended_at }) => suspended_at === null).slice(0, MOST_ASKED);
  const askers = [...usable.map(({ id }) => installation(id)), nobody];
  for (const [index, asker] of askers.entries()) {
    try {
      const user = await asker.call(
        (octokit, request) => octokit.rest.users.getByUsername({ username, request }),
        signal,
      );
      return user.data;
    } catch (error) {
      const isBusy = error instanceof GithubFailure && error.kind === 'busy';
      if (!isBusy || index === askers.length - 1) throw error;
    }
  }
  throw unsureFailure(null, 'GitHub did not say who the bot of this App is. It is tried again.');
}
