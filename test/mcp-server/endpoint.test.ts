// `/mcp` over HTTP with the official client, of the revision of 2026 and of that of 2025: who may what, and what ends a call.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningServer, startServer } from '../../src/api/server.ts';
import { READING_SCOPES } from '../../src/core/account/account.ts';
import { createLog } from '../../src/log.ts';
import { createMcpEndpoint } from '../../src/mcp-server/http.ts';
import { type ApiGround, apiGround } from '../api/api-ground.ts';
import { type GithubGround, githubGround } from '../api/github-ground.ts';
import { patience } from '../support/patience.ts';
import { dataOf, textOf } from './tool-data.ts';

const REVISIONS = ['auto', 'legacy'] as const;

let ground: ApiGround;
let github: GithubGround;
let server: RunningServer;
let stack: AsyncDisposableStack;

beforeEach(async () => {
  stack = new AsyncDisposableStack();
  ground = stack.use(await apiGround());
  github = await githubGround(ground);
  const endpoint = stack.use(
    createMcpEndpoint({
      api: ground.api.fetch,
      authenticate: ground.api.authenticate,
      baseUrl: () => server.address,
      version: '1.2.3',
      now: () => ground.clock.now,
      onFault: (error) => expect.unreachable(String(error)),
    }),
  );
  const log = createLog({ level: 'silent', destination: { write: () => undefined } });
  server = stack.use(
    await startServer({
      fetch: (request, stopping) => endpoint.fetch(request, stopping),
      host: '127.0.0.1',
      port: 0,
      loopbackOnly: false,
      log,
    }),
  );
});

afterEach(() => stack.disposeAsync());

async function openClient(token: string, mode: (typeof REVISIONS)[number] = 'auto'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const headers = { Authorization: `Bearer ${token}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', server.address), { requestInit: { headers } }),
  );
  stack.defer(() => client.close());
  return client;
}

const namesOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);

describe.each(REVISIONS)('a client that negotiates as %s', (mode) => {
  it('gets tools, resources and the prompt', async () => {
    const client = await openClient(ground.token, mode);
    expect(client.getServerVersion()).toMatchObject({ name: 'causeway', version: '1.2.3' });
    expect(await namesOf(client)).toContain('explain_check');
    // Else a client keeps a stream open to hear of changes that never come.
    expect(client.getServerCapabilities()?.tools).toEqual({ listChanged: false });
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'causeway://issues/{id}',
      'causeway://failures/{id}',
      'causeway://proofs/{id}',
    ]);
    const prompt = await client.getPrompt({
      name: 'fix_red_check',
      arguments: { pullRequest: '12', project: 'octo/shop' },
    });
    expect(JSON.stringify(prompt.messages)).toMatch(/pull request 12 of octo\/shop.*explain_check/);
  });

  it('follows an investigation to its issue, with progress', async () => {
    const client = await openClient(ground.token, mode);
    const project = ground.project.id;
    const { investigationId } = dataOf(
      await client.callTool({ name: 'analyse', arguments: { project, report: 'TypeError: x is undefined' } }),
    );
    const told: (string | undefined)[] = [];
    const waited = client.callTool(
      { name: 'get_investigation', arguments: { investigationId, wait: 60 } },
      { onprogress: ({ message }) => void told.push(message), signal: patience() },
    );
    await ground.following(1);
    const issueId = await ground.conclude(String(investigationId));
    expect(dataOf(await waited)).toMatchObject({ state: 'concluded', issueId });
    expect(told).toHaveLength(1);
    expect(dataOf(await client.callTool({ name: 'get_issue', arguments: { issueId } }))).toMatchObject({
      issueId,
      quoted: { rootCause: expect.any(String) },
    });
    const { contents } = await client.readResource({ uri: `causeway://issues/${issueId}` });
    expect(JSON.parse((contents[0] as { readonly text: string }).text)).toMatchObject({ id: issueId });
    const proof = await client.readResource({ uri: `causeway://proofs/${issueId}` });
    expect(JSON.stringify(proof.contents)).toContain('not_run');
  });

  it('is refused at once when its token is revoked between two calls', async () => {
    const token = await ground.newToken({ id: 'tok_gone' });
    const client = await openClient(token, mode);
    await client.callTool({ name: 'explain_check', arguments: { pullRequest: 1 } });
    await ground.store.revokeToken('tok_gone', ground.account.id, ground.clock.now.toISOString());
    await expect(client.callTool({ name: 'explain_check', arguments: { pullRequest: 1 } })).rejects.toThrow(
      /revoked|401|Unauthorized/,
    );
  });
});

it('frees what it held when the call is cancelled', async () => {
  const client = await openClient(ground.token);
  const investigationId = await ground.report();
  const cancelled = new AbortController();
  const waited = client.callTool(
    { name: 'get_investigation', arguments: { investigationId, wait: 60 } },
    { signal: cancelled.signal },
  );
  await ground.following(1);
  cancelled.abort();
  await expect(waited).rejects.toThrow();
  await ground.following(0);
});

