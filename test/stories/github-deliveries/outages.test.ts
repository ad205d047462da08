// GitHub limits us, or answers strangely: what must wait waits in the queue and not in a worker, and everything comes to a known end.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDesk, outcomeOf, STRANGE_ANSWERS } from '../../support/github-desk.ts';
import { type GithubStage, makeJobsDue, openGithubStage, storedQueue } from '../../support/github-stage.ts';

let stage: GithubStage;

beforeAll(async () => {
  stage = await openGithubStage({
    env: { ALLOWED_OWNERS: 'corner,rival' },
    ownProcess: true,
    // Limits are an installation's own: whoever is to go on meanwhile needs another one.
    prepare: ({ people }) => {
      people.organization('corner', { owners: ['nora'], members: ['per'] });
      people.organization('rival', { owners: ['rex'], members: ['per'] });
      people.install('corner', { by: 'nora' });
      people.install('rival', { by: 'rex' });
    },
  });
});

afterAll(() => stage[Symbol.asyncDispose]());

const MINUTE = 60_000;

/** A wait of so many minutes of which some may have passed, as on a machine that does other work as well. */
function atMost(minutes: number): unknown {
  return expect.toSatisfy((left: number) => left <= minutes + 0.1 && left > minutes * 0.8 - 1);
}

/** Minutes until the jobs that wait for later are due. */
async function waits(kind: 'publish' | 'delivery'): Promise<readonly number[]> {
  const { jobs } = await storedQueue(stage.dataDir);
  return jobs
    .filter((job) => job.kind === kind && job.state === 'waiting')
    .map(({ run_at: runAt }) => (Date.parse(runAt) - Date.now()) / MINUTE)
    .filter((minutes) => minutes > 0);
}

/** Resolves when GitHub has refused something of that repository, and what that led to is stored. */
async function refused(name: string): Promise<void> {
  const { requests } = stage.double;
  await stage.until('the limit', () => requests.some(({ path: at, status }) => status === 403 && at.includes(name)));
  await stage.rest();
}

/** What the clock does in an hour, with the service ended meanwhile. */
async function anHourLater(): Promise<void> {
  await stage.service().end('SIGKILL');
  await makeJobsDue(stage.dataDir);
  await stage.restart();
}

it('goes on when the limit ends: a comment waits for an hour, through a kill, while others are served', async () => {
  const limited = await openDesk(stage, 'corner/limited');
  stage.double.faults.add({
    ...{ method: 'POST', path: /corner\/limited\/issues\/1\/comments$/ },
    fault: { kind: 'primary_limit', resetInSeconds: 59 * 60 },
  });
  limited.label('per');
  await refused('corner/limited/');
  expect(await waits('publish')).toEqual([atMost(59)]);

  const other = await openDesk(stage, 'rival/unlimited');
  stage.double.people.grant('rival/unlimited', 'per', 'write');
  other.label('per');
  await other.comment('Facts only');
  await stage.rest();
  const asked = () => stage.double.requests.filter(({ path: where }) => where.includes('corner/limited')).length;
  const before = asked();
  await stage.service().end('SIGKILL');
  await stage.restart();
  await stage.rest();
  expect([await waits('publish'), asked()]).toEqual([[atMost(59)], before]);

  await anHourLater();
  await limited.comment('Facts only');
  await stage.rest();
  expect([limited.ours().length, await waits('publish')]).toEqual([1, []]);
});

it('keeps a label that came while GitHub limited us, and says 👀 when that has ended', async () => {
  const desk = await openDesk(stage, 'corner/label-limited');
  stage.double.faults.add({
    ...{ path: /corner\/label-limited\/collaborators\// },
    fault: { kind: 'primary_limit', resetInSeconds: 59 * 60 },
  });
  desk.label('per');
  await refused('corner/label-limited/');
  expect(await waits('delivery')).toEqual([atMost(59)]);
  expect([desk.reactions(), desk.ours()]).toEqual([[], []]);
  await anHourLater();
  await desk.comment('Facts only');
  await stage.rest();
  expect([desk.reactions(), desk.ours().length]).toEqual([['eyes'], 1]);
});

it.each([
  ['for a minute where GitHub asks to slow down and names no time', 'slow', null, 1],
  ['for as long as GitHub says where it asks to slow down', 'slow-named', 30 * 60, 30],
])('stays away %s, through a kill', async (_how, name, retryAfter, minutes) => {
  const desk = await openDesk(stage, `corner/${name}`);
  stage.double.faults.add({
    ...{ method: 'POST', path: new RegExp(`corner/${name}/issues/1/comments$`) },
    fault: { kind: 'secondary_limit', status: 403, retryAfter },
  });
  desk.label('per');
  await refused(`corner/${name}/`);
  expect(await waits('publish')).toEqual([atMost(minutes)]);
  await anHourLater();
  await desk.comment('Facts only');
  await stage.rest();
  expect(desk.ours()).toHaveLength(1);
});

it('has a known end for every strange answer, and asks few times', async () => {
  const came = await Promise.all(STRANGE_ANSWERS.map((strange) => outcomeOf(stage, strange)));
  expect(came.map(({ name, comments }) => ({ name, comments }))).toEqual(
    STRANGE_ANSWERS.map(({ name, comments }) => ({ name, comments })),
  );
  expect(came.filter(({ tries }) => tries > 2)).toEqual([]);
  stage.double.faults.clear();
  expect((await storedQueue(stage.dataDir)).jobs.filter(({ state }) => state === 'dead')).toEqual([]);
});

it('ends at an installation that GitHub does not know any more, without asking again and again', async () => {
  const desk = await openDesk(stage, 'corner/unknown');
  await stage.rest();
  await stage.service().end('SIGTERM');
  stage.double.faults.add({
    ...{ method: 'POST', path: /^\/app\/installations\/\d+\/access_tokens$/ },
    ...{ fault: { kind: 'answer', when: 'before', status: 404 }, times: 1_000 },
  });
  const asked = stage.double.requests.length;
  await stage.restart();
  desk.label('per');
  await stage.rest();
  expect(stage.double.requests.length - asked).toBeLessThan(30);
  expect([desk.ours(), desk.reactions()]).toEqual([[], []]);
  expect((await storedQueue(stage.dataDir)).jobs.filter(({ kind }) => kind === 'delivery')).toEqual([]);
  stage.double.faults.clear();
});
