// The text of a revert: what its proof names.
import { expect, it } from 'vitest';
import { renderRevert } from '../../../src/github/render/revert.ts';

it('names three of the tests that turned green, and says how many more there are', () => {
  const turned = ['adds', 'takes a coupon', 'delivers', 'pays', 'counts'];
  const { body } = renderRevert({
    place: { repository: 'corner/shop', webUrl: 'https://github.example' },
    failure: { branch: 'main', checkNames: ['test'], headline: 'adds', range: null, since: null },
    tests: turned,
    step: { sha: 'a'.repeat(40), why: 'only' },
    reason: '',
    reverted: { number: 7, title: 'Make it worse', author: 'lena' },
    fix: null,
    requestedBy: 'mara',
    proof: { kind: 'proven', base: 'b'.repeat(40), checks: [], turned },
    isTaken: false,
    passedAt: '',
    marker: '<!-- marker -->',
  });
  expect(body).toContain('Red before, green with this revert (`adds`, `takes a coupon`, `delivers` and 2 more):');
});
