// What is known without an investigation: red checks as they were judged, and the change of an answer as a patch.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import { CausewayError } from '../../src/core/errors.ts';
import type { Role } from '../../src/core/project/person.ts';
import { DEFAULT_SETTINGS } from '../../src/core/project/settings.ts';
import type { Store } from '../../src/db/store.ts';
import { CODE_LOG, CODE_WORDS, HEAD, headGround, pullRequestPlace } from '../support/head-ground.ts';
import { pathProject, testSource } from '../support/project-source.ts';
import { conclusion, ON_MAIN, ofActions, at as time } from '../support/store-samples.ts';
import { type ApiGround, apiGround, bodyOf, type GroundOptions, requestOf } from './api-ground.ts';
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
      ...{ sha: HEAD, branch: 'feature', pullRequest: 5, isDefault: false, state: 'red' },
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
          standing: 'new',
          checks: [{ name: 'test', url: 'https://github.test/octo/shop/actions/runs/17/job/99', isRed: true }],
          step: 'pytest',
          headline: "KeyError: 'sum'",
          lines: expect.arrayContaining(['    return cart["sum"]', "KeyError: 'sum'"]),
          ...{ cut: '', tests: [] },
          places: [{ path: 'src/cart.py', line: 12, message: "KeyError: 'sum'" }],
          base: 'green',
          reached: [{ path: 'src/cart.py', isCertain: true }],
          owners: ['@octo/cart'],
          ...{ testFile: '', range: null, known: null },
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
