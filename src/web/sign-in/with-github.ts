// Signing in with GitHub: out with a state and a challenge, back with a code, tied to one browser and good once.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Context, Handler } from 'hono';
import { type GithubSignIn, SignInRefused } from '../../ports/sign-in.ts';
import { cookieOf, giveCookie, takeCookie } from '../cookies.ts';
import { requireOwnPage } from '../form-token.ts';
import { readAnyForm } from '../read-form.ts';
import { refuseAbsentPage, WebRefusal } from '../refusal.ts';
import { safeReturnPath } from '../return-path.ts';
import { beginSession, hashOf } from '../signed-in.ts';
import type { WebDeps, WebEnv } from '../web-deps.ts';

/** What the browser keeps, sealed, while it is at GitHub. */
interface UnderWay {
  readonly state: string;
  readonly verifier: string;
  readonly returnPath: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

const PURPOSE = 'sign-in';
const LASTS_MS = 10 * 60_000;
const AGAIN =
  'This sign-in is over: it was begun elsewhere, took longer than 10 minutes, or was used before. Begin again.';

/** POST /sign-in */
export function beginWithGithub(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    requireOwnPage(c.req.raw, deps.baseUrl());
    const signIn = githubOf(deps);
    const form = await readAnyForm(c);
    const underWay: UnderWay = {
      state: randomBytes(32).toString('base64url'),
      verifier: randomBytes(32).toString('base64url'),
      returnPath: safeReturnPath(form.text('return')),
      until: deps.now().getTime() + LASTS_MS,
    };
    giveCookie(c, deps, 'sign_in', deps.seal.seal(JSON.stringify(underWay), PURPOSE));
    const challenge = createHash('sha256').update(underWay.verifier).digest('base64url');
    return c.redirect(signIn.address({ state: underWay.state, challenge, redirectUri: redirectUri(deps) }), 303);
  };
}

/** GET /account/callback: what GitHub sends the browser back to. */
export function endWithGithub(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    const signIn = githubOf(deps);
    const { verifier, returnPath } = await usedOnce(c, deps);
    const { code = '', error } = c.req.query();
    if (error === 'access_denied')
      throw new WebRefusal(403, 'You did not let Causeway know who you are, so nobody signed in.');
    if (code === '' || code.length > 200) throw new WebRefusal(400, AGAIN);
    const signal = AbortSignal.any([c.req.raw.signal, c.env.stopping]);
    const person = await personOf(signIn, { code, verifier, redirectUri: redirectUri(deps) }, signal);
    const account = await deps.store.ensureAccount({
      ...{ login: person.login, githubId: person.id },
      ...{ signingSecret: deps.newSigningSecret(), now: deps.now().toISOString() },
    });
    await beginSession(c, deps, account);
    return c.redirect(returnPath, 303);
  };
}

function githubOf({ entrance }: WebDeps): GithubSignIn {
  return (entrance.kind === 'github' ? entrance.signIn : null) ?? refuseAbsentPage();
}

function redirectUri({ baseUrl }: WebDeps): string {
  return `${baseUrl()}/account/callback`;
}

/** What this browser began, if the state is its own, not too old, and was not used before; nothing is asked of GitHub else. */
async function usedOnce(c: Context<WebEnv>, deps: WebDeps): Promise<UnderWay> {
  const underWay = opened(deps, cookieOf(c, deps, 'sign_in'));
  takeCookie(c, deps, 'sign_in');
  const now = deps.now();
  if (underWay === null || underWay.until < now.getTime()) throw new WebRefusal(400, AGAIN);
  if (!isEqual(c.req.query('state') ?? '', underWay.state)) throw new WebRefusal(400, AGAIN);
  const times = { expiresAt: new Date(underWay.until).toISOString(), now: now.toISOString() };
  if (!(await deps.store.useOnce(hashOf(underWay.state), times))) throw new WebRefusal(400, AGAIN);
  return underWay;
}

/** Only we write what the seal opens; null where it does not. */
function opened({ seal }: WebDeps, cookie: string): UnderWay | null {
  if (cookie === '') return null;
  try {
    return JSON.parse(seal.open(cookie, PURPOSE)) as UnderWay;
  } catch {
    return null;
  }
}

function isEqual(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

async function personOf(signIn: GithubSignIn, answer: Parameters<GithubSignIn['person']>[0], signal: AbortSignal) {
  try {
    return await signIn.person(answer, signal);
  } catch (error) {
    if (error instanceof SignInRefused) throw new WebRefusal(error.kind === 'person' ? 403 : 400, error.message);
    throw error;
  }
}
