// Where a story is played: a GitHub, the App and the person that act there, and how each asks it.
import { createAppAuth } from '@octokit/auth-app';
import { type Actor, type RecordedAnswer, recordingFetch } from './record.ts';

export interface Ground {
  readonly apiUrl: string;
  readonly webUrl: string;
  /** `owner/name` of the sandbox. */
  readonly sandbox: string;
  readonly app: { readonly id: string; readonly privateKey: string };
  /** Of a person with write. */
  readonly token: string;
  /** Where Causeway listens on this machine. */
  readonly port: number;
  /** Where GitHub sends what happens: of smee.io, or Causeway's own. */
  readonly hookUrl: string;
  /** What Causeway is started with, credentials included. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

interface Asked {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: answers of many operations, each looked at where it is asked for.
  readonly body: any;
}

export interface Asking {
  /** As the person, the path below the API's address. Any status is given back. */
  person(line: string, body?: object): Promise<Asked>;
  /** As the App, with its own key. */
  app(line: string, body?: object): Promise<Asked>;
  /** With a token that is none of both. */
  withToken(token: string, line: string, body?: object): Promise<Asked>;
  /** As the person; throws where it is refused. */
  must(line: string, body?: object): Promise<Asked>;
}

/** Asks the GitHub of that ground and hands what it answers to `record`. */
export function askGround(
  { apiUrl, app, token }: Ground,
  record: (one: RecordedAnswer) => void,
  signal: AbortSignal,
): Asking {
  const authenticate = createAppAuth({ appId: app.id, privateKey: app.privateKey });
  const ask = async (by: Actor, credential: string, line: string, body?: object): Promise<Asked> => {
    const [method = 'GET', path = ''] = line.split(' ');
    const send = recordingFetch(fetch, { apiUrl, by, record });
    const answer = await send(`${apiUrl}${path}`, {
      method,
      headers: {
        accept: 'application/vnd.github+json',
        'content-type': 'application/json',
        'user-agent': 'causeway-try-github',
        'x-github-api-version': '2022-11-28',
        authorization: `Bearer ${credential}`,
      },
      signal: AbortSignal.any([signal, AbortSignal.timeout(30_000)]),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const isJson = (answer.headers.get('content-type') ?? '').includes('json') && text !== '';
    return { status: answer.status, headers: answer.headers, body: isJson ? JSON.parse(text) : null };
  };
  const person = (line: string, body?: object) => ask('person', token, line, body);
  return {
    person,
    app: async (line, body) => ask('App', (await authenticate({ type: 'app' })).token, line, body),
    withToken: (other, line, body) => ask('App', other, line, body),
    must: async (line, body) => {
      const answer = await person(line, body);
      if (answer.status >= 400) throw new Error(`GitHub answered ${answer.status} to ${line}: ${answer.body?.message}`);
      return answer;
    },
  };
}
