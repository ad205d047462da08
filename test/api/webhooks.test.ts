// Subscriptions over the API: made, listed, tried out and deleted, by whom, and what is refused.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { SCOPES } from '../../src/core/account/account.ts';
import { WEBHOOK_TYPES } from '../../src/core/account/webhook.ts';
import { createExample } from '../../src/core/account/webhook-example.ts';
import { apiGround } from './api-ground.ts';
import { document } from './documented-answer.ts';

const PATH = '/api/v1/webhooks/';
const URL_TEXT = 'https://hooks.example.org/services/T0/B0/hardly-guessable';
const BODY = { url: URL_TEXT, types: ['issue.created'] };

async function ground(options: Parameters<typeof apiGround>[0] = {}) {
  const opened = await apiGround(options);
  const token = await opened.newToken({ scopes: SCOPES });
  const call = async (method: string, path: string, body?: object) => {
    const answer = await opened.call(method, path, { token, ...(body && { body }) });
    return { status: answer.status, text: await answer.text() };
  };
  return { ...opened, ask: call, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
}

describe('POST /api/v1/webhooks/', () => {
  it('subscribes to all projects and origins unless it says otherwise, and shows the secret this once', async () => {
    await using at = await ground();
    const made = await at.ask('POST', PATH, { ...BODY, types: ['issue.failed', 'issue.created', 'issue.failed'] });
    const { secret, ...shown } = JSON.parse(made.text);
    expect([made.status, shown]).toEqual([
      201,
      {
        ...{ id: expect.stringMatching(/^sub_\w{20}$/), projectId: null, types: ['issue.created', 'issue.failed'] },
        ...{ origins: ['label', 'check', 'api'], format: 'standard', address: 'hooks.example.org …able' },
        ...{ createdAt: '2026-11-20T10:00:00.000Z', disabled: null, lastDelivery: null },
      },
    ]);
    expect((await at.store.openSubscription(shown.id, ''))?.secrets).toEqual([secret]);
    const listed = await at.ask('GET', PATH);
    expect(JSON.parse(listed.text)).toEqual([shown]);
    expect(made.text + listed.text + at.log.join()).not.toContain('hardly-guessable');
    expect(listed.text + at.log.join()).not.toContain('whsec_');
  });

  it('takes a project by its name, and has no secret for a channel', async () => {
    await using at = await ground();
    const more = { projectId: 'local/app', origins: ['check'], format: 'slack' };
    const { text } = await at.ask('POST', PATH, { ...BODY, ...more });
    expect(JSON.parse(text)).toMatchObject({
      projectId: at.project.id,
      origins: ['check'],
      format: 'slack',
      secret: '',
    });
  });

  it.each([
    [{}, ['/url', '/types']],
    [{ ...BODY, types: [] }, ['/types']],
    [{ ...BODY, types: ['issue.exploded'] }, ['/types/0']],
    [{ ...BODY, origins: [], format: 'irc' }, ['/origins', '/format']],
    [{ ...BODY, url: 'http://10.0.0.1/' }, ['/url']],
    [{ ...BODY, url: `https://hooks.example.org/${'x'.repeat(2_100)}` }, ['/url']],
    [{ ...BODY, projectId: 'prj_00000000000000000000' }, ['/projectId']],
    [{ ...BODY, callbackUrl: 'https://a.example/' }, ['/callbackUrl']],
  ])('refuses %j with every fault', async (body, pointers) => {
    await using at = await ground();
    const { status, text } = await at.ask('POST', PATH, body);
    const { errors } = JSON.parse(text) as { errors: readonly { pointer: string; detail: string }[] };
    expect([status, errors.map(({ pointer }) => pointer).toSorted()]).toEqual([422, pointers.toSorted()]);
    expect(text).not.toMatch(/callbackUrl (?:is|must)/);
  });

  it('refuses the fifty-first', async () => {
    await using at = await ground();
    for (let count = 0; count < 50; count++) await at.ask('POST', PATH, { ...BODY, format: 'slack' });
    expect((await at.ask('POST', PATH, BODY)).status).toBe(409);
  });

  it('with a token that is bound to projects is for one of them, and sees no other', async () => {
    await using at = await ground({ projects: ['local/app', 'local/other'] });
    await at.ask('POST', PATH, BODY);
    const [other] = (await at.store.listProjects({})).filter(({ name }) => name === 'local/other');
    const theirs = JSON.parse((await at.ask('POST', PATH, { ...BODY, projectId: other!.id })).text).id;
    const token = await at.newToken({ scopes: SCOPES, projectIds: [at.project.id] });
    const bound = async (method: string, path: string, body?: object) =>
      await at.call(method, path, { token, ...(body && { body }) });
    expect(await (await bound('POST', PATH, BODY)).json()).toMatchObject({ errors: [{ pointer: '/projectId' }] });
    expect((await bound('POST', PATH, { ...BODY, projectId: other!.id })).status).toBe(422);
    expect((await bound('POST', PATH, { ...BODY, projectId: at.project.id })).status).toBe(201);
    expect(await (await bound('GET', PATH)).json()).toMatchObject([{ projectId: at.project.id }]);
    expect((await bound('DELETE', `${PATH}${theirs}/`)).status).toBe(404);
    expect((await bound('POST', `${PATH}${theirs}/test/`)).status).toBe(404);
  });
});

describe('one subscription', () => {
  it('is tried out, one example at a time, and deleted once', async () => {
    await using at = await ground();
    const { id } = JSON.parse((await at.ask('POST', PATH, BODY)).text);
    expect((await at.ask('POST', `${PATH}${id}/test/`)).status).toBe(202);
    expect((await at.ask('POST', `${PATH}${id}/test/`)).status).toBe(409);
    const [listed] = JSON.parse((await at.ask('GET', PATH)).text);
    expect(listed.lastDelivery).toMatchObject({ type: 'issue.created', state: 'pending', error: '' });
    expect((await at.ask('DELETE', `${PATH}${id}/`)).status).toBe(200);
    expect((await at.ask('DELETE', `${PATH}${id}/`)).status).toBe(404);
    expect(await at.store.findWebhook(listed.lastDelivery.id)).toBeNull();
  });

  it('of another account is absent', async () => {
    await using at = await ground();
    const { id } = JSON.parse((await at.ask('POST', PATH, BODY)).text);
    const now = '2026-11-20T10:00:00.000Z';
    const other = await at.store.ensureAccount({ login: 'other', githubId: null, signingSecret: 'whsec_o', now });
    const token = await at.newToken({ scopes: SCOPES, accountId: other.id });
    expect(await (await at.call('GET', PATH, { token })).json()).toEqual([]);
    expect((await at.call('DELETE', `${PATH}${id}/`, { token })).status).toBe(404);
    expect((await at.call('POST', `${PATH}${id}/test/`, { token })).status).toBe(404);
  });
});

it.each(WEBHOOK_TYPES)('what %s says is as the document describes it', (type) => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'openapi');
  const { data } = createExample(type);
  const pointer = `openapi#/webhooks/${type}/post/requestBody/content/application~1json/schema`;
  const valid = ajv.validate({ $ref: pointer }, { type, timestamp: '2026-11-20T10:00:00.000Z', data, example: true });
  expect([valid, ajv.errorsText()]).toEqual([true, 'No errors']);
});
