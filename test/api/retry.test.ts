// POST /api/v1/issues/{id}/retry/: the same report with a person's guidance, once for each key, where the old answer is.
import { afterEach, describe, expect, it } from 'vitest';
import type { TokenScope } from '../../src/core/account/account.ts';
import type { Role } from '../../src/core/project/person.ts';
import { DEFAULT_SETTINGS } from '../../src/core/project/settings.ts';
import { acceptance, accepted, conclusion, opening, started } from '../support/store-samples.ts';
import { type ApiGround, apiGround, bodyOf, type GroundOptions } from './api-ground.ts';
import { githubGround } from './github-ground.ts';

let ground: ApiGround;
const open = async (options?: GroundOptions) => {
  ground = await apiGround(options);
  return ground;
};
afterEach(() => ground[Symbol.asyncDispose]());

const retry = (issueId: string, body: unknown = {}, more: { token?: string; headers?: Record<string, string> } = {}) =>
  ground.call('POST', `/api/v1/issues/${issueId}/retry/`, { body, ...more });

describe('a retry', () => {
  it('is a new investigation of the same report with the guidance, and leaves the Issue', async () => {
    const { store, report, conclude } = await open();
    const issueId = await conclude(await report('boom', { revision: 'v1', reference: 'alert 7' }));
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const answer = await retry(issueId, { guidance: ` look at the cache, ${token} ` });
    expect(answer.status).toBe(202);
    const found = (await answer.json()) as { id: string; state: string; reference: string };
    expect(found).toMatchObject({ state: 'queued', reference: 'alert 7', issueId: null });
    expect(answer.headers.get('Location')).toBe(`/api/v1/investigations/${found.id}/`);
    const run = await ground.start(found.id);
    expect(run).toMatchObject({ revision: 'v1', fresh: true });
    expect(run.text).toBe('boom\n\n## Guidance from local\n\nlook at the cache, [redacted]');
    const [newer = ''] = await store.conclude(run, conclusion(), ground.clock.now.toISOString());
    expect([newer === issueId, (await ground.call('GET', `/api/v1/issues/${issueId}/`)).status]).toEqual([false, 200]);
    // Its own guidance takes the place of the one before.
    const { id } = await bodyOf(await retry(newer));
    expect((await ground.start(id)).text).toBe('boom');
  });

  it('has one investigation for each key, and none for a key with other words or another Issue', async () => {
    const { report, conclude, store } = await open();
    const [first, second] = [await conclude(await report('one')), await conclude(await report('two'))];
    const headers = { 'Idempotency-Key': 'retry 1' };
    const before = (await store.listInvestigations({ limit: 100 })).length;
    const ids = [await bodyOf(await retry(first, {}, { headers })), await bodyOf(await retry(first, {}, { headers }))];
    expect(ids[1]?.id).toBe(ids[0]?.id);
    for (const refused of [await retry(first, { guidance: 'x' }, { headers }), await retry(second, {}, { headers })]) {
      expect([refused.status, (await bodyOf(refused)).errors[0]?.pointer]).toEqual([422, '/Idempotency-Key']);
    }
    expect(await store.listInvestigations({ limit: 100 })).toHaveLength(before + 1);
  });

  it.each([
    ['an unknown field', { more: 1 }, '/more'],
    ['too much guidance', { guidance: 'x'.repeat(4_001) }, '/guidance'],
    ['guidance that is no text', { guidance: 7 }, '/guidance'],
    ['an address that is refused', { callbackUrl: 'http://10.0.0.1/' }, '/callbackUrl'],
  ])('is refused for %s', async (_, body, pointer) => {
    const { report, conclude } = await open();
    const answer = await retry(await conclude(await report()), body);
    expect([answer.status, (await bodyOf(answer)).errors.map((fault) => fault.pointer)]).toEqual([422, [pointer]]);
  });

  it('counts as a new report', async () => {
    const { report, conclude } = await open({ limits: { callsPerMinute: 50, creationsPerMinute: 2 } });
    const issueId = await conclude(await report());
    expect([(await retry(issueId)).status, (await retry(issueId)).status]).toEqual([202, 429]);
  });
});

