// The parts of the evaluation about CI logs: figures of made-up cases, and faults that say what is missing.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CI_LINES } from './ci-lines.ts';
import { CI_NAMES } from './ci-names.ts';
import { CI_PLACES } from './ci-places.ts';
import type { Case, EvalOptions, Part, Row } from './part.ts';
import { isSameTest } from './test-name.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'ci-parts-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function logged(name: string, lines: readonly string[], end = '\n'): string {
  writeFileSync(path.join(folder, name), gzipSync(lines.join(end)));
  return name;
}

async function rows(part: Part, cases: readonly Readonly<Record<string, unknown>>[]): Promise<readonly Row[]> {
  const options: EvalOptions = {
    cases: cases.map((data, index): Case => ({ line: index + 1, file: 'cases.jsonl', data })),
    repositories: '',
    logs: folder,
    keep: '',
    baseline: '',
    emit: () => undefined,
    progress: () => undefined,
    signal: new AbortController().signal,
  };
  return (await part.run(options)).rows;
}

function figuresOf(of: readonly Row[], group: string, system = 'causeway'): Row['figures'] | undefined {
  return of.find((row) => row.group === group && row.system === system)?.figures;
}

const LOG = ['start', 'FAIL: test_a (shop.CartTest)', 'ValueError: bad', 'ok', 'ok', 'ok', 'error: cache is cold'];

describe('ci-lines', () => {
  const truth = {
    type: 'error-lines',
    annotator1: [['E', 2, 3]],
    annotator2: [
      ['C', 2, 2],
      ['E', 3, 3],
    ],
  };
  const entry = { id: 'a', source: 'made:up', format: 'gha-raw', truth };

  it('counts the shown lines that people marked, with and without a passing log', async () => {
    const one = { ...entry, log: logged('red', LOG), passLog: logged('green', LOG.slice(-1)) };
    const told = await rows(CI_LINES, [one]);
    expect(figuresOf(told, 'people, GitHub Actions, at most 20 lines', 'causeway, passing log')).toMatchObject({
      'F1 %': 100,
      'first %': 100,
    });
    expect(figuresOf(told, 'people, at most 20 lines', 'grep -i error|fail|exception')?.['F1 %']).toBeCloseTo(80);
  });

  it('counts lines that end in a lone CR as people do, and as the parser of another log does not', async () => {
    const lines = ['10 %', '20 %', ...LOG.slice(0, 3)];
    const people = {
      ...entry,
      log: logged('cr', lines, '\r'),
      truth: { type: 'error-lines', annotator1: [['E', 4, 5]] },
    };
    const text = ['10 %\r20 %', ...LOG.slice(0, 3)];
    const parser = { ...entry, log: logged('lf', text), truth: { type: 'error-lines-parser', lines: [3, 4] } };
    const told = await rows(CI_LINES, [people, parser]);
    expect(figuresOf(told, 'people, all lines')).toMatchObject({ 'F1 %': 100 });
    expect(figuresOf(told, 'lines of a parser, all lines')).toMatchObject({ 'F1 %': 100, 'first %': 100 });
  });

  it.each([
    ['a truth', { id: 'a', source: 'b', log: 'x' }, /has no "truth"/],
    ['its log', { id: 'a', source: 'b', log: 'gone', truth: { type: 'key-line', line: 1 } }, /gone could not be read/],
  ])('says what is missing: %s', async (_, one, message) => {
    await expect(rows(CI_LINES, [one])).rejects.toThrow(message);
  });
});

describe('ci-names', () => {
  const entry = { source: 'made:up', log: 'red' };
  const failed = (names: readonly string[]) => ({ type: 'failed-tests', status: 'broken', failed: names });

  it('asks for all names and for none besides', async () => {
    logged('red', LOG);
    const told = await rows(CI_NAMES, [
      { ...entry, id: 'a', truth: failed(['shop.CartTest.test_a']) },
      { ...entry, id: 'b', truth: failed(['shop.CartTest.test_a', 'shop.CartTest.test_b']) },
      { ...entry, id: 'c', truth: failed(['shop.CartTest.test_b']) },
      { ...entry, id: 'd', truth: { ...failed([]), status: 'ok' } },
    ]);
    expect(figuresOf(told, 'all')).toMatchObject({ 'all %': 100 / 3, 'none besides %': 200 / 3 });
    expect(figuresOf(told, 'jobs that passed')).toMatchObject({ 'none besides %': 0 });
  });

  it.each([
    ['test_a (shop.tests.CartTest)', 'shop.tests.CartTest.test_a'],
    ['tests/test_cart.py::TestCart::test_a[x.py::y]', 'tests.test_cart::TestCart::test_a[x.py::y]'],
    ['(tests.test_cart)', 'tests/test_cart.py'],
    ['CartTest > adds()', 'shop.CartTest.adds'],
  ])('knows %s and %s for one test', (one, other) => {
    expect(isSameTest(one, other)).toBe(true);
  });

  it.each([
    ['shop.CartTest.adds', 'shop.CartTest.adds_two'],
    ['shop.CartTest.adds', 'shop.TaxTest.adds'],
    ['test_a[1]', 'test_a[2]'],
  ])('tells %s from %s', (one, other) => {
    expect(isSameTest(one, other)).toBe(false);
  });
});

it('ci-places compares distinct pairs of file and line, wherever the tool ran', async () => {
  const input =
    '/home/me/shop/cart.py:3:1: F401 unused\n/home/me/shop/cart.py:3:9: E261 space\nshop/tax.py:4:1: F401 x\n';
  const expected = [3, 3, 9].map((line) => ({ file: '/home/me/shop/cart.py', line }));
  const told = await rows(CI_PLACES, [{ id: 'a', tool: 'flake8', input, expected }]);
  expect(figuresOf(told, 'all')).toMatchObject({ 'found %': 50, 'right %': 50 });
});
