// A small shop with a bug, and the turns of a model that finds it and mends it with every kind of edit.
import type { AskedRequest } from '../../packages/models/test/model-endpoint.ts';
import { call, type Played } from '../../packages/models/test/played.ts';
import { conclusion, stepWith } from './played-model.ts';

export const SHOP_REPORT = `Checkout crashes for guests

TypeError: Cannot read properties of undefined (reading 'discount')
    at totalOf (/srv/shop/src/cart/total.js:3:29)
    at checkOut (/srv/shop/src/check-out.js:4:17)
`;

/** Windows line ends in one file, and no line end at the end of another: what a diff loses first. */
export const SHOP: Readonly<Record<string, string>> = {
  'package.json': '{ "name": "shop", "version": "1.0.0" }\n',
  'src/cart/total.js':
    'export function totalOf(cart, customer) {\n  const sum = cart.items.reduce((all, item) => all + item.price, 0);\n  return sum * (1 - customer.discount);\n}\n',
  'src/check-out.js':
    "import { totalOf } from './cart/total.js';\r\n\r\nexport function checkOut(cart, session) {\r\n  return { due: totalOf(cart, session.customer) };\r\n}\r\n",
  'src/greeting.js': "export const greeting = 'hello';",
  'src/old-total.js': 'export const unused = 1;\n\nexport const neverRead = 2;\n',
};

/** The same shop after the fix. */
export const MENDED: Readonly<Record<string, string>> = {
  'package.json': SHOP['package.json'] ?? '',
  'src/cart/total.js':
    'export function totalOf(cart, customer) {\n  const sum = cart.items.reduce((all, item) => all + item.price, 0);\n  return sum * (1 - (customer?.discount ?? 0));\n}\n',
  'src/check-out.js':
    "import { totalOf } from './cart/total.js';\r\n\r\nexport function checkOut(cart, session) {\r\n  const customer = session.customer ?? null;\r\n  return { due: totalOf(cart, customer) };\r\n}\r\n",
  'src/words/greeting.js': "export const greeting = 'hello';",
  'docs/guests.md': '# Guests\n\nA guest has no discount.\n',
};

export const CAUSE = 'return sum * (1 - customer.discount);';

/** What the model says in turn n is what its last step before meant. */
export const WORDS = [
  'First I look where the discount is used.',
  'The discount is read without asking whether there is a customer.',
  'The line came with the first commit, so guests never could check out.',
  'The reading is mended; now the caller.',
  'Both edits are placed.',
  'The conclusion can be drawn.',
] as const;

export const FIX_TURNS: readonly Played[] = [
  { say: WORDS[0], calls: [call('search', { pattern: 'customer.discount' })] },
  {
    say: WORDS[1],
    calls: [
      call('read_files', { files: [{ path: 'src/cart/total.js' }, { path: 'src/check-out.js' }] }),
      call('blame', { path: 'src/cart/total.js', from: 3, to: 3 }),
      call('history', { path: 'src/cart/total.js' }),
    ],
  },
  {
    say: WORDS[2],
    calls: [
      call('replace', {
        path: 'src/cart/total.js',
        old: '  return sum * (1 - customer.discount);',
        new: '  return sum * (1 - (customer?.discount ?? 0));',
      }),
    ],
  },
  {
    say: WORDS[3],
    calls: [
      call('replace', {
        path: 'src/check-out.js',
        old: '  return { due: totalOf(cart, session.customer) };',
        new: '  const customer = session.customer ?? null;\n  return { due: totalOf(cart, customer) };',
      }),
      call('create_file', { path: 'docs/guests.md', content: MENDED['docs/guests.md'] }),
    ],
  },
  {
    say: WORDS[4],
    calls: [
      call('rename_file', { from: 'src/greeting.js', to: 'src/words/greeting.js' }),
      call('delete_file', { path: 'src/old-total.js' }),
    ],
  },
  (asked) => ({ say: WORDS[5], calls: [conclusion(fixFor(asked))] }),
];

function fixFor(asked: AskedRequest) {
  const step = stepWith(asked, CAUSE);
  return {
    outcome: 'code_fix',
    problem: 'A guest cannot check out.',
    rootCause: [
      {
        text: 'The discount of a customer is read who is not there.',
        citations: [{ step, quote: CAUSE }],
        places: [{ file: 'src/cart/total.js', line: 3 }],
      },
    ],
    stepsToReproduce: ['Check out without signing in.'],
    solutionSteps: ['A guest has no discount.'],
    suspects: [{ file: 'src/cart/total.js', line: 3, function: 'totalOf', why: 'reads the discount' }],
  };
}
