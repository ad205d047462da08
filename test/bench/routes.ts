// What was asked of the API, counted by method and class of route.
import type { Seen } from './bench-stage.ts';

export function callsIn(seen: readonly Seen[]): ReadonlyMap<string, number> {
  const calls = new Map<string, number>();
  for (const one of seen) calls.set(routeOf(one), (calls.get(routeOf(one)) ?? 0) + 1);
  return calls;
}

/** Without what names one repository, issue, commit, branch or check. */
function routeOf({ method, path }: Seen): string {
  const route = path
    .replace(/^\/repos\/[^/]+\/[^/]+/, '…')
    .replace(/\/collaborators\/[^/]+/, '/collaborators/{login}')
    .replace(/\/(issues|installations|pulls|comments|check-runs|check-suites|jobs|runs|reviews)\/\d+/g, '/$1/{n}')
    .replace(/\/contents\/.*/, '/contents/{path}')
    .replace(/\/compare\/.*/, '/compare/{range}')
    .replace(/\/[0-9a-f]{40}/g, '/{sha}')
    .replace(/\/(ref|matching-refs)\/heads.*/, '/$1/heads/{branch}')
    .replace(/\/branches\/.*/, '/branches/{branch}');
  return `${method} ${route}`;
}
