// The lines of the cause: whole blocks of what failed, nothing of what went well, the most telling of too many.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findCauseLines } from '../src/cause-lines.ts';
import { findCause } from '../src/find-cause.ts';
import { findSteps, type PassingLog, readLogLines, readPassingLog } from '../src/log-lines.ts';

import { actionsLog, GO, JEST, MAVEN, MOCHA, PYTEST } from './logs.ts';

function shown(log: string, { passing, most = 1_000 }: { passing?: PassingLog; most?: number } = {}): string[] {
  const lines = readLogLines(log);
  const cause = findCause(lines, findSteps(lines), passing);
  return findCauseLines(lines, cause, { passing, most }).map(({ at }) => lines[at]?.text ?? '');
}

describe('the lines of a cause', () => {
  it('are a failed test with what it says, not the packages that passed, nor that it failed', () => {
    const log = ['ok  \tshop/tax\t0.1s', '--- FAIL: TestTotal (0.00s)', '    cart_test.go:9: got 3', '        want 4'];
    const after = ['FAIL', 'FAIL\tshop/cart\t0.2s', 'ok  \tshop/user\t0.1s', '?   \tshop/web\t[no test files]', 'FAIL'];
    expect(shown(actionsLog('go test ./...', [...log, ...after]))).toEqual(log.slice(1));
  });

  it('have of a difference what differs, before what is around it', () => {
    const failed = (at: number, test: string, expected: string, actual: string) => [
      ...[`  ${at}) Failure:`, `CartTest#${test} [test/cart_test.rb:${at}]:`],
      ...['--- expected', '+++ actual', '@@ -1,3 +1,3 @@', ' # encoding: UTF-8', ' #    valid: true'],
      ...[`-"${expected}"`, `+"${actual}"`, '', ''],
    ];
    const log = [...failed(1, 'test_a', 'YAY', 'Yay'), ...failed(2, 'test_b', 'BAR', 'Bar')];
    const all = actionsLog('rake', [...log, '5 runs, 5 assertions, 2 failures, 0 errors, 0 skips']);
    expect(shown(all)).toEqual(expect.arrayContaining(['-"YAY"', '+"Yay"', '-"BAR"', '+"Bar"', ' #    valid: true']));
    const few = shown(all, { most: 7 });
    expect(few).toEqual(
      expect.arrayContaining(['-"YAY"', '+"Yay"', '-"BAR"', '+"Bar"', 'CartTest#test_b [test/cart_test.rb:2]:']),
    );
    expect(few).not.toContain(' #    valid: true');
  });

  it('leave out that it ended, which the runner says of every failure', () => {
    const log = [
      '==> Checking',
      'cart/total.go:7:2: undefined: tax (compile)',
      'exit status 1',
      'make: *** [check] Error 1',
    ];
    expect(shown(actionsLog('make check', log))).toEqual([log[1], log[3]]);
  });

  it('have the package over what the Go compiler says', () => {
    const log = ['ok  \tshop/tax\t0.1s', '# shop/cart [shop/cart.test]', 'cart/total_test.go:7:2: undefined: tax'];
    expect(shown(actionsLog('go vet ./...', [...log, 'ok  \tshop/user\t0.1s']))).toEqual(log.slice(1));
  });

  it('have the symbols that javac could not find, and the goal that failed for them', () => {
    const log = [
      '[ERROR] /b/shop/Cart.java:[7,12] cannot find symbol',
      '  symbol:   method tax()',
      '  location: class Cart',
      '[INFO] 1 error',
      '[INFO] BUILD FAILURE',
      '[ERROR] Failed to execute goal compile on project shop: Compilation failure',
    ];
    expect(shown(`[INFO] Compiling\n${log.join('\n')}`)).toEqual([...log.slice(0, 3), log[5]]);
  });

  it('have the heading of the list that javac opens', () => {
    const rule = '[INFO] ------';
    const log = [
      '[ERROR] COMPILATION ERROR : ',
      rule,
      '[ERROR] /b/shop/Cart.java:[7,12] cannot find symbol',
      '[INFO] 1 error',
    ];
    expect(shown(log.join('\n'))).toEqual(['[ERROR] COMPILATION ERROR :', log[2]]);
  });

  it('have a whole section of failures with all its lines', () => {
    const section = [
      '=== FAILURES ===',
      '___ test_a ___',
      '    def test_a():',
      '    print it',
      '    more',
      '    and more',
      '>   assert 1 == 2',
      'E   assert 1 == 2',
    ];
    expect(shown(['collected 2 items', ...section, '=== 1 failed in 0.1s ==='].join('\n')).slice(0, 8)).toEqual(
      section,
    );
  });

  it('leave out what Gradle advises after it said what went wrong', () => {
    const log = [
      '* What went wrong:',
      "Execution failed for task ':checkstyleMain'.",
      '> Unable to read a file',
      '',
      '* Try:',
      '> Run with --scan',
    ];
    expect(shown(log.join('\n')).join('\n')).not.toMatch(/Try|--scan/);
    expect(shown(log.join('\n'))).toContain('> Unable to read a file');
  });

  it.each<[string, readonly string[], readonly string[]]>([
    [
      'Perl before the plan of the tests, as prove prints it',
      [],
      ["#   Failed test 'same lists'", '#   at t/cart.t line 5.', '#          got: 2', '#     expected: 3'],
    ],
    [
      'Perl below its line',
      ['1..2', 'ok 1 - one'],
      [
        'not ok 2 - same lists',
        "#   Failed test 'same lists'",
        '#     Structures begin differing at:',
        '# $got->[1] = 2',
      ],
    ],
    [
      'another program, at the same indent',
      ['1..2', '# a comment', 'ok 1 - one'],
      ['not ok 2 - same lists', '# got 2', '# want 3'],
    ],
  ])('have what TAP says behind # of a failed test: %s', (_, before, failed) => {
    expect(shown(actionsLog('prove t', [...before, ...failed, '# Looks like you failed 1 test of 2.']))).toEqual(
      failed,
    );
  });

  it.each<[string, readonly string[]]>([
    [
      "Node's own runner",
      [
        '✖ totals (2.3ms)',
        '  AssertionError [ERR_ASSERTION]: Expected values to be loosely deep-equal:',
        '  {',
        '    total: 80',
        '  }',
        '  should loosely deep-equal',
        '  {',
        '    total: 100',
        '  }',
        '      at TestContext.<anonymous> (test/cart.test.js:3:91)',
      ],
    ],
    [
      'TAP',
      [
        'not ok 2 - totals',
        '  ---',
        '  error: |-',
        '    Expected values to be strictly equal:',
        "  code: 'ERR_ASSERTION'",
        "  name: 'AssertionError'",
        '  expected:',
        '    total: 100',
        '  actual:',
        '    total: 80',
        "  operator: 'deepEqual'",
      ],
    ],
  ])('have both sides of an assertion of %s', (_, failed) => {
    expect(shown(actionsLog('node --test', ['ok 1 - adds', ...failed, '  ...', 'ok 3 - rounds']))).toEqual(failed);
  });

  it('have the test of Go over what it printed', () => {
    const log = ['=== CONT  TestTamper/gone', '    tamper_test.go:76: unexpected init error'];
    expect(shown(actionsLog('go test', ['=== CONT  TestOther', ...log]))).toEqual(log);
  });

  it('have the total of a sanitizer', () => {
    const log = ['==240==ERROR: AddressSanitizer: overflow', 'SUMMARY: AddressSanitizer: overflow asan.c:2 in main'];
    expect(shown(actionsLog('./asan', log))).toEqual(log);
  });

  it('have frames, causes, and what a logger said in front of an exception', () => {
    const log = [
      '[WARNING] Error injecting: shop.Cart',
      'java.lang.IllegalStateException: closed',
      '\tat shop.Cart.add(Cart.java:7)',
      'Caused by: java.io.IOException: gone',
      '\t... 3 more',
    ];
    expect(shown(`starting\n\n${log.join('\n')}\n[INFO] done`)).toEqual(log);
  });

  it('have the instruction of an image build that failed, and the file around it', () => {
    const log = [
      '#7 [2/3] RUN apk add git',
      '#7 ERROR: failed to copy: no such host',
      '------',
      ' > [2/3] RUN apk add git:',
      '------',
      'Dockerfile:3',
      '----------',
      '   3 | >>> RUN apk add git',
      '----------',
      'error: failed to solve: failed to copy',
    ];
    expect(shown(['#5 ...', '', ...log].join('\n'))).toEqual(log);
  });

  it('are of too many the first lines of each failure before more of any', () => {
    const frames = Array.from({ length: 30 }, (_, index) => `\tat shop.A.f${index}(A.java:${index + 1})`);
    const failed = (name: string) => [
      `FAIL: test_${name} (shop.CartTest)`,
      `ValueError: ${name}`,
      ...frames,
      'ok',
      'ok',
      'ok',
      'ok',
    ];
    const lines = shown([...failed('a'), ...failed('b')].join('\n'), { most: 8 });
    expect(lines).toEqual(expect.arrayContaining(['ValueError: a', 'ValueError: b', frames[0]]));
    expect(lines).toHaveLength(8);
  });
});

