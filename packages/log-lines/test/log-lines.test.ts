// Lines as programs write them, and what is not theirs.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  findCodeBlocks,
  findTapStack,
  isLogLine,
  isPassedTest,
  isRuntimeFrame,
  markCode,
  markTracebacks,
  readTapError,
  removeAnsi,
  removePrefix,
  removePrefixes,
  unquote,
} from '../src/index.ts';

const TRACE = ['Traceback (most recent call last):', '  File "cart.py", line 3, in total', '    sum()', 'KeyError: 1'];

describe('prefixes', () => {
  it.each([
    ['docker compose', 'api-1  | '],
    ['journald', 'Nov 20 10:00:00 host api[12]: '],
    ['time stamps and a service', '2026-11-20T10:00:00Z api | '],
    ['kubectl with several pods', '[shop/api-7d9/main] '],
  ])('of %s are removed where nearly all lines have them, colours included', (_name, prefix) => {
    const lines = TRACE.map((line) => `\u001b[32m${prefix}\u001b[0m${line}`);
    expect(removePrefix(lines)).toEqual(TRACE);
    expect(removePrefixes(['It fails:', '```', ...lines, '```'])).toEqual(['It fails:', '```', ...TRACE, '```']);
  });

  it('stay where only some lines have them, and a table is none', () => {
    const some = ['a | b', ...TRACE];
    expect(removePrefix(some)).toEqual(some);
    const table = ['name | size', 'cart | 3', 'till | 4', 'shop | 5'];
    expect(removePrefix(table)).toEqual(table);
  });

  it('are looked for in any text without a fault, one line for each', () => {
    fc.assert(fc.property(fc.array(fc.string()), (lines) => removePrefixes(lines).length === lines.length));
    fc.assert(fc.property(fc.string(), (text) => !removeAnsi(text).includes('\u001b[32m')));
  });
});

it('code blocks are found, one that is not closed to the end; Python underlines are none', () => {
  const lines = ['It fails:', '```', 'a', '```', 'and', '~~~~~^^', '```', 'b'];
  expect(findCodeBlocks(lines)).toEqual([
    { from: 2, to: 3 },
    { from: 7, to: 8 },
  ]);
  expect(markCode(lines).map(({ kind }) => kind)).toEqual([
    ...['prose', 'fence', 'code', 'fence', 'prose', 'prose', 'fence', 'code'],
  ]);
});

it('a traceback of Python has frames with their source, and what was raised', () => {
  expect(markTracebacks([...TRACE, 'bye'])).toEqual([null, 'frame', 'frame', 'raised', null]);
});

it('the YAML below a failed test of TAP has its error and its stack', () => {
  const lines = [
    ...['not ok 1 - adds', '  ---', '  error: |-', '    one is', '    not two', "  name: 'AssertionError'"],
    ...['  stack: |-', '    at add (cart.js:3:1)', '  ...'],
  ];
  expect(readTapError(lines, 4)).toEqual({ type: 'AssertionError', message: 'one is\nnot two' });
  expect([findTapStack(lines, 7), findTapStack(lines, 4)]).toEqual([6, -1]);
  expect(readTapError(['not ok 1', 'at x'], 1)).toBeNull();
  expect(readTapError([...lines, 'not ok 2 - other', '  error: of nothing', '  at x'], 11)).toBeNull();
  expect(unquote("'it\\'s'")).toBe("it's");
});

it.each([
  ['    at total (cart.js:3:1)', true, false],
  ['2026-11-20T10:00:00Z started', true, false],
  ['✓ adds one', false, true],
  ['--- PASS: TestAdds (0.00s)', false, true],
  ['It fails since Tuesday.', false, false],
])('%s', (line, isLog, isPassed) => {
  expect([isLogLine(line), isPassedTest(line)]).toEqual([isLog, isPassed]);
});

it.each([
  ['node:internal/modules/cjs/loader', '', 'js', true],
  ['/usr/lib/python3.12/json/decoder.py', 'decode', 'python', true],
  ['Thread.java', 'java.lang.Thread.run', 'jvm', true],
  ['<stdin>', '', 'python', true],
  ['<redacted>/site-packages/cart.py', '', 'python', false],
  ['src/cart.py', 'total', 'python', false],
  ['/usr/lib/python3/dist-packages/click/core.py', 'main', 'python', false],
  ['/usr/lib/ruby/2.7.0/json/common.rb', 'parse', 'ruby', true],
  ['/usr/lib/ruby/gems/2.7.0/gems/rake-13.0.6/lib/rake/task.rb', 'execute', 'ruby', false],
  ['/usr/include/c++/9/bits/stl_vector.h', 'at', 'native', true],
  ['dart:core-patch/growable_array.dart', '[]', 'dart', true],
])('a frame in %s, %s', (file, symbol, language, isRuntime) => {
  expect(isRuntimeFrame({ file, symbol, language })).toBe(isRuntime);
});

it.each([
  ['/usr/lib/libc.so.6', true],
  ['libswiftCore.dylib', true],
  ['CoreFoundation', true],
  ['KERNEL32.DLL', true],
  ['elixir', true],
  ['libcart.so', false],
  ['MixtureKit', false],
])('a frame of %s', (of, isRuntime) => {
  expect(isRuntimeFrame({ file: '', symbol: 'total', language: 'native', of })).toBe(isRuntime);
});
