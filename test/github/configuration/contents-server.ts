// GitHub's contents endpoint over real HTTP: files by repository, with ETags and the faults that a test asks for.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHolds } from '../../../src/core/holds.ts';
import type { GithubSource } from '../../../src/core/project/project.ts';
import { type GithubCaller, GithubFailure } from '../../../src/github/clients/github-clients.ts';
import { type Authenticate, createCaller, createOctokit } from '../../../src/github/clients/octokit.ts';

export interface ContentsServer extends AsyncDisposable {
  /** Bytes of `.github/causeway.yml` by `owner/name`. */
  readonly files: Map<string, Buffer | string>;
  /** Such as `octo/shop 200`, with the number of the repository whose token asked. */
  readonly requests: string[];
  /** Answered instead of the file, once. */
  fault: number | null;
  /** Runs while GitHub answers. */
  meanwhile: () => void;
  /** Tokens of this repository cannot be had. */
  noToken: number | null;
  repository(source: GithubSource): GithubCaller;
}

export async function contentsServer(now: () => Date): Promise<ContentsServer> {
  const server = createServer((request, response) => {
    const [, owner = '', repo = ''] =
      /^\/repos\/([^/]+)\/([^/]+)\/contents\/\.github%2Fcauseway\.yml$/.exec(request.url ?? '') ?? [];
    const name = `${owner}/${repo}`;
    const content = state.files.get(name);
    const etag = `"${createHash('sha1')
      .update(content ?? '')
      .digest('hex')}"`;
    const status = state.fault ?? (content === undefined ? 404 : request.headers['if-none-match'] === etag ? 304 : 200);
    state.fault = null;
    state.requests.push(`${name} ${status} ${request.headers.authorization}`);
    const bytes = Buffer.from(content ?? '');
    const found = { type: 'file', size: bytes.length, encoding: 'base64', content: bytes.toString('base64') };
    const body = status === 200 ? found : { message: status === 404 ? 'Not Found' : 'no' };
    state.meanwhile();
    response.writeHead(status, {
      'content-type': 'application/json; charset=utf-8',
      ...(status === 200 ? { etag } : {}),
    });
    response.end(status === 304 ? undefined : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const lifetime = new AbortController().signal;
  const options = {
    apiUrl,
    webUrl: apiUrl,
    userAgent: 'test',
    fetch,
    deadlineMs: 5_000,
    now,
    lifetime,
    holds: createHolds(now),
  };
  const state: ContentsServer = {
    files: new Map(),
    requests: [],
    fault: null,
    meanwhile: () => undefined,
    noToken: null,
    repository: ({ repositoryId }) => {
      const hook: Authenticate = async (send, request) => {
        if (state.noToken !== repositoryId) {
          return send({ ...request, headers: { ...request.headers, authorization: `token ${repositoryId}` } });
        }
        throw new GithubFailure(
          { kind: 'gone', status: 404, retryAt: null },
          'The App is not installed there any more.',
        );
      };
      const octokit = createOctokit(options, { as: 'installation', holder: 'installation 1', hook });
      return createCaller(octokit, lifetime);
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return state;
}