describe('what a tool that is not known said last', () => {
  const check = ['Checking 214 files', '  checked src/a.c', '  checked src/b.c', '  checked src/c.c'];
  const found = ['src/pay/stripe.c has no licence header', 'src/pay/paypal.c has no licence header'];

  it('is the cause, without the progress before it', () => {
    expect(shown(actionsLog('./check', [...check, ...found, 'Add the header.']))).toEqual([
      ...found,
      'Add the header.',
    ]);
  });

  it.each([
    ['make', ['make: *** [check] Error 1']],
    ['npm', ['npm ERR! code ELIFECYCLE', 'npm ERR! shop@1.0.0 check: `./check`', 'npm ERR! Exit status 1']],
    ['npm-run-all', ['ERROR: "check" exited with 1.']],
    ['a count', ['2 files have problems']],
  ])('comes before what %s says of it', (_, end) => {
    expect(shown(actionsLog('./check', [...check, ...found, ...end]))).toEqual(expect.arrayContaining(found));
  });

  it('is a whole difference of files', () => {
    const diff = ['diff --git a/x.md b/x.md', '--- a/x.md', '+++ b/x.md', '@@ -1,2 +1,2 @@', ' a', '-b', '+c'];
    expect(shown(actionsLog('./generate', ['Generating', '', ...diff]))).toEqual(expect.arrayContaining(diff));
  });

  it('is nothing where the last words say that all is well', () => {
    expect(shown(actionsLog('make', ['make: Entering', 'ok  all 3 tests']))).toEqual([]);
  });
});

