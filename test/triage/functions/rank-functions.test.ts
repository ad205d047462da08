// Which function of the ranked files comes first for a report, and what is said of it.

import { readOutline } from 'causeway-git-objects';
import { describe, expect, it } from 'vitest';
import { mapTraces } from '../../../src/triage/clues.ts';
import { rankFunctions } from '../../../src/triage/functions/rank-functions.ts';
import { markFrames } from '../../../src/triage/functions/read-units.ts';
import { createQuery, splitReport } from '../../../src/triage/localise/query.ts';
import { createPathIndex } from '../../../src/triage/paths.ts';
import type { RankedFunction } from '../../../src/triage/ranked.ts';
import { findSignals } from '../../../src/triage/signals.ts';

const CART = `class Cart(Holder):
    """What is bought."""

    kinds = ("book", "toy")

    def add(self, thing):
        """Add a thing, with its coupon and discount where the shop has a coupon and a discount."""
        self.things.append(thing)

    def total_price(self, coupon):
        return self._reduced(self.things, coupon)

    def _reduced(self, things, coupon):
        everything = sum(thing.price for thing in things)
        return everything - coupon.discount

    def __eq__(self, other):
        return self.things == other.things
`;
const MAIL = `def send(address):
    connect(address)


def connect(address):
    host = resolve(address)
    raise ValueError("no such host was found")
`;
const FILES: Readonly<Record<string, string>> = { 'shop/cart.py': CART, 'shop/mail.py': MAIL };

interface Asked {
  readonly files?: Readonly<Record<string, string>>;
  readonly scores?: readonly number[];
  readonly linesHold?: boolean;
  readonly signal?: AbortSignal;
}

function rank(
  report: string,
  { files = FILES, scores = [], linesHold = true, signal = new AbortController().signal }: Asked = {},
): Promise<readonly RankedFunction[]> {
  const { title, traces } = findSignals(report);
  const entries = Object.keys(files).map((path) => ({ path, size: 1, kind: 'file' as const, blob: path }));
  const mapped = mapTraces({ index: createPathIndex({ entries, unreadableNames: 0 }), packages: [] }, traces);
  return rankFunctions(
    {
      report,
      query: createQuery({ ...splitReport({ report, title, traces, mapped }), test: '' }),
      frames: markFrames({ traces, mapped, linesHold }),
      files: Object.entries(files).map(([path, text], index) => ({
        path,
        text,
        outline: readOutline(path, text),
        score: scores[index] ?? 1,
      })),
    },
    signal,
  );
}

/** Three classes, each with its `__init__`; the trace stands in that of B. */
const NAMESAKES = {
  files: {
    'shop/b.py': ['A', 'B', 'C'].map((name) => `class ${name}:\n    def __init__(self):\n        run()\n\n`).join(''),
  },
  report: 'Stops\n\nTraceback (most recent call last):\n  File "/app/shop/b.py", line 7, in __init__\nOSError: gone',
};

/** What is said to be in the stack trace. */
function traced(ranked: readonly RankedFunction[]): readonly string[] {
  return ranked.flatMap(({ owner, name, reasons }) =>
    reasons
      .filter((reason) => reason.endsWith('in the stack trace'))
      .map((reason) => `${owner === '' ? '' : `${owner}.`}${name}: ${reason}`),
  );
}

function names(ranked: readonly RankedFunction[]): readonly string[] {
  return ranked.map(({ owner, name }) => (owner === '' ? name : `${owner}.${name}`));
}

