// How people come in where there is a GitHub App: with GitHub, once the App's client id and secret are there.
import type { AppCredentials, Config } from '../config.ts';
import { createInstallPage } from '../github/setup/install-page.ts';
import { createGithubSignIn } from '../github/sign-in/create-github-sign-in.ts';
import { createMayEnter } from '../github/sign-in/may-enter.ts';
import type { Entrance } from '../web/web-deps.ts';
import type { GithubService } from './github-service.ts';
import { VERSION } from './version.ts';

export function githubEntrance(
  { house, parts }: Pick<GithubService, 'house' | 'parts'>,
  { clientId, clientSecret }: AppCredentials,
  config: Pick<Config, 'githubApiUrl' | 'githubWebUrl' | 'allowedOwners'>,
): Entrance {
  const { githubApiUrl: apiUrl, githubWebUrl: webUrl, allowedOwners } = config;
  const { origin } = new URL(webUrl);
  const installUrl = createInstallPage(parts.clients, webUrl);
  if (clientId === '' || clientSecret === '') return { kind: 'github', signIn: null, origin, installUrl };
  const mayEnter = createMayEnter({ clients: parts.clients, store: house.store, allowedOwners });
  const userAgent = `causeway/${VERSION}`;
  const { log, telemetry } = house;
  const at = { clientId, clientSecret, apiUrl, webUrl, userAgent };
  const signIn = createGithubSignIn({ ...at, log, mayEnter, watch: telemetry.github.call });
  return { kind: 'github', signIn, origin, installUrl };
}
