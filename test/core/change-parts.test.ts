// A change is split into the tests that show the fault and the fix, and the tests are known by their titles.

import type { FileChange } from 'causeway-diff';
import { describe, expect, it } from 'vitest';
import { listOwnTests, splitChange } from '../../src/core/proof/change-parts.ts';

const BASE = 'a'.repeat(40);
const FIX: FileChange = { kind: 'modified', path: 'src/cart.js', before: 'a\n', after: 'b\n' };

function added(path: string, after: string): FileChange {
  return { kind: 'added', path, mode: '100644', after };
}

function listTouched(files: readonly FileChange[]): readonly string[] {
  const { tests } = listOwnTests({ base: BASE, files });
  return tests.filter(({ isTouched }) => isTouched).map(({ title }) => title);
}

describe('tests by language', () => {
  const cases: readonly [string, string, readonly string[]][] = [
    ['test/cart.test.js', "test('adds up', () => {\n  assert.equal(1, 2);\n});\n", ['adds up']],
    ['src/cart.spec.ts', "describe('cart', () => {\n  it(`adds up`, async () => {\n  });\n});\n", ['adds up']],
    ['test/cart.test.js', "it.only('says \\'no\\'', () => {});\n", ["says 'no'"]],
    ['types/cart.test-d.ts', "test('adds up', () => {\n  expectTypeOf(add).returns.toBeNumber();\n});\n", ['adds up']],
    ['tests/test_cart.py', 'class TestCart:\n    def test_adds(self):\n        assert add() == 2\n', ['test_adds']],
    ['cart_test.go', 'func TestAdds(t *testing.T) {\n\tt.Fatal("no")\n}\n', ['TestAdds']],
    ['tests/cart.rs', '#[test]\nfn adds() {\n    assert!(false);\n}\n', ['adds']],
    ['src/test/java/CartTest.java', 'class CartTest {\n  @Test void adds() {\n  }\n}\n', ['adds']],
    ['test/cart_test.rb', "test 'adds up' do\n  assert false\nend\n", ['adds up']],
  ];
  it.each(cases)('%s', (path, text, titles) => {
    const parts = splitChange({ base: BASE, files: [FIX, added(path, text)] });
    expect(parts?.fix.files).toEqual([FIX]);
    expect(listTouched(parts?.test.files ?? [])).toEqual(titles);
  });
});

it('knows a changed test by the title above the changed line, and leaves its neighbours out', () => {
  const before = "test('one', () => {\n  run(1);\n});\ntest('two', () => {\n  run(2);\n});\nconst late = 1;\n";
  const after = before.replace('run(2)', 'run(3)').replace('late = 1', 'late = 2');
  const file: FileChange = { kind: 'modified', path: 'test/a.test.js', before, after };
  expect(listTouched([file])).toEqual(['two']);
  expect(listOwnTests({ base: BASE, files: [file] }).asserts).toBe('unknown');
});

describe('tests that a change touches in JavaScript', () => {
  const each = "it.each([\n  [1, 2],\n  [2, 3],\n])('adds %i to %i', (a, b) => {\n  expect(add(a, b)).toBe(3);\n});\n";
  const loop =
    "describe('joins', () => {\n  const rows = [\n    { base: '/', input: 'https://test.com' },\n  ];\n" +
    "  for (const row of rows) {\n    test(row.base + ' + ' + row.input, () => {\n      join(row);\n    });\n  }\n});\n";
  const other = "const rows = [\n  1,\n];\nit('adds', () => {\n  add();\n});\n";
  const nested =
    "test('carts', async (t) => {\n  await t.test('adds', () => {\n    add(1);\n  });\n  await t.test('takes', () => {});\n});\n";
  const cases: readonly [string, string, readonly [string, string], readonly string[]][] = [
    ['a new row of a table', each, ['  [2, 3],', '  [2, 3],\n  [3, 4],'], ['adds %i to %i']],
    [
      'a row above the loop that makes tests of it',
      loop,
      ["com' },", "com' },\n    1,"],
      ["row.base + ' + ' + row.input"],
    ],
    ['a list that no test is made from', other, ['  1,', '  1,\n  2,'], []],
    ['the inner one of two', nested, ['add(1)', 'add(2)'], ['adds']],
    ['a comment that looks like one', other, ["it('adds'", "// it('takes', () => {});\nit('adds'"], []],
    ['a pattern that has a method of that name', other, ['  add();', "  /a/.test('abc', 1);"], ['adds']],
    ['a word within a text', other, ['  add();', "  text(<p>Don't test('it', now)</p>);"], ['adds']],
  ];
  it.each(cases)('%s', (_, before, [from, to], titles) => {
    const after = before.replace(from, to);
    expect(listTouched([{ kind: 'modified', path: 'test/a.test.js', before, after }])).toEqual(titles);
  });

  it('counts a title that another test has as well', () => {
    const before = "describe('one', () => {\n  it('works', () => {});\n});\n";
    const after = `${before}describe('two', () => {\n  it('works', () => {});\n});\n`;
    const { tests } = listOwnTests({ base: BASE, files: [{ kind: 'modified', path: 'a.test.ts', before, after }] });
    expect(tests.map(({ groups, isAdded }) => [groups, isAdded])).toEqual([
      [['one'], false],
      [['two'], true],
    ]);
  });

  it('adds none that it only moves', () => {
    const before = "it('one', () => {});\nit('two', () => {});\n";
    const after = "it('two', () => {});\nit('one', () => {});\n";
    const { tests } = listOwnTests({ base: BASE, files: [{ kind: 'modified', path: 'a.test.ts', before, after }] });
    expect(tests.filter(({ isAdded }) => isAdded)).toEqual([]);
  });
});

