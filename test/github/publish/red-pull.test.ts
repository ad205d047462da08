// A pull request whose checks are red, as people see it: comment, suggestions, and what is left when they are green again.
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/core/head.ts';
import { FILES, FIXED, type PublishingHouse, publishingHouse, SHOP } from './publishing-house.ts';

const CART = { 'src/cart.js': 'one\ntwo\nthree\nfour\n' };

interface RedPull {
  readonly number: number;
  readonly sha: string;
  readonly findings: readonly Finding[];
}

/** A pull request that writes a line of the cart; its checks are red of one cause, which is looked into. */
async function redPull(house: PublishingHouse, over: { draft?: boolean } = {}): Promise<RedPull> {
  const { people } = house.double;
  const sha = await people.push(SHOP, { by: 'wanda', branch: 'mine', files: CART });
  const { number } = await people.openPull(SHOP, { by: 'wanda', title: 'Mine', head: 'mine', ...over });
  return { number, sha, findings: [await lookInto(house, { number, sha })] };
}

/** It fails where the pull request writes. */
async function lookInto(
  house: PublishingHouse,
  { number, sha }: Pick<RedPull, 'number' | 'sha'>,
  name = 'test (20)',
): Promise<Finding> {
  const excerpt = { headline: 'Error: two', lines: ['Error: two', '    at cart.js:2'], cut: '90 lines before it.' };
  const found = await house.found({ names: [name], subject: { kind: 'pull_request', number }, sha, excerpt });
  return { ...found, isTouched: true };
}

/** The investigation ends with the fix of line two. */
async function judged(house: PublishingHouse, red: RedPull): Promise<void> {
  const before = CART['src/cart.js'];
  const files = [{ kind: 'modified', path: 'src/cart.js', before, after: `${FIXED}four\n` }] as const;
  await house.conclude({ base: red.sha, files, analysis: { origin: 'check-run' } as object });
  await house.judge(red);
  await house.settle();
}

/** The checks of a head end again, a minute later; the ledger keeps what was found of a failure that comes back soon. */
async function judgedAgain(house: PublishingHouse, head: RedPull, state: 'green' | 'red'): Promise<void> {
  house.advance(60);
  await house.judge({ ...head, state, findings: state === 'red' ? head.findings : [] });
  await house.settle();
}

/** A commit on the pull request that changes nothing of what fails. */
async function pushed(house: PublishingHouse, red: RedPull, path: string): Promise<RedPull> {
  const files = { [path]: 'y\n' };
  return { ...red, sha: await house.double.people.push(SHOP, { by: 'wanda', branch: 'mine', files }) };
}

function reviews(house: PublishingHouse, number: number) {
  return house.double.people.reviews(SHOP, number);
}

