// Somebody took back what they had allowed the App to do for them: their API tokens end at once.
import type { EventHandler } from './app-deps.ts';
import { authorizationRevoked, personOf } from './payloads.ts';

/** Whatever else the person is signed in to is to be ended here too. */
export const onAuthorizationRevoked: EventHandler = async (deps, { payload }) => {
  const read = authorizationRevoked.safeParse(payload);
  const person = read.success ? personOf(read.data.sender) : null;
  if (person === null) return;
  const now = deps.now().toISOString();
  const { id: githubId, login } = person;
  const account = await deps.store.ensureAccount({ login, githubId, signingSecret: deps.newSigningSecret(), now });
  for (const token of await deps.store.tokens(account.id)) {
    if (token.revokedAt === null) await deps.store.revokeToken(token.id, account.id, now);
  }
};