describe('a new title', () => {
  const listAdded = (before: string, after: string) =>
    listOwnTests({ base: BASE, files: [{ kind: 'modified', path: 'a.test.ts', before, after }] })
      .tests.filter(({ isAdded }) => isAdded)
      .map(({ title }) => title);
  const old = "it('adds', () => {\n  expect(add(1)).toBe(2);\n});\n";

  it('is no new test where an old one is renamed', () => {
    const more = "it('takes', () => {\n  expect(take(1)).toBe(0);\n});\n";
    expect(listAdded(old, `${old.replace('adds', 'adds one')}${more}`)).toEqual(['takes']);
  });
  it('is one where the old one stays', () => {
    expect(listAdded(old, `${old}${old.replace('adds', 'adds one')}`)).toEqual(['adds one']);
  });
  it('is one where it asserts anything else', () => {
    expect(listAdded(old, old.replace('adds', 'adds one').replace('toBe(2)', 'toBeTruthy()'))).toEqual(['adds one']);
  });
  it('is one where it stands in another group, with other things set up', () => {
    const inGroup = (title: string, test: string) => `describe('${title}', () => {\n${test}});\n`;
    const moved = inGroup('cart', old.replace('adds', 'adds one'));
    expect(listAdded(inGroup('till', old), moved)).toEqual(['adds one']);
  });
  it('is one where two come of one', () => {
    expect(listAdded(old, `${old.replace('adds', 'a')}${old.replace('adds', 'b')}`)).toEqual(['b']);
  });
  it('is one where a function of its own may read it', () => {
    const head = 'function check(name, fn) {\n  it(name, () => fn(name));\n}\n';
    const call = "check('1 + 1', (text) => {\n  expect(add(text)).toBe(2);\n});\n";
    expect(listAdded(head + call, head + call.replace('1 + 1', '2 + 0'))).toEqual(['2 + 0']);
  });
});

describe('what the new lines of tests assert', () => {
  const cases: readonly [string, 'result' | 'no_error' | 'unknown'][] = [
    ['assert.equal(add(1), 2);', 'result'],
    ['expect(() => add(1)).not.toThrow();', 'no_error'],
    ['assert.doesNotThrow(() => add(1));', 'no_error'],
    ['assert.doesNotThrow(() => add(1));\n  assert.equal(add(1), 2);', 'result'],
    ['add(1);', 'unknown'],
    ["run('should assert');", 'unknown'],
  ];
  it.each(cases)('%s: %s', (line, asserts) => {
    const text = `import assert from 'node:assert';\ntest('adds', () => {\n  ${line}\n});\n`;
    expect(listOwnTests({ base: BASE, files: [added('test/a.test.js', text)] }).asserts).toBe(asserts);
  });
});

describe('no parts, so one commit without a proof', () => {
  const cases: readonly [string, readonly FileChange[]][] = [
    ['no test', [FIX]],
    ['a test without a fix', [added('test/a.test.js', "test('a', () => {});\n")]],
    ['only data of tests', [FIX, added('test/fixtures/a.json', '{}\n')]],
    ['a computed title', [FIX, added('test/a.test.js', "it.each([1])('%i', () => {});\n")]],
    ['tests within the code', [{ ...FIX, after: '#[test]\nfn adds() {}\n', path: 'src/lib.rs' } as FileChange]],
    ['a deleted test', [FIX, { kind: 'deleted', path: 'test/a.test.js', before: "test('a', () => {});\n" }]],
  ];
  it.each(cases)('%s', (_, files) => expect(splitChange({ base: BASE, files })).toBeNull());
});

it('counts a test that becomes code, or the other way round, as part of the fix', () => {
  const text = "test('a', () => {});\n";
  const moved: FileChange = {
    kind: 'renamed',
    path: 'test/a.test.js',
    previousPath: 'src/a.js',
    before: '',
    after: text,
  };
  const parts = splitChange({ base: BASE, files: [moved, added('test/b.test.js', text)] });
  expect(parts?.fix.files).toEqual([moved]);
});
