// Routes of Apps, installations, users and repositories.
import { randomBytes } from 'node:crypto';
import { effectivePermissions, isEnough } from '../access.ts';
import {
  accountByLogin,
  covers,
  explicitGrantOf,
  type Grant,
  grantOf,
  mayAtLeast,
  permissionFlags,
  repositoriesOf,
  repositoryByName,
} from '../lookup.ts';
import { fullRepository, plainRepository } from '../resources/repository.ts';
import { installationBody, ownApp, privateUser, publicUser, simpleUser } from '../resources/user.ts';
import {
  type Answer,
  type Call,
  noContent,
  notFound,
  ofRepository,
  ok,
  paged,
  type RepositoryCall,
  type Route,
  refused,
  route,
} from '../route.ts';
import type { AppInstallation, AppPermissions, Level, State } from '../state.ts';
import type { ListedDelivery } from '../webhooks/delivery.ts';

export const appRoutes: readonly Route[] = [
  route('GET /apps/{app_slug}', 'anybody', (call) => {
    const found = [...call.state.apps.values()].find(({ slug }) => slug === call.params['app_slug']);
    return found === undefined ? notFound() : ok(ownApp(call.state, found));
  }),
  route('GET /app', 'app', (call) => ok(ownApp(call.state, appOfCall(call)))),
  route('GET /app/installations', 'app', (call) =>
    paged(call, installationsOf(call), (page) => page.map((one) => installationBody(call.state, one))),
  ),
  route('GET /app/installations/{installation_id}', 'app', (call) => {
    const found = installationOf(call);
    return found === undefined ? notFound() : ok(installationBody(call.state, found));
  }),
  route('POST /app/installations/{installation_id}/access_tokens', 'app', makeToken),
  route('GET /installation/repositories', 'installation', installedRepositories),
  ...(['users/{username}', 'orgs/{org}'] as const).map((path) =>
    route(`GET /${path}/installation`, 'app', (call) => {
      const login = (call.params['username'] ?? call.params['org'] ?? '').toLowerCase();
      const found = installationsOf(call).find(
        (one) => call.state.accounts.get(one.accountId)?.login.toLowerCase() === login,
      );
      return found === undefined ? notFound() : ok(installationBody(call.state, found));
    }),
  ),
  route('GET /repos/{owner}/{repo}/installation', 'app', (call) => {
    const { owner, repo } = call.params;
    const repository = repositoryByName(call.state, `${owner}/${repo}`);
    const found = repository && installationsOf(call).find((one) => covers(one, repository));
    return found === undefined ? notFound() : ok(installationBody(call.state, found));
  }),
  route('DELETE /applications/{client_id}/token', 'client', (call) => {
    const value = String(call.body['access_token']);
    const token = call.state.tokens.get(value);
    const isOurs = token?.kind === 'user' && call.caller.kind === 'client' && token.appId === call.caller.app.id;
    // GitHub answers so for any token that is none, of whomever.
    if (!isOurs || call.caller.app.clientId !== call.params['client_id']) return notFound();
    call.state.tokens.delete(value);
    return noContent();
  }),
  route('GET /app/hook/config', 'app', (call) => {
    const { webhookUrl: url, webhookSecret } = appOfCall(call);
    return ok({
      content_type: 'json',
      insecure_ssl: '0',
      ...(url === null ? {} : { url }),
      ...(webhookSecret === '' ? {} : { secret: '********' }),
    });
  }),
  route('GET /app/hook/deliveries', 'app', listDeliveries),
  route('POST /app/hook/deliveries/{delivery_id}/attempts', 'app', (call) => {
    const found = deliveryOf(call);
    if (found === undefined) return notFound();
    call.webhooks.redeliver(found.id);
    return ok({}, 202);
  }),
];

function appOfCall({ caller }: Call) {
  if (caller.kind !== 'app') throw new Error('This route is for Apps.');
  return caller.app;
}

function installationsOf(call: Call): readonly AppInstallation[] {
  return [...call.state.installations.values()].filter((one) => one.appId === appOfCall(call).id);
}

function installationOf(call: Call): AppInstallation | undefined {
  return installationsOf(call).find((one) => one.id === Number(call.params['installation_id']));
}

/** An hour long; never more than the installation has. */
function makeToken(call: Call): Answer {
  const installation = installationOf(call);
  if (installation === undefined) return notFound();
  if (installation.suspendedAt !== null) return refused(403, 'This installation has been suspended');
  const { state, body } = call;
  const wanted = (body['permissions'] ?? installation.permissions) as AppPermissions;
  const tooMuch = Object.entries(wanted).some(([name, level]) => !isGranted(installation, name, level));
  if (tooMuch) return refused(422, 'The permissions requested are not granted to this installation.');
  const ids = scopeOf(state, installation, body);
  if (ids === undefined) {
    const message =
      'There is at least one repository that does not exist or is not accessible to the parent installation.';
    return refused(422, message);
  }
  const token = `ghs_${randomBytes(18).toString('hex')}`;
  const expiresAt = new Date(state.clock.now().getTime() + 3_600_000).toISOString().replace(/\.\d{3}Z/, 'Z');
  const permissions: AppPermissions = { ...wanted, metadata: 'read' };
  state.tokens.set(token, {
    kind: 'installation',
    installationId: installation.id,
    repositoryIds: ids,
    permissions,
    expiresAt,
  });
  const selection = ids === null ? installation.selection : 'selected';
  const repositories = ids === null ? {} : { repositories: [...ids].map((id) => plain(state, id)) };
  return ok({ token, expires_at: expiresAt, permissions, repository_selection: selection, ...repositories }, 201);
}

