// Places as the common tools write them, each in a line made up for this test.
import { describe, expect, it } from 'vitest';
import { findCause } from '../src/find-cause.ts';
import { findSteps, readLogLines } from '../src/log-lines.ts';
import { findPlaces } from '../src/places.ts';
import { findWrittenPlaces, toRepositoryPath } from '../src/written-places.ts';

function places(log: readonly string[]): readonly string[] {
  const lines = readLogLines(log.join('\n'));
  return findPlaces(lines, findCause(lines, findSteps(lines))).map(({ path, line }) => `${path}:${line}`);
}

describe('a place on one line', () => {
  it.each([
    ['gcc, clang', 'src/cart.c:12:3: error: expected ;', 'src/cart.c', 12],
    ['msvc', 'src\\cart.cpp(12): error C2065: tax', 'src\\cart.cpp', 12],
    ['tsc, msbuild', 'src/cart.ts(12,5): error TS2304: x', 'src/cart.ts', 12],
    ['ESLint compact, unix', 'src/cart.js: line 12, col 4, Error - unused', 'src/cart.js', 12],
    ['rustc', '  --> src/cart.rs:12:5', 'src/cart.rs', 12],
    ['go', './cart.go:12:2: undefined: tax', './cart.go', 12],
    ['javac', 'src/Cart.java:12: error: ; expected', 'src/Cart.java', 12],
    ['Maven', '[ERROR] src/Cart.java:[12,8] cannot find symbol', 'src/Cart.java', 12],
    ['flake8', 'shop/cart.py:12:1: F401 unused', 'shop/cart.py', 12],
    ['mypy', 'shop/cart.py:12: error: Name "x"', 'shop/cart.py', 12],
    ['pylint', 'shop/cart.py:12:0: C0114: Missing', 'shop/cart.py', 12],
    ['pydocstyle', 'shop/cart.py:12 in public function `a`:', 'shop/cart.py', 12],
    ['ShellCheck', 'In bin/run.sh line 12:', 'bin/run.sh', 12],
    ['golangci-lint', 'cart.go:12:9: Error return value is not checked (errcheck)', 'cart.go', 12],
    ['PHP', 'PHP Fatal error: Uncaught x in src/Cart.php on line 12', 'src/Cart.php', 12],
    ['PHPUnit', 'tests/CartTest.php:12', 'tests/CartTest.php', 12],
    ['puppet-lint', 'manifests/init.pp - ERROR: shop not in autoload on line 12', 'manifests/init.pp', 12],
    ['Terraform', '  on main.tf line 12, in resource "a" "b":', 'main.tf', 12],
    ['Black', 'error: cannot format shop/cart.py: Cannot parse: 12:3: x(', 'shop/cart.py', 12],
    ['Python', '  File "shop/cart.py", line 12, in add', 'shop/cart.py', 12],
    ['hadolint', 'docker/Dockerfile:12 DL3008 warning: Pin versions', 'docker/Dockerfile', 12],
    ['Bazel', 'ERROR: shop/BUILD:12:11: no such target', 'shop/BUILD', 12],
    ['Kotlin', 'e: file:///b/src/Cart.kt:12:5 Unresolved', '/b/src/Cart.kt', 12],
    ['HLint', 'src/Cart.hs:12:18: Suggestion: Redundant bracket', 'src/Cart.hs', 12],
    ['a file of any kind, with a column', 'words/list.in:12:1: spelling', 'words/list.in', 12],
    ['a range', 'infra/main.tf:12-19', 'infra/main.tf', 12],
    ['TSLint', 'src/cart.ts[12, 38]: \' should be "', 'src/cart.ts', 12],
    ['protolint', '[shop/cart.proto:12:5] wrong indentation', 'shop/cart.proto', 12],
    ['Scalastyle', 'warning file=src/Cart.scala message=Wrong name line=12 column=7', 'src/Cart.scala', 12],
    ['Brakeman', 'app/models/cart.rb      12      Command Injection       High', 'app/models/cart.rb', 12],
    ['dotenv-linter', '.env:12 The key has no value', '.env', 12],
    ['a test in Perl', '#   at t/cart.t line 12.', 't/cart.t', 12],
    ['a program in Perl', 'no such coupon at bin/shop line 12, <STDIN> line 3.', 'bin/shop', 12],
    ['a file without an extension', 'bin/setup:12:1: C: Extra blank line', 'bin/setup', 12],
  ])('of %s', (_, text, path, line) => {
    expect(findWrittenPlaces(text)).toEqual([{ path, line }]);
  });

  it.each([
    'listening on shop.internal:8080',
    'at 10:12:33.120 in 3.5s',
    'v1.2.3:4',
    'image shop:1.2',
    'http://a.io:80/',
  ])('is none in %s', (text) => {
    expect(findWrittenPlaces(text)).toEqual([]);
  });
});

