// The source lines that a trace prints are held against the files.
import { describe, expect, it } from 'vitest';
import { concludeFromFacts } from '../../src/triage/facts-only.ts';
import { FIRST, factsOf, SECOND } from './shop.ts';

const CART = `"""The cart."""


class Cart:
    def total(self, items):
        # Each item has a price.
        return sum(self.prices[i] for i in items)

    def drop(self):
        return sum(self.prices[i] for i in self.dropped)
`;
const COMMITS = [{ sha: FIRST, subject: 'Start', files: { 'shop/cart.py': CART, 'shop/__init__.py': '' } }];

function traceback(line: number, code: string): string {
  return `Checkout fails

Traceback (most recent call last):
  File "/srv/shop/cart.py", line ${line}, in total
    ${code}
KeyError: 'apple'
`;
}

describe('a line that the trace prints', () => {
  it('and that stands elsewhere in the file is looked at there, and the reason says so', async () => {
    const facts = await factsOf(traceback(4, 'return sum(self.prices[i] for i in items)'), { commits: COMMITS });
    expect(facts.suspects[0]).toMatchObject({ file: 'shop/cart.py', line: 7, function: 'total' });
    expect(facts.suspects[0]?.reasons[0]).toContain('line 4 of the report is line 7 here');
    expect(facts.mismatches).toEqual([]);
    const step = facts.told.find(({ action }) => action.startsWith('compare the source line that'));
    expect(step?.result).toBe('shop/cart.py:4: found at line 7');
  });

  it('and that stands where the trace says needs no word', async () => {
    const facts = await factsOf(traceback(7, 'return sum(self.prices[i] for i in items)'), { commits: COMMITS });
    expect(facts.suspects[0]).toMatchObject({ line: 7, reasons: ['top frame of the stack trace in this repository'] });
  });

  it('and that stands nowhere is said once, and no unrelated line is quoted', async () => {
    const facts = await factsOf(traceback(6, 'return fsum(self.price_of(i) for i in items)'), { commits: COMMITS });
    const { rootCause } = concludeFromFacts(facts, { seconds: 1 });
    expect(facts.suspects[0]).toMatchObject({ file: 'shop/cart.py', line: 5, function: 'total' });
    expect(rootCause).not.toContain('Each item has a price');
    expect(rootCause).toContain('Most likely place: `shop/cart.py:5` in `total()`');
    const said = /isn't in that file at this commit\. The report may be from another version\./g;
    expect(rootCause.match(said)).toHaveLength(1);
    const step = facts.told.find(({ action }) => action.startsWith('compare the source line that'));
    expect(step?.analysis).toContain('the report may be from another version of this code');
  });

  it('is no question of versions in a check, which nobody reported', async () => {
    const text = traceback(6, 'return fsum(self.price_of(i) for i in items)').replace('Checkout', 'total of Checkout');
    const facts = await factsOf(text, { commits: COMMITS });
    const { rootCause, analysis } = concludeFromFacts(facts, { seconds: 1, isCheck: true });
    expect(rootCause).toContain(
      "which the log shows in `shop/cart.py`, isn't in that file at this commit. It may have run on the merge with the base.",
    );
    expect(JSON.stringify([rootCause, analysis])).not.toMatch(/(?:the|this) report\b/i);
    expect(analysis.questions).toEqual([]);
  });

  it('tells a file of another program that only has the name', async () => {
    const own = `Traceback (most recent call last):
  File "/home/me/bot/cart.py", line 7, in total
    raise KeyError(self.names[i])
KeyError: 'apple'
`;
    const facts = await factsOf(own, { commits: COMMITS });
    expect(facts.mismatches).toEqual([]);
    expect(facts.suspects.find(({ file }) => file === 'shop/cart.py')?.score ?? 0).toBeLessThan(0.3);
  });

  it('gives the line of a compiled file, where the text stands once in its source', async () => {
    const trace = `/srv/shop/dist/header.js:41
  const value = line.split(':')[1];
                     ^

TypeError: Cannot read properties of undefined (reading 'split')
    at parseHeader (/srv/shop/dist/header.js:41:27)
`;
    const source = "export function parseHeader(line: string) {\n  const value = line.split(':')[1];\n}\n";
    const facts = await factsOf(trace, { commits: [{ sha: FIRST, subject: 'a', files: { 'src/header.ts': source } }] });
    expect(facts.suspects[0]).toMatchObject({ file: 'src/header.ts', line: 2 });
  });
});