describe('of several failures', () => {
  it('those of all steps that failed are shown', () => {
    const log = ['\u001b[0K$ flake8', './a.py:3:1: F821 undefined name x', 'The command "flake8" exited with 1.'];
    const other = ['\u001b[0K$ pytest', 'E   NameError: x', 'The command "pytest" exited with 1.'];
    expect(shown([...log, ...other].join('\n'))).toEqual(['./a.py:3:1: F821 undefined name x', 'E   NameError: x']);
  });

  it('parts that passed are left out', () => {
    const log = [
      '--- FAIL: TestA (0s)',
      '    --- PASS: TestA/x (0s)',
      '    --- FAIL: TestA/y (0s)',
      '        a_test.go:3: no',
    ];
    expect(shown(actionsLog('go test', log))).toEqual([log[0], log[2], log[3]]);
  });
});

describe('compared with a passing log', () => {
  const broken = ['ERROR: no coverage service', ...Array.from({ length: 40 }, (_, index) => `step ${index} of work`)];

  it('what that prints too is no cause', () => {
    const log = ['error: cache of /a/1 is cold', 'error: cannot sign'].join('\n');
    expect(shown(log)).toHaveLength(2);
    expect(shown(log, { passing: readPassingLog('error: cache of /b/2 is cold') })).toEqual(['error: cannot sign']);
  });

  it('an error that it does not have counts anywhere', () => {
    const log = [...broken, 'ERROR: no report was made'].join('\n');
    expect(shown(log)).toEqual(['ERROR: no report was made']);
    expect(shown(log, { passing: readPassingLog('step 1 of work') })).toContain('ERROR: no coverage service');
  });
});

it('are in order, each once, of the log, and no more than requested', () => {
  const part = fc.oneof(
    fc.string({ maxLength: 60 }),
    fc.constantFrom(...GO, ...JEST, ...MAVEN, ...MOCHA, ...PYTEST, ''),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 200 }), fc.integer({ min: 0, max: 60 }), (parts, most) => {
      const lines = readLogLines(parts.join('\n'));
      const found = findCauseLines(lines, findCause(lines, findSteps(lines)), { most }).map(({ at }) => at);
      expect(found).toEqual([...new Set(found)].sort((a, b) => a - b));
      expect(found.length).toBeLessThanOrEqual(most);
      expect(found.every((at) => lines[at] !== undefined)).toBe(true);
    }),
    { numRuns: 60 },
  );
});
