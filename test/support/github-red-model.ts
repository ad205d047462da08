// A model behind the wire that finds the cause of the red checks it is told of, each with its repair; it counts whom it was asked for.
import { SHOP_TURNS, type ShopModel, shopModel } from './github-model.ts';
import { DELIVERY, type Failing } from './github-red-logs.ts';
import type { AskedRequest } from './model-endpoint.ts';
import { call, conclusion, type Played, stepWith, textsIn, turnsIn } from './played-model.ts';

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
      .filter((asked) => turnsIn(asked) === 0)
      .map((asked) => textsIn(asked).join('\n'))
      .filter((told) => told.includes(text));
  return {
    ...model,
    begun: (name) => first(`Repository ${name}, commit`),
    askedAt: first,
    [Symbol.asyncDispose]: () => model[Symbol.asyncDispose](),
  };
}
