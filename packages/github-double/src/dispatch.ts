// From a request to an answer: finds the route, asks what the caller may do, and carries it out.
import { blockedOr, canSee, permissionRefusal, reachRepository } from './access.ts';
import { type Answer, type ApiCaller, type Call, forbidden, notFound, type Route, refused } from './route.ts';
import { routes } from './routes/all.ts';
import type { GithubRepository } from './state.ts';

interface RouteMatcher {
  readonly route: Route;
  readonly pattern: RegExp;
}

const matchers: readonly RouteMatcher[] = routes.map((route) => ({ route, pattern: patternOf(route.path) }));

/** The last part takes slashes where it is a path or a ref. */
function patternOf(path: string): RegExp {
  const inner = path
    .replace(/[.]/g, '\\.')
    .replace(/\{(path|ref|basehead)\}$/, '(?<$1>.*)')
    .replace(/\{(\w+)\}/g, '(?<$1>[^/]+)');
  return new RegExp(`^${inner}$`);
}

export interface Found {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** The route of a request; null where the double does not know it. `/repositories/{id}/…` is the same as `/repos/{owner}/{repo}/…`. */
export function findRoute(method: string, path: string): Found | null {
  const numbered = /^\/repositories\/(\d+)(.*)$/.exec(path);
  const wanted = numbered === null ? path : `/repos/${numbered[1]}/-${numbered[2]}`;
  for (const { route, pattern } of matchers) {
    const match = route.method === method ? pattern.exec(wanted) : null;
    if (match === null) continue;
    const params = Object.fromEntries(
      Object.entries(match.groups ?? {}).map(([name, value]) => [name, decodeParameter(value)]),
    );
    return { route, params: numbered === null ? params : { ...params, repository_id: numbered[1] ?? '' } };
  }
  return null;
}

function decodeParameter(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** Carries the request out, or refuses it as GitHub would. */
export async function carryOut({ route }: Found, call: Call): Promise<Answer> {
  if (route.of === 'app' && call.caller.kind !== 'app') return refused(401, 'A JSON web token could not be decoded');
  if (route.of === 'client' && call.caller.kind !== 'client') return refused(401, 'Requires authentication');
  if (route.of === 'installation' && call.caller.kind !== 'installation') return forbidden();
  if (route.of !== 'repository') return route.answer(call);
  const repository = reach(call.caller, call);
  if ('status' in repository) return repository;
  const refusal = permissionRefusal(call.state, call.caller, repository, { method: call.method, needs: route.needs });
  return refusal ?? route.answer({ ...call, repository } as Call);
}

function reach(caller: ApiCaller, call: Call): GithubRepository | Answer {
  const { state, params } = call;
  if (params['repository_id'] === undefined) {
    const found = reachRepository(state, caller, `${params['owner']}/${params['repo']}`);
    return 'movedTo' in found ? redirect(call, found.movedTo) : found;
  }
  const found = state.repositories.get(Number(params['repository_id']));
  if (found === undefined) return notFound();
  // GitHub's redirects lead to addresses by repository number, where any token may read public repositories.
  const isPublic = call.method === 'GET' && !found.isPrivate;
  return isPublic || canSee(state, caller, found) ? blockedOr(found) : notFound();
}

/** To the same thing below the repository's number; a write keeps its method and body. */
function redirect({ method, path, state, url }: Call, to: GithubRepository): Answer {
  const rest = path.split('/').slice(4).join('/');
  const location = `${state.urls.api}/repositories/${to.id}${rest === '' ? '' : `/${rest}`}${url.search}`;
  const isRead = method === 'GET' || method === 'HEAD';
  const body = { message: isRead ? 'Moved Permanently' : 'Temporary Redirect', url: location };
  return { status: isRead ? 301 : 307, headers: { location }, body };
}
