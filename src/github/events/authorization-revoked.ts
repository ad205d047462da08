// Somebody took back what they had allowed the App to do for them: their sessions and API tokens end at once.
import type { EventHandler } from './app-deps.ts';
import { authorizationRevoked, personOf } from './payloads.ts';

export const onAuthorizationRevoked: EventHandler = async (deps, { payload }) => {
  const read = authorizationRevoked.safeParse(payload);
  const person = read.success ? personOf(read.data.sender) : null;
  if (person !== null) await deps.store.endAccess(person.id, deps.now().toISOString());
};