describe('a line that is not of the function which the trace names', () => {
  const SOURCE = `export function total(cart: Cart) {
  return cart.items.map(priceOf).reduce(add);
}

export function drop(cart: Cart, name: string) {
  const at = cart.items.findIndex(byName(name));
  cart.items.splice(at, 1);
}
`;
  const told = async (place: string) => {
    const facts = await factsOf(`Checkout fails\n\nTypeError: gone\n    at ${place}\n    at main (/app/a.js:1:1)\n`, {
      commits: [{ sha: FIRST, subject: 'one', files: { 'src/cart.ts': SOURCE } }],
    });
    return { first: facts.suspects[0], rootCause: concludeFromFacts(facts, { seconds: 1 }).rootCause };
  };

  it('gives way to that function, and the answer says so', async () => {
    const { first, rootCause } = await told('drop (/srv/shop/src/cart.ts:2:12)');
    expect(first).toMatchObject({ file: 'src/cart.ts', line: 5, function: 'drop' });
    expect(rootCause).toContain('Most likely place: `src/cart.ts:5` in `drop()`');
    expect(rootCause).toContain(
      "The report doesn't match this commit: line 2 of src/cart.ts, which the report names, is not in `drop` at this commit. The report may be from another version.",
    );
  });

  it('is named as no place where the file does not have that function', async () => {
    const { first, rootCause } = await told('applyCoupon (/srv/shop/src/cart.ts:2:12)');
    expect(first).toMatchObject({ file: 'src/cart.ts', line: 0, function: '' });
    expect(rootCause).toContain(
      'line 2 of src/cart.ts, which the report names, is not in `applyCoupon`, which this file does not have, at this commit',
    );
    expect(rootCause).not.toContain('priceOf');
  });

  it.each([
    ['total (/srv/shop/src/cart.ts:2:12)', 2, 'total'],
    ['priceOf (/srv/shop/src/cart.ts:2:12)', 2, 'total'],
    ['/srv/shop/src/cart.ts:7:12', 7, 'drop'],
  ])('is nothing to doubt: %s', async (place, line, name) => {
    const { first, rootCause } = await told(place);
    expect(first).toMatchObject({ line, function: name });
    expect(rootCause).not.toContain("doesn't match");
  });
});

describe('a file that moved since the version of the report', () => {
  it('is found where its whole path stands today, at the version that an egg names', async () => {
    const report = `Checkout fails

Traceback (most recent call last):
  File "/x/lib/python2.7/site-packages/shop-2.1.0-py2.7.egg/shop/cart.py", line 7, in total
    return sum(self.prices[i] for i in items)
KeyError: 'apple'
`;
    const moved = { 'src/shop/cart.py': `# Moved.\n${CART}`, 'src/shop/__init__.py': '' };
    const facts = await factsOf(report, {
      commits: [COMMITS[0]!, { sha: SECOND, subject: 'Move', files: moved }],
      tags: { 'v2.1.0': FIRST },
    });
    expect(facts.revisions.framesName).toBe('v2.1.0');
    expect(facts.suspects[0]).toMatchObject({ file: 'src/shop/cart.py', line: 8, function: 'total' });
    expect(facts.suspects[0]?.reasons[0]).toContain('(shop/cart.py, line 7 at v2.1.0)');
  });
});
