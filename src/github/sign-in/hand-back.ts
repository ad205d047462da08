// The person's token is handed back to GitHub as soon as it has answered: nobody can use it afterwards, we neither.
import type { Log } from '../../log.ts';
import { type AskWays, askGithub } from './ask-github.ts';

export interface HandBackOptions {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly apiUrl: string;
  readonly userAgent: string;
  readonly log: Log;
}

const MOST_BYTES = 64 * 1024;

/** Never throws: a token that GitHub does not take back ends by itself within 8 hours, and is kept nowhere. */
export async function handBack(
  options: HandBackOptions,
  token: string,
  ways: Pick<AskWays, 'fetch' | 'watch' | 'deadline'>,
): Promise<void> {
  const { clientId, clientSecret, apiUrl, userAgent, log } = options;
  const answer = await askGithub(
    {
      url: `${apiUrl}/applications/${encodeURIComponent(clientId)}/token`,
      method: 'DELETE',
      route: '/applications/{client_id}/token',
      headers: {
        accept: 'application/vnd.github+json',
        authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
        'content-type': 'application/json',
        'user-agent': userAgent,
        'x-github-api-version': '2022-11-28',
      },
      body: JSON.stringify({ access_token: token }),
      maxBytes: MOST_BYTES,
    },
    // Done to its end even where the person has left meanwhile.
    { ...ways, signal: new AbortController().signal },
  );
  // 404: it is none any more.
  if (answer.kind === 'answered' && (answer.status === 204 || answer.status === 404)) return;
  log.warn(
    { reason: answer.kind === 'answered' ? `status ${answer.status}` : answer.why },
    'GitHub did not take the token of a sign-in back; it ends by itself within 8 hours and is kept nowhere',
  );
}
