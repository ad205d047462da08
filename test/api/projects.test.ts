// Projects over HTTP: all of them, in pages, one, and only those that the token reaches.

import { afterEach, describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../../src/core/project/settings.ts';
import { type ApiGround, apiGround, bodyOf, type GroundOptions, listOf } from './api-ground.ts';

let ground: ApiGround;
const open = async (options: GroundOptions = {}) => {
  ground = await apiGround(options);
};
afterEach(() => ground[Symbol.asyncDispose]());

const names = (count: number) => Array.from({ length: count }, (_, i) => `local/p${String(i).padStart(4, '0')}`);

async function pages(path: string): Promise<readonly (readonly string[])[]> {
  const found: (readonly string[])[] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const answer: Response = await ground.call('GET', next);
    expect(answer.status).toBe(200);
    found.push((await listOf(answer)).map((one) => one.name ?? one.id));
    next = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('Link') ?? '')?.[1];
  }
  return found;
}

describe('GET /api/v1/projects/', () => {
  it('is one array of all projects by name, with the fields of the interface', async () => {
    await open({ projects: ['local/b', 'local/a'] });
    const answer = await ground.call('GET', '/api/v1/projects/');
    expect(answer.headers.has('Link')).toBe(false);
    const projects = await listOf(answer);
    expect(projects.map(({ name }) => name)).toEqual(['local/a', 'local/b']);
    expect(projects.map((project) => Object.keys(project))).toEqual(
      Array(2).fill(['id', 'name', 'issueIds', 'createdAt']),
    );
  });

  it('is complete without a limit, whatever the number', async () => {
    await open({ projects: names(253) });
    const answer = await ground.call('GET', '/api/v1/projects');
    expect((await listOf(answer)).map(({ name }) => name)).toEqual(names(253));
  });

  it('is complete in pages, each linked to the next', async () => {
    await open({ projects: names(253) });
    const found = await pages('/api/v1/projects/?limit=100');
    expect(found.map((page) => page.length)).toEqual([100, 100, 53]);
    expect(found.flat()).toEqual(names(253));
  });

  it.each([
    ['limit=0', '/limit'],
    ['limit=101', '/limit'],
    ['limit=-1', '/limit'],
    ['limit=ten', '/limit'],
    ['limit=1e1', '/limit'],
    ['cursor=%00', '/cursor'],
    ['cursor=', '/cursor'],
    ['cursor=AAAA', '/cursor'],
  ])('refuses ?%s', async (query, pointer) => {
    await open();
    const answer = await ground.call('GET', `/api/v1/projects/?${query}`);
    expect(answer.status).toBe(422);
    expect((await bodyOf(answer)).errors.map((fault) => fault.pointer)).toContain(pointer);
  });

  it('refuses the position of another list, of a project that is gone or hidden, and none of these says which', async () => {
    await open({ projects: ['local/a', 'local/b', 'local/c'] });
    const [, hidden] = await ground.store.listProjects({});
    const id = await ground.report('boom');
    const bound = await ground.newToken({ projectIds: [ground.project.id] });
    const refuse = async (position: string, token = ground.token) => {
      const cursor = Buffer.from(position).toString('base64url');
      const answer = await ground.call('GET', `/api/v1/projects/?cursor=${cursor}`, { token });
      return [answer.status, (await bodyOf(answer)).errors];
    };
    const fault = { pointer: '/cursor', detail: expect.stringMatching(/start again without cursor\.$/) };
    for (const position of [id, hidden!.id, 'local/gone', 'LOCAL/A'])
      expect(await refuse(position)).toEqual([422, [fault]]);
    expect(await refuse(hidden!.name, bound)).toEqual(await refuse('local/gone', bound));
  });

  it('contains every issue of a project, newest first', async () => {
    await open();
    const wanted: string[] = [];
    for (let i = 0; i < 1_000; i++) wanted.unshift(await issue(`problem ${i} ${'abcdefghij'[i % 10]}${i}`));
    const project = await bodyOf(await ground.call('GET', `/api/v1/projects/${ground.project.id}/`));
    expect(project.issueIds).toEqual(wanted);
    const [listed] = await listOf(await ground.call('GET', '/api/v1/projects/'));
    expect(listed?.issueIds).toEqual(wanted);
  });
});

