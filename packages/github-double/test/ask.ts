// Asks the double as an App would, without a client library in between.

import { createSign } from 'node:crypto';
import type { App, AppInstallation, AppPermissions, GithubDouble } from 'causeway-github-double';

export interface Asked {
  readonly status: number;
  readonly headers: Headers;
  /** The answer as JSON; a text where it is none. */
  readonly body: unknown;
}

/** One call to the API, by its path below the API's address or by a whole address. */
export async function ask(
  github: GithubDouble,
  line: string,
  options: {
    readonly token?: string | undefined;
    readonly body?: unknown;
    readonly headers?: Record<string, string>;
    readonly signal?: AbortSignal;
  } = {},
): Promise<Asked> {
  const [method = 'GET', path = ''] = line.split(' ');
  const response = await fetch(path.startsWith('http') ? path : `${github.apiUrl}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      accept: 'application/vnd.github+json',
      ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
      ...options.headers,
    },
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
  });
  const text = await response.text();
  const isJson = (response.headers.get('content-type') ?? '').includes('json') && text !== '';
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

/** With which the App proves itself; `seconds` moves the moment at which it claims to have been made. */
export function appJwt(github: GithubDouble, app: App = github.app, seconds = 0): string {
  const now = Math.trunc(github.state.clock.now().getTime() / 1_000) + seconds;
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = `${part({ alg: 'RS256', typ: 'JWT' })}.${part({ iat: now - 30, exp: now + 540, iss: app.id })}`;
  return `${claims}.${createSign('RSA-SHA256').update(claims).sign(app.privateKey).toString('base64url')}`;
}

/** A token of that installation; without `scope` for everything that it has. */
export async function installationToken(
  github: GithubDouble,
  installation: AppInstallation,
  scope: { readonly repository_ids?: readonly number[]; readonly permissions?: AppPermissions } = {},
): Promise<string> {
  const line = `POST /app/installations/${installation.id}/access_tokens`;
  const answer = await ask(github, line, { token: appJwt(github), body: scope });
  if (answer.status !== 201) throw new Error(`No token: ${answer.status} ${JSON.stringify(answer.body)}`);
  return (answer.body as { token: string }).token;
}

/** A GraphQL call. */
export async function askGraphql(
  github: GithubDouble,
  token: string,
  query: string,
  variables: object = {},
): Promise<Asked> {
  return ask(github, 'POST /graphql', { token, body: { query, variables } });
}
