// Tests of a change by the names that runners give them.
import { describe, expect, it } from 'vitest';
import { findFailedOwn, isOwnTest, labelTests, type OwnTest } from '../../src/core/proof/named-tests.ts';

function own(title: string, more: Partial<OwnTest> = {}): OwnTest {
  const blank = { file: 'test/cart.test.js', title, parts: [title], groups: [], isTouched: true, isAdded: true };
  return { ...blank, ...more };
}

const IN_CART = own('adds up', { groups: ['shop', 'cart'] });
const ALONE = own('adds up');
const ROWS = own('adds %i to %i', { parts: ['adds ', ' to ', ''], groups: ['cart'] });
const BARE = own('name', { parts: ['', ''], groups: ['cart'] });

describe('of JavaScript', () => {
  it.each<[string, OwnTest, string, boolean]>([
    ['Vitest', IN_CART, 'test/cart.test.js::shop > cart > adds up', true],
    ['Vitest, of another file', IN_CART, 'test/other.test.js::shop > cart > adds up', false],
    ['Vitest, of another group', IN_CART, 'test/cart.test.js::shop > list > adds up', false],
    ['Vitest, of a machine', ALONE, '/home/runner/work/shop/shop/test/cart.test.js > adds up', true],
    ['Jest', IN_CART, 'shop › cart › adds up', true],
    ['Jest, a title that ends with it', IN_CART, 'shop › cart › never adds up', false],
    ['Mocha, with several groups', IN_CART, 'shop cart adds up', true],
    ['Mocha, a title that ends with it', IN_CART, 'shop cart never adds up', false],
    ['Mocha, in groups of another file', ALONE, 'shop cart adds up', true],
    ['Mocha, in another group', IN_CART, 'shop list adds up', false],
    ['AVA', ALONE, 'cart › adds up', true],
    ["Node's own", IN_CART, 'adds up', true],
    ["Node's own, told apart by file", IN_CART, 'test/cart.test.js::adds up', true],
    ["Node's own, told apart by group", IN_CART, 'test/cart.test.js::cart > adds up', true],
    ["Node's own in TAP", own('adds (#6)'), 'adds (\\#6)', true],
    ['Playwright', IN_CART, '[chromium] › test/cart.test.js:3:5 › shop › cart › adds up', true],
    ['Playwright, of another file', IN_CART, '[chromium] › test/list.test.js:3:5 › shop › cart › adds up', false],
    ['a word that ends with it', ALONE, 'madds up', false],
    ['more behind it', ALONE, 'adds up twice', false],
    ['a row of each', ROWS, 'cart › adds 1 to 2', true],
    ['a row of each in Mocha', ROWS, 'shop cart adds 1 to 2', true],
    ['a row of each without its group', ROWS, 'adds 1 to 2', true],
    ['other words', ROWS, 'cart › adds 1 and 2', false],
    ['a row in another group', ROWS, 'list › adds 1 to 2', false],
    ['a test in a group that begins like a row', ROWS, 'cart › adds 1 to 2 › takes', false],
    ['a title of which nothing is literal, in its group', BARE, 'cart › anything', true],
    ['a title of which nothing is literal', BARE, 'anything', false],
    ['a title of which nothing is literal, in a group below', BARE, 'cart › list › anything', false],
    ['a title of which nothing is literal, in no group', own('name', { parts: ['', ''] }), 'cart › anything', false],
  ])('%s', (_, test, name, expected) => expect(isOwnTest(name, { tests: [test] })).toBe(expected));
});

