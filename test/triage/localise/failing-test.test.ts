// Of a failing test, its own source up to the place that failed.
import { describe, expect, it } from 'vitest';
import type { MappedFrame } from '../../../src/triage/clues.ts';
import { cutTestSource, findTestPlaces } from '../../../src/triage/localise/query.ts';

const TEST = `class CartTest {
  void adds() {
    bakery();
  }

  void totals() {
    ledger();
    assertEquals(1, total());
    after();
    later();
  }
}
`;

function frame(path: string, line: number): MappedFrame {
  const of = { language: 'jvm', file: path, line, function: 'totals', symbol: '', code: '' } as const;
  return { frame: of, mapping: { kind: 'own', path, certain: true, compiled: false } };
}

describe('the source of a failing test', () => {
  it('goes from the beginning of its function to the line after the place', () => {
    expect(cutTestSource(TEST, { path: 'a', line: 8, function: 'CartTest.totals' })).toBe(
      '  void totals() {\n    ledger();\n    assertEquals(1, total());\n    after();',
    );
  });

  it('goes back 60 lines where the function is not found, and stays within the file', () => {
    const long = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`).join('\n');
    const source = cutTestSource(long, { path: 'a', line: 90, function: 'gone' }).split('\n');
    expect([source[0], source.at(-1)]).toEqual(['line 30', 'line 91']);
    expect(cutTestSource('one', { path: 'a', line: 9, function: 'one' })).toBe('one');
  });

  it('is looked for at frames in tests alone, each place once', () => {
    const mapped = [[frame('src/cart.ts', 3), frame('test/cart.test.ts', 5)], [frame('test/cart.test.ts', 5)]];
    expect(findTestPlaces(mapped)).toEqual([{ path: 'test/cart.test.ts', line: 5, function: 'totals' }]);
  });
});
