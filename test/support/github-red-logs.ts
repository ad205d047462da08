// Logs of GitHub Actions as they lie on its storage: stamps, groups, what the shop's tests print when they fail, and what machines print.

export interface Failing {
  /** Name of the test. */
  readonly test: string;
  /** The test's file and the line where it begins. */
  readonly at: string;
  /** The error, and its stack below it. */
  readonly error: readonly string[];
}

/** Where a runner has the shop. */
const ROOT = 'file:///home/runner/work/shop/shop';

/** A coupon in lower case: the bug of the shop, at `src/coupons.js:14`. */
export const COUPONS: Failing = {
  test: 'a coupon may be typed in lower case',
  at: 'test/coupons.test.js:14:1',
  error: [
    "TypeError: Cannot destructure property 'percent' of 'COUPONS.get(...)' as it is undefined.",
    `    at discountFor (${ROOT}/src/coupons.js:14:11)`,
    `    at TestContext.<anonymous> (${ROOT}/test/coupons.test.js:15:16)`,
    '    at Test.runInAsyncScope (node:async_hooks:214:14)',
  ],
};

/** Another cause: express delivery has no fee any more, at `src/delivery.js:8`. */
export const DELIVERY: Failing = {
  test: 'express delivery has its price whatever is bought',
  at: 'test/delivery.test.js:12:1',
  error: [
    'RangeError: no fee for the delivery express',
    `    at deliveryFee (${ROOT}/src/delivery.js:8:10)`,
    `    at TestContext.<anonymous> (${ROOT}/test/delivery.test.js:13:16)`,
    '    at Test.runInAsyncScope (node:async_hooks:214:14)',
  ],
};

/** A third: nothing of the shop's bug. */
export const BASKET: Failing = {
  test: 'a basket counts what is in it',
  at: 'test/basket.test.js:14:1',
  error: [
    'ReferenceError: quantityOf is not defined',
    `    at subtotal (${ROOT}/src/basket.js:13:3)`,
    `    at TestContext.<anonymous> (${ROOT}/test/basket.test.js:15:16)`,
  ],
};

/** A job whose tests fail, as `node --test` says it. */
export function testLog(failing: Failing, more: { readonly node?: string; readonly printed?: readonly string[] } = {}) {
  const { node = '24', printed = [] } = more;
  return jobLog('npm test', [
    `v${node}.1.0`,
    '> corner-shop@1.3.0 test',
    '> node --test',
    '',
    ...printed,
    '✔ a basket sums what is in it (0.71ms)',
    '✔ a product that is not sold is refused (0.42ms)',
    `✖ ${failing.test} (1.${node}ms)`,
    'ℹ tests 7',
    'ℹ suites 0',
    'ℹ pass 6',
    'ℹ fail 1',
    'ℹ cancelled 0',
    'ℹ skipped 0',
    'ℹ todo 0',
    `ℹ duration_ms 9${node}.41`,
    '',
    '✖ failing tests:',
    '',
    `test at ${failing.at}`,
    `✖ ${failing.test} (1.${node}ms)`,
    ...failing.error.map((line) => `  ${line}`),
  ]);
}

/** A job that checks out, sets up, and runs `command`, which prints `lines` and fails. `end`: how the runner says so. */
export function jobLog(command: string, lines: readonly string[], end = 'Process completed with exit code 1.'): string {
  return stamped([
    'Current runner version: 2.329.0',
    '##[group]Runner Image',
    'Image: ubuntu-24.04',
    'Version: 20251112.124.1',
    '##[endgroup]',
    'Complete job name: test',
    '##[group]Run actions/checkout@v5',
    'with:',
    '  repository: corner/shop',
    '##[endgroup]',
    'Syncing repository: corner/shop',
    `##[group]Run ${command}`,
    `\u001b[36;1m${command}\u001b[0m`,
    'shell: /usr/bin/bash -e {0}',
    '##[endgroup]',
    ...lines,
    ...(end === '' ? [] : [`##[error]${end}`]),
    'Post job cleanup.',
    'Cleaning up orphan processes',
  ]);
}

function stamped(lines: readonly string[]): string {
  const from = Date.parse('2026-03-01T10:00:00Z');
  const stamp = (at: number) => new Date(from + 137 * at).toISOString().replace('Z', '4242Z');
  return `${lines.map((line, at) => `${stamp(at)} ${line}`).join('\n')}\n`;
}