describe('red checks of a pull request', () => {
  it('are told once, with the fix as a suggestion, and nothing else', async () => {
    await using house = await publishingHouse();
    const red = await redPull(house);
    await house.judge(red);
    await house.facts();
    await house.settle();
    expect(house.comments(red.number)).toEqual([]);
    await judged(house, red);
    const [comment, ...more] = house.comments(red.number);
    expect(more).toEqual([]);
    const [first] = comment?.body.split('\n') ?? [];
    expect(first).toBe(
      '**`test (20)` is red because of this change · Cause found, with a fix · confidence 90 % · next: commit the suggestions in the changed files, or `/analyse fix` for a pull request into this branch (needs write access)**',
    );
    expect(comment?.body).toContain('90 lines before it.\n\n```\nError: two\n    at cart.js:2\n```');
    expect(reviews(house, red.number)).toMatchObject([{ state: 'COMMENTED', commitSha: red.sha, minimized: null }]);
    const suggestions = house.double.people.reviewComments(SHOP, red.number);
    expect(suggestions).toMatchObject([{ path: 'src/cart.js', line: 2, side: 'RIGHT', startLine: null }]);
    expect(house.pulls()).toMatchObject([{ number: red.number, reactions: [] }]);
    const writes = house.writes().length;
    await house.settle();
    expect(house.writes()).toHaveLength(writes);
    await house.double.people.commitSuggestion(SHOP, suggestions, 'wanda');
    const opened = await house.deps.source.open(house.project, new AbortController().signal);
    const tree = opened.tree(await house.head('mine'));
    expect(await tree.read('src/cart.js', {}, new AbortController().signal)).toMatchObject({ text: `${FIXED}four\n` });
  });

  it('of a cause that is known elsewhere are only named beside what was found here', async () => {
    await using house = await publishingHouse();
    const red = await redPull(house);
    await house.conclude({ base: red.sha, analysis: { confidence: 0.99 }, rootCause: 'Known elsewhere.' });
    const elsewhere = red.findings.map((finding) => ({
      ...finding,
      threadId: null,
      notBegun: { code: 'flaky' } as const,
    }));
    await house.judge({ ...red, findings: elsewhere });
    await house.settle();
    expect(house.comments(red.number)).toEqual([]);
    const lint = await lookInto(house, red, 'lint');
    await judged(house, { ...red, findings: [...elsewhere, lint] });
    const [comment] = house.comments(red.number);
    expect(comment?.body).toMatch(/^\*\*`lint` is red because of this change/);
    expect(comment?.body).toContain('**`test (20)`**\n\nNot looked into: It passes and fails');
    expect(comment?.body).not.toContain('Known elsewhere.');
  });

  it('that are green later leave one line, folded away with the suggestions, and come back in the same comment', async () => {
    await using house = await publishingHouse();
    const red = await redPull(house);
    await judged(house, red);
    house.advance(60);
    const sha = await house.double.people.push(SHOP, { by: 'wanda', branch: 'mine', files: { 'y.js': 'y\n' } });
    await house.judge({ number: red.number, sha, findings: [], state: 'green' });
    await house.settle();
    const [comment] = house.comments(red.number);
    expect(comment?.minimized).toBe('RESOLVED');
    expect(comment?.body).toMatch(
      new RegExp(`^Green again at \`${sha.slice(0, 7)}\`: \`test \\(20\\)\` passed\\. The cause was`),
    );
    expect(reviews(house, red.number)[0]?.minimized).toBe('RESOLVED');
    house.advance(60);
    const again = {
      number: red.number,
      sha: await house.double.people.push(SHOP, { by: 'wanda', branch: 'mine', files: { 'z.js': 'z\n' } }),
    };
    await judged(house, { ...again, findings: [await lookInto(house, again)] });
    expect(house.comments(red.number)).toHaveLength(1);
    const [back] = house.comments(red.number);
    expect([back?.id, back?.minimized]).toEqual([comment?.id, null]);
    expect(back?.body).toMatch(/^\*\*`test \(20\)` is red/);
    expect(reviews(house, red.number).map(({ minimized }) => minimized)).toEqual(['RESOLVED', null]);
  });

  it('that are red anew at the same commit bring the suggestions back with the comment', async () => {
    await using house = await publishingHouse();
    const red = await redPull(house);
    await judged(house, red);
    const [told] = house.comments(red.number);
    await judgedAgain(house, red, 'green');
    expect([house.comments(red.number)[0]?.minimized, reviews(house, red.number)[0]?.minimized]).toEqual([
      'RESOLVED',
      'RESOLVED',
    ]);
    await judgedAgain(house, red, 'red');
    expect(house.comments(red.number)).toMatchObject([{ id: told?.id, minimized: null, body: told?.body }]);
    expect(reviews(house, red.number)).toMatchObject([{ minimized: null }]);
    expect((await house.thread()).record.suggested).toMatchObject({ headSha: red.sha, isMinimized: false });
    await judgedAgain(house, red, 'green');
    expect(reviews(house, red.number)).toMatchObject([{ minimized: 'RESOLVED' }]);
  });

  it('that were looked into before a person asked give way to what they asked for', async () => {
    await using house = await publishingHouse();
    const red = await redPull(house);
    await judged(house, red);
    const [unasked] = house.comments(red.number);
    house.advance(60);
    await house.ask({ subject: { kind: 'pull_request', number: red.number }, fix: false });
    await house.conclude({ base: red.sha, rootCause: 'Another cause.', files: [] });
    await house.settle();
    expect(house.comments(red.number)).toHaveLength(1);
    expect(house.comments(red.number)[0]?.id).not.toBe(unasked?.id);
    expect(house.comments(red.number)[0]?.body).toContain('Another cause.');
  });

  it('get a pull request into their branch when somebody with write asks', async () => {
    await using house = await publishingHouse();
    const red = await redPull(house);
    await judged(house, red);
    house.advance(60);
    const { id } = await house.thread();
    const wanda = { id: house.double.people.user('wanda').id, login: 'wanda' };
    const now = house.deps.now().toISOString();
    await house.store.requestFix(id, { ...wanda, at: now }, now);
    await house.settle();
    const [, ours] = house.pulls();
    expect(ours?.pull).toMatchObject({ baseRef: 'mine', isDraft: true });
    expect(ours?.body).toContain(`For the checks of #${red.number}: it goes into the branch of that pull request.`);
  });

  it('that somebody once asked to be mended are not mended unasked at the next head', async () => {
    await using house = await publishingHouse();
    const red = await redPull(house);
    await judged(house, red);
    const { id } = await house.thread();
    const wanda = { id: house.double.people.user('wanda').id, login: 'wanda' };
    house.advance(60);
    const now = house.deps.now().toISOString();
    await house.store.requestFix(id, { ...wanda, at: now }, now);
    house.advance(60);
    const sha = await house.double.people.push(SHOP, { by: 'wanda', branch: 'mine', files: { 'z.js': 'z\n' } });
    const again = { number: red.number, sha };
    await judged(house, { ...again, findings: [await lookInto(house, again, 'lint')] });
    expect(house.pulls()).toHaveLength(1);
    expect(house.comments(red.number)[0]?.body).toContain('`/analyse fix`');
  });
});

