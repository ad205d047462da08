// A cause that is true and explains nothing of the red check is discarded, with nothing to click. One that quotes the failure passes.
import { expect, it } from 'vitest';
import { redStage } from '../../support/github-red-desk.ts';
import type { Failing } from '../../support/github-red-model.ts';
import { call, conclusion, type Played, stepWith } from '../../support/played-model.ts';

/** Two failures of one file, each with a test's own frame and values, and nothing that names where the fault is. */
const [TOTALS, PRICES] = [
  failing('a basket is worth what is in it', '2400 !== 4800'),
  failing('prices are whole', '1200 !== 1300'),
];

function failing(test: string, values: string): Failing {
  const frame = '    at TestContext.<anonymous> (file:///home/runner/work/shop/shop/test/basket.test.js:13:10)';
  const error = 'AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:';
  return { test, at: 'test/basket.test.js:12:1', error: [error, '', values, '', frame] };
}

const FEES = 'const FEES = { standard: 390, express: 890 };';

/** Takes a fee of the delivery for the cause, quotes it truly, changes it, and says so again when it is asked back. */
function blamesFees(quotedToo: readonly string[]): readonly Played[] {
  const concludes: Played = (asked) => ({
    say: 'That is all.',
    calls: [
      conclusion({
        outcome: 'code_fix',
        problem: 'The basket is worth too little.',
        rootCause: [
          {
            text: 'The fee of an express delivery is too low',
            citations: [FEES, ...quotedToo].map((quote) => ({ step: stepWith(asked, quote), quote })),
            places: [{ file: 'src/delivery.js', line: 3 }],
          },
        ],
        solutionSteps: ['Raise the fee.'],
        suspects: [{ file: 'src/delivery.js', line: 3, function: '', why: 'holds the fee' }],
      }),
    ],
  });
  return [
    { say: 'The fees.', calls: [call('read_files', { files: [{ path: 'src/delivery.js' }] }), call('ci_log', {})] },
    {
      say: 'Too low.',
      calls: [call('replace', { path: 'src/delivery.js', old: 'express: 890', new: 'express: 990' })],
    },
    concludes,
    concludes,
  ];
}

const stage = redStage({
  turns: [
    { of: TOTALS, turns: blamesFees([]) },
    { of: PRICES, turns: blamesFees(['1200 !== 1300']) },
  ],
});
const CHANGE = { 'src/basket.js': "export * from './catalogue.js';\n" };

it('is inconclusive, with the facts alone, and has no button, mark, suggestion or certainty', async () => {
  const desk = await stage.desk('corner/beside', { green: ['test'] });
  const { number, sha } = await desk.pull({ files: CHANGE });
  await desk.run(sha, { test: TOTALS });
  const shown = desk.checkRun(sha);
  expect(shown.words).toContain("I don't know the cause.");
  expect(shown.words).toContain("The model's answer wasn't about this failure and was discarded.");
  expect(shown.words).not.toMatch(/\d %|Raise the fee|fee of an express|worth too little|holds the fee/);
  expect([shown.buttons, shown.places]).toEqual([[], ['test/basket.test.js:12']]);
  expect([desk.comments(number), desk.suggestions(number), desk.pulls()]).toEqual([[], [], []]);
  // It was asked back once: a model that has more to show may still do so.
  expect(stage.model.told('No claim of rootCause is about the check that failed')).toHaveLength(1);
});

it('passes where it quotes what failed, though the fault is in a file that neither the failure nor the change names', async () => {
  const desk = await stage.desk('corner/to-the-point', { green: ['test'] });
  const { sha } = await desk.pull({ files: CHANGE });
  await desk.run(sha, { test: PRICES });
  const shown = desk.checkRun(sha);
  expect(shown.words).toMatch(/Cause \(\d+ % confidence\)/);
  expect([shown.buttons, shown.places]).toEqual([['Open fix'], ['src/delivery.js:3']]);
});
