// Who may do what in a GitHub project: the role there decides, and what it does not allow is as if it were not there.
import { afterEach, describe, expect, it } from 'vitest';
import type { Account } from '../../src/core/account/account.ts';
import type { Role } from '../../src/core/project/person.ts';
import type { PostedPullRequest } from '../../src/core/thread/thread.ts';
import { GithubFailure } from '../../src/github/clients/github-clients.ts';
import { acceptance, accepted, conclusion, opening, started } from '../support/store-samples.ts';
import { type ApiGround, apiGround, bodyOf, type GroundOptions, listOf } from './api-ground.ts';
import { githubGround } from './github-ground.ts';

let ground: ApiGround;
const open = async (options?: GroundOptions) => {
  ground = await apiGround(options);
  return await githubGround(ground);
};
afterEach(() => ground[Symbol.asyncDispose]());

const ALL: readonly Role[] = ['none', 'read', 'triage', 'write', 'maintain', 'admin'];

/** The status of each call for each role, in the order of the ladder. */
async function ladder(role: (role: Role) => void, call: () => Promise<Response>): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (const each of ALL) {
    role(each);
    statuses.push((await call()).status);
  }
  return statuses;
}

describe('the role on GitHub', () => {
  it('shows a private project from read on, and a public one from triage on', async () => {
    const { hidden, shown, token, setRole } = await open();
    const get = (id: string) => () => ground.call('GET', `/api/v1/projects/${id}/`, { token });
    expect(await ladder(setRole, get(hidden.id))).toEqual([404, 200, 200, 200, 200, 200]);
    expect(await ladder(setRole, get(shown.id))).toEqual([404, 404, 200, 200, 200, 200]);
    setRole('read');
    const list = await listOf(await ground.call('GET', '/api/v1/projects/', { token }));
    expect(list.map(({ name }) => name)).toEqual(['local/app', 'octo/hidden']);
  });

  it('lets hand in reports from triage on, and believes their words from write on', async () => {
    const { hidden, token, setRole } = await open();
    const create = () =>
      ground.call('POST', '/api/v1/issues/', { token, body: { data: 'boom', projectId: hidden.id, fresh: true } });
    expect(await ladder(setRole, create)).toEqual([422, 422, 202, 202, 202, 202]);
    const trusted: boolean[] = [];
    for (const { runId } of await ground.store.listInvestigations({ limit: 10 })) {
      trusted.push((await ground.store.startRun(runId, ground.clock.now.toISOString()))?.isTrusted ?? false);
    }
    expect(trusted.reverse()).toEqual([false, true, true, true]);
  });

  it('reveals nothing that it does not allow: the bytes are those of what does not exist', async () => {
    const { hidden, token, setRole, conclude } = await open();
    const { issueId, investigationId } = await conclude(hidden);
    const body = async (answer: Promise<Response>) => await (await answer).text();
    setRole('none');
    for (const [method, path] of [
      ['GET', `/api/v1/projects/${hidden.id}/`],
      ['GET', `/api/v1/issues/${issueId}/`],
      ['DELETE', `/api/v1/issues/${issueId}/`],
      ['POST', `/api/v1/issues/${issueId}/pull-request/`],
      ['POST', `/api/v1/issues/${issueId}/retry/`],
      ['GET', `/api/v1/investigations/${investigationId}/`],
      ['DELETE', `/api/v1/investigations/${investigationId}/`],
      ['GET', `/api/v1/investigations/${investigationId}/events/`],
    ] as const) {
      const nowhere = path.replace(/_[0-9A-Za-z]+/, '_00000000000000000000');
      expect(await body(ground.call(method, path, { token }))).toBe(
        await body(ground.call(method, nowhere, { token })),
      );
    }
    setRole('read');
    const create = (projectId: string) =>
      body(ground.call('POST', '/api/v1/issues/', { token, body: { data: 'x', projectId } }));
    expect(await create('octo/hidden')).toBe(await create('octo/no-such'));
  });

  it('is requested for some projects at a time, and no more than a page needs', async () => {
    let [now, most, asked] = [0, 0, 0];
    const roleOf = async () => {
      asked += 1;
      now += 1;
      most = Math.max(most, now);
      await new Promise((resolve) => setTimeout(resolve, 1));
      now -= 1;
      return 'read' as const;
    };
    const { token } = await open({
      projects: Array.from({ length: 45 }, (_, at) => `local/p${String(at).padStart(2, '0')}`),
      permissions: { roleOf },
    });
    const page = await ground.call('GET', '/api/v1/projects/?limit=5', { token });
    expect((await listOf(page)).map(({ name }) => name)).toEqual(
      ['00', '01', '02', '03', '04'].map((at) => `local/p${at}`),
    );
    expect(page.headers.get('Link')).toContain('rel="next"');
    expect([most, asked]).toEqual([10, 10]);
    expect(await listOf(await ground.call('GET', '/api/v1/projects/', { token }))).toHaveLength(46);
  });

  it('that GitHub does not return is 503 for people who have seen the project, and none for others', async () => {
    const away = new GithubFailure({ kind: 'unsure', status: null, retryAt: null }, 'No answer.');
    let last: Role = 'none';
    const lastRole = () => last;
    const roleOf = async ({ githubId }: Account) => {
      if (githubId === null) return 'admin' as const;
      throw away;
    };
    const { hidden, token, accountId, conclude } = await open({ permissions: { roleOf, lastRole } });
    const { issueId, investigationId } = await conclude(hidden);
    const calls = async (whose: string, swap = (text: string) => text) => {
      const said: string[] = [];
      for (const [method, path, body] of [
        ['GET', `/api/v1/projects/${hidden.id}/`],
        ['GET', `/api/v1/issues/${issueId}/`],
        ['DELETE', `/api/v1/issues/${issueId}/`],
        ['GET', `/api/v1/investigations/${investigationId}/`],
        ['GET', `/api/v1/investigations/${investigationId}/events/`],
        ['GET', `/api/v1/investigations/?projectId=${hidden.name}`],
        ['POST', '/api/v1/issues/', { data: 'boom', projectId: hidden.name }],
      ] as const) {
        const more = body === undefined ? {} : { body: { ...body, projectId: swap(body.projectId) } };
        const answer = await ground.call(method, swap(path), { token: whose, ...more });
        said.push(`${answer.status} ${await answer.text()}`);
      }
      return said;
    };
    const absent = await calls(token, (text) =>
      text.replace(/_[0-9A-Za-z]+/, '_0').replace('octo/hidden', 'octo/none'),
    );
    expect(absent.map((said) => said.slice(0, 3))).toEqual(['404', '404', '404', '404', '404', '422', '422']);
    expect(await calls(token)).toEqual(absent);
    const known = async (whose: string) => new Set((await calls(whose)).map((said) => said.slice(0, 3)));
    last = 'read';
    expect(await known(token)).toEqual(new Set(['503']));
    last = 'none';
    const scopes = ['issues:read', 'issues:write', 'projects:read'] as const;
    const bound = await ground.newToken({ accountId, scopes, projectIds: [hidden.id] });
    expect(await known(bound)).toEqual(new Set(['503']));
    const account = { id: accountId, login: 'octocat', githubId: 583231 };
    await accepted(ground.store, acceptance({ account, project: hidden }));
    expect(await known(token)).toEqual(new Set(['503']));
  });

  it('that GitHub does not return right now is 503 for everything that needs it, and no partial list', async () => {
    let isAway = false;
    const { hidden, token, conclude } = await open({
      permissions: {
        roleOf: async (_, { name }) => {
          if (isAway && name === 'octo/hidden')
            throw new GithubFailure({ kind: 'unsure', status: null, retryAt: null }, 'No answer.');
          return 'admin';
        },
        lastRole: () => 'admin',
      },
    });
    const { issueId, investigationId } = await conclude(hidden);
    isAway = true;
    for (const [method, path, body] of [
      ['GET', '/api/v1/projects/'],
      ['GET', `/api/v1/projects/${hidden.id}/`],
      ['GET', `/api/v1/issues/${issueId}/`],
      ['DELETE', `/api/v1/issues/${issueId}/`],
      ['POST', '/api/v1/issues/', { data: 'boom', projectId: hidden.name }],
      ['GET', '/api/v1/investigations/'],
      ['GET', `/api/v1/investigations/${investigationId}/`],
      ['GET', `/api/v1/investigations/${investigationId}/events/`],
    ] as const) {
      const answer = await ground.call(method, path, body === undefined ? { token } : { token, body });
      expect([path, answer.status, answer.headers.get('Retry-After')]).toEqual([path, 503, '30']);
      expect((await bodyOf(answer)).detail).toContain('GitHub');
    }
    expect(await ground.store.findIssue(issueId)).not.toBeNull();
  });

  it('is not enough while GitHub does not return the configuration: 503, and nothing was accepted', async () => {
    const failure = new GithubFailure({ kind: 'unsure', status: null, retryAt: null }, 'GitHub could not be reached.');
    const { hidden, token } = await open({ settings: failure });
    const body = { data: 'boom', projectId: hidden.id };
    const answer = await ground.call('POST', '/api/v1/issues/', { token, body });
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '30']);
    expect((await bodyOf(answer)).detail).toContain('GitHub');
    expect(await ground.store.listInvestigations({ limit: 1 })).toEqual([]);
  });
});

