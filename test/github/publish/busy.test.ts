// GitHub is busy, away, or says no: the job comes back when that helps, and rests when it does not.
import { expect, it } from 'vitest';
import { CausewayError } from '../../../src/core/errors.ts';
import { SourceBusy } from '../../../src/core/source/source.ts';
import { createPublishHandler } from '../../../src/github/publish/publish-thread.ts';
import { publishingHouse, SHOP } from './publishing-house.ts';

it('comes back when the limit is over, and does not ask before', async () => {
  await using house = await publishingHouse();
  await house.ask();
  house.double.faults.add({
    path: /./,
    method: 'POST',
    fault: { kind: 'secondary_limit', status: 403, retryAfter: 40 },
  });
  const result = await house.publish();
  expect(result.kind === 'later' && Date.parse(result.runAt) - house.deps.now().getTime()).toBeGreaterThan(38_000);
  await house.settle();
  expect(house.issue.reactions).toHaveLength(1);
});

it('comes back where GitHub does not answer', async () => {
  await using house = await publishingHouse();
  await house.ask();
  house.double.faults.add({ path: /reactions/, fault: { kind: 'reset', when: 'before' } });
  expect((await house.publish()).kind).toBe('later');
  await house.settle();
  expect(house.issue.reactions).toHaveLength(1);
});

it.each([
  ['what was read', 'GET', [1, 2, 4, 8, 16, 32, 64]],
  // Until it can be seen whether it took place.
  ['a write', 'POST', [15, 15, 15, 15, 16, 32, 64]],
])(
  'waits longer each time where GitHub keeps failing at %s, and starts again after a success',
  async (_, method, expected) => {
    await using house = await publishingHouse({ deps: { now: () => new Date('2099-01-01T00:00:00Z') } });
    const { id: subject } = await house.ask();
    if (method === 'GET') await house.conclude();
    const publisher = createPublishHandler(house.deps);
    const publish = () =>
      publisher.handle({ id: 'job_1', kind: 'publish', subject, attempt: 1 }, new AbortController().signal);
    const fault = { kind: 'answer', when: 'before', status: 502 } as const;
    const waits: number[] = [];
    house.double.faults.add({ path: /./, method, times: 7, fault });
    for (let time = 0; time < 7; time++) {
      const result = await publish();
      waits.push(result.kind === 'later' ? (Date.parse(result.runAt) - house.deps.now().getTime()) / 1_000 : 0);
    }
    expect(waits).toEqual(expected);
    await publish();
    await house.ask();
    if (method === 'GET') await house.conclude();
    house.double.faults.add({ path: /./, method, fault });
    const runAt = new Date(house.deps.now().getTime() + (expected[0] ?? 0) * 1_000).toISOString();
    expect(await publish()).toEqual({ kind: 'later', runAt });
  },
);

it.each([
  ['when whoever keeps it says', new SourceBusy('Wait.', new Date('2099-01-01T00:00:42Z')), '2099-01-01T00:00:42.000Z'],
  ['in five minutes', new CausewayError('repository_unreachable', 'No answer.'), '2099-01-01T00:05:00.000Z'],
])('comes back where the source of a change cannot be read, %s', async (_, error, runAt) => {
  const open = async () => {
    throw error;
  };
  const now = () => new Date('2099-01-01T00:00:00Z');
  await using house = await publishingHouse({ deps: { source: { open }, now } });
  await house.ask();
  await house.conclude();
  expect(await house.publish()).toEqual({ kind: 'later', runAt });
});

it('rests where the installation is gone', async () => {
  await using house = await publishingHouse();
  await house.ask();
  await house.conclude();
  const [installation] = [...house.double.state.installations.values()];
  house.double.people.uninstall(installation!, 'octo');
  expect(await house.settle()).toEqual({ kind: 'done' });
});

it('rests where the project is no longer known', async () => {
  await using house = await publishingHouse();
  await house.ask();
  const { repositoryId: id, installationId } = house.project.source;
  await house.store.hideRepository({ id, installationId }, house.deps.now().toISOString());
  expect(await house.publish()).toEqual({ kind: 'done' });
  expect(house.writes()).toEqual([]);
});

it('withholds what a rule of the repository refuses, once', async () => {
  await using house = await publishingHouse();
  await house.ask();
  await house.conclude();
  const refusal = {
    kind: 'answer',
    when: 'before',
    status: 422,
    body: { message: 'Repository rule violations' },
  } as const;
  house.double.faults.add({ method: 'POST', path: /\/git\/refs$/, times: 9, fault: refusal });
  expect(await house.settle()).toEqual({ kind: 'done' });
  await house.settle();
  expect(house.writes().filter((write) => write.endsWith('/git/refs'))).toHaveLength(1);
  expect(house.comments()[0]?.body).toContain('No pull request was opened');
});

it('opens an ordinary pull request where the plan has no drafts', async () => {
  await using house = await publishingHouse({ isPrivate: true });
  house.double.people.organization('octo').plan = 'free';
  await house.ask();
  await house.conclude();
  await house.settle();
  expect(house.pulls()).toHaveLength(1);
  expect(house.pulls()[0]?.pull?.isDraft).toBe(false);
});

it('uses another branch name where somebody has taken the first', async () => {
  await using house = await publishingHouse();
  await house.ask();
  const issueId = await house.conclude();
  const taken = `causeway/issue-${house.issue.number}-${issueId.slice(4, 10)}`;
  const sha = await house.double.people.push(SHOP, { by: 'wanda', branch: taken, files: { 'x.txt': 'mine\n' } });
  await house.settle();
  expect(await house.head(taken)).toBe(sha);
  expect(house.pulls()[0]?.pull?.headRef).toBe(`causeway/issue-${house.issue.number}-${issueId.slice(10, 16)}`);
});
