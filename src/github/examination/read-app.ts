// What GitHub says about the App itself: its name, permissions, installations, and recent deliveries. Reads only.
import { type GithubCaller, type Granted, toGranted } from '../clients/index.ts';

export interface AppState {
  readonly slug: string;
  readonly owner: { readonly id: number; readonly login: string };
  readonly permissions: Granted;
  readonly events: readonly string[];
  readonly installations: readonly InstallationState[];
  /** Whether there are more than were listed. */
  readonly isCut: boolean;
}

interface InstallationState {
  readonly owner: { readonly id: number; readonly login: string };
  readonly permissions: Granted;
  readonly isSuspended: boolean;
}

const MOST_INSTALLATIONS = 100;

/** Throws GithubFailure. */
export async function readApp(app: GithubCaller, signal: AbortSignal): Promise<AppState> {
  const own = await app.call((octokit, request) => octokit.rest.apps.getAuthenticated({ request }), signal);
  const { data, headers } = await app.call(
    (octokit, request) => octokit.rest.apps.listInstallations({ per_page: MOST_INSTALLATIONS, request }),
    signal,
  );
  return {
    slug: own.data?.slug ?? '',
    owner: ownerOf(own.data?.owner ?? null),
    permissions: toGranted(own.data?.permissions ?? {}),
    events: own.data?.events ?? [],
    installations: data.map((listed) => ({
      owner: ownerOf(listed.account),
      permissions: toGranted(listed.permissions),
      isSuspended: listed.suspended_at !== null,
    })),
    isCut: /rel="next"/.test(headers.link ?? ''),
  };
}

export interface HookState {
  readonly url: string;
  readonly isJson: boolean;
  /** False: GitHub does not look at the certificate. */
  readonly isVerified: boolean;
  readonly hasSecret: boolean;
  /** The newest first. */
  readonly attempts: readonly HookAttempt[];
}

export interface HookAttempt {
  /** Milliseconds. */
  readonly at: number;
  /** Of the answer; 0 where none came. */
  readonly statusCode: number;
}

const MOST_ATTEMPTS = 50;

/** Throws GithubFailure. */
export async function readHook(app: GithubCaller, signal: AbortSignal): Promise<HookState> {
  const { data } = await app.call((octokit, request) => octokit.rest.apps.getWebhookConfigForApp({ request }), signal);
  const listed = await app.call(
    (octokit, request) => octokit.rest.apps.listWebhookDeliveries({ per_page: MOST_ATTEMPTS, request }),
    signal,
  );
  return {
    url: data.url ?? '',
    isJson: data.content_type === 'json',
    isVerified: String(data.insecure_ssl ?? '0') === '0',
    // GitHub shows asterisks for it.
    hasSecret: (data.secret ?? '') !== '',
    attempts: listed.data.map((each) => ({ at: Date.parse(each.delivered_at), statusCode: each.status_code })),
  };
}

/** An App of an enterprise has an owner with a slug instead of a login. */
function ownerOf(owner: object | null): AppState['owner'] {
  const named = owner ?? {};
  const login = Reflect.get(named, 'login') ?? Reflect.get(named, 'slug');
  return { id: Number(Reflect.get(named, 'id') ?? 0), login: typeof login === 'string' ? login : '' };
}
