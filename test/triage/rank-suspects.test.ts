// From ranked files and clues to suspects: the order stays, and a firm clue says by itself how far it is believed.
import { describe, expect, it } from 'vitest';
import { type Clue, findTestedClues } from '../../src/triage/clues.ts';
import { classifyFile, isSecondary } from '../../src/triage/own-code.ts';
import { createPathIndex } from '../../src/triage/paths.ts';
import { rankSuspects, sayOfFile } from '../../src/triage/rank-suspects.ts';

function clue(kind: Clue['kind'], path: string, strength: number): Clue {
  return { kind, path, line: 0, function: '', strength, reason: `${kind} of ${path}` };
}

describe('suspects', () => {
  it('stay as they were ranked; one that stands first for its words is not made surer by a frame in the next', () => {
    const ranked = ['src/b.ts', 'src/a.ts', 'src/c.ts'].map((path, index) => ({
      path,
      score: 0.3 - index / 10,
      clues: [clue('use', path, 0.5)],
    }));
    const suspects = rankSuspects([clue('frame', 'src/a.ts', 0.85)], ranked);
    expect(suspects.map(({ file, score }) => [file, score])).toEqual([
      ['src/b.ts', 0.3],
      ['src/a.ts', 0.3],
      ['src/c.ts', 0.1],
    ]);
    expect(suspects[1]?.reasons).toEqual(['frame of src/a.ts', 'use of src/a.ts']);
  });

  it('are as sure as the frame that leads to them, and none is surer than one before it', () => {
    const ranked = [
      { path: 'src/a.ts', score: 0.3, clues: [] },
      { path: 'src/b.ts', score: 0.2, clues: [] },
      { path: 'src/c.ts', score: 0.1, clues: [] },
    ];
    const clues = [clue('frame', 'src/a.ts', 0.85), clue('frame', 'src/c.ts', 0.9), clue('place', 'package.json', 0.8)];
    expect(rankSuspects(clues, ranked).map(({ file, score }) => [file, score])).toEqual([
      ['src/a.ts', 0.85],
      ['src/b.ts', 0.2],
      ['src/c.ts', 0.2],
      ['package.json', 0.2],
    ]);
  });

  it('that a frame leads to come last of 30 where everything else ranks them lower', () => {
    const ranked = Array.from({ length: 31 }, (_, index) => ({
      path: `src/${String.fromCharCode(65 + index)}.ts`,
      score: 0.4 - index / 100,
      clues: [],
    }));
    const suspects = rankSuspects([clue('frame', ranked[30]!.path, 0.85)], ranked);
    expect(suspects).toHaveLength(30);
    expect(suspects[0]).toMatchObject({ file: ranked[0]!.path, score: 0.4 });
    expect(suspects[29]).toMatchObject({
      file: ranked[30]!.path,
      score: 0.1,
      reasons: [`frame of ${ranked[30]!.path}`],
    });
  });

  it('that changed between two named versions are lifted within the first 30 only, and as sure as what they pass', () => {
    const ranked = Array.from({ length: 31 }, (_, index) => ({
      path: `src/${String.fromCharCode(65 + index)}.ts`,
      score: 0.4 - index / 100,
      clues: [],
    }));
    const changed = [4, 9, 30].map((at) => ({
      ...clue('reference', ranked[at]!.path, 0.1),
      isChanged: true,
    }));
    const suspects = rankSuspects(changed, ranked);
    expect(suspects.slice(0, 3).map(({ file, score }) => [file, score])).toEqual([
      ['src/E.ts', 0.4],
      ['src/J.ts', 0.4],
      ['src/A.ts', 0.4],
    ]);
    expect(suspects.at(-1)?.file).toBe(ranked[30]!.path);
  });

  it.each([
    ['defines a name of the report', 0.4, { ...clue('definition', 'src/a.ts', 0.4), names: ['total'] }],
    ['is in a trace', 0.4, clue('frame', 'src/a.ts', 0.4)],
    ['has a name of the report', 0.4, { ...clue('use', 'src/a.ts', 0.4), names: ['total'] }],
    ['is likely', 0.8, clue('commit', 'src/a.ts', 0.4)],
  ])('that changed between two named versions come after one that %s, which is as sure as ever', (_, score, own) => {
    const ranked = [
      { path: 'src/a.ts', score, clues: [own] },
      { path: 'src/b.ts', score: 0.1, clues: [] },
      { path: 'src/c.ts', score: 0.05, clues: [] },
    ];
    const changed = { ...clue('reference', 'src/c.ts', 0.05), isChanged: true };
    expect(rankSuspects([changed], ranked).map((one) => [one.file, one.score])).toEqual([
      ['src/a.ts', score],
      ['src/c.ts', 0.1],
      ['src/b.ts', 0.1],
    ]);
  });

  it('that the report names in one way are in the order in which it does, but for the files of one change', () => {
    const ranked = ['src/a.ts', 'src/b.ts', 'src/c.ts', 'src/d.ts'].map((path) => ({ path, score: 0.1, clues: [] }));
    const named = (naming: 'path' | 'commit') =>
      ['src/d.ts', 'src/b.ts'].map((path) => ({ ...clue('path', path, 0.7), named: naming }));
    const order = (clues: readonly Clue[]) => rankSuspects(clues, ranked).map(({ file }) => file);
    expect(order(named('path'))).toEqual(['src/d.ts', 'src/b.ts', 'src/a.ts', 'src/c.ts']);
    expect(order(named('commit'))).toEqual(['src/b.ts', 'src/d.ts', 'src/a.ts', 'src/c.ts']);
  });

  it('that were not ranked have their clues; a test comes after the first file that it may test', () => {
    const ranked = [{ path: 'src/a.ts', score: 0.1, clues: [] }];
    const clues = [clue('frame', 'test/a.test.ts', 0.85), clue('place', 'package.json', 0.8)];
    expect(rankSuspects(clues, ranked).map(({ file, score }) => [file, score])).toEqual([
      ['package.json', 0.4],
      ['src/a.ts', 0.1],
      ['test/a.test.ts', 0.09],
    ]);
  });
});

