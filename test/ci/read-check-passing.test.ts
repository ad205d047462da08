// A red check read beside the log of a run of the same check that passed.
import { describe, expect, it } from 'vitest';
import { readCheck } from '../../src/ci/read-check.ts';
import { actionsLog } from './logs.ts';

describe('beside the log of a run that passed', () => {
  const noise = [
    'ERROR: cache of 4f2a91c is cold',
    'at src/cache.ts:7:1',
    ...Array.from({ length: 30 }, (_, n) => `part ${n}`),
  ];
  const failed = actionsLog('make', ['ERROR: no key for src/sign.ts:3:1', ...noise.slice(2), ...noise.slice(0, 2)]);
  const passed = actionsLog('make', noise).replace('##[error]Process completed with exit code 1.', 'done');
  const texts = { name: 'sign', output: '', log: failed, annotations: [] };

  it('the excerpt and the places are of what that does not print', () => {
    expect(readCheck(texts).excerpt.headline).toBe('ERROR: cache of 4f2a91c is cold');
    const { excerpt, places } = readCheck({ ...texts, passing: passed });
    expect(excerpt.headline).toBe('ERROR: no key for src/sign.ts:3:1');
    expect(places.map(({ path }) => path)).toEqual(['src/sign.ts']);
  });

  it('the failure is the same one as without it', () => {
    expect(readCheck({ ...texts, passing: passed }).fingerprint).toBe(readCheck(texts).fingerprint);
  });

  it('where that prints all of it as well, what there is is shown', () => {
    expect(readCheck({ ...texts, passing: failed }).excerpt).toEqual(readCheck(texts).excerpt);
  });
});
