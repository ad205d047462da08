// fetch as GitHub needs it: answers read to their end, and redirects that never turn a write into something else.

/** A renamed repository answers with one of these; both mean the same request again. */
const SAME_REQUEST = [307, 308];

/**
 * Fails where the body breaks off, which Octokit would take for an empty text. Reading follows every redirect (fetch leaves the token
 * behind when the host changes); a write follows only those of the same host that mean the same request, else the redirect is the answer.
 */
export function wholeAnswers(get: typeof fetch): typeof fetch {
  return async (input, init = {}) => whole(await followed(get, String(input), init));
}

/** The same for a caller that reads the body itself. */
export function openAnswers(get: typeof fetch): typeof fetch {
  return (input, init = {}) => followed(get, String(input), init);
}

async function followed(get: typeof fetch, url: string, init: RequestInit): Promise<Response> {
  if (init.redirect !== undefined) return get(url, init);
  if (init.method === 'GET' || init.method === 'HEAD') return get(url, { ...init, redirect: 'follow' });
  const response = await get(url, { ...init, redirect: 'manual' });
  if (!SAME_REQUEST.includes(response.status)) return response;
  const next = new URL(response.headers.get('location') ?? '', url);
  if (next.origin !== new URL(url).origin) return response;
  await response.body?.cancel();
  return get(next, { ...init, redirect: 'manual' });
}

async function whole(response: Response): Promise<Response> {
  const { status, statusText, headers, url } = response;
  const bytes = await response.arrayBuffer();
  const copy = new Response(response.body === null ? null : bytes, { status, statusText, headers });
  Object.defineProperty(copy, 'url', { value: url });
  return copy;
}
