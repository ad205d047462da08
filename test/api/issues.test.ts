// Issues over HTTP: handing in, reading, erasing.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiGround, apiGround, BASE, bodyOf } from './api-ground.ts';

let ground: ApiGround;
beforeEach(async () => {
  ground = await apiGround();
});
afterEach(() => ground[Symbol.asyncDispose]());

const create = (body: unknown, headers: Record<string, string> = {}) =>
  ground.call('POST', '/api/v1/issues/', { body, headers });
const valid = () => ({ data: 'TypeError: x is undefined', projectId: ground.project.id });
const pointers = async (answer: Response) => (await bodyOf(answer)).errors.map(({ pointer }) => pointer).sort();

describe('POST /api/v1/issues/', () => {
  it('answers 202 with a message that names the investigation', async () => {
    const answer = await create({ ...valid(), callbackUrl: 'https://example.com/hook' });
    expect(answer.status).toBe(202);
    const body = await bodyOf(answer);
    const location = answer.headers.get('Location');
    expect(Object.keys(body)).toEqual(['message']);
    expect(location).toMatch(/^\/api\/v1\/investigations\/inv_[0-9A-Za-z]{20}\/$/);
    expect(body.message).toBe(
      `Issue creation is in progress. A webhook will be sent on completion. Follow it at ${BASE}${location}`,
    );
    const [investigation] = await ground.store.listInvestigations({ limit: 10 });
    expect(location).toContain(investigation?.id);
  });

  it('is refused with what to do where the disk is nearly full, while what is there is read and erased as ever', async () => {
    await using full = await apiGround({ shortage: { free: 19.9 * 1024 ** 2, required: 100 * 1024 ** 2 } });
    const body = { data: 'TypeError: x is undefined', projectId: full.project.id };
    const answer = await full.call('POST', '/api/v1/issues/', { body });
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '60']);
    expect((await bodyOf(answer)).detail).toContain('19 MiB free, 100 MiB required');
    expect(await full.store.listInvestigations({ limit: 10 })).toEqual([]);
    expect((await full.call('GET', '/api/v1/projects/')).status).toBe(200);
    expect((await full.call('POST', '/api/v1/issues/', { body: { ...body, data: '' } })).status).toBe(422);
  });

  it('says nothing of a webhook where there is no callbackUrl', async () => {
    const answer = await create(valid());
    const address = `${BASE}${answer.headers.get('Location')}`;
    expect((await bodyOf(answer)).message).toBe(`Issue creation is in progress. Follow it at ${address}`);
  });

  it('takes the project by its name, whatever the case', async () => {
    expect((await create({ ...valid(), projectId: 'Local/App' })).status).toBe(202);
  });

  it('keeps every optional field', async () => {
    const id = await ground.report('boom', { reference: 'alert 7 ✓', revision: 'v1.2', fresh: true });
    const investigation = await ground.store.findInvestigation(id);
    expect(investigation).toMatchObject({ reference: 'alert 7 ✓', origin: 'api', accountId: ground.account.id });
    const run = await ground.start(id);
    expect(run).toMatchObject({ revision: 'v1.2', fresh: true, text: 'boom' });
  });

  it.each([
    ['no fields', {}, ['/data', '/projectId']],
    ['an empty text', { data: '' }, ['/data']],
    ['only white space', { data: ' \n\t\u2003\u2028' }, ['/data']],
    ['half a surrogate pair', { data: 'x\ud800y' }, ['/data']],
    ['data that is no text', { data: 7 }, ['/data']],
    ['null', { callbackUrl: null }, ['/callbackUrl']],
    ['an empty callbackUrl', { callbackUrl: '' }, ['/callbackUrl']],
    ['an unknown field', { severity: 1 }, ['/severity']],
    ['a field whose name needs escaping', { 'a/b~c': 1 }, ['/a~1b~0c']],
    ['a long reference', { reference: 'é'.repeat(201) }, ['/reference']],
    ['a reference with half a pair', { reference: '\udc00' }, ['/reference']],
    ['a long callbackUrl', { callbackUrl: `https://example.com/${'a'.repeat(2_048)}` }, ['/callbackUrl']],
    ['a text for fresh', { fresh: 'yes' }, ['/fresh']],
    ['a revision with a control character', { revision: 'a\u0000b' }, ['/revision']],
    ['an unknown project', { projectId: 'prj_00000000000000000000' }, ['/projectId']],
    ['a project that is no text', { projectId: ['a'] }, ['/projectId']],
    ['a refused address', { callbackUrl: 'http://10.0.0.1/' }, ['/callbackUrl']],
    [
      'everything wrong at once',
      { data: '', projectId: 'nobody/nothing', callbackUrl: 'ftp://example.com', reference: 1, extra: true },
      ['/callbackUrl', '/data', '/extra', '/projectId', '/reference'],
    ],
  ])('refuses %s with 422 and names each fault', async (_name, changes, expected) => {
    const body = Object.keys(changes).length === 0 ? {} : { ...valid(), ...changes };
    const answer = await create(body);
    expect(answer.status).toBe(422);
    expect(await pointers(answer)).toEqual(expected);
  });

  it('names the rule that refused an address, and how to open an exception', async () => {
    const { errors } = await bodyOf(await create({ ...valid(), callbackUrl: 'https://intranet/' }));
    expect(errors[0]?.detail).toMatch(/rule "name".*CALLBACK_ALLOW/);
  });

  it('accepts 1 MiB and refuses one byte more with 413', async () => {
    expect((await create({ ...valid(), data: 'x'.repeat(1_048_576) })).status).toBe(202);
    expect((await create({ ...valid(), data: 'x'.repeat(1_048_577) })).status).toBe(413);
    expect((await create({ ...valid(), data: 'é'.repeat(524_289) })).status).toBe(413);
  });

  it('keeps NUL as U+FFFD and every other character as it is', async () => {
    const text = 'a\u0000b \u2028 \u202e עברית 👩‍🔬 \r\n\t "; DROP TABLE issues;-- <script>';
    const id = await ground.report(text);
    const issueId = await ground.conclude(id);
    const issue = await bodyOf(await ground.call('GET', `/api/v1/issues/${issueId}/`));
    expect(issue.analysis.report).toBe(text.replace('\u0000', '\ufffd'));
  });

  it('removes secrets before anything is stored', async () => {
    const issueId = await ground.conclude(await ground.report(`key ghp_${'a1B2'.repeat(9)} in the log`));
    const issue = await bodyOf(await ground.call('GET', `/api/v1/issues/${issueId}/`));
    expect(issue.analysis.report).not.toContain('ghp_');
  });
});

