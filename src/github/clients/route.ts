// What a request asks for, as it is written down, and which of GitHub's counts it falls under.
import type { Resource } from './patience.ts';

interface Addressed {
  readonly method: string;
  readonly url: string;
}

/** Such as `GET /repos/{owner}/{repo}`: nothing of what was put in, and no query. */
export function routeOf({ method, url }: Addressed, apiUrl: string): string {
  const path = url.startsWith(apiUrl) ? url.slice(apiUrl.length) : url.replace(/^https?:\/\/[^/]*/, '');
  return `${method} ${path.split(/[?#{]\?|[?#]/)[0]}`;
}

export function resourceOf(request: Addressed, apiUrl: string): Resource {
  if (request.url.endsWith('/graphql')) return 'graphql';
  return /^\S+ \/search\//.test(routeOf(request, apiUrl)) ? 'search' : 'core';
}
