// What is known without an investigation: red checks as they were judged, what a log says, and the change of an answer as
// a patch.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import { CausewayError } from '../../src/core/errors.ts';
import type { Role } from '../../src/core/project/person.ts';
import { DEFAULT_SETTINGS } from '../../src/core/project/settings.ts';
import type { Store } from '../../src/db/store.ts';
import { CODE_LOG, CODE_WORDS, DISK_LOG, HEAD, headGround, pullRequestPlace } from '../support/head-ground.ts';
import { until } from '../support/patience.ts';
import { pathProject, testSource } from '../support/project-source.ts';
import { conclusion, ON_MAIN, ofActions, at as time } from '../support/store-samples.ts';
import { type ApiGround, apiGround, bodyOf, type Call, type GroundOptions, requestOf } from './api-ground.ts';
import { githubGround } from './github-ground.ts';

/** What tests read of judged checks. */
interface Judged {
  readonly sha: string;
  readonly state: string;
  readonly causes: readonly Readonly<Record<string, unknown>>[];
}

/** A pull request with a red check, judged, and the API over the same records. */
async function redPull(options: GroundOptions = {}) {
  await using opening = new AsyncDisposableStack();
  const red = opening.use(await headGround());
  red.world.places.set(HEAD, pullRequestPlace());
  red.world.changed.set(HEAD, { paths: ['src/cart.py', 'README.md'], isCut: false });
  red.run('test', 'red', {
    log: CODE_LOG,
    words: CODE_WORDS,
    url: 'https://github.test/octo/shop/actions/runs/17/job/99',
  });
  await red.look();
  const at = opening.use(await apiGround({ records: red.store, ...options }));
  const opened = opening.move();
  return { red, at, project: red.project, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

const ask = (at: ApiGround, query: Readonly<Record<string, string>>, token = at.token) =>
  at.call('GET', `/api/v1/checks/?${new URLSearchParams(query)}`, { token });

async function judged(answer: Promise<Response>): Promise<Judged> {
  const found = await answer;
  expect(found.status).toBe(200);
  return (await found.json()) as Judged;
}

describe('GET /api/v1/checks/', () => {
  it('tells of a red pull request what was judged: verdict, first error, places, base and whose it is', async () => {
    const scope = { paths: ['src/**'], labels: [], owners: ['@octo/cart'], budget: { run: null }, context: [] };
    await using ground = await redPull({ settings: { investigation: { ...DEFAULT_SETTINGS, scopes: [scope] } } });
    const { at, red, project } = ground;
    const [failure] = await red.store.listFailures([project.id], { limit: 1 });
    expect(await judged(ask(at, { projectId: project.id, pullRequest: '5' }))).toEqual({
      projectId: project.id,
      ...{ sha: HEAD, branch: 'feature', pullRequest: 5, isDefault: false, change: '', otherUses: [], state: 'red' },
      endedAt: expect.stringMatching(/^2026-/),
      causes: [
        {
          failureId: failure?.id,
          verdict: 'code',
          reasons: [
            'the change touches src/cart.py, where the check fails',
            "it says: “KeyError: 'sum'”",
            '`test` passes on the base',
          ],
          ...{ whose: 'this_change', override: null, lapsed: null },
          standing: 'new',
          checks: [{ name: 'test', url: 'https://github.test/octo/shop/actions/runs/17/job/99', isRed: true }],
          step: 'pytest',
          headline: "KeyError: 'sum'",
          lines: expect.arrayContaining(['    return cart["sum"]', "KeyError: 'sum'"]),
          ...{ cut: '', tests: [] },
          places: [{ path: 'src/cart.py', line: 12, message: "KeyError: 'sum'" }],
          base: 'green',
          changed: ['src/cart.py', 'README.md'],
          isTouched: true,
          leaning: null,
          reached: [{ path: 'src/cart.py', isCertain: true }],
          owners: ['@octo/cart'],
          ...{ testFile: '', range: null, known: null, knownIssue: null },
          investigationId: failure?.investigationId,
          issueId: null,
          notBegun: '',
        },
      ],
      ...{ leftOut: [], stillWaiting: [] },
    });
  });

  it('finds the same by its commit, by the beginning of its sha, and by the number of a job or run', async () => {
    await using ground = await redPull();
    const { at, red, project } = ground;
    const [check] = red.world.runs.flatMap(({ sha, check: one }) => (sha === HEAD ? [one] : []));
    const names = [{ sha: HEAD }, { sha: 'CCCCCCC' }, { run: '17' }, { run: '99' }, { run: String(check?.runId) }];
    for (const name of names) {
      const found = await judged(ask(at, { projectId: 'Octo/Shop', ...name }));
      expect([name, found.sha, found.causes.length]).toEqual([name, HEAD, 1]);
    }
    for (const name of [{ sha: 'ddddddd' }, { run: '9' }, { run: '1' }, { pullRequest: '6' }]) {
      expect([name, (await ask(at, { projectId: project.id, ...name })).status]).toEqual([name, 404]);
    }
  });

  it('says of a failure that other pull requests have where and how often it was seen', async () => {
    await using ground = await redPull();
    const { at, red, project } = ground;
    const next = 'd'.repeat(40);
    red.world.places.set(next, pullRequestPlace({ sha: next, number: 7, branch: 'other' }));
    red.world.changed.set(next, { paths: ['README.md'], isCut: false });
    red.run('test', 'red', { sha: next, log: CODE_LOG, words: CODE_WORDS });
    await red.look(next);
    const { causes } = await judged(ask(at, { projectId: project.id, pullRequest: '7' }));
    expect(causes).toMatchObject([
      { standing: 'known', known: { hits: 2, flakyHits: 0, branches: ['other', 'feature'], isOnDefault: false } },
    ]);
    expect(causes[0]?.['known']).toMatchObject({ pullRequests: [7, 5] });
  });

  it('says of a failure of the default branch which commits brought it, to the branch and to its pull requests', async () => {
    const [green, broken] = ['e'.repeat(40), 'f'.repeat(40)];
    await using ground = await redPull();
    const { at, red, project } = ground;
    red.world.history.push(green, broken);
    for (const sha of [green, broken]) red.world.places.set(sha, ON_MAIN);
    red.run('unit', 'green', { sha: green });
    await red.store.recordPassingCheck(project.id, { sha: green, at: time(-60), check: ofActions('unit') });
    const log = CODE_LOG.replaceAll('cart', 'till').replaceAll('sum', 'total');
    red.run('unit', 'red', { sha: broken, log });
    await red.look(broken);
    const range = { from: green, to: broken, total: 1, likeliest: null };
    const main = await judged(ask(at, { projectId: project.id, sha: broken }));
    expect(main).toMatchObject({ isDefault: true, pullRequest: null, branch: 'main', causes: [{ range }] });
    const topic = 'd'.repeat(40);
    red.world.places.set(topic, pullRequestPlace({ sha: topic, number: 8 }));
    red.run('unit', 'red', { sha: topic, log });
    await red.look(topic);
    const pull = await judged(ask(at, { projectId: project.id, pullRequest: '8' }));
    expect(pull.causes).toMatchObject([{ verdict: 'base_broken', range, known: { isOnDefault: true } }]);
  });

  it('says why nothing was begun, and tells the newest commit of a pull request before a superseded one', async () => {
    await using ground = await redPull();
    const { at, red, project } = ground;
    const next = 'd'.repeat(40);
    red.world.places.set(next, pullRequestPlace({ sha: next, isDraft: true }));
    red.world.places.set(HEAD, pullRequestPlace({ sha: next }));
    await red.look();
    expect((await judged(ask(at, { projectId: project.id, pullRequest: '5' }))).state).toBe('superseded');
    red.run('lint', 'red', { sha: next, log: CODE_LOG.replaceAll('cart', 'till').replaceAll('sum', 'total') });
    await red.look(next);
    const newest = await judged(ask(at, { projectId: project.id, pullRequest: '5' }));
    expect(newest).toMatchObject({ sha: next, state: 'red' });
    expect(newest.causes[0]?.['notBegun']).toBe('The pull request is a draft. `/analyse` starts an analysis.');
  });

  it('reads who owns the failing file from the repository, and does without where that cannot be read', async () => {
    await using repository = await gitRepository();
    await repository.commit({ CODEOWNERS: 'src/ @octo/backend\n', 'src/cart.py': 'x\n' }, 'first');
    await using git = testSource();
    const source = {
      ...git.source,
      open: (project: { readonly id: string }, signal: AbortSignal) =>
        git.source.open(pathProject(repository.path, project.id), signal),
    };
    const ownersOf = async (options: GroundOptions) => {
      await using ground = await redPull(options);
      return (await judged(ask(ground.at, { projectId: ground.project.id, sha: HEAD }))).causes[0]?.['owners'];
    };
    expect(await ownersOf({ source })).toEqual(['@octo/backend']);
    expect(await ownersOf({ source, isPaused: true })).toEqual([]);
    expect(await ownersOf({ source: { ...source, open: () => Promise.reject(new Error('gone')) } })).toEqual([]);
    expect(await ownersOf({ source, settings: new Error('GitHub is away') })).toEqual([]);
  });

  it('names each fault of the query', async () => {
    await using ground = await redPull();
    const { at, project } = ground;
    const faults = async (query: Readonly<Record<string, string>>) => {
      const answer = await ask(at, query);
      expect(answer.status).toBe(422);
      return (await bodyOf(answer)).errors.map(({ pointer }) => pointer);
    };
    expect(await faults({ projectId: project.id })).toEqual(['/pullRequest']);
    expect(await faults({ projectId: project.id, sha: HEAD, run: '1' })).toEqual(['/pullRequest']);
    expect(await faults({ projectId: project.id, sha: 'abc' })).toEqual(['/sha']);
    expect(await faults({ projectId: project.id, run: '1%' })).toEqual(['/run']);
    expect(await faults({ pullRequest: '0' })).toEqual(['/projectId', '/pullRequest']);
  });

  it('is the same 404 for what another account may not see and for what is not there', async () => {
    await using ground = await redPull();
    const { at, project, red } = ground;
    const stranger = await red.store.ensureAccount({
      login: 'eve',
      githubId: 66,
      signingSecret: 'whsec_e',
      now: at.clock.now.toISOString(),
    });
    at.roles.set(stranger.id, 'none' satisfies Role);
    const token = await at.newToken({ accountId: stranger.id });
    const hidden = await ask(at, { projectId: project.id, pullRequest: '5' }, token);
    const absent = await ask(at, { projectId: 'prj_none', pullRequest: '5' }, token);
    const bytes = await hidden.text();
    expect([hidden.status, absent.status]).toEqual([404, 404]);
    expect(bytes).toBe(await absent.text());
    expect(bytes).toBe(await (await ask(at, { projectId: project.id, pullRequest: '999' })).text());
    at.roles.set(stranger.id, 'read' satisfies Role);
    expect((await ask(at, { projectId: project.id, pullRequest: '5' }, token)).status).toBe(200);
    const bound = await at.newToken({ projectIds: [at.project.id] });
    expect((await ask(at, { projectId: project.id, pullRequest: '5' }, bound)).status).toBe(404);
    const unscoped = await at.newToken({ scopes: ['projects:read'] });
    expect((await ask(at, { projectId: project.id, pullRequest: '5' }, unscoped)).status).toBe(403);
  });
});

/** A repository on this disk as the project of the API, read by git. */
async function onGit(options: GroundOptions = {}) {
  await using opening = new AsyncDisposableStack();
  const repository = opening.use(await gitRepository());
  const git = opening.use(testSource());
  const at = opening.use(await apiGround({ source: git.source, places: [repository.path], ...options }));
  const cart = ['def total(cart):', '    price = cart["sum"]', '    return price', ''].join('\n');
  const sha = await repository.commit({ 'src/cart.py': cart, CODEOWNERS: 'src/ @octo/backend\n' }, 'first');
  const opened = opening.move();
  return { at, repository, sha, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

const SECRET = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a';
const RUNNER_LOG = [
  '##[group]Run pytest',
  `Using token ${SECRET}`,
  'Traceback (most recent call last):',
  '  File "/home/runner/work/shop/shop/src/cart.py", line 2, in total',
  '    price = cart["sum"]',
  '  File "/usr/lib/python3.12/decimal.py", line 40, in sum',
  `KeyError: 'sum' ${SECRET}`,
  '/home/runner/work/shop/shop/src/cart.py:2: KeyError',
  'generated/till.py:40: KeyError',
  '##[error]Process completed with exit code 1.',
].join('\n');

const give = (at: ApiGround, body: object, more: Call = {}) =>
  at.call('POST', '/api/v1/logs/', { body: { projectId: at.project.id, ...body }, ...more });

/** Every table with its rows, but for when a token was last used. */
async function allRows({ database }: ApiGround): Promise<unknown> {
  return await database.read(async (reader) => {
    const tables = await sql<{ name: string }>`select name from sqlite_schema where type = 'table'`.execute(reader);
    const rows = tables.rows.map(async ({ name }) => {
      const found = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(reader);
      return [name, found.rows.map(({ last_used_at: _, ...row }) => row)];
    });
    return await Promise.all(rows);
  });
}

describe('POST /api/v1/logs/', () => {
  it('reads a log like that of a red check, at the files of the repository, and gives no secret back', async () => {
    await using ground = await onGit();
    const { at } = ground;
    const before = await allRows(at);
    const answer = await give(at, { data: RUNNER_LOG });
    const text = await answer.clone().text();
    expect(text).not.toContain(SECRET);
    expect(await answer.json()).toEqual({
      step: 'pytest',
      headline: "KeyError: 'sum' [redacted]",
      lines: expect.arrayContaining(['    price = cart["sum"]']),
      ...{ cut: '', tests: [], machine: null },
      places: [
        { path: 'src/cart.py', line: 2, message: expect.stringContaining('KeyError'), isInRepository: true },
        expect.objectContaining({ path: 'generated/till.py', line: 40, isInRepository: false }),
      ],
      owners: ['@octo/backend'],
      failure: null,
    });
    expect(await allRows(at)).toEqual(before);
  });

  it('says that the machine is to blame, and where nothing in it is of the repository nobody', async () => {
    await using ground = await onGit();
    const answer = await give(ground.at, { data: DISK_LOG });
    expect(await answer.json()).toMatchObject({
      machine: { what: expect.any(String), line: expect.stringContaining('ENOSPC') },
      owners: [],
    });
  });

  it('finds the failure of the ledger with the same cause, and none of another project', async () => {
    await using ground = await redPull();
    const { at, red, project } = ground;
    const [known] = await red.store.listFailures([project.id], { limit: 1 });
    const failureOf = async (body: object) => {
      const answer = await give(at, body);
      expect(answer.status).toBe(200);
      return ((await answer.json()) as { readonly failure: { readonly id: string } | null }).failure;
    };
    expect(await failureOf({ data: CODE_LOG, projectId: project.id })).toMatchObject({ id: known?.id, state: 'open' });
    expect(await failureOf({ data: CODE_LOG })).toBeNull();
    expect(await failureOf({ data: 'nothing went wrong', projectId: project.id })).toBeNull();
  });

  it('looks at the revision that is asked for', async () => {
    await using ground = await onGit();
    const { at, repository, sha } = ground;
    await repository.commit({ 'src/cart.py': null, 'src/basket.py': 'x = 1\n' }, 'second');
    const placesOf = async (body: object) => (await (await give(at, { data: RUNNER_LOG, ...body })).json()) as unknown;
    const found = { path: 'src/cart.py', isInRepository: true };
    expect(await placesOf({ revision: sha.slice(0, 10) })).toMatchObject({ places: [found, {}] });
    expect(await placesOf({})).toMatchObject({ places: [{ isInRepository: false }, {}], owners: [] });
  });

  it('is refused with every fault, and says what is wrong with the repository', async () => {
    await using ground = await onGit();
    const { at } = ground;
    const wrong = await give(at, { data: ' ', revision: '', extra: 1 });
    expect([wrong.status, (await bodyOf(wrong)).errors.map(({ pointer }) => pointer)]).toEqual([
      422,
      ['/data', '/revision', '/extra'],
    ]);
    const large = await give(at, { data: 'x'.repeat(1_048_577) });
    expect(large.status).toBe(413);
    const missing = await give(at, { data: 'x', revision: SECRET });
    expect([missing.status, (await bodyOf(missing)).errors]).toEqual([
      422,
      [{ pointer: '/revision', detail: expect.stringContaining('There is no branch, tag or commit "[redacted]"') }],
    ]);
    await using empty = await gitRepository();
    await using git = testSource();
    await using bare = await apiGround({
      source: git.source,
      places: [empty.path, '/nowhere/at/all'],
      projects: ['local/empty', 'local/gone'],
    });
    const refusal = async (projectId: string) => {
      const answer = await give(bare, { data: 'x', projectId });
      return [answer.status, answer.headers.get('Retry-After'), (await bodyOf(answer)).detail];
    };
    expect(await refusal('local/empty')).toEqual([409, null, expect.stringContaining('has no commit yet')]);
    expect(await refusal('local/gone')).toEqual([503, '30', expect.stringContaining("couldn't be read")]);
  });

  it('is the same 404 for a project of another account and for none, and 403 without the scope', async () => {
    await using at = await apiGround({ projects: ['local/app', 'local/other'] });
    const stranger = await at.store.ensureAccount({
      login: 'eve',
      githubId: 66,
      signingSecret: 'whsec_e',
      now: at.clock.now.toISOString(),
    });
    at.roles.set(stranger.id, 'none' satisfies Role);
    const token = await at.newToken({ accountId: stranger.id });
    const hidden = await give(at, { data: 'x' }, { token });
    const absent = await give(at, { data: 'x', projectId: 'prj_none' }, { token });
    expect([hidden.status, absent.status]).toEqual([404, 404]);
    expect(await hidden.text()).toBe(await absent.text());
    const bound = await at.newToken({ projectIds: [at.project.id] });
    expect((await give(at, { data: 'x' }, { token: bound })).status).toBe(200);
    expect((await give(at, { data: 'x', projectId: 'local/other' }, { token: bound })).status).toBe(404);
    const unscoped = await at.newToken({ scopes: ['projects:read', 'issues:write'] });
    expect((await give(at, { data: 'x' }, { token: unscoped })).status).toBe(403);
  });

  it('counts as a new report, and waits while the operator pauses or the disk is full', async () => {
    await using at = await apiGround({ limits: { callsPerMinute: 10, creationsPerMinute: 1 } });
    expect((await give(at, { data: 'x' })).status).toBe(200);
    expect((await give(at, { data: 'x' })).status).toBe(429);
    await using paused = await apiGround({ isPaused: true });
    expect((await give(paused, { data: 'x' })).status).toBe(503);
    await using full = await apiGround({ shortage: { free: 1, required: 2 } });
    expect((await give(full, { data: 'x' })).status).toBe(503);
  });

  it('reads two at a time; who waits keeps the place, and who goes away frees it', async () => {
    const opened: (() => void)[] = [];
    await using at = await apiGround({
      source: {
        open: async (_project, signal) => {
          await new Promise<void>((resolve) => opened.push(resolve));
          signal.throwIfAborted();
          throw new CausewayError('repository_empty', 'it is empty');
        },
        forget: async () => {},
      },
    });
    const stranger = await at.store.ensureAccount({
      login: 'eve',
      githubId: 66,
      signingSecret: 'whsec_e',
      now: at.clock.now.toISOString(),
    });
    const theirs = await at.newToken({ accountId: stranger.id });
    const ends: string[] = [];
    const ask = (name: string, more: Call = {}) => {
      const asked = give(at, { data: name }, more).then(({ status }) => void ends.push(`${name} ${status}`));
      return asked;
    };
    const gone = new AbortController();
    const asked = [ask('first', { signal: gone.signal }), ask('second')];
    await until(() => opened.length === 2);
    asked.push(ask('third'));
    await settle();
    asked.push(ask('fourth', { token: theirs }));
    await settle();
    expect(opened.length).toBe(2);
    gone.abort();
    // The other account has no turn yet, and is before the third.
    await until(() => opened.length === 3);
    opened[2]?.();
    await until(() => ends.includes('fourth 409'));
    await until(() => opened.length === 4);
    expect(ends).toEqual(['first 503', 'fourth 409']);
    for (const end of opened) end();
    await Promise.all(asked);
    expect(ends.toSorted()).toEqual(['first 503', 'fourth 409', 'second 409', 'third 409']);
  });

  it('ends when the service stops, whether it waits or runs', async () => {
    const source = { open: () => new Promise<never>(() => {}), forget: async () => {} };
    await using at = await apiGround({ source });
    const stopping = new AbortController();
    const body = JSON.stringify({ data: 'x', projectId: at.project.id });
    const asked = [1, 2, 3].map(() =>
      at.api.fetch(requestOf('POST', '/api/v1/logs/', { token: at.token, raw: body }), stopping.signal),
    );
    await settle();
    stopping.abort();
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([503, 503, 503]);
    expect(at.log.filter((line) => line.includes('"level":50'))).toEqual([]);
  });
});

/** Until what was asked has come as far as it can. */
const settle = () => sleep(100);

describe('GET /api/v1/issues/{issueId}/patch/', () => {
  it('is what git apply takes', async () => {
    await using at = await apiGround();
    await using repository = await gitRepository();
    await repository.commit({ 'a.txt': 'old\n' }, 'first');
    const github = await githubGround(at);
    const { issueId } = await github.conclude(github.hidden);
    const answer = await at.call('GET', `/api/v1/issues/${issueId}/patch/`);
    expect([answer.status, answer.headers.get('Content-Type')]).toEqual([200, 'text/x-patch; charset=utf-8']);
    writeFileSync(path.join(repository.path, 'answer.patch'), await answer.text());
    repository.git('apply', 'answer.patch');
    expect(readFileSync(path.join(repository.path, 'a.txt'), 'utf8')).toBe('new\n');
  });

  it('says that an answer changes no code, or that its change is withheld', async () => {
    await using at = await apiGround();
    const github = await githubGround(at);
    const { issueId } = await github.conclude(github.hidden, { withChange: false });
    const patchOf = async (id: string) => {
      const answer = await at.call('GET', `/api/v1/issues/${id}/patch/`);
      return [answer.status, (await bodyOf(answer)).detail];
    };
    expect(await patchOf(issueId)).toEqual([404, 'This answer changes no code, so it has no patch.']);
    const held = await at.report('held', { fresh: true });
    const { analysis } = conclusion();
    const guards = [{ rule: 'never/ci', file: '.github/workflows/ci.yml', reason: 'it changes CI' }];
    const [heldId = ''] = await at.store.conclude(
      await at.start(held),
      conclusion({ analysis: { ...analysis, guards } }),
      at.clock.now.toISOString(),
    );
    expect(await patchOf(heldId)).toEqual([404, 'The change of this answer is withheld: `analysis.guards` says why.']);
    const absent = await at.call('GET', '/api/v1/issues/iss_none/patch/');
    expect([absent.status, (await bodyOf(absent)).detail]).toEqual([
      404,
      'There is nothing here, or it is not yours to see.',
    ]);
  });
});

describe('another door of the service', () => {
  it('learns whose token a request carries, and gets the refusal of one that is not valid', async () => {
    await using at = await apiGround({ limits: { callsPerMinute: 1, creationsPerMinute: 1 } });
    const token = await at.newToken({ scopes: ['projects:read'], id: 'tok_1' });
    for (let calls = 0; calls < 3; calls++) {
      expect(await at.api.authenticate(requestOf('POST', '/mcp', { token }))).toEqual({
        accountId: at.account.id,
        tokenId: 'tok_1',
        scopes: ['projects:read'],
      });
    }
    await at.store.revokeToken('tok_1', at.account.id, at.clock.now.toISOString());
    for (const request of [requestOf('POST', '/mcp', { token }), requestOf('POST', '/mcp', {})]) {
      const refused = await at.api.authenticate(request);
      expect(refused).toBeInstanceOf(Response);
      const { status, headers } = refused as Response;
      expect([status, headers.get('WWW-Authenticate'), headers.get('Content-Type')]).toEqual([
        401,
        'Bearer',
        'application/problem+json',
      ]);
      expect(headers.get('X-Request-Id')).toMatch(/^req_/);
    }
  });

  it('gets 503 while the store cannot be reached', async () => {
    const around = (store: Store): Store => ({
      ...store,
      findTokenByHash: () => Promise.reject(new CausewayError('store_unavailable', 'away')),
    });
    await using at = await apiGround({ around });
    const answer = await at.api.authenticate(requestOf('POST', '/mcp', { token: at.token }));
    expect(answer).toMatchObject({ status: 503 });
  });
});