describe('Idempotency-Key', () => {
  const keyed = (body: unknown, key = 'key-1', token = ground.token) =>
    ground.call('POST', '/api/v1/issues/', { body, headers: { 'Idempotency-Key': key }, token });

  it('gives the same answer to the same body, and makes one investigation', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => keyed(valid())));
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202]);
    expect(new Set(answers.map(({ headers }) => headers.get('Location'))).size).toBe(1);
    expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1);
    expect(await ground.store.listInvestigations({ limit: 10 })).toHaveLength(1);
  });

  it('refuses another body under the same key', async () => {
    await keyed(valid());
    const answer = await keyed({ ...valid(), data: 'something else' });
    expect(answer.status).toBe(422);
    expect(await pointers(answer)).toEqual(['/Idempotency-Key']);
  });

  it('forgets a key after 24 hours', async () => {
    await keyed(valid());
    ground.clock.now = new Date(ground.clock.now.getTime() + 24 * 3_600_000 + 1);
    expect((await keyed({ ...valid(), data: 'something else' })).status).toBe(202);
  });

  it('keeps the keys of two accounts apart', async () => {
    await keyed(valid());
    const other = await ground.store.ensureAccount({
      login: 'other',
      githubId: null,
      signingSecret: 'whsec_y',
      now: '2026',
    });
    const token = await ground.newToken({ accountId: other.id });
    expect((await keyed({ ...valid(), data: 'something else' }, 'key-1', token)).status).toBe(202);
  });

  it.each(['x'.repeat(256), 'ü', ''])('refuses the key %j and the body at once', async (key) => {
    const answer = await keyed({ ...valid(), data: '' }, key);
    expect(await pointers(answer)).toEqual(['/Idempotency-Key', '/data']);
  });
});

