// How much of red checks is read, and kept while it is: less where anyone may have written it.
import { describe, expect, it } from 'vitest';
import { CODE_LOG, HEAD, type HeadGround, headGround, logOf, pullRequestPlace } from '../../support/head-ground.ts';
import { ON_MAIN } from '../../support/store-samples.ts';

const OUTSIDERS = [
  ['a fork', pullRequestPlace({ isFork: true, isTrusted: false })],
  ['an author without write', pullRequestPlace({ isTrusted: false })],
] as const;

async function ground(place = ON_MAIN): Promise<HeadGround> {
  const at = await headGround();
  at.world.places.set(HEAD, place);
  return at;
}

function said(at: HeadGround): readonly string[] {
  return at.world.asked.filter((call) => call.startsWith('said '));
}

/** Its cause stands at its beginning, some 700 KB before its end. */
const FAR = [
  ...CODE_LOG.split('\n').slice(0, -1),
  ...Array.from({ length: 20_000 }, (_, line) => `line ${line} of what came after it`),
].join('\n');

describe.each(OUTSIDERS)('the pull request of %s', (_, place) => {
  it('has 10 of its logs read', async () => {
    await using at = await ground(place);
    for (let check = 0; check < 12; check += 1) at.run(`check-${'abcdefghijkl'[check]}`, 'red', { log: logOf(check) });
    const { head } = await at.look();
    expect(said(at)).toHaveLength(10);
    expect(head.findings).toHaveLength(10);
    expect(head.leftOut).toMatchObject(Array(2).fill({ reason: expect.stringContaining('Only 10 red checks') }));
  });

  it('has the last 512 KiB of a log read', async () => {
    await using at = await ground(place);
    at.run('test', 'red', { log: FAR });
    expect((await at.look()).head.findings[0]!.excerpt.headline).not.toContain('KeyError');
  });
});

it('a long log of the default branch is read whole', async () => {
  await using at = await ground();
  at.run('test', 'red', { log: FAR });
  expect((await at.look()).head.findings[0]!.excerpt.headline).toBe("KeyError: 'sum'");
});

describe('the words of many causes', () => {
  it('are kept of five until their investigations begin', async () => {
    await using at = await ground();
    for (let check = 0; check < 8; check += 1) at.run('cdefghij'[check]!, 'red', { log: logOf(check) });
    const { head } = await at.look();
    expect(head.findings.filter(({ investigationId }) => investigationId !== null)).toHaveLength(5);
    expect(said(at)).toHaveLength(8);
  });

  it('are read again where they were let go', async () => {
    await using at = await ground();
    for (let check = 0; check < 8; check += 1) at.run('jihgfedc'[check]!, 'red', { log: logOf(check) });
    const { head } = await at.look();
    const begun = head.findings.filter(({ investigationId }) => investigationId !== null);
    expect(begun.map(({ checks }) => checks[0]!.name)).toEqual(['c', 'd', 'e', 'f', 'g']);
    expect(said(at).slice(8)).toEqual(['said c', 'said d', 'said e']);
    for (const { investigationId, excerpt } of begun) {
      expect(await at.reportOf(investigationId)).toContain(`, to its end ===\n`);
      expect(excerpt.headline).toMatch(/_key'$/);
    }
  });
});
