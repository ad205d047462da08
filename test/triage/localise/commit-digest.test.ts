// A commit is known by what its message says and by what it touched.
import { expect, it } from 'vitest';
import { digestCommit } from '../../../src/triage/localise/commit-digest.ts';
import { hashTerm } from '../../../src/triage/localise/terms.ts';

const MESSAGE = 'Round totals of carts\n\nHalf a cent was lost.\n\nSigned-off-by: Ada <ada@example.com>\n';

it('a commit is its words without those that name people', () => {
  const digest = digestCommit({ sha: '1a'.repeat(20), message: MESSAGE, paths: ['src/cart.ts'] });
  expect(digest).toMatchObject({ sha: '1a'.repeat(20), paths: ['src/cart.ts'] });
  expect(digest.terms.includes(hashTerm('cart'))).toBe(true);
  expect(digest.terms.includes(hashTerm('cent'))).toBe(true);
  expect(digest.terms.includes(hashTerm('ada'))).toBe(false);
});

it('a commit that touches everything tells of no file', () => {
  const paths = Array.from({ length: 41 }, (_, index) => `src/${index}.ts`);
  expect(digestCommit({ sha: '', message: MESSAGE, paths }).paths).toEqual([]);
  expect(digestCommit({ sha: '', message: MESSAGE, paths: paths.slice(1) }).paths).toHaveLength(40);
});
