// What a pull request says of its proof.
import { expect, it } from 'vitest';
import type { ProofProgress } from '../../../src/core/proof/proof.ts';
import { describeCi } from '../../../src/github/render/proof.ts';
import { PLACE } from './comment-samples.ts';

const [BASE, TEST, FIX] = ['a', 'b', 'c'].map((digit) => digit.repeat(40));

function proven(testCommit: string): ProofProgress {
  const verdict = { state: 'proven', checks: [], turned: ['a coupon counts'] } as const;
  return { base: `${BASE}`, testCommit, phase: 'ended', fixCommit: `${FIX}`, verdict, diffHash: '' };
}

const describe = (testCommit: string) =>
  describeCi({ proof: proven(testCommit), checks: 'green', state: 'open' }, PLACE);

it('asks for a squash only where a commit of ours fails by itself', () => {
  expect(describe(`${TEST}`)).toContain('Squash when you merge');
  expect(describe(`${BASE}`)).not.toContain('Squash');
  expect(describe(`${BASE}`)).toContain('read it before you merge.');
});