describe('what stands beside the product', () => {
  it.each([
    ['docs/src/pages/demo.js', true],
    ['site/src/index.ts', true],
    ['examples/cart.rs', true],
    ['rollup.config.js', true],
    ['scripts/release.mjs', true],
    ['setup.py', true],
    ['.github/run.ts', true],
    ['src/build/app.rs', false],
    ['src/config.ts', false],
    ['lib/sites/models.py', false],
  ])('%s: %s', (path, aside) => {
    expect(isSecondary(path)).toBe(aside);
  });
});

describe('a program that only has to compile', () => {
  it.each([
    ['src/cart.test-d.ts', 'test'],
    ['test-d/cart.ts', 'test'],
    ['packages/shop/tsd/cart.ts', 'test'],
    ['types/dtslint/cart.ts', 'test'],
    ['packages/shop/__typetests__/cart.tsx', 'test'],
    ['src/__typetest__/cart.ts', 'test'],
    ['packages-private/dts-built-test/src/index.ts', 'test'],
    ['src/cart.tst.ts', 'test'],
    ['shop/cart_typecheck.py', 'test'],
    ['src/event-type-check.ts', 'source'],
    ['src/types/cart.d.ts', 'source'],
    ['compiler/typecheck/cart.rs', 'source'],
  ])('%s: %s', (path, kind) => {
    expect(classifyFile(path)).toBe(kind);
  });
});

describe('what a test tests, by its name', () => {
  it.each([
    ['TestCart.java', 'src/Cart.java'],
    ['CartTest.java', 'src/Cart.java'],
    ['Testing.java', undefined],
  ])('%s', (test, subject) => {
    const paths = ['src/Cart.java', 'src/ing.java'];
    const entries = paths.map((path) => ({ path, size: 1, kind: 'file' as const, blob: path }));
    const index = createPathIndex({ entries, unreadableNames: 0 });
    expect(findTestedClues(index, [`test/${test}`])[0]?.path).toBe(subject);
  });
});

describe('a file that a program writes', () => {
  it.each([
    ['lib/marked.esm.js', 'generated'],
    ['lib/marked.umd.js', 'generated'],
    ['cart.min.mjs', 'generated'],
    ['src/esm.js', 'source'],
    ['src/minify.js', 'source'],
    ['benchmark.js', 'example'],
  ])('%s: %s', (path, kind) => {
    expect(classifyFile(path)).toBe(kind);
  });
});

it.each([
  ['Ledger.openLedger', 'openLedger', ''],
  ['openLedger', 'Ledger.openLedger', ''],
  ['openLedger', 'Ledger', 'the file '],
  ['openLedger', '', 'the file '],
  ['', '', ''],
  ['openLedger', undefined, ''],
])('of a suspect at “%s” a reason that defines %s is said as “%s…”', (name, ofFile, of) => {
  const told = [{ reason: 'defines it', ...(ofFile !== undefined && { ofFile }) }];
  expect(sayOfFile({ function: name, told, reasons: [] }).reasons).toEqual([`${of}defines it`]);
});