describe('a retry in a GitHub project', () => {
  it('needs triage, names the person, and trusts guidance from write on', async () => {
    await open();
    const { hidden, token, setRole, conclude } = await githubGround(ground);
    const { issueId } = await conclude(hidden);
    const ALL: readonly Role[] = ['none', 'read', 'triage', 'write'];
    const statuses: number[] = [];
    for (const role of ALL) {
      setRole(role);
      statuses.push((await retry(issueId, { guidance: 'look there' }, { token })).status);
    }
    expect(statuses).toEqual([404, 404, 202, 202]);
    const trusted: boolean[] = [];
    for (const { id } of (await ground.store.listInvestigations({ limit: 2 })).toReversed()) {
      const run = await ground.start(id);
      expect(run.text).toContain('## Guidance from octocat\n\nlook there');
      trusted.push(run.isTrusted);
    }
    expect(trusted).toEqual([false, true]);
  });

  it('stays in the scope that a label had named, with its budget of today', async () => {
    const [api, web] = ['packages/api/**', 'packages/web/**'].map((path) => ({
      ...{ paths: [path], labels: ['area'], owners: [], context: [], budget: { run: 5 } },
    }));
    const today = [api!, web!].map((scope) => ({ ...scope, budget: { run: 0.1 } }));
    await open({ settings: { investigation: { ...DEFAULT_SETTINGS, scopes: today } } });
    const { hidden, accountId, token, setRole } = await githubGround(ground);
    setRole('triage');
    const base = { account: { id: accountId, login: 'octocat', githubId: 583231 }, project: hidden };
    const settings = { ...DEFAULT_SETTINGS, scopes: [{ ...api!, isNamed: true }, web!] };
    const { investigationId } = await accepted(ground.store, acceptance(base, { settings }));
    const { id } = await bodyOf(await retry(await ground.conclude(investigationId), {}, { token }));
    expect((await ground.start(id)).settings.scopes).toEqual([{ ...today[0], isNamed: true }, today[1]]);
  });

  it('goes to the place of the old answer, and is refused once a newer one is there', async () => {
    await open();
    const { hidden, accountId, token, setRole } = await githubGround(ground);
    const { store } = ground;
    setRole('triage');
    const now = ground.clock.now.toISOString();
    const account = { id: accountId, login: 'octocat', githubId: 583231 };
    const base = { account, project: hidden };
    const { runId } = await accepted(
      store,
      acceptance(base, { origin: 'github-issue', thread: opening('thr_1'), now }),
    );
    const [issueId = ''] = await store.conclude(await started(store, runId), conclusion(), now);
    const { id } = await bodyOf(await retry(issueId, { guidance: 'hint' }, { token }));
    const thread = await store.findThreadOfSubject(hidden.id, { kind: 'issue', number: 12 });
    expect(thread).toMatchObject({
      ...{ id: 'thr_1', investigationId: id, fixRequest: null },
      trigger: { kind: 'api', by: { id: 583231, login: 'octocat' }, role: 'triage', guidance: 'hint', commentId: null },
    });
    const again = await retry(issueId, {}, { token });
    expect([again.status, (await bodyOf(again)).detail]).toEqual([
      409,
      `A newer analysis replaced this one: see investigation ${id} first.`,
    ]);
    const newer = await ground.conclude(id);
    expect((await bodyOf(await retry(issueId, {}, { token }))).detail).toContain(`analyse ${newer} again`);
  });

  it.each<readonly [Role, TokenScope, boolean]>([
    ['triage', 'pull-requests:write', false],
    ['write', 'issues:write', false],
    ['write', 'pull-requests:write', true],
  ])('asks for a pull request only with role and scope: %s, %s', async (role, scope, isRequested) => {
    await open();
    const { hidden, accountId, setRole } = await githubGround(ground);
    const { store } = ground;
    setRole(role);
    const token = await ground.newToken({ accountId, scopes: ['issues:write', scope] });
    const base = { account: { id: accountId, login: 'octocat', githubId: 583231 }, project: hidden };
    const report = acceptance(base, { origin: 'github-issue', thread: opening('thr_1') });
    const issueId = await ground.conclude((await accepted(store, report)).investigationId);
    expect((await retry(issueId, {}, { token })).status).toBe(202);
    const thread = await store.findThreadOfSubject(hidden.id, { kind: 'issue', number: 12 });
    expect(thread?.fixRequest?.id ?? null).toBe(isRequested ? 583231 : null);
  });
});
