// The code with which a browser came back from GitHub, exchanged for the person's token, once.
import { z } from 'zod';
import { SignInRefused } from '../../core/account.ts';
import { CausewayError } from '../../core/errors.ts';
import { registerSecret } from '../../log.ts';
import { type AskWays, askGithub, noUse, oddity } from './ask-github.ts';

export interface ExchangeOptions {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Base address for people, such as https://github.com, without a slash at its end. */
  readonly webUrl: string;
  readonly userAgent: string;
}

/** As the browser and the start of the sign-in gave it. */
interface SignInAnswer {
  readonly code: string;
  readonly verifier: string;
  readonly redirectUri: string;
}

const MOST_BYTES = 64 * 1024;
/** GitHub lets the token live for 8 hours. The one for renewing it lives longer, but is in nobody's hands once the answer is read. */
const LASTS_MS = 8 * 60 * 60_000;

const Refusal = z.object({ error: z.string() });
/** What may stand in a header. */
const Token = z.object({ access_token: z.string().regex(/^[\x21-\x7e]{8,512}$/) });

/** Throws SignInRefused where GitHub does not take the code, and `github_failed` with the repair for everything else. */
export async function exchangeCode(options: ExchangeOptions, answer: SignInAnswer, ways: AskWays): Promise<string> {
  const { clientId, clientSecret, webUrl, userAgent } = options;
  const form = new URLSearchParams({
    client_id: clientId,
    client_secret: clientSecret,
    code: answer.code,
    redirect_uri: answer.redirectUri,
    code_verifier: answer.verifier,
  });
  const got = await askGithub(
    {
      url: `${webUrl}/login/oauth/access_token`,
      method: 'POST',
      route: '/login/oauth/access_token',
      headers: {
        accept: 'application/json',
        'content-type': 'application/x-www-form-urlencoded',
        'user-agent': userAgent,
      },
      body: form.toString(),
      maxBytes: MOST_BYTES,
    },
    ways,
  );
  if (got.kind === 'unanswered') throw noUse(got.why, 'GHE_HOST');
  registerTokens(got.data);
  const refusal = Refusal.safeParse(got.data);
  if (refusal.success && got.status < 500) throw refused(refusal.data.error, answer.redirectUri);
  const token = Token.safeParse(got.data);
  if (got.status !== 200 || !token.success) throw noUse(oddity(got), 'GHE_HOST');
  return token.data.access_token;
}

/** Before anything is made of the answer: whatever becomes of it, these are shown nowhere. */
function registerTokens(data: unknown): void {
  if (typeof data !== 'object' || data === null) return;
  for (const name of ['access_token', 'refresh_token']) {
    const value: unknown = Reflect.get(data, name);
    if (typeof value === 'string') registerSecret(value, LASTS_MS);
  }
}

/** GitHub says by name what it refuses; its own words are for nobody here. */
function refused(error: string, redirectUri: string): CausewayError {
  switch (error) {
    case 'bad_verification_code':
    case 'invalid_grant':
      return new SignInRefused('code', 'The sign-in took too long or was used before: begin again.');
    case 'unverified_user_email':
      return new SignInRefused(
        'person',
        'GitHub wants your e-mail address verified first: do that in its settings, then begin again.',
      );
    case 'incorrect_client_credentials':
    case 'Not Found':
      return new CausewayError(
        'github_failed',
        'GitHub does not know this service by its credentials: the operator should set GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET to those that stand on the page of the App on GitHub.',
      );
    case 'redirect_uri_mismatch':
      return new CausewayError(
        'github_failed',
        `GitHub does not send people back to ${redirectUri}: the operator should add it as a "Callback URL" on the page of the App on GitHub, or mend PUBLIC_URL.`,
      );
    default:
      return new CausewayError(
        'github_failed',
        'GitHub refused the sign-in for a reason that is not known here: begin again. If it stays so, the operator should compare the page of the App on GitHub with GITHUB_CLIENT_ID and PUBLIC_URL.',
      );
  }
}
