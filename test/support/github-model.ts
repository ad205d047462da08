// A model behind the wire that finds and mends the shop's bug, whatever the numbers of its steps; its answers can be held back.
import { type AskedRequest, type ModelEndpoint, modelEndpoint } from '../../packages/models/test/model-endpoint.ts';
import { call, type Played } from '../../packages/models/test/played.ts';
import { conclusion, plays, stepWith, textsIn } from './played-model.ts';

export interface ShopModel extends AsyncDisposable {
  /** What points the service at it. */
  readonly env: Readonly<Record<string, string>>;
  readonly endpoint: ModelEndpoint;
  /** From now on questions that hold `text` wait until they are let go; a later hold goes before an earlier one. */
  hold(text: string): { readonly asked: Promise<AskedRequest>; release(): void };
  /** Everything that it was told in questions that hold `text`, as one text each. */
  told(text: string): readonly string[];
}

const LOOKUP = '  const { percent, minimum } = COUPONS.get(code);';
const CHECK = '  return COUPONS.has(code.trim().toUpperCase());';

/** The file that it edits, before and after. */
export const MENDED_FILE = 'src/coupons.js';
export const MENDED_LINE = '  const { percent, minimum } = COUPONS.get(code.trim().toUpperCase());';

/** What it plays unless it is told otherwise. */
export const SHOP_TURNS: readonly Played[] = [
  { say: 'The coupon is looked up as it was typed.', calls: [call('read_files', { files: [{ path: MENDED_FILE }] })] },
  {
    say: 'The check reads it in capitals, the lookup does not.',
    calls: [call('replace', { path: MENDED_FILE, old: LOOKUP, new: MENDED_LINE })],
  },
  (asked) => ({ say: 'That is all.', calls: [conclusion(fix(asked))] }),
];

function fix(asked: AskedRequest) {
  const step = stepWith(asked, 'COUPONS.get(code)');
  return {
    outcome: 'code_fix',
    problem: 'A coupon in lower case stops the server.',
    rootCause: [
      {
        text: 'The discount is looked up under the code as it was typed',
        citations: [{ step, quote: LOOKUP.trim() }],
        places: [{ file: MENDED_FILE, line: 14 }],
      },
      {
        text: 'The check before it reads the code in capitals, so it lets such a code through',
        citations: [{ step, quote: CHECK.trim() }],
        places: [{ file: MENDED_FILE, line: 10 }],
      },
    ],
    solutionSteps: ['Read the code alike in both places.'],
    suspects: [{ file: MENDED_FILE, line: 14, function: 'discountFor', why: 'looks the code up as it was typed' }],
  };
}

export async function shopModel(turns: readonly Played[] = SHOP_TURNS): Promise<ShopModel> {
  const held: {
    readonly text: string;
    readonly reached: (asked: AskedRequest) => void;
    readonly open: Promise<void>;
  }[] = [];
  const endpoint = await modelEndpoint(async (response, request, asked) => {
    const stop = held.findLast(({ text }) => textsIn(asked).join('\n').includes(text));
    stop?.reached(asked);
    await Promise.race([stop?.open, asked.closed]);
    if (!response.destroyed) await plays(turns)(response, request, asked);
  });
  return {
    env: {
      OPENAI_BASE_URL: endpoint.url,
      OPENAI_API_KEY: 'sk-test-0123456789abcdefghij',
      MODEL: 'test-model',
    },
    endpoint,
    hold: (text) => {
      const asked = Promise.withResolvers<AskedRequest>();
      const open = Promise.withResolvers<void>();
      const entry = { text, reached: asked.resolve, open: open.promise };
      held.push(entry);
      const release = () => {
        held.splice(held.indexOf(entry), 1);
        open.resolve();
      };
      return { asked: asked.promise, release };
    },
    told: (text) => endpoint.requests.map((asked) => textsIn(asked).join('\n')).filter((whole) => whole.includes(text)),
    [Symbol.asyncDispose]: () => endpoint[Symbol.asyncDispose](),
  };
}
