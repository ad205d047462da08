// The first look at a line overlooks nothing that tells.
import { expect, it } from 'vitest';
import { glance } from '../../src/ci/condense-filter.ts';
import { signOf } from '../../src/ci/error-signs.ts';
import { plainLines } from '../../src/ci/plain-lines.ts';
import { nameOn } from '../../src/ci/test-names.ts';
import { actionsLog, GO, JEST, MAVEN, MOCHA, PYTEST, TSC } from './logs.ts';

/** As tools write them. */
const LINES = [
  ...[...GO, ...JEST, ...MAVEN, ...MOCHA, ...PYTEST, ...TSC],
  ...actionsLog('make', ['x']).split('\n'),
  ...[
    'cart.go:1:2: undefined: x',
    'src/cart.py:1:2: E501 too long',
    'cart.rb:1:2: C: Style/Cop: x',
    'E: Unable to fetch',
  ],
  ...[
    'e: file.kt: (1, 2): no',
    'E       assert 1 == 2',
    '\u001b[1m\u001b[31mE       assert 1\u001b[0m',
    ' FAIL  a.test.ts > adds',
  ],
  ...[
    '  ● cart › adds',
    '✖ adds (1.2ms)',
    ' × adds',
    '× src/a.test.ts > adds',
    '  1:2  error  no  rule',
    'not ok 3 - adds',
  ],
  ...[
    '[  FAILED  ] Cart.Adds (1 ms)',
    '1/2 Test  #1: cart ...***Failed',
    'rspec ./a_spec.rb:1 # adds',
    'make: *** [all] 2',
  ],
  ...['curl: (6) x', 'sh: 1: eslint: not found', 'Killed', 'Segmentation fault', 'ld: undefined reference to `x`'],
  ...[
    '[warn] src/a.ts',
    'would reformat a.py',
    'Diff in src/a.rs:1:',
    'Found 2 errors',
    '✖ 2 problems',
    '___ test_a ___',
  ],
  ...['==== 1 failed in 2s ====', '---- cart stdout ----', 'exit status 1', "thread 'main' panicked at src/a.rs:1:2:"],
  ...[
    "  (x) MethodSource [className = 'a.B', methodName = 'c'",
    'BUILD FAILED',
    'ELIFECYCLE',
    'Traceback (most recent call last):',
  ],
  ...[
    'ValueError: x',
    'Caused by: java.io.IOException: x',
    'toomanyrequests: x',
    '##[error]x',
    'cc: No space left on device',
  ],
];

it.each(['', ' ', '2024-05-01T10:00:00.1234567Z ', '10:00:00 '])('whatever stands before it: %j', (before) => {
  const overlooked = LINES.map((line) => `${before}${line}`).filter((line) => isTelling(line) && !isSeen(line));
  expect(overlooked).toEqual([]);
});

it('in whatever case', () => {
  for (const line of ['ERROR: x', 'Error: x', 'error: x', 'FATAL: x']) expect(isSeen(line)).toBe(true);
});

it('passes over what tells nothing', () => {
  for (const line of ['', 'x', 'Downloading cart 1.2', 'compiled 12 modules', 'added 3 packages in 2s']) {
    expect(isSeen(line)).toBe(false);
  }
});

it('looks at all of a line that only begins like one with a stamp', () => {
  const line = 'error: no Test in this fileZ of it';
  expect([line[10], line[27], line[28]]).toEqual(['T', 'Z', ' ']);
  expect(isSeen(line)).toBe(true);
});

it('tells a step from a failure', () => {
  const bytes = Buffer.from('##[group]Run npm test');
  expect(glance(bytes, 0, bytes.length)).toBe('step');
});

function isSeen(line: string): boolean {
  const bytes = Buffer.from(line);
  return glance(bytes, 0, bytes.length) !== 'nothing';
}

function isTelling(raw: string): boolean {
  const [line] = plainLines(raw);
  if (!line) return false;
  const sign = signOf(line.text, line.mark === 'error');
  return nameOn(line.text) !== null || (sign !== null && sign.kind !== 'weak');
}
