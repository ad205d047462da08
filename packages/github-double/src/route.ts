// How a route of the double is written, and the answers that GitHub gives again and again.
import type { App, AppInstallation, AppPermissions, GithubAccount, GithubRepository, State, Token } from './state.ts';
import type { WebhookSender } from './webhooks/delivery.ts';

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, a text as it is; undefined: no body. */
  readonly body?: unknown;
}

/** Who calls. */
export type ApiCaller =
  | { readonly kind: 'none' }
  | { readonly kind: 'app'; readonly app: App }
  /** The App with the secret of its sign-in, which opens the calls about its own tokens of people alone. */
  | { readonly kind: 'client'; readonly app: App }
  | {
      readonly kind: 'installation';
      readonly app: App;
      readonly installation: AppInstallation;
      readonly token: Extract<Token, { kind: 'installation' }>;
    }
  | { readonly kind: 'user'; readonly account: GithubAccount; readonly app: App | null };

export interface Call {
  readonly state: State;
  readonly webhooks: WebhookSender;
  readonly caller: ApiCaller;
  readonly method: string;
  readonly url: URL;
  /** Without the base path. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  /** The body as JSON; an empty object where there is none. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
}

/** A call to something of a repository that the caller may reach. */
export interface RepositoryCall extends Call {
  readonly repository: GithubRepository;
}

/** One of these sets is enough; an empty list asks for no more than metadata. */
export type Needs = readonly AppPermissions[];

export interface Route {
  readonly method: string;
  /** As GitHub writes it: `/repos/{owner}/{repo}/contents/{path}`; a last `{path}` or `{ref}` takes slashes. */
  readonly path: string;
  readonly needs: Needs;
  readonly answer: (call: Call) => Answer | Promise<Answer>;
  readonly of: 'repository' | 'app' | 'client' | 'installation' | 'anybody';
}

type RouteHandler = (call: RepositoryCall) => Answer | Promise<Answer>;

/** A route below `/repos/{owner}/{repo}`, of which `path` is the rest. `needs`: one of the permissions is enough. */
export function ofRepository(request: string, needs: Needs, answer: RouteHandler): Route {
  const [method = '', path = ''] = request.split(' ');
  const handle = (call: Call) => answer(call as RepositoryCall);
  return { method, path: `/repos/{owner}/{repo}${path}`, needs, of: 'repository', answer: handle };
}

/** Hands on what the call names, or answers 404. */
export function withFound<T>(
  find: (call: RepositoryCall) => T | undefined,
  answer: (call: RepositoryCall, one: T) => Answer | Promise<Answer>,
): RouteHandler {
  return (call) => {
    const found = find(call);
    return found === undefined ? notFound() : answer(call, found);
  };
}

export function route(
  request: string,
  of: 'app' | 'client' | 'installation' | 'anybody',
  answer: Route['answer'],
): Route {
  const [method = '', path = ''] = request.split(' ');
  return { method, path, needs: [], of, answer };
}

export const ok = (body: unknown, status = 200): Answer => ({ status, body });
export const noContent = (): Answer => ({ status: 204 });
export const notFound = (): Answer => refused(404, 'Not Found');
export const forbidden = (): Answer => refused(403, 'Resource not accessible by integration');

export function refused(status: number, message: string, more: object = {}): Answer {
  return {
    status,
    body: { message, ...more, documentation_url: 'https://docs.github.com/rest', status: String(status) },
  };
}

interface FieldError {
  readonly resource: string;
  readonly field?: string;
  readonly code: string;
  readonly message?: string;
}

/** 422 in GitHub's form. */
export function unprocessable(...errors: readonly FieldError[]): Answer {
  return refused(422, 'Validation Failed', { errors });
}

/** One page of `all`, with GitHub's `Link` header; 30 a page, at most 100. */
export function paged<T>(
  call: Call,
  all: readonly T[],
  wrap: (page: readonly T[]) => unknown = (page) => page,
): Answer {
  const number = (name: string, fallback: number) => {
    const given = Number(call.url.searchParams.get(name) ?? fallback);
    return Number.isInteger(given) && given > 0 ? given : fallback;
  };
  const size = Math.min(number('per_page', 30), 100);
  const page = number('page', 1);
  const last = Math.max(1, Math.ceil(all.length / size));
  const link = (rel: string, to: number) => {
    const url = new URL(`${call.state.urls.api}${call.path}${call.url.search}`);
    url.searchParams.set('page', String(to));
    return `<${url}>; rel="${rel}"`;
  };
  const links = [
    ...(page > 1 ? [link('prev', page - 1)] : []),
    ...(page < last ? [link('next', page + 1), link('last', last)] : []),
    ...(page > 1 ? [link('first', 1)] : []),
  ];
  const body = wrap(all.slice((page - 1) * size, page * size));
  return { status: 200, body, ...(links.length > 0 ? { headers: { link: links.join(', ') } } : {}) };
}

/** The account that acts: the person, or the bot of the App. */
export function actorId(caller: ApiCaller): number {
  if (caller.kind === 'user') return caller.account.id;
  if (caller.kind === 'none') throw new Error('Nobody is signed in, and a route forgot to ask.');
  return caller.app.botId;
}

/** The App through which something is written. */
export function viaAppId(caller: ApiCaller): number | null {
  return caller.kind === 'installation' ? caller.app.id : null;
}

export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