describe('of other languages', () => {
  const python = own('test_adds', { file: 'tests/test_cart.py', groups: null });
  const go = own('TestAdds', { file: 'cart_test.go', groups: null });
  const java = own('adds', { file: 'src/test/java/shop/CartTest.java', groups: null });
  const php = own('testAdds', { file: 'tests/CartTest.php', groups: null });
  const rust = own('adds', { file: 'tests/cart.rs', groups: null });
  const ruby = own('adds up', { file: 'spec/cart_spec.rb', groups: null });
  it.each<[string, OwnTest, string, boolean]>([
    ['pytest', python, 'tests/test_cart.py::TestCart::test_adds', true],
    ['pytest with parameters', python, 'tests/test_cart.py::TestCart::test_adds[1-a b]', true],
    ['pytest, of another file', python, 'tests/test_list.py::TestCart::test_adds', false],
    ['unittest', python, 'test_adds (tests.test_cart.TestCart.test_adds)', true],
    ['unittest before 3.11', python, 'test_adds (tests.test_cart.TestCart)', true],
    ['unittest with a part', python, 'test_adds (tests.test_cart.TestCart.test_adds) (i=1)', true],
    ['unittest, a longer name', python, 'test_adds_more (tests.test_cart.TestCart.test_adds_more)', false],
    ['unittest, another end', python, 'more_test_adds (tests.test_cart.TestCart.more_test_adds)', false],
    ['Go', go, 'TestAdds', true],
    ['Go, a part', go, 'TestAdds/two_and_three', true],
    ['Go, a longer name', go, 'TestAddsMore', false],
    ['JUnit 4', java, 'adds(shop.CartTest)', true],
    ['JUnit 5', java, 'CartTest > adds()', true],
    ['Surefire', java, 'shop.CartTest.adds', true],
    ['Surefire with parameters', java, 'shop.CartTest.adds(int, String)[2]', true],
    ['Surefire, a longer name', java, 'shop.CartTest.addsMore', false],
    ['PHPUnit', php, 'Tests\\CartTest::testAdds', true],
    ['PHPUnit with data', php, 'Tests\\CartTest::testAdds with data set "two" (1, 2)', true],
    ['cargo', rust, 'cart::tests::adds', true],
    ['cargo, a longer name', rust, 'cart::tests::adds_more', false],
    ['RSpec', ruby, 'spec/cart_spec.rb::Cart adds up', true],
    ['RSpec, more behind it', ruby, 'spec/cart_spec.rb::Cart adds up (twice)', false],
    ['minitest', ruby, 'cart#test_0001_adds up', true],
    ['Rails', ruby, 'CartTest#test_adds_up', true],
    ['.NET', own('Adds', { file: 'tests/CartTests.cs', groups: null }), 'Acme.CartTests.Adds(a: 1, b: 2)', true],
  ])('%s', (_, test, name, expected) => expect(isOwnTest(name, { tests: [test] })).toBe(expected));
});

it('leaves a name to the test that it fits best, also where the change does not touch that one', () => {
  const other = own('never adds up', { isTouched: false, groups: ['cart'] });
  const tests = [own('adds up', { groups: ['never'] }), other, own('adds %s', { parts: ['adds ', ''] })];
  expect(isOwnTest('cart › never adds up', { tests })).toBe(false);
  expect([...findFailedOwn(['adds up'], { tests }).failed].map(({ title }) => title)).toEqual(['adds up']);
});

describe('tests of one title', () => {
  const one = own('works', { groups: ['one'] });
  const two = own('works', { groups: ['two'] });
  const far = own('works', { file: 'test/far.test.js' });
  const [first, second] = [own('works'), own('works')];
  const old = own('works', { groups: ['old'], isTouched: false, isAdded: false });
  it.each<[string, readonly OwnTest[], readonly string[], readonly OwnTest[], readonly OwnTest[]]>([
    ['told apart by group', [one, two], ['one › works'], [one], []],
    ['told apart by file', [one, far], ['test/far.test.js::works'], [far], []],
    ['not told apart', [one, two], ['works'], [], [one, two]],
    [
      'as many names as tests',
      [first, second],
      ['test/cart.test.js::works', 'test/cart.test.js::works (2)'],
      [first, second],
      [],
    ],
    ['one that was there before', [old, two], ['works'], [], [old, two]],
    ['rows of one', [own('works', { groups: null }), own('works', { groups: null })], ['works[1]', 'works[2]'], [], []],
  ])('%s', (what, tests, names, failed, unclear) => {
    const found = findFailedOwn(names, { tests });
    expect([...found.failed]).toEqual(failed);
    expect([...found.unclear]).toEqual(what === 'rows of one' ? tests : unclear);
  });

  it('are named with what tells them apart', () => {
    expect(labelTests([one, two, own('ends'), first, second])).toEqual([
      ...['one › works', 'two › works', 'ends', 'test/cart.test.js › works', 'test/cart.test.js › works (2)'],
    ]);
  });
});

describe('where another file of the project makes the tests', () => {
  const short = own('ending in comment', { isWrapped: true, groups: ['comments'] });
  const long = own('ending in comment and space', { isWrapped: true, groups: ['comments'] });
  const tests = [short, long];
  it('takes what is written behind a title for a part of it', () => {
    const names = ['comments › ending in comment (tree)', 'comments › ending in comment (toString)'];
    expect([...findFailedOwn(names, { tests }).failed]).toEqual([short]);
    expect(isOwnTest('comments ending in comment', { tests })).toBe(true);
  });
  it('leaves a test that did not fail alone, whose title another one begins with', () => {
    const { failed, unclear } = findFailedOwn(['comments › ending in comment and space (tree)'], { tests });
    expect([[...failed], [...unclear]]).toEqual([[long], []]);
  });
  it.each([
    'comments › ending in commentary',
    'list › ending in comment (tree)',
    'comments › ending in comment › adds',
    'never ending in comment',
    'comments › ending in comment without a space',
  ])('is none of them: %s', (name) => expect(isOwnTest(name, { tests })).toBe(false));
  it('takes no more behind it where a runner makes the test', () => {
    expect(isOwnTest('comments › ending in comment (tree)', { tests: [{ ...short, isWrapped: false }] })).toBe(false);
  });
});
