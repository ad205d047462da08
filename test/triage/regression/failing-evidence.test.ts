// Only what the failing lines of a log name counts against a commit, in the words of several runners.
import { expect, it } from 'vitest';
import { mapTraces } from '../../../src/triage/clues.ts';
import { createPathIndex } from '../../../src/triage/paths.ts';
import { findFailingEvidence } from '../../../src/triage/rank-commits.ts';
import { findSignals } from '../../../src/triage/signals.ts';

const SHA = 'c'.repeat(40);
const PATHS = [
  'shop/cart.py',
  'shop/order.py',
  'test/test_cart.py',
  'test/test_order.py',
  'src/cart.ts',
  'src/order.ts',
];

function evidence(report: string) {
  const entries = PATHS.map((path) => ({ path, kind: 'file' as const, blob: path, size: 1 }));
  const ground = { index: createPathIndex({ entries, unreadableNames: 0 }), packages: [] };
  const { traces } = findSignals(report);
  return findFailingEvidence({ report, listed: [`- ${SHA} `], ground, traces, mapped: mapTraces(ground, traces) });
}

it('of pytest the file of the test that failed, and the places of its error', () => {
  const log = `test/test_cart.py::test_add PASSED [ 50%]
test/test_order.py::test_sum FAILED [100%]
=================================== FAILURES ===================================
___________________________________ test_sum ___________________________________
>       assert total() == 2
test/test_order.py:5:
shop/order.py:12: TypeError
=========================== short test summary info ============================
FAILED test/test_order.py::test_sum - TypeError: no`;
  expect(evidence(log)).toMatchObject({ places: ['shop/order.py'], tests: ['test/test_order.py'] });
});

it('of Node a stack trace outside of its own folders, but none of an error that the program got over', () => {
  const trace = (error: string, file: string) => `${error}\n    at total (/srv/shop/src/${file}:2:15)\n`;
  const between = Array.from({ length: 40 }, (_, at) => `step ${at} of the build`).join('\n');
  const over = trace('retried after TypeError: cart is busy', 'cart.ts');
  const log = `${over}${between}\n${trace('TypeError: order is undefined', 'order.ts')}##[error]Process completed with exit code 1.`;
  expect(evidence(log)).toMatchObject({ places: ['src/order.ts'], tests: [] });
});

it('nothing of commits that are listed in the report, whatever their subjects say', () => {
  const subject = (start: string) => `${start}src/cart.ts:3:1: error: no such name`;
  expect(evidence(subject('')).places).toEqual(['src/cart.ts']);
  expect(evidence(subject(`- ${SHA} `))).toEqual({ places: [], tests: [], titles: [], headline: '' });
});

it('nothing of a report in which nothing fails', () => {
  const log = 'Compiled src/cart.ts\ntest/test_cart.py::test_add PASSED\nPASS src/order.test.ts\nDone in 3 s';
  expect(evidence(log)).toMatchObject({ places: [], tests: [] });
});
