// A pull request whose checks are red, as people see it: comment, suggestions, and what is left when they are green again.
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/core/check/head.ts';
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

/** A commit on the pull request that changes nothing of what fails. */
async function pushed(house: PublishingHouse, red: RedPull, path: string): Promise<RedPull> {
  const files = { [path]: 'y\n' };
  return { ...red, sha: await house.double.people.push(SHOP, { by: 'wanda', branch: 'mine', files }) };
}

function reviews(house: PublishingHouse, number: number) {
  return house.double.people.reviews(SHOP, number);
}

describe('red checks of a pull request', () => {
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
    expect(comment?.body).toMatch(/^\*\*`lint` fails because of this change/);
    expect(comment?.body).toContain('**`test (20)`**\n\nNot investigated: It passes and fails');
    expect(comment?.body).not.toContain('Known elsewhere.');
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