describe('a path in the repository', () => {
  it.each([
    ['a frame of Ruby', "./lib/shop/cart.rb:12:in 'Cart#add'", 'lib/shop/cart.rb'],
    [
      "Buildkite's agent on Linux",
      "/var/lib/buildkite-agent/builds/ip-10-0-3-7-1/acme/shop/lib/cart.rb:12:in 'add'",
      'lib/cart.rb',
    ],
    [
      "Buildkite's agent from Homebrew",
      '/opt/homebrew/var/buildkite-agent/builds/mac-1/acme/shop/lib/cart.rb:12',
      'lib/cart.rb',
    ],
    [
      "Buildkite's agent on Windows",
      'C:\\buildkite-agent\\builds\\WIN-1\\acme\\shop\\src\\cart.cpp(12): error C2065: tax',
      'src/cart.cpp',
    ],
  ])('loses what is before it: %s', (_, text, path) => {
    expect(findWrittenPlaces(text).map((place) => toRepositoryPath(place.path))).toEqual([path]);
  });

  it('is none where the folder of the agent holds something else', () => {
    expect(toRepositoryPath('/var/lib/buildkite-agent/plugins/docker/hooks/command.sh')).toBeNull();
  });
});

describe('the places of a message that no tool calls an error', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    [
      'the frames below it',
      [
        "chromium.launch: Failed to start because the executable doesn't exist",
        '    at /home/runner/work/shop/shop/src/p.js:1:114',
        '    at Object.<anonymous> (/home/runner/work/shop/shop/src/q.js:3:1) {',
        '  log: []',
      ],
      ['src/p.js:1', 'src/q.js:3'],
    ],
    [
      "the end of Perl's",
      [
        'Global symbol "$x" requires a package at t/t.t line 6.',
        'Execution of t/t.t aborted due to compilation errors.',
      ],
      ['t/t.t:6'],
    ],
  ])('are %s', (_, log, found) => {
    expect(places(log)).toEqual(found);
  });
});

describe('places under the name of a file', () => {
  it.each<[string, readonly string[]]>([
    [
      'ESLint',
      ['src/a.js', '  3:10  error    x is not used  no-unused-vars', '  7:1  warning  y  quotes', '', '✖ 2 problems'],
    ],
    [
      'tsd, XO',
      ['', '  src/a.js:3:10', '  ✖  3:10  Type x is no y.', '    Type a is no b.', '  ✖  7:1  No.', '', '  2 errors'],
    ],
    ['remark', ['src/a.js', '  3:10-3:12  warning  x', ' 7:1  warning  y']],
    ['stylelint', ['src/a.js', '  3:10  ✖  Unexpected', '  7:1  ✖  Unexpected']],
    [
      'PHP_CodeSniffer',
      ['FILE: src/a.js', '-----', 'FOUND 2 ERRORS AFFECTING 2 LINES', '-----', ' 3 | ERROR   | x', ' 7 | WARNING | y'],
    ],
  ])('of %s', (_, lines) => {
    expect(places(lines)).toEqual(['src/a.js:3', 'src/a.js:7']);
  });

  it('are of the file last named', () => {
    const row = '  3:1  error  x  y';
    expect(places(['src/a.js', row, '', 'src/b.js', row])).toEqual(['src/a.js:3', 'src/b.js:3']);
  });
});

describe('a list of warnings', () => {
  const list = ['lib/a.lua:3:1: line is too long', 'lib/b.lua:9:1: unused variable x', 'Total: 2 warnings'];

  it('is the cause where it ends the step and nothing is called an error', () => {
    expect(places(list)).toEqual(['lib/a.lua:3', 'lib/b.lua:9']);
  });

  it('is not where other work followed it', () => {
    expect(places([...list, ...Array.from({ length: 40 }, (_, index) => `built part ${index}`)])).toEqual([]);
  });

  it('is not where an error follows it', () => {
    expect(places([...list, 'ERROR: cannot sign lib/c.lua:1:1'])).toEqual(['lib/c.lua:1']);
  });
});
