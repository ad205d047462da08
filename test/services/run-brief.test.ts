// What the model is told first: every step by its number, the least useful ones left out where there is no room.
import { describe, expect, it } from 'vitest';
import type { StepLookup } from '../../src/core/evidence.ts';
import { formatFacts } from '../../src/services/ask-investigator.ts';

const step = (action: string, result: string, lookup?: StepLookup) => ({
  ...{ action, result, analysis: 'So it is.' },
  ...(lookup && { lookup }),
});
const blame = step('blame src/cart.ts:4 at 1a2b3c4', 'w'.repeat(6_000), 'blame');
const history = step('history src/cart.ts (last 3) at 1a2b3c4', 'h'.repeat(6_000), 'history');
const read = step('read src/cart.ts:1-9 at 1a2b3c4', '> 4 | return total;');

describe('the facts in the first message', () => {
  it('bear the numbers by which they are cited, without our own expressions and the ranking that follows', () => {
    const ranked = step('rank suspects at 1a2b3c4', '1. src/cart.ts', 'rank_suspects');
    const found = step('search definitions', 'src/cart.ts:3: total()\nexpression: /(total)/');
    expect(formatFacts([found, ranked, read])).toMatchInlineSnapshot(`
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

  it('lose history first, then blame, and never what was read', () => {
    expect(formatFacts([read, blame])).toContain('wwww');
    const two = formatFacts([read, blame, history]);
    expect(two).toContain('[step 3] history src/cart.ts (last 3) at 1a2b3c4\n(left out here)');
    expect(two).toContain('wwww');
    expect(two).toContain('> 4 | return total;');
  });
});
