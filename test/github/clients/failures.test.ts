// What each way in which GitHub says no, or says nothing, means for the house: later, gone, refused or unsure.
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { GithubFailure } from '../../../src/github/clients/github-clients.ts';
import type { Route, Said } from './github-api.ts';
import { type Ground, NEVER, openGround, SHOP, tokenName } from './ground.ts';

const WRITE = 'POST /repos/*/*/issues/*/comments';
const QUERY = 'query($id: ID!) { node(id: $id) { id } }';

function read(ground: Ground, signal = NEVER) {
  return ground.clients
    .repository(SHOP, 'read')
    .call((octokit, request) => octokit.rest.repos.get({ owner: 'octo', repo: 'shop', request }), signal);
}

function write(ground: Ground) {
  return ground.clients.repository(SHOP, 'talk').call(
    (octokit, request) =>
      octokit.rest.issues.createComment({
        owner: 'octo',
        repo: 'shop',
        issue_number: 3,
        body: 'Secret words',
        request,
      }),
    NEVER,
  );
}

function ask(ground: Ground) {
  return ground.clients
    .repository(SHOP, 'push')
    .call((octokit, request) => octokit.graphql<unknown>(QUERY, { id: 'quoted input', request }), NEVER);
}

async function failureOf(work: Promise<unknown>): Promise<GithubFailure> {
  const failure = await work.then(
    () => null,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(GithubFailure);
  return failure as GithubFailure;
}

/** What came of a write that was answered so, and how often it was sent. */
async function written(route: Route): Promise<GithubFailure> {
  await using ground = await openGround({ [WRITE]: route });
  const failure = await failureOf(write(ground));
  expect(ground.api.calls()).toHaveLength(1);
  return failure;
}

function says(status: number, message: string, headers: Record<string, string> = {}): Said {
  return { status, headers, body: { message, documentation_url: 'https://docs.github.com/rest?x=1' } };
}

const COMMENTING = '"POST /repos/{owner}/{repo}/issues/{issue_number}/comments"';

it.each<readonly [string, Said | 'reset', Pick<GithubFailure, 'kind' | 'status'>, RegExp]>([
  ['a fault of its own', says(502, 'Server Error'), { kind: 'unsure', status: 502 }, /502/],
  ['a fault with Retry-After', says(503, 'Busy', { 'retry-after': '9' }), { kind: 'unsure', status: 503 }, /503/],
  ['a torn connection', 'reset', { kind: 'unsure', status: null }, /gave no answer/],
  [
    "a proxy's page as success",
    { status: 201, headers: { 'content-type': 'text/html' }, body: '<html>Sign in</html>' },
    { kind: 'unsure', status: 201 },
    /check GHE_HOST/,
  ],
  [
    "a proxy's page as refusal",
    { status: 404, headers: { 'content-type': 'text/html' }, body: '<html>No such page</html>' },
    { kind: 'unsure', status: 404 },
    /check GHE_HOST/,
  ],
  [
    'half a JSON',
    { status: 201, headers: { 'content-type': 'application/json' }, body: '{"id": 5, "bo' },
    { kind: 'unsure', status: 201 },
    /did not answer/,
  ],
  ['an empty body', { status: 201 }, { kind: 'unsure', status: 201 }, /did not answer/],
  [
    'a body that breaks off',
    {
      status: 201,
      headers: { 'content-type': 'application/json', 'content-length': '500' },
      body: '{"id":',
      isCut: true,
    },
    { kind: 'unsure', status: null },
    /gave no answer/,
  ],
  ['404', says(404, 'Not Found'), { kind: 'gone', status: 404 }, /deleted, or the App has lost access/],
  ['410', says(410, 'Issues are disabled'), { kind: 'gone', status: 410 }, /deleted or is switched off/],
  ['451', says(451, 'DMCA'), { kind: 'gone', status: 451 }, /legal reasons/],
  [
    'a suspended installation',
    says(403, 'This installation has been suspended'),
    { kind: 'gone', status: 403 },
    /unsuspend|suspended/,
  ],
  ['409', says(409, 'Conflict'), { kind: 'refused', status: 409 }, /conflicts/],
  ['422', says(422, 'Validation Failed'), { kind: 'refused', status: 422 }, /not valid/],
  ['an archived repository', says(403, 'Repository was archived'), { kind: 'refused', status: 403 }, /archived/],
  [
    'a permission that was not granted',
    says(403, 'Resource not accessible by integration', {
      'x-accepted-github-permissions': 'issues=write; pull_requests=write,contents=write',
      'x-ratelimit-remaining': '0',
    }),
    { kind: 'refused', status: 403 },
    /needs the permission issues: write, or pull_requests: write and contents: write/,
  ],
  [
    'a permission that GitHub does not name',
    says(403, 'Resource not accessible by integration'),
    { kind: 'refused', status: 403 },
    /Compare the App's permissions with app.yml/,
  ],
])('%s is told once, as what it means', async (_name, said, expected, message) => {
  const failure = await written(() => said);
  expect(failure).toMatchObject({ ...expected, retryAt: null, code: 'github_failed' });
  expect(failure.message).toMatch(message);
});

describe('limits', () => {
  /** Seconds from now until it may be asked again. */
  async function waits(said: (now: Date) => Said): Promise<number> {
    await using ground = await openGround({ [WRITE]: () => said(ground.clock.now) });
    const failure = await failureOf(write(ground));
    expect(failure.kind).toBe('busy');
    return ((failure.retryAt?.getTime() ?? 0) - ground.clock.now.getTime()) / 1_000;
  }

  function reset(now: Date, seconds: number): Record<string, string> {
    const at = Math.ceil(now.getTime() / 1_000) + seconds;
    return { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(at) };
  }

  it('of an hour that is used up end at their reset, however far', async () => {
    const seconds = await waits((now) => says(403, 'API rate limit exceeded', reset(now, 59 * 60)));
    expect(seconds).toBeGreaterThanOrEqual(59 * 60);
    expect(seconds).toBeLessThanOrEqual(59 * 60 + 1);
  });

  it('of the secondary kind end when GitHub says', async () => {
    const said = says(403, 'You have exceeded a secondary rate limit', { 'retry-after': '37' });
    expect(await waits(() => said)).toBe(37);
  });

  it('on the way to a token hold for the call', async () => {
    await using ground = await openGround({
      'POST /app/installations/*/access_tokens': () => says(429, 'Slow down', { 'retry-after': '70' }),
    });
    expect(await failureOf(write(ground))).toMatchObject({ kind: 'busy', status: 429 });
    expect(ground.api.calls()).toEqual([]);
  });
});

describe('GraphQL, whose refusals look like success', () => {
  it.each<readonly [string, Record<string, unknown>, Pick<GithubFailure, 'kind'>]>([
    ['FORBIDDEN', { type: 'FORBIDDEN' }, { kind: 'refused' }],
    ['NOT_FOUND', { type: 'NOT_FOUND' }, { kind: 'gone' }],
    ['STALE_DATA', { type: 'STALE_DATA' }, { kind: 'refused' }],
    ['UNPROCESSABLE', { type: 'UNPROCESSABLE' }, { kind: 'refused' }],
    ['RATE_LIMITED', { type: 'RATE_LIMITED' }, { kind: 'busy' }],
    ['a field that does not exist', { extensions: { code: 'undefinedField' } }, { kind: 'refused' }],
    ['a timeout of its own', {}, { kind: 'unsure' }],
  ])('%s', async (_name, error, expected) => {
    const body = { data: null, errors: [{ ...error, message: 'It quotes quoted input.' }] };
    await using ground = await openGround({ 'POST /graphql': () => ({ body }) });
    const failure = await failureOf(ask(ground));
    expect(failure).toMatchObject({ ...expected, status: 200, said: 'It quotes quoted input.' });
    expect(failure.message).not.toContain('quoted input');
  });
});

describe('tokens', () => {
  it.each<readonly [string, Said, string, RegExp]>([
    [
      'an App whose key was deleted',
      says(401, 'A JSON web token could not be decoded'),
      'busy',
      /APP_ID and PRIVATE_KEY/,
    ],
    ['an installation that is suspended', says(403, 'This installation has been suspended'), 'gone', /suspended/],
    ['an installation that is no more', says(404, 'Not Found'), 'gone', /uninstalled/],
    [
      'a repository that was taken out of the installation',
      says(
        422,
        'There is at least one repository that does not exist or is not accessible to the parent installation.',
      ),
      'gone',
      /no longer has access to the repository/,
    ],
  ])('%s says so at every call', async (_name, said, kind, message) => {
    await using ground = await openGround({ 'POST /app/installations/*/access_tokens': () => said });
    const failure = await failureOf(write(ground));
    expect(failure.kind).toBe(kind);
    expect(failure.message).toMatch(message);
    expect(ground.api.calls()).toEqual([]);
  });
});

it('a failure shows neither token nor query nor what was sent or answered', async () => {
  await using ground = await openGround({
    'GET /repos/*/*/issues': () => says(422, 'The body of the answer'),
    [WRITE]: () => says(403, 'The body of the answer'),
  });
  const listed = ground.clients.repository(SHOP, 'read').call(
    (octokit, request) =>
      octokit.paginate(octokit.rest.issues.listForRepo, {
        owner: 'octo',
        repo: 'shop',
        labels: 'Secret words',
        request,
      }),
    NEVER,
  );
  for (const failure of [await failureOf(listed), await failureOf(write(ground))]) {
    const shown = inspect(failure, { depth: 9, showHidden: false });
    for (const hidden of [tokenName(1), tokenName(2), 'Secret', 'The body', '?']) expect(shown).not.toContain(hidden);
    expect(failure.said).toBe('The body of the answer');
  }
  expect((await failureOf(write(ground))).message).toContain(COMMENTING);
});

describe('redirects', () => {
  it('of a renamed repository are followed where something is read', async () => {
    await using ground = await openGround({
      'GET /repos/*/*': () => ({ status: 301, headers: { location: `${ground.api.url}/repositories/501` }, body: {} }),
      'GET /repositories/*': () => ({ body: { id: 501 } }),
    });
    expect((await read(ground)).data.id).toBe(501);
    expect(ground.api.asked.at(-1)?.authorization).toBe(`token ${tokenName(1)}`);
  });

  it('that mean the same write again are followed on the same host', async () => {
    await using ground = await openGround({
      [WRITE]: () => ({
        status: 307,
        headers: { location: `${ground.api.url}/repositories/501/issues/3/comments` },
        body: {},
      }),
      'POST /repositories/*/issues/*/comments': ({ body }) => ({ status: 201, body: { id: 8, ...(body as object) } }),
    });
    expect((await write(ground)).data).toMatchObject({ id: 8, body: 'Secret words' });
  });

  it.each([
    ['another host', { status: 307, headers: { location: 'http://elsewhere.test/' } }],
    ['a read', { status: 301, headers: { location: '/repositories/501/issues/3/comments' } }],
  ])('that would make %s of a write are a refusal', async (_name, said) => {
    expect(await written(() => said)).toMatchObject({ kind: 'refused', status: said.status });
  });
});

it('a caller who gives up gets its own reason, whatever GitHub does', async () => {
  await using ground = await openGround({ 'GET /repos/*/*': () => 'hang' });
  const leaving = new AbortController();
  const call = read(ground, leaving.signal);
  await expect.poll(() => ground.api.calls().length).toBe(1);
  leaving.abort(new Error('The job was cancelled.'));
  await expect(call).rejects.toThrow('The job was cancelled.');
});

it.each<readonly [string, Route]>([
  ['never answers', () => 'hang'],
  [
    'answers for ever',
    () => ({ headers: { 'content-type': 'application/json', 'content-length': '500' }, body: '{"id":', isOpen: true }),
  ],
])('a server that %s is given up at the deadline, and what it did is unsure', async (_name, route) => {
  await using ground = await openGround({ 'GET /repos/*/*': route }, { deadlineMs: 300 });
  expect(await failureOf(read(ground))).toMatchObject({ kind: 'unsure', status: null });
});

it('what is still asked ends when the clients are closed', async () => {
  await using ground = await openGround({ 'GET /repos/*/*': () => 'hang' });
  const call = read(ground);
  await expect.poll(() => ground.api.calls().length).toBe(1);
  ground.clients[Symbol.dispose]();
  await expect(call).rejects.toMatchObject({ code: 'cancelled' });
});
