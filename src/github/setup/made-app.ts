// The App that GitHub made from the manifest: the code of its redirect is exchanged, once, for the credentials.
import { createPrivateKey } from 'node:crypto';
import { z } from 'zod';
import { CausewayError } from '../../core/errors.ts';
import { sendUnwatched, type WatchCall } from '../clients/github-clients.ts';
import { createGithubClient, type GithubOptions } from '../github-client.ts';

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
  /** Absent: nobody looks. */
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

/** Throws CausewayError where GitHub does not exchange the code (it holds for an hour, and once) or answers something else. */
export async function exchangeCode(code: string, github: ExchangeGithub, signal: AbortSignal): Promise<MadeApp> {
  const { watch = sendUnwatched, ...options } = github;
  const { octokit, call } = createGithubClient({ ...options, token: null });
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
    // Built from parts that were checked: an address from outside is shown to nobody.
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
