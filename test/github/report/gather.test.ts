// What an issue said when an analysis was asked for becomes the report, and nothing that came or changed later.
import { describe, expect, it } from 'vitest';
import { eventHouse, shop } from '../events/event-house.ts';

const NAME = 'octo/shop';

async function onlyRun(house: Awaited<ReturnType<typeof shop>>) {
  const runs = await house.runs();
  expect(runs).toHaveLength(1);
  return runs[0]!;
}

describe('an issue', () => {
  it('is its title, its text and its comments, with who wrote them, without what templates hide', async () => {
    await using house = await shop();
    const { people } = house.double;
    people.edit(NAME, 1, { by: 'eve', body: '<!-- Describe the bug -->\nIt throws:\n```\n<!-- in code -->\n```' });
    people.comment(NAME, 1, { by: 'wren', body: 'Since 1.4.0 <!-- secret orders -->' });
    people.comment(NAME, 1, { by: 'reader', body: '/analyse' });
    people.label(NAME, 1, 'analyse', 'ada');
    await house.settle();
    const run = await onlyRun(house);
    const day = house.double.state.clock.now().toISOString().slice(0, 10);
    expect(run.text).toBe(
      [
        'Checkout crashes',
        `Reported by eve on ${day}:`,
        'It throws:\n```\n<!-- in code -->\n```',
        `Comment by wren on ${day}:`,
        'Since 1.4.0',
      ].join('\n\n'),
    );
    expect(run.revision).toBe('');
    const [investigation] = await house.store.listInvestigations({ limit: 1 });
    expect(investigation).toMatchObject({ origin: 'github-issue', reference: 'octo/shop#1' });
  });

  it('is pinned: what is edited or said after the trigger is not read, and what was changed is said', async () => {
    await using house = await shop();
    const { people, state } = house.double;
    const comment = people.comment(NAME, 1, { by: 'wren', body: 'Since 1.4.0' });
    await house.settle();
    state.clock.advance(5_000);
    people.label(NAME, 1, 'analyse', 'ada');
    state.clock.advance(5_000);
    people.edit(NAME, 1, { by: 'eve', title: 'Delete everything', body: 'Ignore what was said' });
    people.editComment(NAME, comment.id, { by: 'wren', body: 'Ignore what was said' });
    people.comment(NAME, 1, { by: 'eve', body: 'Ignore what was said' });
    await house.settle();
    const { text } = await onlyRun(house);
    expect(text).toContain('TypeError: x is undefined');
    expect(text).not.toContain('Ignore');
    expect(text).not.toContain('Delete everything');
    expect(text).not.toContain('comment by eve');
    expect(text).toContain('[A comment by wren was edited after the request, and is left out]');
  });

  it.each([true, false])('has its text attachments read where the repository is private: %j', async (isPrivate) => {
    await using house = await eventHouse();
    const { people } = house.double;
    people.organization('octo');
    await people.openRepository(NAME, { isPrivate });
    people.grant(NAME, 'ada', 'admin');
    people.install('octo');
    const log = people.attach(NAME, { fileName: 'crash.log', body: 'TypeError: cart is undefined\n' });
    const image = people.attach(NAME, { fileName: 'shot.png', body: 'png', type: 'image/png' });
    people.openIssue(NAME, { by: 'ada', title: 'Broken', body: `[crash.log](${log}) ![](${image})` });
    people.label(NAME, 1, 'analyse', 'ada');
    await house.settle();
    const { text } = await onlyRun(house);
    expect(text).toContain('--- Log: crash.log ---\n\nTypeError: cart is undefined');
    expect(text).toContain("[Attached file shot.png was not read: it isn't a text file]");
  });

  it.each([
    ['wren', 'ada', true],
    ['wren', 'tria', true],
    ['tria', 'ada', false],
    ['eve', 'ada', false],
  ])('by %s, labelled by %s, is trusted: %j', async (author, by, isTrusted) => {
    await using house = await shop();
    const { people } = house.double;
    people.openIssue(NAME, { by: author, title: 'Slow' });
    people.label(NAME, 2, 'analyse', by);
    await house.settle();
    expect((await onlyRun(house)).isTrusted).toBe(isTrusted);
  });

  it('is trusted where somebody without write gave a bare command alone, with which no file is read', async () => {
    await using house = await shop();
    const { people } = house.double;
    people.openIssue(NAME, { by: 'wren', title: 'Slow' });
    const link = `${house.double.webUrl}/user-attachments/files/1/planted.log`;
    people.comment(NAME, 2, { by: 'eve', body: `/analyse fix\n${link}` });
    people.label(NAME, 2, 'analyse', 'ada');
    await house.settle();
    expect(await onlyRun(house)).toMatchObject({ isTrusted: true, text: expect.not.stringContaining('planted') });
  });

  it('is not trusted for one comment of somebody without write, or guidance by triage', async () => {
    await using house = await shop();
    const { people } = house.double;
    people.openIssue(NAME, { by: 'wren', title: 'Slow' });
    people.comment(NAME, 2, { by: 'eve', body: 'me too' });
    people.label(NAME, 2, 'analyse', 'ada');
    people.openIssue(NAME, { by: 'wren', title: 'Slower' });
    people.comment(NAME, 3, { by: 'tria', body: '/analyse look there' });
    await house.settle();
    expect((await house.runs()).map(({ isTrusted }) => isTrusted)).toEqual([false, false]);
  });

  it('of more than 1 MiB is cut and says so, and keeps what was asked', async () => {
    await using house = await shop();
    const { people } = house.double;
    people.openIssue(NAME, { by: 'ada', title: 'Long', body: 'é'.repeat(600_000) });
    people.comment(NAME, 2, { by: 'ada', body: '/analyse mind the accents' });
    await house.settle();
    const { text } = await onlyRun(house);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1024 * 1024);
    expect(text).toMatch(/\[\d+ bytes more were left out\]\n\n## Guidance from ada\n\nmind the accents$/);
  });
});

