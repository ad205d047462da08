// Red checks whose fix does not open unasked, and the turns of the model that finds it: the fix needs a look first, or is not where the failure points.
import { MENDED_FILE, MENDED_LINE } from './github-model.ts';
import { BASKET, type Failing } from './github-red-logs.ts';
import type { AskedRequest } from './model-endpoint.ts';
import { call, conclusion, type Played, stepWith } from './played-model.ts';

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

const LOOKED_UP = 'const { percent, minimum } = COUPONS.get(code);';

/** What the model plays where it is told of the basket: it finds the cause in the coupons, which nothing in the log names. */
export const ELSEWHERE_TURNS: readonly Played[] = [
  { say: 'The coupons.', calls: [call('read_files', { files: [{ path: MENDED_FILE }] }), call('ci_log', {})] },
  { say: 'Here.', calls: [call('replace', { path: MENDED_FILE, old: LOOKED_UP, new: MENDED_LINE.trim() })] },
  (asked) => ({
    say: 'That is all.',
    calls: [
      conclusion({
        outcome: 'code_fix',
        problem: 'A basket cannot be summed up.',
        rootCause: [
          {
            text: 'The discount is looked up under the code as it was typed',
            citations: [{ step: stepWith(asked, LOOKED_UP), quote: LOOKED_UP }],
            places: [{ file: MENDED_FILE, line: 14 }],
          },
          failed(asked, BASKET),
        ],
        solutionSteps: ['Read the code in capitals.'],
        suspects: [{ file: MENDED_FILE, line: 14, function: 'discountFor', why: 'looks the code up' }],
      }),
    ],
  }),
];

/** The claim that says how it shows, quoted from the log. */
function failed(asked: AskedRequest, { error }: Failing) {
  const [quote = ''] = error;
  return { text: 'So the test fails', citations: [{ step: stepWith(asked, quote), quote }], places: [] };
}
