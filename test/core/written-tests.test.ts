// Tests of JavaScript and TypeScript as they are written.
import { describe, expect, it } from 'vitest';
import { readWrittenTests } from '../../src/core/proof/written-tests.ts';
import { cpuTime } from '../support/cpu-time.ts';

it.each<[string, readonly string[]]>([
  ["it('adds', () => {});", ['adds']],
  ['test.only("says \\"no\\" to \\u0041", { timeout: 1 }, () => {});', ['says "no" to A']],
  [
    "test.concurrent.each<[number, Map<string, string[]>]>([[1, a], [2, b]])('adds %i to %o%%', () => {});",
    ['adds ', ' to ', '%'],
  ],
  ["it.each`\n  a | b\n  \u0024{1} | \u0024{2}\n`('adds $a to $b.size twice', () => {});", ['adds ', ' to ', ' twice']],
  ['it(`adds \u0024{a.map((one) => `\u0024{one}`)} up`, () => {});', ['adds ', ' up']],
  ['test(\'adds \' + name + " up", function () {});', ['adds ', ' up']],
  ['test(JSON.stringify(t.base) + " + " + JSON.stringify(t.input), () => {});', ['', ' + ', '']],
  ['for (const [name] of rows) test(name, async () => {});', ['', '']],
  ["t.test('adds', (t) => { t.end(); });", ['adds']],
  ["it.skipIf(process.platform === 'win32')('adds', () => {});", ['adds']],
  ["it('is 100%s sure', () => {});", ['is 100%s sure']],
  ["test(\n  'adds',\n  /it('is', \\/[/]/,\n);", ['adds']],
  ["import { test as spec } from 'vitest';\nspec('adds', () => {});", ['adds']],
  ["import check from 'ava';\ncheck('adds', (t) => {});", ['adds']],
  ["const check = require('tape');\ncheck('adds', (t) => {});", ['adds']],
  ["const t = require('tap');\nt.test('adds', (own) => { own.same(sum, 2, 'sum'); });", ['adds']],
  ["const signedIn = base.extend({});\nconst own = test.extend<Cart>({});\nown.only('adds', () => {});", ['adds']],
  ["const later = test.concurrent;\nconst most = later;\nmost('adds', () => {});", ['adds']],
])('%s', (source, parts) => expect(readWrittenTests(source)?.tests.map((test) => test.parts)).toEqual([parts]));

it.each([
  "test('not yet');",
  "pattern.test('adds', 1);",
  "test.step('adds', () => {});",
  "context.set('adds', 1);",
  'export function test(name, body) {}',
  'class A { test(name, body) {} }',
  "const match = test('adds');\nmatch('adds', 1);",
  "// it('adds', () => {});\n/* it('takes', () => {}); */",
  "`it('adds', () => {})`;",
])('is no test: %s', (source) => expect(readWrittenTests(source)?.tests).toEqual([]));

it('knows the groups of each, from the outermost', () => {
  const source =
    "describe('cart', () => {\n  describe.each(all)('%s', () => {\n    it('adds', () => {});\n  });\n" +
    "  test.describe('coupons', () => {\n    it('takes', () => {});\n  });\n});\nit('ends', () => {});\n";
  const written = readWrittenTests(source);
  expect(written?.groups).toEqual(['cart', 'coupons']);
  expect(written?.tests.map(({ parts, groups }) => [...groups, ...parts])).toEqual([
    ['cart', null, 'adds'],
    ['cart', 'coupons', 'takes'],
    ['ends'],
  ]);
});

it.each(['it("adds", () => {', 'it("adds", () => {)', `${'/* */'.repeat(300_000)}`])(
  'gives up on what it cannot follow, or is too long',
  (source) => expect(readWrittenTests(source)).toBeNull(),
);

