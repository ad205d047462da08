// Records what GitHub answers: operation, status, the headers that matter and the types of the body's fields. No text of an answer is kept.
import { findOperation } from 'causeway-github-double';
import { parse } from 'graphql';
import { type Shape, shapeOf } from './shape.ts';

export interface RecordedAnswer {
  /** Milliseconds since 1970, by the clock of this machine. */
  readonly at: number;
  readonly by: Actor;
  /** As GitHub's description names it, such as `issues/create-comment`, or `graphql addReaction`. */
  readonly operation: string;
  readonly status: number;
  /** Null where only its presence says something. */
  readonly headers: Readonly<Record<string, string | null>>;
  /** Null: no JSON. */
  readonly shape: Shape | null;
}

/** Who asked: a token of the App and one of a person are answered with different headers. */
export type Actor = 'Causeway' | 'person' | 'App';

/** What Causeway and Octokit read, and what says by which rules GitHub answers; others are of its network. */
const BY_PRESENCE = [
  'etag',
  'link',
  'location',
  'retry-after',
  'x-github-request-id',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-ratelimit-used',
];
const BY_VALUE = ['content-type', 'x-github-media-type', 'x-ratelimit-resource'];
/** Says what a token of an App must be permitted; the classic token of a person is answered without it. */
const OF_APPS = 'x-accepted-github-permissions';

/** A fetch that hands what is answered by the API at that address to `record`; everything else passes unseen. */
export function recordingFetch(
  send: typeof fetch,
  {
    apiUrl,
    by,
    record,
  }: { readonly apiUrl: string; readonly by: Actor; readonly record: (one: RecordedAnswer) => void },
): typeof fetch {
  return async (input, init) => {
    const request = input instanceof Request ? input : null;
    const url = request?.url ?? String(input);
    const path = apiPath(apiUrl, url);
    if (path === null) return send(input, init);
    const method = init?.method ?? request?.method ?? 'GET';
    const asked = typeof init?.body === 'string' ? init.body : ((await request?.clone().text()) ?? '');
    const answer = await send(input, init);
    const operation = nameOperation(method.toUpperCase(), path, asked);
    const text = answer.redirected || !isJson(answer) ? null : await answer.clone().text();
    record({ at: Date.now(), by, operation, ...describeAnswer(answer, text, by) });
    return answer;
  };
}

/** Below the API's address, without query; null: another address. */
function apiPath(apiUrl: string, url: string): string | null {
  const { origin, pathname } = new URL(url);
  // GitHub Enterprise has REST below /api/v3 and GraphQL at /api/graphql.
  if (`${origin}${pathname}` === `${apiUrl.replace(/\/v3$/, '')}/graphql`) return '/graphql';
  const base = new URL(apiUrl);
  const root = base.pathname.replace(/\/$/, '');
  return origin === base.origin && pathname.startsWith(`${root}/`) ? pathname.slice(root.length) : null;
}

function nameOperation(method: string, path: string, body: string): string {
  if (path === '/graphql') return `graphql ${nameQuery(body)}`;
  const found = findOperation(method, path);
  return found === null || found === 'other-method' ? `${method} ${path.split('/')[1]}` : found.operation.operationId;
}

/** The fields at its top, which are the same whatever the client calls them. */
function nameQuery(body: string): string {
  const { query }: { query: string } = JSON.parse(body);
  const fields = parse(query).definitions.flatMap((one) =>
    one.kind === 'OperationDefinition' ? one.selectionSet.selections : [],
  );
  return [...new Set(fields.flatMap((one) => (one.kind === 'Field' ? [one.name.value] : [])))].join(', ');
}

function isJson(answer: Response): boolean {
  return (answer.headers.get('content-type') ?? '').includes('json');
}

function describeAnswer(
  answer: Response,
  text: string | null,
  by: Actor,
): Pick<RecordedAnswer, 'status' | 'headers' | 'shape'> {
  // A redirect has been followed to a storage, whose answer is not GitHub's.
  if (answer.redirected) return { status: 302, headers: {}, shape: null };
  const valued = by === 'person' ? BY_VALUE : [...BY_VALUE, OF_APPS];
  const present = (name: string) => answer.headers.has(name);
  return {
    status: answer.status,
    headers: Object.fromEntries([
      ...BY_PRESENCE.filter(present).map((name) => [name, null]),
      ...valued.filter(present).map((name) => [name, answer.headers.get(name)]),
    ]),
    shape: text === null || text === '' ? null : shapeOf(JSON.parse(text)),
  };
}
