// Signing in with GitHub: out with a state and a challenge, back with a code, tied to one browser and good once.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Context, Handler } from 'hono';
import { type GithubSignIn, SignInRefused } from '../../core/account.ts';
import { CausewayError } from '../../core/errors.ts';
import type { Person } from '../../core/thread.ts';
import { cookieOf, giveCookie, takeCookie } from '../cookies.ts';
import { requireOwnPage } from '../form-token.ts';
import { readStrangersForm } from '../read-form.ts';
import { refuseAbsentPage, WebRefusal } from '../refusal.ts';
import { safeReturnPath } from '../return-path.ts';
import { beginSession, hashOf } from '../signed-in.ts';
import type { WebDeps, WebEnv } from '../web-deps.ts';
import type { Threshold } from './threshold.ts';

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
export function beginWithGithub(deps: WebDeps, threshold: Threshold): Handler<WebEnv> {
  return async (c) => {
    requireOwnPage(c.req.raw, deps.baseUrl());
    const signIn = githubOf(deps);
    threshold.countForm();
    const form = await readStrangersForm(c);
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
export function endWithGithub(deps: WebDeps, threshold: Threshold): Handler<WebEnv> {
  return async (c) => {
    const signIn = githubOf(deps);
    const underWay = ownWayBack(c, deps);
    threshold.countWayBack();
    // Before it counts as used: who is told to wait comes with the same way back.
    const person = await threshold.exchange(async () => {
      await useUp(c, deps, underWay);
      return personOf(c, deps, { signIn, underWay });
    });
    const account = await deps.store.ensureAccount({
      ...{ login: person.login, githubId: person.id },
      ...{ signingSecret: deps.newSigningSecret(), now: deps.now().toISOString() },
    });
    await beginSession(c, deps, account);
    return c.redirect(underWay.returnPath, 303);
  };
}

function githubOf({ entrance }: WebDeps): GithubSignIn {
  return (entrance.kind === 'github' ? entrance.signIn : null) ?? refuseAbsentPage();
}

function redirectUri({ baseUrl }: WebDeps): string {
  return `${baseUrl()}/account/callback`;
}

/** What this browser began, if the state is its own and not too old; nothing is asked of GitHub or the store else. */
function ownWayBack(c: Context<WebEnv>, deps: WebDeps): UnderWay {
  const underWay = opened(deps, cookieOf(c, deps, 'sign_in'));
  const isOwn = underWay !== null && isEqual(c.req.query('state') ?? '', underWay.state);
  if (isOwn && underWay.until >= deps.now().getTime()) return underWay;
  takeCookie(c, deps, 'sign_in');
  throw new WebRefusal(400, AGAIN);
}

async function useUp(c: Context<WebEnv>, deps: WebDeps, { state, until }: UnderWay): Promise<void> {
  takeCookie(c, deps, 'sign_in');
  const times = { expiresAt: new Date(until).toISOString(), now: deps.now().toISOString() };
  if (!(await deps.store.useOnce(hashOf(state), times))) throw new WebRefusal(400, AGAIN);
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

/** What GitHub refuses or cannot tell is said as it is: those words are ours, and name what the operator has to mend. */
async function personOf(
  c: Context<WebEnv>,
  deps: WebDeps,
  { signIn, underWay }: { readonly signIn: GithubSignIn; readonly underWay: UnderWay },
): Promise<Person> {
  const answer = { code: codeOf(c), verifier: underWay.verifier, redirectUri: redirectUri(deps) };
  try {
    return await signIn.person(answer, AbortSignal.any([c.req.raw.signal, c.env.stopping]));
  } catch (error) {
    if (error instanceof SignInRefused) throw new WebRefusal(error.kind === 'person' ? 403 : 400, error.message);
    if (!(error instanceof CausewayError) || error.code !== 'github_failed') throw error;
    deps.log.warn({ err: error, requestId: c.get('requestId') }, 'GitHub let nobody sign in');
    throw new WebRefusal(503, error.message);
  }
}

function codeOf(c: Context<WebEnv>): string {
  const { code = '', error } = c.req.query();
  if (error !== undefined) throw refusedThere(error);
  if (code === '' || code.length > 200) throw new WebRefusal(400, AGAIN);
  return code;
}

/** GitHub sent the browser back without a code. */
function refusedThere(error: string): WebRefusal {
  if (error === 'access_denied')
    return new WebRefusal(403, 'You did not let Causeway know who you are, so nobody signed in.');
  const named = /^[a-z_]{1,60}$/.test(error) ? ` (${error})` : '';
  const words = `GitHub ended the sign-in without saying who you are${named}, so nobody signed in. Begin again. If it stays so, the operator should compare the page of the App on GitHub with GITHUB_CLIENT_ID and PUBLIC_URL.`;
  return new WebRefusal(400, words);
}
