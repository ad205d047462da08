// Apps and installations as the API shows them.
import { appOf } from '../lookup.ts';
import type { App, Installation, State } from '../state.ts';
import { nodeId } from './node-id.ts';
import { simpleUserOf } from './user.ts';

/** An App inside other things (`performed_via_github_app`, check runs). */
export function appBody(state: State, app: App) {
  return {
    id: app.id,
    slug: app.slug,
    node_id: nodeId('A', app.id),
    client_id: app.clientId,
    owner: simpleUserOf(state, app.ownerId),
    name: app.name,
    description: '',
    external_url: `${state.urls.web}/about/${app.slug}`,
    html_url: `${state.urls.web}/apps/${app.slug}`,
    created_at: app.createdAt,
    updated_at: app.createdAt,
    permissions: app.permissions,
    events: app.events,
  };
}

export function viaApp(state: State, appId: number | null) {
  const app = appId === null ? undefined : state.apps.get(appId);
  return app === undefined ? null : appBody(state, app);
}

/** As `GET /app` gives it. */
export function ownApp(state: State, app: App) {
  const count = [...state.installations.values()].filter((one) => one.appId === app.id).length;
  return { ...appBody(state, app), installations_count: count };
}

export function installationBody(state: State, installation: Installation) {
  const account = state.accounts.get(installation.accountId);
  const { api, web } = state.urls;
  const app = appOf(state, installation);
  const settings = account?.type === 'Organization' ? `organizations/${account.login}/settings` : 'settings';
  return {
    id: installation.id,
    client_id: app.clientId,
    account: simpleUserOf(state, installation.accountId),
    repository_selection: installation.selection,
    access_tokens_url: `${api}/app/installations/${installation.id}/access_tokens`,
    repositories_url: `${api}/installation/repositories`,
    html_url: `${web}/${settings}/installations/${installation.id}`,
    app_id: installation.appId,
    app_slug: app.slug,
    target_id: installation.accountId,
    target_type: account?.type ?? 'User',
    permissions: installation.permissions,
    events: installation.events,
    created_at: installation.createdAt,
    updated_at: installation.updatedAt,
    single_file_name: null,
    has_multiple_single_files: false,
    single_file_paths: [],
    suspended_by: simpleUserOf(state, installation.suspendedById),
    suspended_at: installation.suspendedAt,
  };
}
