// What fails in the stories of red checks: logs, and a model that finds their causes.

import type { AskedRequest } from '../../packages/models/test/model-endpoint.ts';
import { call, type Played, turnsIn } from '../../packages/models/test/played.ts';
import { SHOP_TURNS, type ShopModel, shopModel } from './github-model.ts';
import { conclusion, isSecondLook, stepWith, textsIn } from './played-model.ts';

const FEES = 'const FEES = { standard: 390, express: 890 };';

const FILE = 'src/delivery.js';

const DELIVERY_TURNS: readonly Played[] = [
  { say: 'The fees stand in a table.', calls: [call('read_files', { files: [{ path: FILE }] })] },
  {
    say: 'A kind without a fee is refused nowhere.',
    calls: [call('replace', { path: FILE, old: '  return FEES[kind];', new: '  return FEES[kind] ?? FEES.standard;' })],
  },
  (asked) => ({
    say: 'That is all.',
    calls: [
      conclusion({
        outcome: 'code_fix',
        problem: 'Express delivery has no fee.',
        rootCause: [
          {
            text: 'The fee of a delivery is read from a table without a look whether it has one',
            citations: [{ step: stepWith(asked, FEES), quote: 'return FEES[kind];' }],
            places: [{ file: FILE, line: 8 }],
          },
        ],
        solutionSteps: ['Take the standard fee where there is none.'],
        suspects: [{ file: FILE, line: 8, function: 'deliveryFee', why: 'reads the fee' }],
      }),
    ],
  }),
];

export interface RedModel extends ShopModel {
  /** First questions about that repository: one for each investigation. */
  begun(name: string): readonly string[];
  /** First questions about that commit, whoever asked for them. */
  askedAt(sha: string): readonly string[];
}

/** What it plays where it is told of a cause. */
export interface RedTurns {
  readonly of: Failing;
  readonly turns: readonly Played[];
}

/** Coupons are mended in `src/coupons.js`, the delivery in `src/delivery.js`; everything else but `more` is taken for the coupons. */
export async function redModel(more: readonly RedTurns[] = []): Promise<RedModel> {
  const all: readonly RedTurns[] = [...more, { of: DELIVERY, turns: DELIVERY_TURNS }];
  const most = Math.max(SHOP_TURNS.length, ...all.map((one) => one.turns.length));
  const turns = Array.from(
    { length: most },
    (_, at): Played =>
      (asked: AskedRequest) => {
        const told = textsIn(asked).join('\n');
        const other = all.find(({ of }) => told.includes(of.test));
        const played = (other?.turns ?? SHOP_TURNS)[at];
        return typeof played === 'function' ? played(asked) : (played ?? { say: 'I have nothing more to say.' });
      },
  );
  const model = await shopModel(turns);
  const first = (text: string) =>
    model.endpoint.requests
      .filter((asked) => turnsIn(asked) === 0 && !isSecondLook(asked))
      .map((asked) => textsIn(asked).join('\n'))
      .filter((told) => told.includes(text));
  return {
    ...model,
    begun: (name) => first(`Repository ${name}, commit`),
    askedAt: first,
    [Symbol.asyncDispose]: () => model[Symbol.asyncDispose](),
  };
}

/** A cause that is mended where people must look first: what runs with the repository's secrets. */
export const SCRIPT: Failing = {
  test: 'the package says how it is tested',
  at: 'test/package.test.js:5:1',
  error: [
    'AssertionError: expected node --test --strict',
    '    at TestContext.<anonymous> (file:///home/runner/work/shop/shop/test/package.test.js:6:10)',
  ],
};

/** What the model plays where it is told of it. */
export const SCRIPT_TURNS: readonly Played[] = [
  { say: 'The script.', calls: [call('read_files', { files: [{ path: 'package.json' }] }), call('ci_log', {})] },
  {
    say: 'It is not strict.',
    calls: [call('replace', { path: 'package.json', old: '"node --test"', new: '"node --test --strict"' })],
  },
  (asked) => ({
    say: 'That is all.',
    calls: [
      conclusion({
        outcome: 'code_fix',
        problem: 'The tests are not strict.',
        rootCause: [
          {
            text: 'The script of the tests is not strict',
            citations: [{ step: stepWith(asked, '"test": "node --test"'), quote: '"test": "node --test"' }],
            places: [{ file: 'package.json', line: 8 }],
          },
          failed(asked, SCRIPT),
        ],
        solutionSteps: ['Make it strict.'],
        suspects: [{ file: 'package.json', line: 8, function: '', why: 'has the script' }],
      }),
    ],
  }),
];

const LOOKED_UP = '  const product = PRODUCTS.get(id);';
const CATALOGUE = 'src/catalogue.js';

/** What the model plays where it is told of the basket: it finds the cause in the catalogue, which the tests of the basket get to and nothing in the log names. */
export const ELSEWHERE_TURNS: readonly Played[] = [
  { say: 'The catalogue.', calls: [call('read_files', { files: [{ path: CATALOGUE }] }), call('ci_log', {})] },
  {
    say: 'Here.',
    calls: [
      call('replace', { path: CATALOGUE, old: LOOKED_UP, new: '  const product = PRODUCTS.get(id.toLowerCase());' }),
    ],
  },
  (asked) => ({
    say: 'That is all.',
    calls: [
      conclusion({
        outcome: 'code_fix',
        problem: 'A basket cannot be summed up.',
        rootCause: [
          {
            text: 'The product is looked up under its id as it was typed',
            citations: [{ step: stepWith(asked, LOOKED_UP), quote: LOOKED_UP.trim() }],
            places: [{ file: CATALOGUE, line: 9 }],
          },
          failed(asked, BASKET),
        ],
        solutionSteps: ['Read the id in lower case.'],
        suspects: [{ file: CATALOGUE, line: 9, function: 'productById', why: 'looks the product up' }],
      }),
    ],
  }),
];

/** The claim that says how it shows, quoted from the log. */
function failed(asked: AskedRequest, { error }: Failing) {
  const [quote = ''] = error;
  return { text: 'So the test fails', citations: [{ step: stepWith(asked, quote), quote }], places: [] };
}

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
  return testsLog([failing], more);
}

/** The same of several tests, in that order. */
export function testsLog(
  all: readonly Failing[],
  { node = '24', printed = [] }: { readonly node?: string; readonly printed?: readonly string[] } = {},
) {
  return jobLog('npm test', [
    `v${node}.1.0`,
    '> corner-shop@1.3.0 test',
    '> node --test',
    '',
    ...printed,
    '✔ a basket sums what is in it (0.71ms)',
    '✔ a product that is not sold is refused (0.42ms)',
    ...all.map(({ test }) => `✖ ${test} (1.${node}ms)`),
    'ℹ tests 7',
    'ℹ suites 0',
    `ℹ pass ${7 - all.length}`,
    `ℹ fail ${all.length}`,
    'ℹ cancelled 0',
    'ℹ skipped 0',
    'ℹ todo 0',
    `ℹ duration_ms 9${node}.41`,
    '',
    '✖ failing tests:',
    '',
    ...all.flatMap(({ test, at, error }, index) => [
      ...(index === 0 ? [] : ['']),
      `test at ${at}`,
      `✖ ${test} (1.${node}ms)`,
      ...error.map((line) => `  ${line}`),
    ]),
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
