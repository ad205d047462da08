// What events name, branches and checks, is kept without the secrets in it, and known again all the same.
import { expect, it } from 'vitest';
import { noise } from '../../redact/planted.ts';
import { shop } from './event-house.ts';

const NAME = 'octo/shop';
const CI = 'other-ci';
const TOKEN = ['gh', 'p_', noise(36, 7)].join('');

it('a head has no secret of its branch, and is looked at again when it turns green', async () => {
  await using made = await shop();
  const { people, state } = made.double;
  const sha = await people.push(NAME, { by: 'wren', branch: `topic-${TOKEN}`, files: { 'a.js': 'x\n' } });
  await people.reportCheck(NAME, { sha, name: 'unit', app: CI, conclusion: 'failure' });
  await made.settle();
  const project = (await made.store.findProject(NAME))!;
  const head = (await made.store.findHeadOfCommit(project.id, sha))!;
  expect(head.branch).toBe('topic-[redacted]');
  const now = state.clock.now().toISOString();
  const place = { kind: 'branch', branch: head.branch } as const;
  const seen = { place, findings: [], leftOut: [], stillWaiting: [], endedAt: now };
  await made.store.saveHead(head.id, { state: 'red', ...seen }, now);
  const next = await people.push(NAME, { by: 'wren', branch: `topic-${TOKEN}`, files: { 'a.js': 'y\n' } });
  await people.reportCheck(NAME, { sha: next, name: 'unit', app: CI, conclusion: 'success' });
  await made.settle();
  expect(await made.store.findHeadOfCommit(project.id, next)).toMatchObject({ branch: 'topic-[redacted]' });
});

it.each(['check run', 'status'])(
  'a green %s of the default branch is kept without the secret in its name',
  async (kind) => {
    await using made = await shop();
    const { people } = made.double;
    const sha = await people.push(NAME, { by: 'wren', branch: 'main', files: { 'a.js': 'x\n' } });
    const name = `deploy ${TOKEN}`;
    if (kind === 'status') await people.reportStatus(NAME, { sha, context: name, state: 'success' });
    else await people.reportCheck(NAME, { sha, name, app: CI, conclusion: 'success' });
    await made.settle();
    const project = (await made.store.findProject(NAME))!;
    const app = kind === 'status' ? '' : CI;
    expect(await made.store.listPassingChecks(project.id, { app, name: 'deploy [redacted]' })).toMatchObject([{ sha }]);
    expect(await made.store.listPassingChecks(project.id, { app, name })).toEqual([]);
  },
);