/** Handed in below HTTP, for speed. */
async function issue(fingerprint: string): Promise<string> {
  const investigationId = `inv_${fingerprint.replaceAll(/\W/g, '')}`;
  await ground.store.accept({
    investigationId,
    fingerprint,
    idempotency: null,
    thread: null,
    now: ground.clock.now.toISOString(),
    report: {
      projectId: ground.project.id,
      accountId: ground.account.id,
      origin: 'api',
      text: fingerprint,
      reference: '',
      revision: '',
      callbackUrl: '',
      isTrusted: true,
      settings: DEFAULT_SETTINGS,
      fresh: false,
    },
  });
  return ground.conclude(investigationId);
}

describe('GET /api/v1/projects/{projectId}/', () => {
  it('answers by id and not by name', async () => {
    await open();
    expect((await ground.call('GET', `/api/v1/projects/${ground.project.id}/`)).status).toBe(200);
    expect((await ground.call('GET', '/api/v1/projects/local%2Fapp/')).status).toBe(404);
    expect((await ground.call('GET', '/api/v1/projects/local/app/')).status).toBe(404);
  });
});

describe('a token bound to projects', () => {
  it('sees only those, and of the others the bytes of what does not exist', async () => {
    await open({ projects: ['local/a', 'local/b'] });
    const [mine, foreign] = await ground.store.listProjects({});
    const issueId = await ground.conclude(await ground.report('boom', { projectId: foreign!.id }));
    const investigationId = await ground.report('bang', { projectId: foreign!.id });
    const token = await ground.newToken({ projectIds: [mine!.id] });
    const list = await listOf(await ground.call('GET', '/api/v1/projects/', { token }));
    expect(list.map(({ id }) => id)).toEqual([mine!.id]);
    for (const [method, there, absent] of [
      ['GET', `/api/v1/projects/${foreign!.id}/`, '/api/v1/projects/prj_00000000000000000000/'],
      ['GET', `/api/v1/issues/${issueId}/`, '/api/v1/issues/iss_00000000000000000000/'],
      ['DELETE', `/api/v1/issues/${issueId}/`, '/api/v1/issues/iss_00000000000000000000/'],
      ['GET', `/api/v1/investigations/${investigationId}/`, '/api/v1/investigations/inv_00000000000000000000/'],
      ['DELETE', `/api/v1/investigations/${investigationId}/`, '/api/v1/investigations/inv_00000000000000000000/'],
      ['GET', `/api/v1/investigations/${investigationId}/events/`, '/api/v1/investigations/x/events/'],
    ] as const) {
      const answers = [await ground.call(method, there, { token }), await ground.call(method, absent, { token })];
      expect(answers.map(({ status }) => status)).toEqual([404, 404]);
      const [a, b] = await Promise.all(answers.map((answer) => answer.text()));
      expect(a).toBe(b);
    }
    expect(await listOf(await ground.call('GET', '/api/v1/investigations/', { token }))).toEqual([]);
    const create = (projectId: string) =>
      ground.call('POST', '/api/v1/issues/', { token, body: { data: 'x', projectId } });
    const refusals = [foreign!.id, 'local/b', 'prj_00000000000000000000', 'no/such'].map(create);
    const bodies = await Promise.all(refusals.map(async (answer) => (await answer).text()));
    expect(new Set(bodies).size).toBe(1);
    expect(bodies[0]).toContain('"/projectId"');
    const query = await ground.call('GET', '/api/v1/investigations/?projectId=local/b', { token });
    expect(query.status).toBe(422);
    expect((await ground.call('GET', `/api/v1/issues/${issueId}/`)).status).toBe(200);
  });

  it('pages over what it sees', async () => {
    await open({ projects: names(30) });
    const seen = (await ground.store.listProjects({})).filter((_, i) => i % 3 === 0);
    const token = await ground.newToken({ projectIds: seen.map(({ id }) => id) });
    const first = await ground.call('GET', '/api/v1/projects/?limit=7', { token });
    const next = /<([^>]+)>/.exec(first.headers.get('Link') ?? '')?.[1] ?? '';
    const second = await ground.call('GET', next, { token });
    expect(second.headers.has('Link')).toBe(false);
    const found = [...(await listOf(first)), ...(await listOf(second))].map(({ name }) => name);
    expect(found).toEqual(seen.map(({ name }) => name));
  });
});