describe('POST /api/v1/issues/{issueId}/pull-request/', () => {
  const scopes = ['issues:read', 'pull-requests:write'] as const;

  /** An issue on GitHub that was analysed twice. */
  async function replaced() {
    const there = await open();
    const { store } = ground;
    const now = ground.clock.now.toISOString();
    const account = { id: there.accountId, login: 'octocat', githubId: 583231 };
    const base = { account, project: there.hidden };
    const change = { kind: 'modified', path: 'a.txt', before: 'old\n', after: 'new\n' } as const;
    const found = conclusion({ changeSet: { ...conclusion().changeSet, files: [change] } });
    const analysed = async () => {
      const { runId } = await accepted(store, acceptance(base, { thread: opening('thr_1'), fresh: true, now }));
      const [issueId = ''] = await store.conclude(await started(store, runId), found, now);
      return issueId;
    };
    return { ...there, opened: await analysed(), newer: await analysed() };
  }

  it('accepts the request of people with write, and is absent for all others', async () => {
    const { hidden, accountId, setRole, conclude } = await open();
    const { issueId } = await conclude(hidden);
    const token = await ground.newToken({ accountId, scopes });
    const ask = () => ground.call('POST', `/api/v1/issues/${issueId}/pull-request/`, { token });
    expect(await ladder(setRole, ask)).toEqual([404, 404, 404, 202, 202, 202]);
    const thread = await ground.store.findThreadOfSubject(hidden.id, { kind: 'report', issueId });
    expect(thread?.fixRequest).toMatchObject({ id: 583231, login: 'octocat' });
  });

  it('wants its scope', async () => {
    const { hidden, token, conclude } = await open();
    const { issueId } = await conclude(hidden);
    const refused = await ground.call('POST', `/api/v1/issues/${issueId}/pull-request/`, { token });
    expect(refused.status).toBe(403);
    expect((await bodyOf(refused)).detail).toContain('pull-requests:write');
  });

  it('names the one that is open', async () => {
    const { hidden, accountId, conclude } = await open();
    const { issueId } = await conclude(hidden);
    const token = await ground.newToken({ accountId, scopes });
    const ask = () => ground.call('POST', `/api/v1/issues/${issueId}/pull-request`, { token });
    await ask();
    const thread = await ground.store.findThreadOfSubject(hidden.id, { kind: 'report', issueId });
    const url = 'https://github.com/octo/hidden/pull/7';
    const pullRequest: PostedPullRequest = {
      ...{
        number: 7,
        url,
        nodeId: 'PR_7',
        branch: 'causeway/report-1',
        base: 'main',
        headSha: 'a'.repeat(40),
        issueId,
      },
      ...{ state: 'open', checks: 'waiting', attempts: [], handedOver: null },
    };
    if (thread === null) throw new Error('no thread');
    await ground.store.saveThreadRecord(thread.id, { ...thread.record, pullRequest }, ground.clock.now.toISOString());
    const again = await ask();
    expect(again.status).toBe(200);
    expect((await bodyOf(again)).message).toContain(url);
  });

  it('of an analysis that a newer one has replaced is 409, which names the newer issue', async () => {
    const { hidden, accountId, opened, newer } = await replaced();
    const token = await ground.newToken({ accountId, scopes });
    const answer = await ground.call('POST', `/api/v1/issues/${opened}/pull-request/`, { token });
    expect(answer.status).toBe(409);
    expect((await bodyOf(answer)).detail).toContain(newer);
    expect((await ground.store.findThreadOfSubject(hidden.id, { kind: 'issue', number: 12 }))?.fixRequest).toBeNull();
    expect((await ground.call('POST', `/api/v1/issues/${newer}/pull-request/`, { token })).status).toBe(202);
  });

  it('that was withheld is 409 with the reason, and can be requested again after ten minutes', async () => {
    const { hidden, accountId, conclude } = await open();
    const { issueId, investigationId } = await conclude(hidden);
    const token = await ground.newToken({ accountId, scopes });
    const ask = () => ground.call('POST', `/api/v1/issues/${issueId}/pull-request/`, { token });
    expect((await ask()).status).toBe(202);
    const thread = await ground.store.findThreadOfSubject(hidden.id, { kind: 'report', issueId });
    if (thread === null) throw new Error('no thread');
    const withheld = { investigationId, reason: { code: 'archived' } as const, request: 'x' };
    await ground.store.saveThreadRecord(thread.id, { ...thread.record, withheld }, ground.clock.now.toISOString());
    ground.clock.now = new Date(ground.clock.now.getTime() + 599_000);
    const refused = await ask();
    expect(refused.status).toBe(409);
    expect((await bodyOf(refused)).detail).toContain('the repository is archived.');
    ground.clock.now = new Date(ground.clock.now.getTime() + 2_000);
    expect((await ask()).status).toBe(202);
  });

  it('is 409 in local mode, without a change, and where the configuration opens none', async () => {
    const { hidden, accountId, conclude } = await open({ settings: { noPullRequests: 'Only comments here.' } });
    const token = await ground.newToken({ accountId, scopes });
    const ask = async (issueId: string) => {
      const answer = await ground.call('POST', `/api/v1/issues/${issueId}/pull-request/`, { token });
      return `${answer.status} ${(await bodyOf(answer)).detail}`;
    };
    expect(await ask((await conclude(hidden)).issueId)).toBe('409 Only comments here.');
    expect(await ask((await conclude(hidden, { withChange: false })).issueId)).toMatch(/^409 .*no change/);
    expect(await ask((await conclude(ground.project)).issueId)).toMatch(/^409 .*isn't on GitHub/);
  });
});
