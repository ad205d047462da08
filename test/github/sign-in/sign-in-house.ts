// Signing in over the GitHub double: a browser that goes there and comes back, the store that knows the installations, and all that was logged.

import { createHash, randomBytes } from 'node:crypto';
import { type GithubDouble, type SeenRequest, startGithubDouble } from 'causeway-github-double';
import type { GithubSignIn } from '../../../src/core/account/account.ts';
import { createGithubClients } from '../../../src/github/clients/create-github-clients.ts';
import { createProjectSync } from '../../../src/github/projects/project-sync.ts';
import {
  createGithubSignIn,
  createMayEnter,
  type GithubSignInOptions,
} from '../../../src/github/sign-in/create-github-sign-in.ts';
import { createLog } from '../../../src/log.ts';
import { createChanges } from '../../../src/services/follow.ts';
import { sqlite } from '../../contract/sqlite-place.ts';
import { CAUSEWAY_APP } from '../../support/causeway-app.ts';
import { NEVER } from '../clients/ground.ts';

export const REDIRECT = 'https://causeway.example/account/callback';

/** What a browser brings back from GitHub. */
interface Arrival {
  readonly code: string;
  readonly verifier: string;
  readonly redirectUri: string;
}

export interface SignInHouse extends AsyncDisposable {
  readonly double: GithubDouble;
  readonly signIn: GithubSignIn;
  /** As that person, who says yes on GitHub. */
  arrive(login: string): Promise<Arrival>;
  /** Takes over the installations that GitHub has. */
  reconcile(): Promise<void>;
  /** As `METHOD path`, without what the App asks for itself. */
  asked(): readonly SeenRequest[];
  /** How many tokens of people GitHub believes. */
  tokensLeft(): number;
  logged(): string;
}

export interface SignInHouseOptions {
  readonly allowedOwners?: readonly string[];
  readonly basePath?: string;
  readonly change?: Partial<GithubSignInOptions>;
}

export async function signInHouse(options: SignInHouseOptions = {}): Promise<SignInHouse> {
  await using opening = new AsyncDisposableStack();
  const double = opening.use(await startGithubDouble({ basePath: options.basePath ?? '', app: CAUSEWAY_APP }));
  double.app.callbackUrls.push(REDIRECT);
  const place = opening.use(await sqlite.place());
  const { store } = opening.use(await place.open());
  const { allowedOwners = ['octo'] } = options;
  const now = () => double.state.clock.now();
  let logged = '';
  const log = createLog({ level: 'trace', destination: { write: (line) => (logged += line) } });
  const { app, apiUrl, webUrl } = double;
  const at = { apiUrl, webUrl, userAgent: 'causeway-test' };
  const { id: appId, privateKey, clientId, clientSecret } = app;
  const clients = opening.use(createGithubClients({ ...at, appId, privateKey, installations: store, now }));
  const sync = createProjectSync({
    ...{ clients, store, log, now, allowedOwners, changes: createChanges() },
    source: { forget: async () => undefined },
  });
  const mayEnter = createMayEnter({ clients, store, allowedOwners });
  const signIn = createGithubSignIn({ ...at, clientId, clientSecret, log, mayEnter, ...options.change });
  const opened = opening.move();
  return {
    ...{ double, signIn, logged: () => logged },
    arrive: (login) => arrive(double, signIn, login),
    reconcile: async () => {
      await sync.reconcile(NEVER);
      logged = '';
    },
    asked: () => double.requests.filter(({ tokenKind }) => tokenKind !== 'app' && tokenKind !== 'installation'),
    tokensLeft: () => [...double.state.tokens.values()].filter(({ kind }) => kind === 'user').length,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function arrive(double: GithubDouble, signIn: GithubSignIn, login: string): Promise<Arrival> {
  double.people.user(login);
  double.signIns.signedIn = login;
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const address = signIn.address({ state: 'a-state', challenge, redirectUri: REDIRECT });
  const answer = await fetch(address, { redirect: 'manual' });
  const back = new URL(answer.headers.get('location') ?? 'none:');
  if (back.searchParams.get('state') !== 'a-state') throw new Error(`GitHub sent the browser to ${back}.`);
  return { code: back.searchParams.get('code') ?? '', verifier, redirectUri: REDIRECT };
}
