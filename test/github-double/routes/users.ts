// Routes of accounts, and of what stands beside everything: rate limits and the API's own facts.
import { accountByLogin, repositoriesOf } from '../lookup.ts';
import { installationBody } from '../resources/app.ts';
import { fullRepository } from '../resources/repository.ts';
import { privateUser, publicUser } from '../resources/user.ts';
import { explicitGrantOf, grantOf, mayAtLeast } from '../roles.ts';
import { type Call, notFound, ok, paged, type Route, refused, route } from '../route.ts';

export const RATE_LIMIT = 5_000;

export const userRoutes: readonly Route[] = [
  route('GET /user', 'anybody', (call) => {
    if (call.caller.kind === 'user') return ok(privateUser(call.state, call.caller.account));
    return call.caller.kind === 'none'
      ? refused(401, 'Requires authentication')
      : refused(403, 'Resource not accessible by integration');
  }),
  route('GET /user/installations', 'anybody', (call) => {
    if (call.caller.kind !== 'user') return refused(401, 'Requires authentication');
    const { account, app } = call.caller;
    const all = [...call.state.installations.values()].filter(
      (one) =>
        one.appId === app?.id &&
        repositoriesOf(call.state, one).some((found) =>
          mayAtLeast(explicitGrantOf(call.state, found, account), 'pull'),
        ),
    );
    return paged(call, all, (page) => ({
      total_count: all.length,
      installations: page.map((one) => installationBody(call.state, one)),
    }));
  }),
  route('GET /user/installations/{installation_id}/repositories', 'anybody', (call) => {
    if (call.caller.kind !== 'user') return refused(401, 'Requires authentication');
    const { account } = call.caller;
    const installation = call.state.installations.get(Number(call.params['installation_id']));
    if (installation === undefined) return notFound();
    const all = repositoriesOf(call.state, installation).filter((one) =>
      mayAtLeast(explicitGrantOf(call.state, one, account), 'pull'),
    );
    return paged(call, all, (page) => ({
      total_count: all.length,
      repositories: page.map((one) => fullRepository(call.state, one, grantOf(call.state, one, account))),
    }));
  }),
  route('GET /users/{username}', 'anybody', (call) => {
    const found = accountByLogin(call.state, call.params['username'] ?? '');
    return found === undefined ? notFound() : ok(publicUser(call.state, found));
  }),
  route('GET /user/{account_id}', 'anybody', (call) => {
    const found = call.state.accounts.get(Number(call.params['account_id']));
    return found === undefined ? notFound() : ok(publicUser(call.state, found));
  }),
  route('GET /rate_limit', 'anybody', (call) => {
    const rate = rateNow(call);
    return ok({ resources: { core: rate, search: rate, graphql: rate }, rate });
  }),
];

function rateNow({ state }: Call) {
  const reset = Math.trunc(state.clock.now().getTime() / 1_000) + 3_600;
  return { limit: RATE_LIMIT, used: 0, remaining: RATE_LIMIT, reset };
}
