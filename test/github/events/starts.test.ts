// Who starts an analysis with what: it is the sender that counts, and the role that GitHub says he has.
import { describe, expect, it } from 'vitest';
import { acceptance, accepted, conclusion, NOW, pullRequest, record } from '../../support/store-samples.ts';
import { shop } from './event-house.ts';

const NAME = 'octo/shop';

describe('a label', () => {
  it.each([
    ['reader', null],
    ['tria', { pullRequest: false }],
    ['wren', { pullRequest: true }],
    ['mona', { pullRequest: true }],
    ['ada', { pullRequest: true }],
    ['eve', null],
  ])('put there by %s leads to %j', async (login, outcome) => {
    await using house = await shop();
    const { people } = house.double;
    people.label(NAME, 1, 'analyse', login);
    await house.settle();
    const runs = await house.runs();
    expect(runs).toHaveLength(outcome === null ? 0 : 1);
    const project = await house.store.findProject(NAME);
    const thread = await house.store.findThreadOfSubject(project?.id ?? '', { kind: 'issue', number: 1 });
    expect(thread && { pullRequest: thread.fixRequest !== null }).toEqual(outcome);
    if (thread !== null) expect(thread.trigger).toMatchObject({ kind: 'label', by: { login }, guidance: '' });
    const eyes = people.issue(NAME, 1).reactions.map(({ content }) => content);
    expect(eyes).toEqual(outcome === null ? [] : ['eyes']);
    expect(house.writes()).toHaveLength(eyes.length);
  });

  it('that was taken off before its delivery arrives starts nothing, and put on again it does', async () => {
    await using house = await shop();
    const { people } = house.double;
    people.label(NAME, 1, 'analyse', 'ada');
    people.unlabel(NAME, 1, 'analyse', 'ada');
    await house.settle();
    expect(await house.runs()).toEqual([]);
    expect(house.writes()).toEqual([]);
    // By somebody else: the same event with the same content within a second counts as the same delivery.
    people.label(NAME, 1, 'analyse', 'mona');
    await house.settle();
    expect(await house.runs()).toHaveLength(1);
  });

  it('that an issue template puts there as an outsider starts nothing', async () => {
    await using house = await shop();
    house.double.people.openIssue(NAME, { by: 'eve', title: 'Broken', labels: ['analyse'] });
    await house.settle();
    expect(await house.runs()).toEqual([]);
  });

  it('starts one analysis however often its delivery is handled', async () => {
    await using house = await shop();
    house.double.people.label(NAME, 1, 'analyse', 'ada');
    const [labelled] = house.announced.splice(0);
    await house.handle(labelled!, 'd-same');
    await house.handle(labelled!, 'd-same');
    await house.handle(labelled!, 'd-other');
    expect(await house.store.listInvestigations({ limit: 10 })).toHaveLength(1);
  });

  it('is tried again later where GitHub sets a limit, and then starts one analysis', async () => {
    await using house = await shop();
    const { people, faults } = house.double;
    faults.add({ path: /\/collaborators\//, fault: { kind: 'primary_limit', resetInSeconds: 900 } });
    people.label(NAME, 1, 'analyse', 'ada');
    const [labelled] = house.announced.splice(0);
    expect(await house.handle(labelled!, 'd-1')).toMatchObject({ kind: 'later' });
    expect(await house.runs()).toEqual([]);
    house.double.state.clock.advance(901_000);
    expect(await house.handle(labelled!, 'd-1')).toEqual({ kind: 'done' });
    expect(await house.runs()).toHaveLength(1);
  });
});

describe('a command', () => {
  it.each([
    ['eve', 0],
    ['reader', 0],
    ['tria', 1],
    ['wren', 1],
  ])('by %s starts %i analyses', async (by, count) => {
    await using house = await shop();
    const comment = house.double.people.comment(NAME, 1, { by, body: '/analyse look at the cart' });
    await house.settle();
    const runs = await house.runs();
    expect(runs).toHaveLength(count);
    expect(comment.reactions.map(({ content }) => content)).toEqual(count === 0 ? [] : ['eyes']);
    expect(house.writes()).toHaveLength(count);
    if (runs[0] !== undefined) expect(runs[0].text).toContain(`## Guidance from ${by}\n\nlook at the cart`);
  });

  it('"stop" ends it, by triage, and does nothing where nothing runs', async () => {
    await using house = await shop();
    const { people } = house.double;
    people.comment(NAME, 1, { by: 'tria', body: '/analyse stop' });
    await house.settle();
    people.label(NAME, 1, 'analyse', 'ada');
    people.comment(NAME, 1, { by: 'reader', body: '/analyse stop' });
    await house.settle();
    expect(await house.runs()).toHaveLength(1);
    people.comment(NAME, 1, { by: 'tria', body: '/analyse stop' });
    await house.settle();
    expect(await house.runs()).toEqual([]);
  });

  it.each(['the issue', 'our pull request'])('"stop" on %s ends a further attempt too', async (where) => {
    await using house = await shop();
    const { people } = house.double;
    people.label(NAME, 1, 'analyse', 'ada');
    await house.settle();
    const [run] = await house.runs();
    const project = await house.store.findProject(NAME);
    const thread = await house.store.findThreadOfSubject(project!.id, { kind: 'issue', number: 1 });
    const [issueId = ''] = await house.store.conclude(run!, conclusion(), NOW);
    await people.push(NAME, { by: 'wren', branch: 'topic', files: { 'a.txt': 'new\n' } });
    const { number } = await people.openPull(NAME, { by: 'wren', title: 'Ours', head: 'topic' });
    await house.store.saveThreadRecord(thread!.id, record({ pullRequest: pullRequest(issueId, { number }) }), NOW);
    const account = { id: run!.accountId, login: 'ada', githubId: 1 };
    const follows = { kind: 'follows', threadId: thread!.id } as const;
    await accepted(house.store, acceptance({ account, project: project! }, { thread: follows, fingerprint: 'red' }));
    await house.settle();
    expect(await house.runs()).toHaveLength(1);
    const on = where === 'the issue' ? 1 : number;
    const stop = people.comment(NAME, on, { by: 'tria', body: '/analyse stop' });
    await house.settle();
    expect(await house.runs()).toEqual([]);
    expect(stop.reactions.map(({ content }) => content)).toEqual(['eyes']);
  });

  it('"fix" by triage gets one look of confusion and one line that says why', async () => {
    await using house = await shop();
    const { people } = house.double;
    const comment = people.comment(NAME, 1, { by: 'tria', body: '/analyse fix' });
    const [commented] = house.announced.splice(0);
    await house.handle(commented!, 'd-1');
    await house.handle(commented!, 'd-1');
    expect(comment.reactions.map(({ content }) => content)).toEqual(['confused']);
    expect(
      people
        .comments(NAME, 1)
        .slice(1)
        .map(({ body }) => body),
    ).toEqual([expect.stringContaining('`/analyse fix` needs write access')]);
    expect(await house.runs()).toEqual([]);
  });

  it('"fix" written before the analysis that stands now asks for nothing: its writer meant the one before', async () => {
    await using house = await shop();
    const { people } = house.double;
    people.label(NAME, 1, 'analyse', 'tria');
    await house.settle();
    const late = people.comment(NAME, 1, { by: 'wren', body: '/analyse fix' });
    const [commented] = house.announced.splice(0);
    house.double.state.clock.advance(60_000);
    people.comment(NAME, 1, { by: 'tria', body: '/analyse retry with my patch' });
    await house.settle();
    await house.handle(commented!, 'd-late');
    const project = await house.store.findProject(NAME);
    const thread = await house.store.findThreadOfSubject(project!.id, { kind: 'issue', number: 1 });
    expect(thread?.fixRequest).toBeNull();
    expect(late.reactions.map(({ content }) => content)).toEqual(['confused']);
  });

  it.each(['label', 'comment'])('of a body that somebody kept for weeks does nothing: %s', async (kind) => {
    await using house = await shop();
    const { people, state } = house.double;
    if (kind === 'label') people.label(NAME, 1, 'analyse', 'wren');
    else people.comment(NAME, 1, { by: 'wren', body: '/analyse' });
    const kept = house.announced.splice(0).at(-1)!;
    state.clock.advance(15 * 24 * 3_600_000);
    await house.handle(kept, 'd-replayed');
    expect([await house.runs(), house.writes()]).toEqual([[], []]);
  });

  it('that is edited into a comment, or written by ourselves, does nothing', async () => {
    await using house = await shop();
    const { people, app, state } = house.double;
    const comment = people.comment(NAME, 1, { by: 'ada', body: 'I see it too' });
    people.editComment(NAME, comment.id, { by: 'ada', body: '/analyse' });
    people.comment(NAME, 1, { by: state.accounts.get(app.botId)?.login ?? '', body: '/analyse' });
    await house.settle();
    people.comment(NAME, 1, { by: 'ada', body: '/analyse' });
    const commented = house.announced.pop();
    house.announced.splice(0);
    const through = { ...(commented!.payload['comment'] as object), performed_via_github_app: { id: app.id } };
    await house.handle({ event: 'issue_comment', payload: { ...commented!.payload, comment: through } });
    expect(await house.runs()).toEqual([]);
  });
});

describe('where nothing may be written', () => {
  it.each([
    { ceiling: 'observe' as const },
    { paused: true },
    { files: { '.github/causeway.yml': 'mode: observe\n' } },
  ])('reports are accepted and nothing is: %j', async (options) => {
    await using house = await shop(options);
    house.double.people.comment(NAME, 1, { by: 'tria', body: '/analyse fix' });
    house.double.people.label(NAME, 1, 'analyse', 'wren');
    await house.settle();
    expect(await house.runs()).toHaveLength(1);
    expect(house.writes()).toEqual([]);
  });
});

describe('a configuration file that cannot be understood', () => {
  it('is told once for each state of the file, and the analysis goes on', async () => {
    await using house = await shop({ files: { '.github/causeway.yml': 'labels: [analyse\n' } });
    const { people, state } = house.double;
    people.label(NAME, 1, 'analyse', 'ada');
    await house.settle();
    people.comment(NAME, 1, { by: 'ada', body: '/analyse retry' });
    await house.settle();
    const told = () => people.comments(NAME, 1).filter(({ authorId }) => authorId === house.double.app.botId);
    expect(told().map(({ body }) => body)).toEqual([expect.stringContaining('.github/causeway.yml')]);
    expect(await house.runs()).toHaveLength(1);
    await people.push(NAME, { by: 'ada', files: { '.github/causeway.yml': 'labels: {analyse\n' } });
    state.clock.advance(61_000);
    people.comment(NAME, 1, { by: 'ada', body: '/analyse retry again' });
    await house.settle();
    expect(told()).toHaveLength(2);
  });
});
