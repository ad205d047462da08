// Pages of a list: a cursor names the last entry of the page before, `Link` says where the next page is.
import type { Context } from 'hono';
import type { ApiEnv } from './api-deps.ts';

/** base64url of the last entry's name or id; only we read it. */
function cursorAfter(position: string): string {
  return Buffer.from(position, 'utf8').toString('base64url');
}

export function positionOf(cursor: string): string {
  return Buffer.from(cursor, 'base64url').toString('utf8');
}

/** Says in `Link` where the next page is: the same query, after `position`. */
export function linkToNext(c: Context<ApiEnv>, baseUrl: string, position: string): void {
  const query = new URLSearchParams(c.req.query());
  query.set('cursor', cursorAfter(position));
  c.set('answerHeaders', { ...c.get('answerHeaders'), Link: `<${baseUrl}${c.req.path}?${query}>; rel="next"` });
}
