// What the model is told first: every step by its number, the least useful ones left out where there is no room.
import { describe, expect, it } from 'vitest';
import { factsText } from '../../src/services/ask-investigator.ts';

const step = (action: string, result: string) => ({ action, result, analysis: 'So it is.' });
const words = step('search each of "cart", "total" (any case) at 1a2b3c4', 'w'.repeat(6_000));
const history = step('history src/cart.ts (last 3) at 1a2b3c4', 'h'.repeat(6_000));
const read = step('read src/cart.ts:1-9 at 1a2b3c4', '> 4 | return total;');

describe('the facts in the first message', () => {
  it('bear the numbers by which they are cited, without our own expressions and the ranking that follows', () => {
    const ranked = step('rank suspects at 1a2b3c4', '1. src/cart.ts');
    const found = step('search definitions', 'src/cart.ts:3: total()\nexpression: /(total)/');
    expect(factsText([found, ranked, read])).toMatchInlineSnapshot(`
      "[step 1] search definitions
      src/cart.ts:3: total()
      => So it is.
      [step 2] rank suspects at 1a2b3c4
      (the list stands below, under Suspects)
      [step 3] read src/cart.ts:1-9 at 1a2b3c4
      > 4 | return total;
      => So it is."
    `);
  });

  it('lose counts of words first, then history, and never what was read', () => {
    expect(factsText([read, words])).toContain('wwww');
    const two = factsText([read, words, history]);
    expect(two).toContain('[step 2] search each of "cart", "total" (any case) at 1a2b3c4\n(left out here)');
    expect(two).toContain('hhhh');
    const three = factsText([read, words, history, { ...history, action: 'history src/b.ts' }]);
    expect(three).toContain('[step 4] history src/b.ts\n(left out here)');
    expect(three).toContain('[step 3] history src/cart.ts (last 3) at 1a2b3c4\nhhhh');
    expect(three).toContain('> 4 | return total;');
  });
});
