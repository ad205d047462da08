// A cause that is true and explains nothing of the red check is not told as its cause, whatever it quotes; one that the failing test gets to is.
import { expect, it } from 'vitest';
import { call, type Played } from '../../../packages/models/test/played.ts';
import { redStage } from '../../support/github-red-desk.ts';
import type { Failing } from '../../support/github-red-model.ts';
import { conclusion, stepWith } from '../../support/played-model.ts';

const FEES = 'const FEES = { standard: 390, express: 890 };';
const BASKET_TEST = 'test/basket.test.js';

/** Tests of the basket, each with a failure of its own that names nothing but itself. */
const [TOTALS, LOAF, MILK] = [
  failing('a basket is worth what is in it', '1200 !== 4500'),
  failing('a loaf has its price', '1220 !== 4520'),
  failing('milk has its price', '1230 !== 4530'),
];

function failing(test: string, values: string): Failing {
  const frame = `    at TestContext.<anonymous> (file:///home/runner/work/shop/shop/${BASKET_TEST}:7:10)`;
  const error = 'AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:';
  return { test, at: `${BASKET_TEST}:6:1`, error: [error, '', values, '', frame] };
}

/** The file of that test, which imports more than it calls. */
function basketTest({ test }: Failing, more = ''): Readonly<Record<string, string>> {
  const lines = [
    "import assert from 'node:assert/strict';",
    "import { test } from 'node:test';",
    "import { addToBasket, emptyBasket, subtotal } from '../src/basket.js';",
    more,
    '',
    `test('${test}', () => {`,
    "  assert.equal(subtotal(addToBasket(emptyBasket(), 'bread')), 4500);",
    '});',
    '',
  ];
  return { [BASKET_TEST]: lines.join('\n') };
}

/** What the pull request does beside: the file of the false cause is one that it changes. */
const DELIVERY = {
  'src/delivery.js': `/** Free from 40 EUR. */
const FREE_FROM = 4000;
${FEES}

export function deliveryFee(kind, cents) {
  return kind === 'standard' && cents >= FREE_FROM ? 0 : FEES[kind];
}
`,
};

interface Blamed {
  readonly path: string;
  readonly line: number;
  readonly quotes: readonly string[];
  readonly text: string;
  readonly old: string;
  readonly new: string;
}

/** Takes that for the cause, quotes it truly, changes it, and says so again when it is asked back. */
function blames({ path, line, quotes, text, old, new: by }: Blamed): readonly Played[] {
  const concludes: Played = (asked) => ({
    say: 'That is all.',
    calls: [
      conclusion({
        outcome: 'code_fix',
        problem: 'The basket is worth too little.',
        rootCause: [
          {
            text,
            citations: quotes.map((quote) => ({ step: stepWith(asked, quote), quote })),
            places: [{ file: path, line }],
          },
        ],
        solutionSteps: ['Raise the price.'],
        suspects: [{ file: path, line, function: '', why: 'holds the price' }],
      }),
    ],
  });
  return [
    { say: 'Prices.', calls: [call('read_files', { files: [{ path }] }), call('ci_log', {})] },
    { say: 'Too low.', calls: [call('replace', { path, old, new: by })] },
    concludes,
    concludes,
  ];
}

const FEE = {
  ...{ path: 'src/delivery.js', line: 3, text: 'The fee of an express delivery is too low' },
  ...{ quotes: [FEES], old: 'express: 890', new: 'express: 990' },
};
const BREAD = "['bread', { name: 'Rye bread', price: 450 }],";
const stage = redStage({
  turns: [
    { of: TOTALS, turns: blames(FEE) },
    { of: LOAF, turns: blames(FEE) },
    {
      of: MILK,
      turns: blames({
        ...{ path: 'src/catalogue.js', line: 3, text: 'The price of bread is too low' },
        ...{ quotes: [BREAD], old: 'price: 450', new: 'price: 453' },
      }),
    },
  ],
});

it('is inconclusive where it quotes a file that the pull request changed, and shows no cause, button, mark or certainty', async () => {
  const desk = await stage.desk('corner/beside');
  await desk.push('main', { files: basketTest(TOTALS) });
  const { number, sha } = await desk.pull({ files: DELIVERY });
  await desk.run(sha, { test: TOTALS });
  const shown = desk.checkRun(sha);
  expect(shown.title).not.toMatch(/Cause found|fee of an express/);
  expect(shown.words).toContain("The model's answer wasn't about this failure and was discarded.");
  expect(shown.words).not.toMatch(/\d %|Raise the price|fee of an express|worth too little|holds the price/);
  expect([shown.buttons, desk.comments(number), desk.suggestions(number), desk.pulls()]).toEqual([[], [], [], []]);
  // It was asked back once: a model that has more to show may still do so.
  expect(stage.model.told('Nothing ties the cause to the check that failed')).not.toEqual([]);
});

it('is an unconfirmed lead where its file is only imported by the failing test', async () => {
  const desk = await stage.desk('corner/imported', { green: ['test'] });
  const imports = basketTest(LOAF, "import '../src/delivery.js';");
  const { sha } = await desk.pull({ files: { ...DELIVERY, ...imports } });
  await desk.run(sha, { test: LOAF });
  const shown = desk.checkRun(sha);
  expect(shown.words).toContain(
    "I don't know why the check failed. Unconfirmed lead: The fee of an express delivery is too low",
  );
  expect(shown.words).not.toMatch(/\d %|Raise the price/);
  expect(shown.buttons).toEqual([]);
});

it('passes where the failing test gets there by its calls, though neither the failure nor the change names the file', async () => {
  const desk = await stage.desk('corner/to-the-point', { green: ['test'] });
  const { sha } = await desk.pull({ files: basketTest(MILK) });
  await desk.run(sha, { test: MILK });
  const shown = desk.checkRun(sha);
  expect(shown.words).toMatch(/Cause \(\d+ % confidence\)/);
  expect([shown.buttons, shown.places]).toEqual([['Open fix'], ['src/catalogue.js:3']]);
});
