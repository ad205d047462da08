// Linters and formatters say the same words of many files: each set of files is a cause of its own.
import { describe, expect, it } from 'vitest';
import { readCheck } from '../../src/ci/read-check.ts';
import { actionsLog } from './logs.ts';

function read(output: readonly string[]) {
  return readCheck({ name: 'lint', output: '', log: actionsLog('npm run lint', output), annotations: [] });
}

const RUNS: readonly [string, (file: string, line: number) => readonly string[]][] = [
  [
    'Prettier',
    (file) => [
      'Checking formatting...',
      `[warn] ${file}.js`,
      '[warn] Code style issues found in the above file. Run Prettier with --write to fix.',
    ],
  ],
  [
    'ESLint',
    (file, line) => [
      '',
      `/home/runner/work/shop/shop/${file}.js`,
      `  ${line}:1  warning  'y' is odd  odd`,
      `  ${line}:5  error    'x' is never used  no-unused-vars`,
      '',
      '✖ 2 problems (1 error, 1 warning)',
    ],
  ],
  ['Black', (file) => [`would reformat ${file}.py`, '', '1 file would be reformatted.']],
  ['rustfmt', (file, line) => [`Diff in /home/runner/work/shop/shop/${file}.rs:${line}:`, '-a', '+b']],
  ['flake8', (file, line) => [`${file}.py:${line}:1: F401 'os' imported but unused`]],
  ['golangci-lint', (file, line) => [`${file}.go:${line}:2: ineffectual assignment to err (ineffassign)`]],
  ['Checkstyle', (file, line) => [`[ERROR] ${file}.java:[${line},5] (imports) UnusedImports: Unused import.`]],
];

describe.each(RUNS)('%s', (_, run) => {
  it('is another cause in another file, even of the same name', () => {
    const prints = ['src/cart/index', 'src/coupon/index', 'src/coupon/index2'].map((file) => read(run(file, 3)));
    expect(prints.every(({ isInformative }) => isInformative)).toBe(true);
    expect(new Set(prints.map(({ fingerprint }) => fingerprint)).size).toBe(3);
  });

  it('is the same cause on another line and on another machine', () => {
    const windows = run('src/cart/index', 90).map((line) =>
      line.replace('/home/runner/work/shop/shop/src/cart/', 'D:\\a\\shop\\shop\\src\\cart\\'),
    );
    expect(read(windows).fingerprint).toBe(read(run('src/cart/index', 3)).fingerprint);
  });
});

it('the headline of Prettier is the first file, and all files count', () => {
  const found = (files: readonly string[]) =>
    read([...files.map((file) => `[warn] ${file}`), '[warn] Code style issues found in 2 files.']);
  expect(found(['src/a.js', 'src/c.js']).excerpt.headline).toBe('[warn] src/a.js');
  expect(found(['src/a.js', 'src/c.js']).fingerprint).not.toBe(found(['src/a.js']).fingerprint);
});