function isGranted(installation: AppInstallation, name: string, level: Level): boolean {
  return name === 'metadata' ? level === 'read' : isEnough(installation.permissions[name], level);
}

/** Null: all of the installation; undefined: something that it does not cover was asked for. */
function scopeOf(
  state: State,
  installation: AppInstallation,
  body: Call['body'],
): ReadonlySet<number> | null | undefined {
  const [byId, byName] = [body['repository_ids'], body['repositories']];
  if (!Array.isArray(byId) && !Array.isArray(byName)) return null;
  const all = repositoriesOf(state, installation);
  const names = Array.isArray(byName) ? byName.map((name) => all.find((one) => one.name === name)?.id) : [];
  const ids = [...(Array.isArray(byId) ? byId : []), ...names];
  const known = ids.every((id) => {
    const found = state.repositories.get(Number(id));
    return found !== undefined && covers(installation, found);
  });
  return known ? new Set(ids.map(Number)) : undefined;
}

function plain(state: State, id: number) {
  const found = state.repositories.get(id);
  return found === undefined ? null : plainRepository(state, found);
}

function installedRepositories(call: Call): Answer {
  const { caller, state } = call;
  if (caller.kind !== 'installation') return notFound();
  const { repositoryIds } = caller.token;
  const all = repositoriesOf(state, caller.installation).filter((one) => repositoryIds?.has(one.id) ?? true);
  const flags = permissionFlags({ base: null, permission: 'none', roleName: '' });
  return paged(call, all, (page) => ({
    total_count: all.length,
    repository_selection: repositoryIds === null ? caller.installation.selection : 'selected',
    repositories: page.map((one) => ({ ...plainRepository(state, one), permissions: flags })),
  }));
}

/** Newest first, followed by a cursor: the id of the delivery from which the next page goes on. */
function listDeliveries(call: Call): Answer {
  const all = call.webhooks.deliveries(appOfCall(call).id);
  const size = Math.min(Number(call.url.searchParams.get('per_page') ?? 30), 100);
  const cursor = call.url.searchParams.get('cursor');
  const start = cursor === null ? 0 : all.findIndex((one) => `v1_${one.id}` === cursor);
  const page = start === -1 ? [] : all.slice(start, start + size);
  const next = start === -1 ? undefined : all[start + size];
  if (next === undefined) return ok(page.map(shortDelivery));
  const url = new URL(`${call.state.urls.api}${call.path}${call.url.search}`);
  url.searchParams.set('cursor', `v1_${next.id}`);
  return { status: 200, body: page.map(shortDelivery), headers: { link: `<${url}>; rel="next"` } };
}

function deliveryOf(call: Call): ListedDelivery | undefined {
  return call.webhooks.deliveries(appOfCall(call).id).find((one) => one.id === Number(call.params['delivery_id']));
}

function shortDelivery(one: ListedDelivery) {
  return {
    id: one.id,
    guid: one.guid,
    delivered_at: one.deliveredAt,
    redelivery: one.redelivery,
    duration: one.duration,
    status: one.status,
    status_code: one.statusCode,
    event: one.event,
    action: one.action,
    installation_id: one.installationId,
    repository_id: one.repositoryId,
    throttled_at: null,
  };
}

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
  route('GET /users/{username}', 'anybody', (call) => {
    const found = accountByLogin(call.state, call.params['username'] ?? '');
    return found === undefined ? notFound() : ok(publicUser(call.state, found));
  }),
];

export const repositoryRoutes: readonly Route[] = [
  ofRepository('GET ', [], (call) => ok(fullRepository(call.state, call.repository, grantOfCaller(call)))),
  ofRepository('GET /collaborators', [], (call) => {
    const people = [...call.state.accounts.values()].flatMap((one) => {
      const grant = explicitGrantOf(call.state, call.repository, one);
      return one.type === 'User' && grant.base !== null ? [{ one, grant }] : [];
    });
    return paged(call, people, (page) =>
      page.map(({ one, grant }) => ({
        ...simpleUser(call.state, one),
        permissions: permissionFlags(grant),
        role_name: grant.roleName,
      })),
    );
  }),
  ofRepository('GET /collaborators/{username}/permission', [], (call) => {
    const username = call.params['username'] ?? '';
    const account = accountByLogin(call.state, username);
    // Bots and accounts that are gone are no users to GitHub.
    if (account?.type !== 'User') return refused(404, `${username} is not a user`);
    const grant = grantOf(call.state, call.repository, account);
    const user = { ...simpleUser(call.state, account), permissions: permissionFlags(grant), role_name: grant.roleName };
    return ok({ permission: grant.permission, user, role_name: grant.roleName });
  }),
];

function grantOfCaller({ state, repository, caller }: RepositoryCall): Grant {
  if (caller.kind === 'user') return grantOf(state, repository, caller.account);
  const writes = caller.kind === 'installation' && effectivePermissions(caller)['contents'] === 'write';
  const base = writes ? 'push' : 'pull';
  return { base, permission: writes ? 'write' : 'read', roleName: writes ? 'write' : 'read' };
}
