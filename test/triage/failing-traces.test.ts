// Of a log with a list of failed tests only the traces of those tests count: passing tests print errors on purpose.
import { expect, it } from 'vitest';
import { findSignals } from '../../src/triage/signals.ts';

const printed = (name: string): string => `stderr | test/${name}.test.ts > ${name} says what is wrong
Error: ${name} is not there
    at find${name} (/srv/shop/src/${name}.ts:3:9)
    at /srv/shop/test/${name}.test.ts:8:5

`;

const LOG = `${['cart', 'till', 'stock', 'price'].map(printed).join('')}
 ✓ test/cart.test.ts (3 tests) 4ms
 ✓ test/till.test.ts (2 tests) 4ms
 ❯ test/total.test.ts (2 tests | 1 failed) 9ms

⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  test/total.test.ts > total > adds prices
TypeError: Cannot read properties of undefined (reading 'price')
 ❯ add src/total.ts:4:17
    at add (/srv/shop/src/total.ts:4:17)
    at /srv/shop/test/total.test.ts:11:10

 Test Files  1 failed | 4 passed (5)
      Tests  1 failed | 9 passed (10)
`;

it('leaves out what passing tests print', () => {
  const files = findSignals(LOG).traces.map(({ frames }) => frames[0]?.file);
  expect(files).toEqual(['/srv/shop/src/total.ts']);
});

it('keeps all where no failed test is in a trace', () => {
  const [list] = LOG.split('⎯⎯⎯⎯⎯⎯⎯ Failed Tests');
  expect(findSignals(list ?? '').traces).toHaveLength(4);
});

it('leaves out even a single trace of a passing test', () => {
  const [, few = ''] = LOG.split(printed('stock'));
  const files = findSignals(few).traces.map(({ frames }) => frames[0]?.file);
  expect(files).toEqual(['/srv/shop/src/total.ts']);
});
