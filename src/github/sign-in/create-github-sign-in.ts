// Signing in with GitHub: the browser is sent there, its code becomes a person, and the person's token is handed back at once.

import { type GithubSignIn, SignInRefused } from '../../core/account.ts';
import type { Person } from '../../core/thread.ts';
import type { WatchCall } from '../clients/github-clients.ts';
import { type ExchangeOptions, exchangeCode } from './exchange-code.ts';
import { type HandBackOptions, handBack } from './hand-back.ts';
import type { MayEnter } from './may-enter.ts';
import { type PersonOptions, readPerson } from './read-person.ts';

export interface GithubSignInOptions extends ExchangeOptions, PersonOptions, HandBackOptions {
  readonly mayEnter: MayEnter;
  /** Instead of node's own, which honours HTTPS_PROXY and NO_PROXY. */
  readonly fetch?: typeof fetch;
  /** Absent: nobody looks. */
  readonly watch?: WatchCall;
  /** For the code, for all questions together, and for handing the token back, each (default 10 s). */
  readonly deadlineMs?: number;
}

export function createGithubSignIn(options: GithubSignInOptions): GithubSignIn {
  const { clientId, webUrl, watch, deadlineMs = 10_000, fetch: get = fetch } = options;
  const ways = (signal: AbortSignal) => ({ fetch: get, watch, signal, deadline: AbortSignal.timeout(deadlineMs) });
  return {
    address: ({ state, challenge, redirectUri }) => {
      const query = new URLSearchParams({
        client_id: clientId,
        redirect_uri: redirectUri,
        state,
        code_challenge: challenge,
        code_challenge_method: 'S256',
      });
      return `${webUrl}/login/oauth/authorize?${query}`;
    },
    person: async (answer, signal) => {
      const token = await exchangeCode(options, answer, ways(signal));
      try {
        const { person, installationIds } = await readPerson(options, token, ways(signal));
        if (await options.mayEnter(person, installationIds, signal)) return person;
        throw notAllowed(person);
      } finally {
        await handBack(options, token, ways(signal));
      }
    },
  };
}

function notAllowed({ login }: Person): SignInRefused {
  return new SignInRefused(
    'person',
    `GitHub knows you as ${login}, but there is nothing for you here yet. Get access to a repository that Causeway watches, or install its App on repositories of your own; where that does not help, ask the operator to name you or your organisation in ALLOWED_OWNERS. Then sign in again.`,
  );
}
