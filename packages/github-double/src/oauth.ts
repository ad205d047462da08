// Signing in with GitHub: the authorisation page, codes with PKCE, tokens of people; and the conversion of App manifests.
import { createHash, randomBytes } from 'node:crypto';
import { accountByLogin } from './lookup.ts';
import { authorizePage } from './page/authorize.ts';
import { addApp } from './people/accounts.ts';
import { appBody } from './resources/user.ts';
import { type Answer, notFound, ok, type Route, route } from './route.ts';
import type { App, AppPermissions, State } from './state.ts';

interface Code {
  readonly userId: number;
  readonly appId: number;
  readonly redirectUri: string | null;
  readonly challenge: string | null;
}

interface Manifest {
  readonly name: string;
  readonly url: string;
  readonly owner: string;
  readonly hook_attributes?: { readonly url?: string; readonly active?: boolean };
  readonly redirect_url?: string;
  readonly callback_urls?: readonly string[];
  readonly default_permissions?: AppPermissions;
  readonly default_events?: readonly string[];
}

export class SignIns {
  readonly #state: State;
  readonly #codes = new Map<string, Code>();
  readonly #manifests = new Map<string, Manifest>();
  /** Login of the person who sits at the browser and says yes at once; null: the page asks who it is, and whether they want to. */
  signedIn: string | null = null;

  constructor(state: State) {
    this.#state = state;
  }

  /** `GET /login/oauth/authorize`: somebody who is signed in says yes at once, anybody else is asked. */
  authorize({ searchParams }: URL): Answer {
    const app = this.#appOf(searchParams.get('client_id'));
    if (app === undefined) return { status: 404, body: 'Not Found' };
    if (this.signedIn !== null) return this.#send(searchParams, this.signedIn);
    const people = [...this.#state.accounts.values()].filter(({ type }) => type === 'User').map(({ login }) => login);
    return { status: 200, body: authorizePage(app.name, people, searchParams).source };
  }

  /** `POST /login/oauth/authorize`: what the person on the page chose. */
  decide(form: URLSearchParams): Answer {
    return this.#send(form, form.get('decision') === 'authorize' ? (form.get('login') ?? '') : null);
  }

  /** Back to the App; `login` null: with nobody. */
  #send(asked: URLSearchParams, login: string | null): Answer {
    const app = this.#appOf(asked.get('client_id'));
    const account = login === null ? null : accountByLogin(this.#state, login);
    if (app === undefined || account === undefined) return { status: 404, body: 'Not Found' };
    const redirectUri = asked.get('redirect_uri');
    if (redirectUri !== null && !app.callbackUrls.includes(redirectUri)) {
      return { status: 200, body: 'The redirect_uri is not associated with this application.' };
    }
    const code = randomBytes(10).toString('hex');
    const challenge = asked.get('code_challenge');
    if (challenge !== null && asked.get('code_challenge_method') !== 'S256') {
      return { status: 400, body: 'code_challenge_method must be S256' };
    }
    const target = new URL(redirectUri ?? app.callbackUrls[0] ?? this.#state.urls.web);
    if (account === null) {
      target.searchParams.set('error', 'access_denied');
      target.searchParams.set('error_description', 'The user has denied your application access.');
    } else {
      this.#codes.set(code, { userId: account.id, appId: app.id, redirectUri, challenge });
      target.searchParams.set('code', code);
    }
    const state = asked.get('state');
    if (state !== null) target.searchParams.set('state', state);
    return { status: 302, headers: { location: target.href }, body: '' };
  }

  /** `POST /login/oauth/access_token`: errors come with status 200, as from GitHub. A code is good once. */
  exchange(form: URLSearchParams): Answer {
    const app = this.#appOf(form.get('client_id'));
    if (app === undefined || form.get('client_secret') !== app.clientSecret)
      return oauthError('incorrect_client_credentials');
    const code = this.#codes.get(form.get('code') ?? '');
    this.#codes.delete(form.get('code') ?? '');
    if (code === undefined || code.appId !== app.id) return oauthError('bad_verification_code');
    if (form.has('redirect_uri') && form.get('redirect_uri') !== code.redirectUri)
      return oauthError('redirect_uri_mismatch');
    const proof = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (code.challenge !== null && proof !== code.challenge) return oauthError('bad_verification_code');
    const token = `ghu_${randomBytes(18).toString('hex')}`;
    const expiresAt = new Date(this.#state.clock.now().getTime() + 8 * 3_600_000).toISOString();
    this.#state.tokens.set(token, { kind: 'user', userId: code.userId, appId: app.id, expiresAt });
    const refresh = { refresh_token: `ghr_${randomBytes(38).toString('hex')}`, refresh_token_expires_in: 15_897_600 };
    return ok({ access_token: token, expires_in: 28_800, ...refresh, scope: '', token_type: 'bearer' });
  }

  /** Takes the manifest that a set-up page posted to `/settings/apps/new`; sends the browser back with a code. */
  takeManifest(owner: string | null, form: URLSearchParams, state: string | null): Answer {
    const manifest = JSON.parse(form.get('manifest') ?? '{}') as Omit<Manifest, 'owner'>;
    const code = randomBytes(20).toString('hex');
    this.#manifests.set(code, { ...manifest, owner: owner ?? this.signedIn ?? 'octo' });
    const target = new URL(manifest.redirect_url ?? this.#state.urls.web);
    target.searchParams.set('code', code);
    if (state !== null) target.searchParams.set('state', state);
    return { status: 302, headers: { location: target.href }, body: '' };
  }

  /** `POST /app-manifests/{code}/conversions`: makes the App, and hands out its secrets this once. */
  convert(code: string): Answer {
    const manifest = this.#manifests.get(code);
    this.#manifests.delete(code);
    if (manifest === undefined) return notFound();
    const slug = manifest.name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
    const app = addApp(this.#state, {
      slug,
      name: manifest.name,
      owner: manifest.owner,
      permissions: { metadata: 'read', ...manifest.default_permissions },
      events: manifest.default_events ?? [],
      webhookUrl: manifest.hook_attributes?.url ?? null,
      callbackUrls: manifest.callback_urls ?? [],
    });
    const secrets = {
      client_id: app.clientId,
      client_secret: app.clientSecret,
      webhook_secret: app.webhookSecret,
      pem: app.privateKey,
    };
    return ok({ ...appBody(this.#state, app), ...secrets }, 201);
  }

  #appOf(clientId: string | null): App | undefined {
    return [...this.#state.apps.values()].find((app) => app.clientId === clientId);
  }
}

function oauthError(error: string): Answer {
  const uri = 'https://docs.github.com/apps/managing-oauth-apps/troubleshooting-oauth-app-access-token-request-errors/';
  return ok({ error, error_description: error.replaceAll('_', ' '), error_uri: uri });
}

/** Routes that the API has of it. */
export function manifestRoute(signIns: SignIns): Route {
  return route('POST /app-manifests/{code}/conversions', 'anybody', (call) =>
    signIns.convert(call.params['code'] ?? ''),
  );
}