describe('the ranking of functions', () => {
  it('finds the function that the report names, and the one that it calls, before all others', async () => {
    const ranked = await rank('Wrong sum\n\n`total_price` is off.');
    expect(names(ranked).slice(0, 2).toSorted()).toEqual(['Cart._reduced', 'Cart.total_price']);
    expect(ranked[0]?.score).toBe(1);
    const named = ranked.find(({ name }) => name === 'total_price');
    expect(named).toMatchObject({ path: 'shop/cart.py', line: 10, lastLine: 11 });
    expect(named?.reasons).toContain('the report mentions `total_price`');
    expect(ranked.find(({ name }) => name === '_reduced')?.reasons).toContain(
      'called by `total_price`, mentioned in the report',
    );
  });

  it('prefers the function written as a call in code font to one whose name is a word', async () => {
    const file = 'def items(one):\n    return one.total\n\n\ndef total(one):\n    return one.items\n';
    const first = async (report: string) => (await rank(report, { files: { 'a.py': file } }))[0];
    expect((await first('Items lost\n\nThe items of total are lost items'))?.name).toBe('items');
    const called = await first('Items lost\n\nThe items of `total()` are lost items');
    expect(called).toMatchObject({ name: 'total', reasons: expect.arrayContaining(['the report mentions `total()`']) });
  });

  it('prefers what a named function of the same file calls', async () => {
    const caller = 'def load_gadget():\n    return second()\n\n\n';
    const twins = 'def first():\n    return 1\n\n\ndef second():\n    return 1\n';
    const ranked = await rank('`load_gadget` is slow', { files: { 'a.py': `${caller}${twins}`, 'b.py': twins } });
    expect(ranked.map(({ path, name }) => `${path} ${name}`)).toEqual([
      'a.py load_gadget',
      'a.py second',
      'a.py first',
      'b.py first',
      'b.py second',
    ]);
  });

  it('prefers words in the order of the report', async () => {
    const texts = ['host such no was found', 'no such host was found'];
    const functions = texts.map((text, index) => `def f${index}x():\n    fail("${text}")\n`).join('\n\n');
    const other = 'def other():\n    return 1\n';
    expect(
      names(await rank('It says: no such host was found', { files: { 'a.py': `${functions}\n\n${other}` } }))[0],
    ).toBe('f1x');
  });

  it('does not take the words of its functions for those of a class', async () => {
    const cart = (await rank('Coupon and discount')).find(({ name }) => name === 'Cart');
    expect(cart?.reasons).toEqual([]);
  });

  it('believes code more than documentation', async () => {
    const documented =
      'def one(a):\n    """The gadget of a gadget."""\n    return a\n\n\ndef two(a):\n    """The thing."""\n    return gadget(gadget(a))\n';
    expect(names(await rank('The gadget is lost', { files: { 'a.py': documented } }))[0]).toBe('two');
  });

  it('puts the innermost own frame first, and shows its line', async () => {
    const report = [
      'It stops',
      'Traceback (most recent call last):',
      '  File "/app/shop/mail.py", line 2, in send',
      '    connect(address)',
      '  File "/app/shop/mail.py", line 6, in connect',
      '    host = resolve(address)',
      '  File "/usr/lib/python3/socket.py", line 900, in resolve',
      'OSError: gone',
    ].join('\n');
    const [first, second] = await rank(report);
    expect(first).toMatchObject({ name: 'connect', place: 6 });
    expect(first?.reasons[0]).toBe('`connect` is in the stack trace');
    expect(second).toMatchObject({ name: 'send', place: 2 });
  });

  it('takes a frame that names no function by its line', async () => {
    const files = { 'src/a.js': 'function first() {\n  return 1;\n}\n\nfunction second() {\n  return 1;\n}\n' };
    const ranked = await rank('It stops\n\nError: gone\n    at /app/src/a.js:6:3\n', { files });
    expect(ranked.map(({ name, place }) => [name, place])).toEqual([
      ['second', 6],
      ['first', 1],
    ]);
  });

  it('takes one of several functions of a name by the line, and the innermost', async () => {
    const { files, report } = NAMESAKES;
    const ranked = await rank(report, { files });
    expect(traced(ranked)).toEqual(['B.__init__: `__init__` is in the stack trace']);
    expect(ranked[0]).toMatchObject({ owner: 'B', line: 6, place: 7 });
  });

  it('takes the innermost where a frame names no function', async () => {
    const files = { 'src/a.js': 'class Cart {\n  total() {\n    return 1;\n  }\n}\n' };
    const ranked = await rank('It stops\n\nError: gone\n    at /app/src/a.js:3:3\n', { files });
    expect(traced(ranked)).toEqual(['Cart.total: `total` is in the stack trace']);
  });

  it('says of which several the frame may be one, where its line is that of another commit', async () => {
    const { files, report } = NAMESAKES;
    const ranked = await rank(report, { files, linesHold: false });
    const said = 'one of 3 `__init__` of its file is in the stack trace';
    expect(traced(ranked).toSorted()).toEqual([`A.__init__: ${said}`, `B.__init__: ${said}`, `C.__init__: ${said}`]);
  });

  it('takes a frame by its name where its line lies in another function', async () => {
    const report =
      'Stops\n\nTraceback (most recent call last):\n  File "/app/shop/mail.py", line 2, in connect\nOSError: gone';
    expect(traced(await rank(report))).toEqual(['connect: `connect` is in the stack trace']);
    const again = report.replace('line 2', 'line 40').replace('mail.py', 'b.py').replace('connect', '__init__');
    expect(traced(await rank(again, { files: NAMESAKES.files }))).toEqual([]);
  });

  it('knows no line of a source by that of its compiled output', async () => {
    const files = { 'src/a.ts': 'function first() {\n  return 1;\n}\n\nfunction second() {\n  return 1;\n}\n' };
    expect(traced(await rank('It stops\n\nError: gone\n    at /app/src/a.ts:6:3\n', { files }))).toHaveLength(1);
    expect(traced(await rank('It stops\n\nError: gone\n    at /app/dist/a.js:6:3\n', { files }))).toEqual([]);
  });

  it('shows the line where the words of the report stand closest together', async () => {
    const [first] = await rank('Discount of a coupon is not taken off everything');
    expect(first).toMatchObject({ name: '_reduced', place: 15 });
    const apart =
      'def one():\n    x = gadget()\n    a = 1\n    b = 2\n    c = 3\n    d = 4\n    e = 5\n    y = gadget()\n    z = widget()\n';
    expect((await rank('gadget and widget', { files: { 'a.py': apart } }))[0]?.place).toBe(8);
  });

  it('is not said to hold a name of which it holds a part alone', async () => {
    const held = { 'a.py': 'def one():\n    ledger()\n' };
    const [first] = await rank('`LedgerBook` is refused', { files: held });
    expect(first?.reasons).toEqual(['mentions “ledger”']);
  });

  it('tells which words stand in it, and those that stand side by side', async () => {
    const [first] = await rank('A mail is not sent\n\nIt says: no such host was found');
    expect(first?.name).toBe('connect');
    expect(first?.reasons).toContain('shares phrases with the report');
    expect(first?.reasons.at(-1)).toMatch(/^mentions .*“host”/);
  });

  it('takes the class where the words stand in it outside of its functions', async () => {
    const ranked = await rank('The kinds book and toy\n\nkinds: book, toy');
    expect(ranked[0]).toMatchObject({ name: 'Cart', line: 1, place: 4 });
  });

  it('bears a file of a thousand classes in each other', async () => {
    const depth = 1_500;
    const open = Array.from({ length: depth }, (_, index) => `class Gadget${index} {`);
    const lines = Array.from({ length: 20_000 }, () => '  gadget();');
    const text = [...open, ...lines, ...open.map(() => '}')].join('\n');
    expect(await rank('gadget is lost', { files: { 'a.ts': text } })).toHaveLength(50);
  });
});
