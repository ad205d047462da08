// Where somebody wanted to go who now looks for the link in the terminal: kept in the browser, sealed, until they come with it.
import type { Context } from 'hono';
import { cookieOf, giveCookie, takeCookie } from '../cookies.ts';
import { safeReturnPath } from '../return-path.ts';
import type { WebDeps, WebEnv } from '../web-deps.ts';

const PURPOSE = 'return';

/** For ten minutes, see the cookie. */
export function keepReturnPath(c: Context<WebEnv>, deps: WebDeps, path: string): void {
  giveCookie(c, deps, 'sign_in', deps.seal.seal(path, PURPOSE));
}

/** `/projects` where none was kept, or by somebody else. */
export function takeReturnPath(c: Context<WebEnv>, deps: WebDeps): string {
  const cookie = cookieOf(c, deps, 'sign_in');
  if (cookie === '') return safeReturnPath('');
  takeCookie(c, deps, 'sign_in');
  try {
    return safeReturnPath(deps.seal.open(cookie, PURPOSE));
  } catch {
    return safeReturnPath('');
  }
}
