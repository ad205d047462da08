// Makes the GitHub App of this service: its manifest, the exchange of GitHub's code for the credentials, and its pages.

import { createPrivateKey } from 'node:crypto';
import { parse } from 'yaml';
import { z } from 'zod';
import { CausewayError } from '../../core/errors.ts';
import {
  createPersonalClient,
  type GithubClients,
  type GithubOptions,
  sendUnwatched,
  type WatchCall,
} from '../clients/index.ts';

/** `fix`: may commit and open pull requests. `comment`: reads contents, and comments. */
export const INSTALL_KINDS = ['fix', 'comment'] as const;

export type InstallKind = (typeof INSTALL_KINDS)[number];

const AppFile = z.object({
  name: z.string(),
  description: z.string(),
  default_permissions: z.record(z.string(), z.enum(['read', 'write'])),
  default_events: z.array(z.string()),
});

interface ManifestOptions {
  /** Text of app.yml. */
  readonly appFile: string;
  /** GitHub's names are taken once over the whole site. */
  readonly name: string;
  readonly kind: InstallKind;
  /** Where GitHub reaches this service, without a slash at its end. */
  readonly publicUrl: string;
  /** Where GitHub sends the browser once the App is made. */
  readonly redirectUrl: string;
}

/** As GitHub's page "new App" takes it in the form field `manifest`. */
export function buildManifest({ appFile, name, kind, publicUrl, redirectUrl }: ManifestOptions) {
  const { permissions, events } = wantedOfApp(appFile, kind);
  return {
    name,
    description: readAppFile(appFile).description,
    // Where those who meet the App can read about it: this service has no page of that name on GitHub.
    url: publicUrl,
    public: false,
    hook_attributes: { url: `${publicUrl}/api/github/webhooks`, active: true },
    redirect_url: redirectUrl,
    setup_url: `${publicUrl}/`,
    callback_urls: [`${publicUrl}/account/callback`],
    request_oauth_on_install: false,
    default_permissions: permissions,
    default_events: events,
  };
}

/** What the App needs by app.yml; for comments nothing but reading, no commit and no pull request of its own. */
export function wantedOfApp(appFile: string, kind: InstallKind) {
  const { default_permissions: all, default_events: events } = readAppFile(appFile);
  return { permissions: kind === 'fix' ? all : { ...all, contents: 'read', pull_requests: 'read' }, events };
}

/** Of the text of app.yml. */
export function readAppFile(text: string): z.infer<typeof AppFile> {
  return AppFile.parse(parse(text));
}

/** Credentials and names of a new App. */
export interface MadeApp {
  readonly appId: number;
  readonly slug: string;
  /** PEM (PKCS #8). */
  readonly privateKey: string;
  readonly webhookSecret: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Its page on GitHub. */
  readonly pageUrl: string;
  readonly owner: string;
}

/** Where GitHub is. */
export interface ExchangeGithub extends Omit<GithubOptions, 'token'> {
  /** Counts calls for the metrics. */
  readonly watch?: WatchCall;
}

const CONVERSION = 'POST /app-manifests/{code}/conversions';

const Conversion = z.object({
  id: z.int().positive(),
  slug: z.string().regex(/^[A-Za-z0-9._-]+$/),
  pem: z.string(),
  webhook_secret: z.string().min(32),
  client_id: z.string(),
  client_secret: z.string(),
  owner: z.object({ login: z.string() }).nullable().optional(),
});

/**
 * Throws CausewayError where GitHub does not exchange the code (it holds for an hour, and once) or answers something
 * else.
 */
export async function exchangeCode(code: string, github: ExchangeGithub, signal: AbortSignal): Promise<MadeApp> {
  const { watch = sendUnwatched, ...options } = github;
  const { octokit, call } = createPersonalClient({ ...options, token: null });
  const data = await call('the new App', signal, (deadline) =>
    watch({ route: CONVERSION, holder: 'nobody' }, () =>
      octokit.request(CONVERSION, { code, request: { signal: deadline } }),
    ),
  );
  const parsed = Conversion.safeParse(data);
  if (!parsed.success) throw misfit();
  const made = parsed.data;
  return {
    appId: made.id,
    slug: made.slug,
    privateKey: pkcs8(made.pem),
    webhookSecret: made.webhook_secret,
    clientId: made.client_id,
    clientSecret: made.client_secret,
    // Built from parts that were checked: an address from outside is not shown.
    pageUrl: appPage(github.webUrl, made.slug),
    owner: made.owner?.login ?? '',
  };
}

/** The public page of an App; an Enterprise server has it elsewhere. */
export function appPage(webUrl: string, slug: string): string {
  return `${webUrl}/${webUrl === 'https://github.com' ? 'apps' : 'github-apps'}/${slug}`;
}

function pkcs8(pem: string): string {
  try {
    return createPrivateKey(pem).export({ type: 'pkcs8', format: 'pem' }).toString();
  } catch {
    throw misfit();
  }
}

function misfit(): CausewayError {
  return new CausewayError(
    'github_failed',
    'GitHub made the App, but its answer does not hold what is needed of it: check GHE_HOST.',
  );
}

/** A person waits, and the page is whole without the link. */
const PATIENCE_MS = 3_000;

/**
 * Asks GitHub which App this is only once it is called, and keeps the answer as the clients do. "" where GitHub does
 * not say so soon.
 */
export function createInstallPage(
  clients: Pick<GithubClients, 'identity'>,
  webUrl: string,
  patienceMs = PATIENCE_MS,
): (signal: AbortSignal) => Promise<string> {
  return async (signal) => {
    try {
      const { slug } = await clients.identity(AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]));
      return `${appPage(webUrl, slug)}/installations/new`;
    } catch {
      // Readiness says how GitHub answers; the page works without the link.
      return '';
    }
  };
}