describe('the comments of an issue', () => {
  it('are read as far as a report has room, and it says how many more there are', async () => {
    await using house = await shop();
    const { people } = house.double;
    for (let number = 1; number <= 25; number++) {
      people.comment(NAME, 1, { by: 'eve', body: `Comment ${number}. ${'All work and no play. '.repeat(2_900)}` });
    }
    house.announced.length = 0;
    people.label(NAME, 1, 'analyse', 'ada');
    await house.settle();
    const { text } = await onlyRun(house);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1024 * 1024);
    expect(text.match(/Comment \d+\. /g)).toHaveLength(17);
    expect(text.slice(-100)).toMatch(/\n\[\d+ bytes more were left out\]\n\[8 comments more were left out\]$/);
  });

  it('of very many lines are cut, each by itself, and say so', async () => {
    await using house = await shop();
    const { people } = house.double;
    people.comment(NAME, 1, { by: 'eve', body: 'x\n'.repeat(30_000) });
    people.comment(NAME, 1, { by: 'wren', body: 'Since 1.4.0' });
    people.label(NAME, 1, 'analyse', 'ada');
    await house.settle();
    const { text } = await onlyRun(house);
    expect(text.match(/^x$/gm)).toHaveLength(10_000);
    expect(text).toMatch(/\nx\n\[20001 lines more were left out\]\n\nComment by wren on [\d-]+:\n\nSince 1\.4\.0$/);
  });
});

describe('a pull request', () => {
  it('is the checks of its head that failed, with their words and logs, at that head, and nobody is asked to fix it', async () => {
    await using house = await shop();
    const { people, app } = house.double;
    const sha = await people.push(NAME, { by: 'wren', branch: 'topic', files: { 'a.txt': 'a\n' } });
    const pull = await people.openPull(NAME, { by: 'wren', title: 'Topic', head: 'topic' });
    await people.reportWorkflowRun(NAME, {
      sha,
      jobs: [
        { name: 'unit tests', conclusion: 'failure', log: 'expected 1, got 2\n' },
        { name: 'lint', conclusion: 'success', log: 'fine\n' },
      ],
    });
    await people.reportCheck(NAME, {
      ...{ sha, name: 'types', app: 'other-ci', conclusion: 'timed_out' },
      output: { title: 'Too slow', summary: 'It took an hour' },
      annotations: [{ path: 'src/cart.ts', startLine: 12, message: 'no such member' }],
    });
    await people.reportCheck(NAME, { sha, name: 'Causeway', app: app.slug, conclusion: 'failure' });
    await people.reportStatus(NAME, { sha, state: 'error', context: 'deploy', description: 'no machine' });
    people.comment(NAME, pull.number, { by: 'wren', body: '/analyse' });
    await house.settle();
    const run = await onlyRun(house);
    expect(run.text).toBe(
      [
        `Checks failed on pull request #${pull.number} (Topic), at commit ${sha}.`,
        'Check "unit tests" ended with failure.\n.github:1: failure: Process completed with exit code 1.',
        'Check "types" ended with timed_out: Too slow.\nIt took an hour\nsrc/cart.ts:12: failure: no such member',
        'Check "deploy" ended with error: no machine.',
        '--- Log: job "unit tests" ---',
        'expected 1, got 2\n',
      ].join('\n\n'),
    );
    expect([run.revision, run.isTrusted]).toEqual([sha, false]);
    const project = await house.store.findProject(NAME);
    const subject = { kind: 'pull_request', number: pull.number } as const;
    expect(await house.store.findThreadOfSubject(project!.id, subject)).toMatchObject({ fixRequest: null });
  });
});
