// Every payload that GitHub publishes as an example, signed and posted to the running service: taken or refused with a reason, and harmless.
import { publishedExamples } from 'causeway-github-double';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deskOf } from '../../support/github-desk.ts';
import { openShop, reportBug, SHOP_NAME, shopScript } from '../../support/github-shop.ts';
import { type GithubStage, OWNER, openGithubStage, storedQueue } from '../../support/github-stage.ts';

/** Whoever owns what an example is about may use the App here, so that it gets as far as it can. */
function ownersOfExamples(): readonly string[] {
  const owners = new Set<string>();
  for (const { payload } of publishedExamples()) {
    const { repository, installation } = payload as {
      readonly repository?: { readonly owner?: { readonly login?: string } };
      readonly installation?: { readonly account?: { readonly login?: string } };
    };
    owners.add(repository?.owner?.login ?? '').add(installation?.account?.login ?? '');
  }
  return [...owners].filter((login) => login !== '');
}

let stage: GithubStage;

beforeAll(async () => {
  const owners = ownersOfExamples();
  stage = await openGithubStage({
    script: await shopScript(),
    env: { ALLOWED_OWNERS: [OWNER, ...owners].join(',') },
    prepare: (double) => openShop(double),
  });
});

afterAll(() => stage[Symbol.asyncDispose]());

/** What changes something on GitHub; tokens are asked for, and git is read, with POST as well. */
function writesSoFar(): readonly string[] {
  return stage.double.requests
    .filter(({ method, path }) => method !== 'GET' && !/\/access_tokens$|\/git-upload-pack$/.test(path))
    .filter(({ path, body }) => path !== '/graphql' || /mutation/.test(body))
    .map(({ method, path }) => `${method} ${path}`);
}

it('takes all published examples or says why not, and does nothing at any of them', async () => {
  const desk = deskOf(stage, SHOP_NAME, await reportBug(stage.double));
  desk.label('mara');
  await desk.pull();
  await stage.rest();
  const writes = writesSoFar();
  const before = await storedQueue(stage.dataDir);
  expect(before.projects).toEqual([SHOP_NAME]);

  const examples = publishedExamples();
  expect(examples.length).toBeGreaterThanOrEqual(329);
  const refused: string[] = [];
  for (const { name } of examples) {
    const { statusCode, response } = await stage.double.webhooks.postExample(name);
    const { message, detail } = JSON.parse(response.payload) as { message?: string; detail?: string };
    expect({ name, statusCode, reason: message ?? detail }).toEqual({
      ...{ name, statusCode: expect.toBeOneOf([202, 400]), reason: expect.stringMatching(/^[A-Z].*\.$/) },
    });
    if (statusCode === 400) refused.push(name);
  }
  await stage.rest();

  // GitHub's own examples are what GitHub sends.
  expect(refused).toEqual([]);
  expect((await fetch(`${stage.service().address}/healthz`)).status).toBe(200);
  expect((await fetch(`${stage.service().address}/healthz`)).status).toBe(200);
  expect(writesSoFar()).toEqual(writes);
  const after = await storedQueue(stage.dataDir);
  expect(after.projects).toEqual(before.projects);
  expect(Object.keys(after.deliveries)).toEqual(['done']);
  expect(after.deliveries['done']).toBeGreaterThan((before.deliveries['done'] ?? 0) + 20);
  expect(after.jobs.filter(({ kind, state }) => kind === 'delivery' || state !== 'waiting')).toEqual([]);

  // And it goes on as before.
  const next = deskOf(stage, SHOP_NAME, await reportBug(stage.double, { more: 'Once more.' }));
  next.label('per');
  await next.comment('Cause found, with a fix');
});
