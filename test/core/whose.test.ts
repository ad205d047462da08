// Whose a red check is where the base is red as well.
import { expect, it } from 'vitest';
import type { Reason } from '../../src/core/check/verdict.ts';
import { judgeWhose } from '../../src/core/check/whose.ts';

const OWN: Reason = { code: 'test_failed', test: 'keeps the namespace', others: 0 };
const OTHER = { code: 'red_on_base', check: 'test', cause: 'other' } as const;
const SHARED: Reason = { ...OTHER, tests: ['formats money'] };

it.each<[string, readonly Reason[], string]>([
  [
    'is probably the change where a test fails that passed there beside those that fail',
    [OWN, SHARED],
    'likely_this_change',
  ],
  ['is open where nobody knows whether that test ran there', [OWN, OTHER], 'unknown'],
  ['is open where no test is named', [SHARED], 'unknown'],
])('it %s', (_, reasons, whose) => {
  expect(judgeWhose({ verdict: 'code', reasons, base: 'red' }, null)).toBe(whose);
});
