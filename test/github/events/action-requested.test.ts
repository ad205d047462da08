// "Open fix" on our check run of a head: a writer gets the pull request of what the button stood for, everybody else nothing.
import type { CheckRun } from 'causeway-github-double';
import { describe, expect, it } from 'vitest';
import type { CheckRunButton, Finding } from '../../../src/core/check/head.ts';
import { EMPTY_EXCERPT } from '../../../src/core/check/head.ts';
import { createId } from '../../../src/core/ids.ts';
import { NOW } from '../../support/store-samples.ts';
import { type EventHouse, shop } from './event-house.ts';

const NAME = 'octo/shop';

interface Ground {
  readonly house: EventHouse;
  readonly run: CheckRun;
  /** Of the first and the second button. */
  readonly threads: readonly string[];
}

/** A head with two causes, each with an own thread and a button. */
async function ground(): Promise<Ground> {
  const house = await shop();
  const { people, app } = house.double;
  people.openIssue(NAME, { by: 'eve', title: 'Another' });
  people.label(NAME, 1, 'analyse', 'tria');
  people.label(NAME, 2, 'analyse', 'tria');
  await house.settle();
  const { store } = house;
  const project = (await store.findProject(NAME))!;
  const sha = await people.push(NAME, { by: 'ada', files: { 'a.txt': 'a\n' } });
  const noted = { id: createId('hed'), projectId: project.id, sha, branch: 'main' };
  const head = await store.ensureHead(noted, { runAt: NOW, now: NOW });
  const findings: Finding[] = [];
  const buttons: CheckRunButton[] = [];
  for (const number of [1, 2]) {
    const thread = (await store.findThreadOfSubject(project.id, { kind: 'issue', number }))!;
    const of = { threadId: thread.id, investigationId: thread.investigationId };
    findings.push(await found(house, { ...of, sha, projectId: project.id }));
    buttons.push(of);
  }
  const seen = { state: 'red', place: null, leftOut: [], endedAt: NOW } as const;
  await store.saveHead(head.id, { ...seen, findings }, NOW);
  const checkRun = { id: 1, url: '', status: 'completed', digest: 'd', annotations: 0, at: NOW } as const;
  await store.saveHeadRecord(head.id, { checkRun: { ...checkRun, buttons }, held: null }, NOW);
  const made = { sha, name: 'Causeway', app: app.slug, conclusion: 'neutral', externalId: head.id } as const;
  const run = await people.reportCheck(NAME, made);
  house.announced.splice(0);
  return { house, run, threads: buttons.map(({ threadId }) => threadId) };
}

async function found(
  { store }: EventHouse,
  { sha, projectId, ...of }: CheckRunButton & { readonly sha: string; readonly projectId: string },
): Promise<Finding> {
  const sighting = {
    ...{
      key: createId('req'),
      sha,
      branch: 'main',
      pullRequest: null,
      isOnDefault: true,
      isTrusted: true,
      checkName: 'test',
    },
    app: 'github-actions',
    ...{ verdict: 'code' as const, at: NOW },
  };
  const known = { id: createId('fal'), projectId, fingerprint: createId('req'), headline: 'x' };
  const { failure } = await store.recordSightings(known, [sighting]);
  return {
    ...{ failureId: failure.id, checks: [], verdict: 'code', reasons: [], standing: 'new', excerpt: EMPTY_EXCERPT },
    ...{ places: [], isOwnThread: true, notBegun: null, ...of },
  };
}

/** Logins of who asked, thread by thread. */
async function asked({ house, threads }: Ground): Promise<readonly (string | null)[]> {
  const found = await Promise.all(threads.map((id) => house.store.findThread(id)));
  return found.map((thread) => thread?.fixRequest?.login ?? null);
}

async function pressed(of: Ground, identifier: string, by: string): Promise<readonly (string | null)[]> {
  await of.house.double.people.pressAction(NAME, of.run, identifier, by);
  await of.house.settle();
  return await asked(of);
}

describe('a button of our check run', () => {
  it.each([
    ['open_fix', ['wren', null]],
    ['open_fix_2', [null, 'wren']],
    ['open_fix_3', [null, null]],
    ['open_fix_0', [null, null]],
    ['open_fix_02', [null, null]],
    ['another', [null, null]],
  ])('%s, pressed by a writer, asks for the pull request of its own cause', async (identifier, who) => {
    const of = await ground();
    await using _ = of.house;
    expect(await pressed(of, identifier, 'wren')).toEqual(who);
  });

  it.each(['reader', 'tria', 'eve'])('pressed by %s, who may not write, changes nothing but the log', async (by) => {
    const of = await ground();
    await using _ = of.house;
    const writes = of.house.writes();
    expect(await pressed(of, 'open_fix', by)).toEqual([null, null]);
    expect(of.house.writes()).toEqual(writes);
    expect(of.house.logged()).toContain('requested without write');
  });

  it('asks for nothing where the thread is at another analysis by now', async () => {
    const of = await ground();
    await using _ = of.house;
    of.house.double.people.comment(NAME, 1, { by: 'tria', body: '/analyse retry with another idea' });
    await of.house.settle();
    expect(await pressed(of, 'open_fix', 'wren')).toEqual([null, null]);
    expect(await pressed(of, 'open_fix_2', 'wren')).toEqual([null, 'wren']);
  });
});
