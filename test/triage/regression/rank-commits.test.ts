// The commits since a check was green, ranked by what each touches.
import { describe, expect, it } from 'vitest';
import { readCommitTitle } from '../../../src/triage/commit-titles.ts';
import { pickLikeliest, type RangeEvidence, rankCommits } from '../../../src/triage/rank-commits.ts';

const NOTHING: RangeEvidence = { places: [], tests: [], suspects: [], headline: '', titles: [] };
const commit = (sha: string, paths: readonly string[], title = 'Tidy up') => ({ sha, paths, subject: title, title });
const README = commit('a', ['README.md']);
const CART = commit('b', ['src/cart.ts']);
const TEST = commit('c', ['test/cart.test.ts']);

describe('the likeliest commit', () => {
  it('touches the file that the failing line names, and says so', () => {
    const ranked = rankCommits([README, TEST, CART], {
      ...NOTHING,
      places: ['src/cart.ts'],
      tests: ['test/cart.test.ts'],
    });
    expect(ranked.map(({ sha }) => sha)).toEqual(['b', 'c', 'a']);
    expect(ranked[0]?.ties).toEqual([{ code: 'named', path: 'src/cart.ts' }]);
    expect(pickLikeliest(ranked)?.sha).toBe('b');
  });

  it('is known by the end of a path, but not by a bare file name', () => {
    const places = ['shop/src/cart.ts', 'index.ts'];
    const ranked = rankCommits([commit('d', ['web/index.ts']), CART], { ...NOTHING, places });
    expect(ranked.map(({ sha, score }) => [sha, score > 0])).toEqual([
      ['b', true],
      ['d', false],
    ]);
  });

  it('changes what is installed, where a package is not found', () => {
    const lock = commit('e', ['package.json', 'package-lock.json'], 'Bump it');
    const headline = "Error: Cannot find module 'left-pad'";
    expect(pickLikeliest(rankCommits([README, lock], { ...NOTHING, headline }))?.ties).toEqual([
      { code: 'dependencies', path: 'package.json' },
    ]);
    expect(pickLikeliest(rankCommits([README, lock], { ...NOTHING, headline: 'TypeError: no' }))).toBeNull();
  });

  it('is rather a small one than one that touches everything', () => {
    const wide = commit('f', ['src/cart.ts', ...Array.from({ length: 400 }, (_, at) => `src/${at}.ts`)]);
    expect(rankCommits([wide, CART], { ...NOTHING, places: ['src/cart.ts'] })[0]?.sha).toBe('b');
  });

  it('may be told by its subject too, though not by that alone', () => {
    const subject = 'Rewrite applyCoupon';
    const evidence = { ...NOTHING, headline: 'TypeError: applyCoupon is not a function' };
    const ranked = rankCommits([README, commit('g', ['x.md'], subject)], evidence);
    expect(ranked[0]).toMatchObject({ sha: 'g', ties: [{ code: 'subject', word: 'applyCoupon' }] });
    expect(pickLikeliest(ranked)).toBeNull();
  });
});

describe('what people wrote of the commits', () => {
  const touched = (sha: string, subject: string) => commit(sha, ['src/cart.ts'], subject);
  const evidence = {
    ...NOTHING,
    places: ['src/cart.ts'],
    titles: ['tests/test_cart.py::test_encoded_separator_is_no_list'],
  };

  it('tells apart those that touch the same, by words that few have and the failed tests are called by', () => {
    const ranked = rankCommits(
      [touched('a', 'Test lists of coupons'), touched('b', 'Fix list'), touched('c', 'Separate encoded lists')],
      evidence,
    );
    expect(ranked.map(({ sha }) => sha)).toEqual(['c', 'a', 'b']);
    expect(ranked[0]?.ties).toContainEqual({ code: 'subject', word: 'Separate' });
  });

  it('names nobody alone, however many words they share', () => {
    const said = commit('a', ['x.md'], 'Encoded separator is no list');
    expect(pickLikeliest(rankCommits([said, README], evidence))).toBeNull();
  });

  it('leaves out a commit that was taken back, with the one that did it', () => {
    const commits = [
      touched('d', 'Revert "Separate encoded lists (#7)" (#9)'),
      touched('c', 'Separate encoded lists (#7)'),
      touched('b', 'Round'),
      touched('a', 'Revert "What came before"'),
    ];
    const ranked = rankCommits(commits, evidence);
    expect(ranked.map(({ sha, ties }) => [sha, ties.length > 0])).toEqual([
      ['b', true],
      ['a', true],
      ['d', false],
      ['c', false],
    ]);
  });
});

it('the title of a merge is that of what it merges', () => {
  expect(readCommitTitle('Merge pull request #8 from mona/lists\n\nSeparate encoded lists\n')).toBe(
    'Separate encoded lists',
  );
  expect(readCommitTitle("Merge branch 'lists'\n")).toBe("Merge branch 'lists'");
  expect(readCommitTitle('Round\n\nTo two digits')).toBe('Round');
});

describe('what the changes themselves say', () => {
  const changes = new Map([
    ['b', [{ code: 'called', path: 'src/cart.ts', name: 'total', calls: 1 }]],
    ['d', [{ code: 'called', path: 'src/money.ts', name: 'round', calls: 3 }]],
    ['e', [{ code: 'imported', path: 'src/log.ts' }]],
  ] as const);
  const evidence = { ...NOTHING, changes };
  const called = [README, commit('e', ['src/log.ts']), commit('d', ['src/money.ts']), CART];

  it('puts what the failing test calls itself before what that calls, and both before an import', () => {
    const ranked = rankCommits(called, evidence);
    expect(ranked.map(({ sha }) => sha)).toEqual(['b', 'd', 'e', 'a']);
    expect(pickLikeliest(ranked)?.ties).toEqual(changes.get('b'));
  });

  it('names no commit for an import alone', () => {
    expect(pickLikeliest(rankCommits(called.slice(0, 2), evidence))).toBeNull();
  });
});

describe('no commit stands out', () => {
  it('by the suspects alone, all of them and a word: what is merely mentioned makes suspects as well', () => {
    const suspects = ['src/1.ts', 'src/2.ts', 'src/3.ts', 'src/4.ts', 'src/5.ts'];
    const evidence = { ...NOTHING, suspects, headline: 'TypeError: applyCoupon is not a function' };
    const ranked = rankCommits([README, commit('s', suspects, 'Rewrite applyCoupon')], evidence);
    expect(ranked[0]).toMatchObject({ sha: 's' });
    expect(ranked[0]?.ties).toContainEqual({ code: 'suspect', path: 'src/1.ts', rank: 1 });
    expect(pickLikeliest(ranked)).toBeNull();
  });

  it('where nothing ties one to the failure; they stay in their order', () => {
    const ranked = rankCommits([README, TEST], NOTHING);
    expect(ranked.map(({ sha, ties }) => [sha, ties])).toEqual([
      ['a', []],
      ['c', []],
    ]);
    expect(pickLikeliest(ranked)).toBeNull();
  });

  it('where two touch the same', () => {
    const evidence = { ...NOTHING, places: ['src/cart.ts'] };
    expect(pickLikeliest(rankCommits([CART, { ...CART, sha: 'h' }], evidence))).toBeNull();
  });
});