it.each([
  "it('a', () => {",
  'function f(a) { it(a, ',
  "const f = (a) => it(a, b);\nf('c');\n",
  "import { test } from './a';\n",
  '</[',
  '`${',
  'it.each<',
  'it(a + ',
  "const rows = [1]; it.each(rows)('a %s', () => {});",
  '\\u{1',
  '((',
  "'\\x",
])('takes time that grows with the text alone: %s', async (piece) => {
  // The least of three: what else runs here only adds to it. Eight times the text takes 8 times as long, or 64 times if it
  // grows with the square.
  const measure = async (length: number) => {
    const source = piece.repeat(length / piece.length);
    const times: number[] = [];
    for (let round = 0; round < 3; round += 1) times.push(await cpuTime(() => readWrittenTests(source)));
    return Math.min(...times);
  };
  expect(await measure(1_000_000)).toBeLessThan(32 * Math.max(10, await measure(125_000)));
});

describe('tests that a function of the file makes', () => {
  const list = (source: string) => (readWrittenTests(source)?.tests ?? []).map(({ parts }) => parts);
  it.each<[string, readonly (readonly string[])[]]>([
    [
      "function check(name, a) { it(name, () => add(a)); }\ncheck('adds', 1);\ncheck('takes', 2);",
      [['adds'], ['takes']],
    ],
    ["const check = (name: string): void => { test('cart ' + name, run); };\ncheck('adds');", [['cart adds']]],
    ["const check = (name, fn) => it(`\u0024{name} (sync)`, fn);\ncheck('adds', () => {});", [['adds (sync)']]],
    [
      "const check = async function (name) { it(`\u0024{name} by \u0024{kind}`, run); };\ncheck('adds');",
      [['adds by ', '']],
    ],
    [
      "function check(name) { it(`\u0024{name} (a)`, run); it(`\u0024{name} (b)`, run); }\ncheck('adds');",
      [['adds', '']],
    ],
    [
      "function test(name, fn) { ava(`\u0024{name} (tree)`, fn); ava(name, fn) }\nimport ava from 'ava';\ntest('adds', run);",
      [['adds', '']],
    ],
    // Not of what it is given: only what is written in it.
    ["function check(input) { it('adds', () => add(input)); }\ncheck('a');\ncheck('b');", [['adds']]],
    ["function check(input) { it(`adds \u0024{input.name}`, run); }\ncheck('a');", [['adds ', '']]],
    ["function check(name) { return cart(name, () => {}); }\ncheck('adds');", []],
    ['function check(name) { it(name, run); }\nfor (const name of rows) check(name);', [['', '']]],
    // What is called with other titles besides is not left out.
    [
      "function check(name) { it(name, run); }\ncheck('adds');\nfor (const name of rows) check(name, 1);",
      [['adds'], ['', '']],
    ],
    [
      "function check(name) { it(`\u0024{name} (a)`, run); }\nfunction both(name) { check(name + ' twice'); }\ncheck('adds');\nboth('takes');",
      [['', ' twice (a)'], ['adds (a)']],
    ],
    ["function check(name) { it(name, run); }\ncheck('adds');\nnames.forEach(check);", [['', '']]],
  ])('%s', (source, titles) => expect(list(source)).toEqual(titles));

  it('are changed where the function is', () => {
    const [one] =
      readWrittenTests("it('a', run);\nfunction check(name) {\n  it(name, run);\n}\ncheck('adds');\n")?.tests.slice(
        1,
      ) ?? [];
    expect(one?.tables).toEqual([{ from: 1, to: 3 }]);
  });
});

it.each<[string, boolean]>([
  ["import { test } from './helpers.js';", true],
  ["import test, { throws } from '../util/test';", true],
  ["const { test } = require('./helpers');", true],
  ["import { test } from 'vitest';\nimport { add } from './cart.js';", false],
  ["import { add } from './cart.js';\nimport { test } from 'ava';", false],
])('knows of what makes tests whether it is of another file of the project: %s', (head, isWrapped) => {
  const [one] = readWrittenTests(`${head}\ntest('adds', () => {});\n`)?.tests ?? [];
  expect(one?.isWrapped).toBe(isWrapped);
});
