// A red check whose fix needs a look first, and the turns of the model that finds it.
import type { Failing } from './github-red-logs.ts';
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
  { say: 'The script.', calls: [call('read_files', { files: [{ path: 'package.json' }] })] },
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
        ],
        solutionSteps: ['Make it strict.'],
        suspects: [{ file: 'package.json', line: 8, function: '', why: 'has the script' }],
      }),
    ],
  }),
];
