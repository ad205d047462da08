// The App's deliveries as GitHub lists them: every attempt, the newest first, page by page with a cursor.
import type { GithubCaller } from '../clients/github-clients.ts';

export interface Attempt {
  /** Of this attempt: only to be sent back, since Octokit makes a bigint of it where a float cannot hold it. */
  readonly id: number;
  /** X-GitHub-Delivery: the same for every attempt at one delivery. */
  readonly delivery: string;
  /** Milliseconds. */
  readonly at: number;
  readonly isDelivered: boolean;
}

/** Page by page, the newest first. Throws GithubFailure where one could not be read. */
export async function* listAttempts(app: GithubCaller, signal: AbortSignal): AsyncGenerator<readonly Attempt[]> {
  let cursor: string | null = null;
  do {
    const from: { cursor?: string } = cursor === null ? {} : { cursor };
    const { data, headers } = await app.call(
      (octokit, request) => octokit.rest.apps.listWebhookDeliveries({ per_page: 100, ...from, request }),
      signal,
    );
    yield data.map((listed) => ({
      id: listed.id,
      delivery: listed.guid,
      at: Date.parse(listed.delivered_at),
      isDelivered: listed.status_code >= 200 && listed.status_code < 300,
    }));
    const next = nextCursor(headers.link);
    // A page that leads to itself would have no end.
    cursor = next === cursor ? null : next;
  } while (cursor !== null);
}

function nextCursor(link: string | undefined): string | null {
  const address = /<([^<>]+)>;\s*rel="next"/.exec(link ?? '')?.[1] ?? '';
  return URL.canParse(address) ? new URL(address).searchParams.get('cursor') : null;
}