it('offers no writing tool to a token that only reads, and does not carry one out', async () => {
  const client = await openClient(await ground.newToken({ scopes: READING_SCOPES }));
  expect(await namesOf(client)).not.toContain('analyse');
  expect(client.getInstructions()).toContain('only reads');
  const refused = await client
    .callTool({ name: 'analyse', arguments: { report: 'x' } })
    .catch((error: unknown) => error);
  expect(JSON.stringify(refused instanceof Error ? refused.message : refused)).toMatch(/not found|unknown/i);
  expect(await ground.store.listInvestigations({ limit: 10, projectIds: [ground.project.id] })).toEqual([]);
});

it('starts five investigations an hour for a token, and counts none that is refused', async () => {
  const client = await openClient(ground.token);
  const start = (report: string, project = ground.project.id) =>
    client.callTool({ name: 'analyse', arguments: { project, report } });
  expect((await start('refused', 'octo/none')).isError).toBe(true);
  for (let n = 0; n < 5; n += 1) expect((await start(`TypeError: ${n} is undefined`)).isError).not.toBe(true);
  const sixth = await start('TypeError: six is undefined');
  expect([sixth.isError, textOf(sixth)]).toEqual([
    true,
    expect.stringContaining('within the hour: the next one in 60 min'),
  ]);
  ground.clock.now = new Date(ground.clock.now.getTime() + 61 * 60_000);
  expect((await start('TypeError: seven is undefined')).isError).not.toBe(true);
});

it('names every fault of what was given, and what exists nowhere reads like what is hidden', async () => {
  github.setRole('none');
  const { issueId } = await github.conclude(github.hidden);
  const client = await openClient(github.token);
  const ask = async (name: string, args: Readonly<Record<string, unknown>>) => {
    const result = await client.callTool({ name, arguments: args });
    expect(result.isError).toBe(true);
    return textOf(result);
  };
  expect(await ask('explain_check', { project: 'octo/shown' })).toBe(
    'Give exactly one of pullRequest, sha, run and log.',
  );
  expect(await ask('explain_check', { project: 'octo/shown', log: ' ' })).toMatch(/^log: Is empty/);
  expect(await ask('analyse', { project: 'octo/shown', report: ' ' })).toMatch(/^report: Is empty/);
  for (const [name, text] of [
    ['explain_check', { log: 'TypeError: x' }],
    ['analyse', { report: 'TypeError: x' }],
  ] as const) {
    const hidden = await ask(name, { project: 'octo/hidden', ...text });
    expect(hidden).toBe('project: This token sees no project.');
    expect(hidden).toBe(await ask(name, { project: 'octo/never', ...text }));
  }
  const other = await openClient(ground.token);
  const unknown = await other.callTool({ name: 'analyse', arguments: { project: 'octo/never', report: 'x' } });
  expect(textOf(unknown)).toContain('project: Name one that you may see, such as ');
  expect(textOf(unknown)).toContain(ground.project.name);
  expect(await ask('get_issue', { issueId })).toBe(await ask('get_issue', { issueId: 'iss_00000000000000000000' }));
  expect(await ask('explain_check', { project: 'octo/hidden', pullRequest: 1 })).toBe(
    await ask('explain_check', { project: 'octo/never', pullRequest: 1 }),
  );
});

it('refuses what may not be read as such, not as a mistake of its own', async () => {
  const uri = 'causeway://issues/iss_00000000000000000000';
  const client = await openClient(ground.token);
  await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32602, data: { uri } });
  const narrow = await openClient(await ground.newToken({ scopes: ['projects:read'] }));
  await expect(narrow.readResource({ uri })).rejects.toMatchObject({
    code: -32600,
    message: expect.stringContaining('lacks the scope issues:read'),
  });
});

it('shows nothing of one account to another, 50 clients at a time', async () => {
  const { issueId } = await github.conclude(github.hidden);
  const mine = await github.conclude(github.shown);
  const tokens = Array.from({ length: 50 }, (_, at) => (at % 2 === 0 ? ground.token : github.token));
  github.setRole('triage');
  ground.roles.set(ground.account.id, 'none');
  const seen = await Promise.all(
    tokens.map(async (token) => {
      const client = await openClient(token);
      const results = await Promise.all(
        [issueId, mine.issueId].map((id) => client.callTool({ name: 'get_issue', arguments: { issueId: id } })),
      );
      return results.map(({ isError }) => isError !== true).join();
    }),
  );
  expect(new Set(seen.filter((_, at) => at % 2 === 0))).toEqual(new Set(['false,false']));
  expect(new Set(seen.filter((_, at) => at % 2 === 1))).toEqual(new Set(['true,true']));
});

describe('what is no call of a client', () => {
  const post = (
    headers: Readonly<Record<string, string>>,
    body: string = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
  ) =>
    fetch(new URL('/mcp', server.address), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
      body,
    });

  it('is refused: without a token, from another site, under another name, too large', async () => {
    const authorization = { Authorization: `Bearer ${ground.token}` };
    expect((await post({})).status).toBe(401);
    expect((await post({})).headers.get('WWW-Authenticate')).toBe('Bearer');
    expect((await post({ ...authorization, Origin: 'https://evil.example' })).status).toBe(403);
    expect((await post({ ...authorization, Origin: server.address })).status).toBe(200);
    expect((await post(authorization, `"${'x'.repeat(9 * 1024 * 1024)}"`)).status).toBe(413);
    expect((await fetch(new URL('/mcp', server.address), { headers: authorization })).status).toBe(405);
  });
});