describe('a fork', () => {
  it('gets suggestions where somebody asked, and no word of a command that is refused there', async () => {
    await using house = await publishingHouse();
    const { people } = house.double;
    await people.fork(SHOP, 'wanda');
    const sha = await people.push('wanda/shop', { by: 'wanda', branch: 'mine', files: CART });
    const wanted = { by: 'wanda', title: 'Mine', head: 'mine', headRepository: 'wanda/shop', draft: true };
    const { number } = await people.openPull(SHOP, wanted);
    await house.ask({ subject: { kind: 'pull_request', number }, by: 'tria', role: 'triage', fix: false });
    await judged(house, { number, sha, findings: [] });
    expect(people.reviewComments(SHOP, number)).toHaveLength(1);
    const [comment] = house.comments(number);
    expect(comment?.body.split('\n')[0]).toMatch(/next: commit the suggestions in the changed files\*\*$/);
  });
});

describe('suggestions', () => {
  it('that GitHub takes nowhere are not tried again', async () => {
    await using house = await publishingHouse();
    const { people } = house.double;
    const sha = await people.push(SHOP, { by: 'wanda', branch: 'mine', files: { 'y.js': 'y\n' } });
    const { number } = await people.openPull(SHOP, { by: 'wanda', title: 'Mine', head: 'mine' });
    const red = { number, sha, findings: [await lookInto(house, { number, sha })] };
    await house.conclude({ base: sha });
    await house.judge(red);
    await house.settle();
    expect(reviews(house, number)).toEqual([]);
    expect((await house.thread()).record.suggested).toMatchObject({ reviewId: 0, headSha: sha });
    const asked = house.double.requests.length;
    await house.settle();
    expect(house.double.requests.slice(asked).map(({ path }) => path)).not.toContain(expect.stringContaining('/files'));
  });

  it('of an earlier head are folded away where the newer fix can be suggested nowhere', async () => {
    await using house = await publishingHouse();
    const red = await redPull(house);
    await judged(house, red);
    expect(reviews(house, red.number)).toMatchObject([{ minimized: null }]);
    house.advance(60);
    const again = await pushed(house, red, 'y.js');
    const lint = await lookInto(house, again, 'lint');
    // The pull request does not touch that file, so that no line of it can be commented on.
    const files = [{ kind: 'modified', path: 'src/other.js', before: FILES['src/other.js'], after: 'z\n' }] as const;
    await house.conclude({ base: again.sha, files });
    await house.judge({ ...again, findings: [lint] });
    await house.settle();
    expect(reviews(house, red.number)).toMatchObject([{ commitSha: red.sha, minimized: 'RESOLVED' }]);
    expect((await house.thread()).record.suggested).toMatchObject({ reviewId: 0, headSha: again.sha });
  });

  it('that GitHub does not show again are offered no more', async () => {
    await using house = await publishingHouse();
    const red = await redPull(house);
    await judged(house, red);
    await judgedAgain(house, red, 'green');
    const body = new RegExp(`unminimizeComment.*${(await house.thread()).record.suggested?.nodeId}`, 's');
    const errors = [{ type: 'NOT_FOUND', message: 'Could not resolve to a node.' }];
    const fault = { kind: 'answer', when: 'before', status: 200, body: { data: null, errors } } as const;
    house.double.faults.add({ method: 'POST', path: /graphql/, body, fault });
    await judgedAgain(house, red, 'red');
    expect(reviews(house, red.number)).toMatchObject([{ minimized: 'RESOLVED' }]);
    const [back] = house.comments(red.number);
    expect(back?.minimized).toBeNull();
    expect(back?.body).not.toContain('suggestion');
  });

  it('are not made where somebody pushes between the look at the pull request and the list of its files', async () => {
    await using house = await publishingHouse();
    const red = await redPull(house);
    const files = { 'src/cart.js': `${CART['src/cart.js']}five\n` };
    const act = () => house.double.people.push(SHOP, { by: 'wanda', branch: 'mine', files });
    const fault = { kind: 'meanwhile', moment: 'carried_out', act } as const;
    house.double.faults.add({ method: 'GET', path: /\/pulls\/\d+$/, fault });
    await judged(house, red);
    expect(await house.head('mine')).not.toBe(red.sha);
    expect(house.double.requests.filter(({ path }) => /\/pulls\/\d+\/files/.test(path))).toHaveLength(1);
    expect(reviews(house, red.number)).toEqual([]);
    expect(house.double.people.reviewComments(SHOP, red.number)).toEqual([]);
    expect(
      house
        .comments(red.number)
        .map(({ body }) => body)
        .join(),
    ).not.toContain('commit the suggestions');
  });

  it('that were made before a crash are found again', async () => {
    let lose = true;
    await using house = await publishingHouse({
      onAnswer: (method, path) => {
        if (method !== 'POST' || !path.endsWith('/reviews') || !lose) return;
        lose = false;
        throw new Error('lost');
      },
    });
    const red = await redPull(house);
    await judged(house, red);
    expect(lose).toBe(false);
    expect(reviews(house, red.number)).toHaveLength(1);
    expect((await house.thread()).record.suggested?.reviewId).toBe(reviews(house, red.number)[0]?.id);
  });
});
