// Commands on a pull request: a fix on top of it for those with write, nothing on forks, and an end to what nobody asked for.
import { describe, expect, it } from 'vitest';
import { EMPTY_EXCERPT, type Finding, type HeadPlace } from '../../../src/core/check/head.ts';
import { createId } from '../../../src/core/ids.ts';
import type { Thread } from '../../../src/core/thread/thread.ts';
import type { ThreadPart } from '../../../src/db/reports.ts';
import { acceptance, accepted, conclusion, SHA } from '../../support/store-samples.ts';
import { type EventHouse, shop } from './event-house.ts';

const NAME = 'octo/shop';
const CHANGE = { base: SHA, files: [{ kind: 'added', path: 'b.js', mode: '100644', after: 'b\n' }] } as const;

interface Red {
  readonly house: EventHouse;
  readonly number: number;
  readonly sha: string;
}

/** A pull request with a red check, with its branch here or in a fork. */
async function redPull(at: 'here' | 'fork' = 'here'): Promise<Red> {
  const house = await shop();
  const { people } = house.double;
  const headRepository = at === 'here' ? NAME : 'wren/shop';
  if (at === 'fork') await people.fork(NAME, 'wren');
  const sha = await people.push(headRepository, { by: 'wren', branch: 'topic', files: { 'a.js': 'x\n' } });
  const { number } = await people.openPull(NAME, { by: 'wren', title: 'Topic', head: 'topic', headRepository });
  await people.reportCheck(NAME, { sha, name: 'unit', app: 'other-ci', conclusion: 'failure' });
  await house.settle();
  return { house, number, sha };
}

async function threadOf({ house, number }: Red): Promise<Thread | null> {
  const project = await house.store.findProject(NAME);
  return await house.store.findThreadOfSubject(project!.id, { kind: 'pull_request', number });
}

async function say({ house, number }: Red, body: string, by = 'wren') {
  house.double.state.clock.advance(5_000);
  const comment = house.double.people.comment(NAME, number, { by, body });
  await house.settle();
  return comment.reactions.map(({ content }) => content);
}

/** Red checks of one cause are looked into, unasked; all such findings so far are those of the head. */
async function lookInto(
  { house, number, sha }: Red,
  name: string,
  before: readonly Finding[] = [],
): Promise<Finding[]> {
  const { store } = house;
  const now = house.double.state.clock.now().toISOString();
  const project = (await store.findProject(NAME))!;
  const account = await store.ensureAccount({ login: 'bot', githubId: 1, signingSecret: 'whsec_x', now });
  const about = {
    sha,
    branch: 'topic',
    pullRequest: number,
    isOnDefault: false,
    isTrusted: true,
    verdict: 'code',
    at: now,
  } as const;
  const { failure } = await store.recordSightings(
    { id: createId('fal'), projectId: project.id, fingerprint: name, headline: name },
    [{ ...about, key: name, app: 'github-actions', checkName: name }],
  );
  const by = { id: 7, login: 'wren' };
  const thread: ThreadPart = {
    ...{ kind: 'found', threadId: createId('thr'), subject: { kind: 'pull_request', number }, fixRequest: null },
    trigger: { kind: 'checks', by, role: 'write', commentId: null, guidance: '', at: now },
    ...{ failureId: failure.id, isLead: before.length === 0 },
  };
  const { investigationId } = await accepted(
    store,
    acceptance({ account, project }, { thread, fingerprint: name, origin: 'check-run', now }),
  );
  const finding: Finding = {
    ...{
      failureId: failure.id,
      verdict: 'code',
      reasons: [{ code: 'says_nothing' }],
      standing: 'new',
      excerpt: EMPTY_EXCERPT,
      places: [],
    },
    checks: [{ name, runId: 1, url: '', isRed: true }],
    ...{ investigationId, threadId: (await threadOf({ house, number, sha }))!.id, isOwnThread: true, notBegun: null },
  };
  const findings = [...before, finding];
  const head = await store.ensureHead(
    { id: createId('hed'), projectId: project.id, sha, branch: 'topic' },
    { runAt: now, now },
  );
  const place: HeadPlace = {
    ...{ kind: 'pull_request', number, branch: 'topic', base: { branch: 'main', sha: SHA }, sha },
    ...{ isQueue: false, isFork: false, isDraft: false, author: by, isTrusted: true },
  };
  await store.saveHead(head.id, { state: 'red', place, findings, leftOut: [], endedAt: now }, now);
  return findings;
}

describe('"fix" on a pull request', () => {
  it.each([
    ['/analyse fix', { login: 'wren' }],
    ['/analyse', null],
  ])('by write starts an analysis behind which they stand, if it is asked for so: %s', async (command, person) => {
    const red = await redPull();
    await using house = red.house;
    await say(red, command);
    expect(await house.runs()).toHaveLength(1);
    const request = (await threadOf(red))?.fixRequest ?? null;
    expect(request && { login: request.login }).toEqual(person);
  });

  it('of a fork gets one look of confusion, whoever asks', async () => {
    const red = await redPull('fork');
    await using house = red.house;
    expect(await say(red, '/analyse fix', 'ada')).toEqual(['confused']);
    expect(await house.runs()).toEqual([]);
    expect(await threadOf(red)).toBeNull();
  });

  it('asks for the pull request of what red checks began, and starts nothing more', async () => {
    const red = await redPull();
    await using house = red.house;
    await lookInto(red, 'unit');
    expect(await say(red, '/analyse fix')).toEqual(['eyes']);
    expect(await threadOf(red)).toMatchObject({ trigger: { kind: 'checks' }, fixRequest: { login: 'wren' } });
    expect(await house.store.listInvestigations({ limit: 10 })).toHaveLength(1);
  });

  it.each([
    ['asks for it where only another cause of the head has a change', CHANGE, 2],
    ['starts an analysis where none of them has one', { base: SHA, files: [] }, 3],
  ])('%s', async (_, changeSet, investigations) => {
    const red = await redPull();
    await using house = red.house;
    await lookInto(red, 'lint', await lookInto(red, 'unit'));
    const [first, second] = await house.runs();
    const now = house.double.state.clock.now().toISOString();
    await house.store.conclude(first!, conclusion(), now);
    await house.store.conclude(second!, conclusion({ changeSet }), now);
    await say(red, '/analyse fix');
    expect((await threadOf(red))?.fixRequest).toMatchObject({ login: 'wren' });
    expect(await house.store.listInvestigations({ limit: 10 })).toHaveLength(investigations);
  });
});

describe('"stop" on a pull request', () => {
  it('ends all that red checks began', async () => {
    const red = await redPull();
    await using house = red.house;
    await lookInto(red, 'lint', await lookInto(red, 'unit'));
    expect(await house.runs()).toHaveLength(2);
    expect(await say(red, '/analyse stop', 'tria')).toEqual(['eyes']);
    expect(await house.runs()).toEqual([]);
  });
});