describe('GET and DELETE /api/v1/issues/{issueId}/', () => {
  it('whose answer changes no code has nothing to prove, and no change is to be applied', async () => {
    const issueId = await ground.conclude(await ground.report());
    const answer = await ground.call('GET', `/api/v1/issues/${issueId}/proof/`);
    expect(await bodyOf(answer)).toMatchObject({
      ...{ state: 'not_run', pullRequest: '' },
      reason: 'the answer changes no code, so there is nothing to prove',
    });
  });

  it('has every field of the interface at the top level, never null', async () => {
    const issueId = await ground.conclude(await ground.report('boom', { reference: 'r-1' }));
    const answer = await ground.call('GET', `/api/v1/issues/${issueId}`);
    expect(answer.status).toBe(200);
    const issue = await bodyOf(answer);
    expect(Object.keys(issue)).toEqual([
      'id',
      'projectId',
      'problem',
      'rootCause',
      'stepsToReproduce',
      'solutionSteps',
      'diff',
      'investigationSteps',
      'createdAt',
      'analysis',
    ]);
    expect(Object.values(issue)).not.toContain(null);
    expect(issue).toMatchObject({ id: issueId, projectId: ground.project.id, analysis: { reference: 'r-1' } });
    expect(issue.analysis.investigationId).not.toBe(issueId);
  });

  it('is 404 while the investigation runs, under either id', async () => {
    const id = await ground.report();
    await ground.start(id);
    expect((await ground.call('GET', `/api/v1/issues/${id}/`)).status).toBe(404);
    const project = await bodyOf(await ground.call('GET', `/api/v1/projects/${ground.project.id}/`));
    expect(project.issueIds).toEqual([]);
  });

  it('erases the issue with its investigation, once', async () => {
    const id = await ground.report();
    const issueId = await ground.conclude(id);
    const erased = await ground.call('DELETE', `/api/v1/issues/${issueId}/`);
    expect(erased.status).toBe(200);
    expect(Object.keys(await bodyOf(erased))).toEqual(['message']);
    expect((await ground.call('DELETE', `/api/v1/issues/${issueId}/`)).status).toBe(404);
    expect((await ground.call('GET', `/api/v1/issues/${issueId}/`)).status).toBe(404);
    expect((await ground.call('GET', `/api/v1/investigations/${id}/`)).status).toBe(404);
    const project = await bodyOf(await ground.call('GET', `/api/v1/projects/${ground.project.id}/`));
    expect(project.issueIds).toEqual([]);
  });

  it('stops webhooks that were not delivered yet', async () => {
    const id = await ground.report('boom', { callbackUrl: 'https://example.com/hook' });
    const issueId = await ground.conclude(id);
    expect(await ground.store.listWebhooks(ground.account.id, 10)).toHaveLength(1);
    await ground.call('DELETE', `/api/v1/issues/${issueId}/`);
    expect(await ground.store.listWebhooks(ground.account.id, 10)).toHaveLength(0);
  });

  it('touches no other issue of the same analysis', async () => {
    const [first, second] = [await ground.report('boom'), await ground.report('boom')];
    const issueId = await ground.conclude(first);
    const other = (await bodyOf(await ground.call('GET', `/api/v1/investigations/${second}/`))).issueId;
    await ground.call('DELETE', `/api/v1/issues/${issueId}/`);
    const left = await bodyOf(await ground.call('GET', `/api/v1/issues/${other}/`));
    expect(left.analysis.investigationId).toBe(second);
  });

  it('is deleted by who reported it or maintains the project; for others it is absent then', async () => {
    const issueId = await ground.conclude(await ground.report());
    const other = await ground.store.ensureAccount({
      login: 'other',
      githubId: 7,
      signingSecret: 'whsec_y',
      now: '2026',
    });
    const token = await ground.newToken({ accountId: other.id });
    ground.roles.set(other.id, 'write');
    expect((await ground.call('DELETE', `/api/v1/issues/${issueId}/`, { token })).status).toBe(404);
    expect((await ground.call('GET', `/api/v1/issues/${issueId}/`)).status).toBe(200);
    ground.roles.set(other.id, 'maintain');
    expect((await ground.call('DELETE', `/api/v1/issues/${issueId}/`, { token })).status).toBe(200);
    const [deed] = await ground.store.listAuditEntries({ accountId: other.id, projectIds: [], limit: 1 });
    expect(deed).toMatchObject({ who: 'other', verb: 'issue.erased', subject: issueId });
  });
});
