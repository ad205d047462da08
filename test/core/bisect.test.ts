// The line that bisects a range with the failing test alone: for each runner, and with names that want to run something.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeBisect, type LoneTest } from '../../src/core/check/bisect.ts';

const FROM = 'a'.repeat(40);
const TO = 'b'.repeat(40);
const START = `git bisect start ${TO} ${FROM} && git bisect run sh -c `;

function lone(over: Partial<LoneTest>): LoneTest {
  return {
    ...{ runner: 'vitest', name: 'Cart > adds', path: 'test/cart.test.ts', folder: '', added: 'none' },
    ...{ installer: null, installedAt: [], builds: [], environment: [], options: [] },
    ...over,
  };
}

function lineOf(over: Partial<LoneTest>, total = 9): string {
  return describeBisect({ from: FROM, to: TO, total, test: lone(over) })?.line ?? '';
}

/** What is behind `git bisect run sh -c`. */
function scriptOf(over: Partial<LoneTest>): string {
  const line = lineOf(over);
  expect(line.startsWith(START) || line === '').toBe(true);
  return line.slice(START.length);
}

const RUNNERS: readonly (readonly [Partial<LoneTest>, string])[] = [
  [{ runner: 'vitest' }, `'npx --no-install vitest run test/cart.test.ts "$1"' sh '--testNamePattern=Cart .*adds$'`],
  [
    { runner: 'jest', name: 'Cart › adds', path: 'test/cart.test.js', options: ['--config', 'config/jest.js'] },
    `'npx --no-install jest --config config/jest.js --coverage=false --watchAll=false "$1" --runTestsByPath test/cart.test.js' sh '--testNamePattern=Cart .*adds$'`,
  ],
  [
    { runner: 'mocha', name: 'Cart adds (two)', path: 'test/cart.js', options: ['-r', 'ts-node/register'] },
    `'npx --no-install mocha -r ts-node/register "$1" test/cart.js' sh '--grep=^Cart adds .two..?$'`,
  ],
  [
    { runner: 'node', name: 'adds', path: 'test/cart.test.js', options: ['--import', 'tsx'] },
    `'node --import tsx --test "$1" test/cart.test.js' sh '--test-name-pattern=^adds$'`,
  ],
  [{ runner: 'node', name: '', path: 'test/cart.test.js' }, `'node --test test/cart.test.js' sh`],
  [
    { runner: 'ava', name: 'cart › adds [1]', path: 'test/cart.js' },
    `'npx --no-install ava test/cart.js "$1"' sh '--match=*adds *1*'`,
  ],
  [{ runner: 'tape', name: 'adds', path: 'test/cart.js' }, `'npx --no-install tape test/cart.js' sh`],
  [
    { runner: 'tap', name: 'adds', path: 'test/cart.js', options: ['--disable-coverage'] },
    `'npx --no-install tap --disable-coverage test/cart.js' sh`,
  ],
  [
    { runner: 'jasmine', name: 'Cart adds two', path: 'spec/cart.js' },
    `'npx --no-install jasmine spec/cart.js "$1"' sh '--filter=Cart adds two'`,
  ],
  [
    {
      ...{ runner: 'playwright', name: '[Desktop Chrome] › cart.spec.ts:4:7 › cart › adds (two)' },
      ...{ path: 'e2e/[id]/cart.spec.ts', options: ['-c', 'e2e/config.ts'] },
    },
    `'npx --no-install playwright install chromium || exit 125; npx --no-install playwright test -c e2e/config.ts --reporter=line --pass-with-no-tests "$1" "$2" e2e/.id./cart.spec.ts' sh '--project=Desktop Chrome' '--grep=cart .*adds .two.( @.*)?$'`,
  ],
  [
    { runner: 'playwright', name: 'cart.spec.ts:4:7 › adds', path: 'e2e/cart.spec.ts', installer: 'yarn_plugged' },
    `'yarn install --immutable || exit 125; yarn run -B playwright install || exit 125; yarn run -B playwright test --reporter=line --pass-with-no-tests "$1" e2e/cart.spec.ts' sh '--grep=adds( @.*)?$'`,
  ],
  [
    { runner: 'mocha', name: 'Cart adds', path: 'test/cart.js', installer: 'yarn_plugged', builds: ['build'] },
    `'yarn install --immutable || exit 125; yarn run build || exit 125; yarn run -B mocha "$1" test/cart.js' sh '--grep=^Cart adds.?$'`,
  ],
  [
    { runner: 'node', name: 'adds', path: 'test/cart.test.js', installer: 'yarn_plugged' },
    `'yarn install --immutable || exit 125; yarn node --test "$1" test/cart.test.js' sh '--test-name-pattern=^adds$'`,
  ],
  [{ runner: 'jasmine', name: 'Cart adds 1.5', path: 'spec/cart.js' }, `'npx --no-install jasmine spec/cart.js' sh`],
  [
    { runner: 'pytest', name: 'tests/test_cart.py::TestCart::test_total[a b-$(x)]', path: 'tests/test_cart.py' },
    `'python3 -m pytest --version >/dev/null 2>&1 || exit 125; python3 -m pytest tests/test_cart.py::TestCart::test_total; case $? in 0|5) exit 0;; 1) exit 1;; *) exit 125;; esac' sh`,
  ],
  [
    { runner: 'unittest', name: 'test_total (tests.test_cart.CartTest.test_total)', path: 'tests/test_cart.py' },
    `'python3 -m unittest tests.test_cart.CartTest.test_total' sh`,
  ],
  [
    { runner: 'unittest', name: 'test_total (test_cart.CartTest)', path: 'tests/test_cart.py' },
    `'python3 -m unittest discover -s tests -p test_cart.py -k CartTest.test_total' sh`,
  ],
  [
    { runner: 'go', name: 'TestCart/adds_two', path: 'shop/cart_test.go' },
    `'go test -run=^- ./shop || exit 125; go test -count=1 "$1" ./shop' sh '-run=^TestCart$/^adds_two$'`,
  ],
  [
    { runner: 'cargo', name: 'cart::tests::adds', path: 'src/cart.rs' },
    `'cargo test --no-run || exit 125; cargo test cart::tests::adds -- --exact' sh`,
  ],
  [
    { runner: 'maven', name: 'adds(shop.CartTest)', path: '' },
    `'mvn -q test-compile || exit 125; mvn -q test "$1" -DfailIfNoTests=false -Dsurefire.failIfNoSpecifiedTests=false' sh '-Dtest=CartTest#adds'`,
  ],
  [
    { runner: 'gradle', name: 'CartTest > adds()', path: '' },
    `'./gradlew testClasses || exit 125; ./gradlew test --tests "$1"' sh '*CartTest.adds*'`,
  ],
  [
    { runner: 'rspec', name: 'Cart adds', path: 'spec/cart_spec.rb', installer: 'bundler' },
    `'bundle check || bundle install || exit 125; bundle exec rspec spec/cart_spec.rb --example-matches "$1"' sh 'Cart adds'`,
  ],
  [
    { runner: 'minitest', name: 'CartTest#test_adds', path: 'test/cart_test.rb' },
    `'bundle exec ruby -Itest -Ilib test/cart_test.rb -n test_adds' sh`,
  ],
  [
    { runner: 'phpunit', name: 'Shop\\CartTest::testAdds with data set #0', path: 'tests/CartTest.php' },
    `'vendor/bin/phpunit --filter=testAdds tests/CartTest.php' sh`,
  ],
  [
    { runner: 'dotnet', name: 'Shop.CartTest.Adds(a: 1)', path: '' },
    `'dotnet build || exit 125; dotnet test --no-build "$1"' sh '--filter=FullyQualifiedName~Shop.CartTest.Adds'`,
  ],
];

describe('the line to bisect with', () => {
  it.each(RUNNERS)('runs the failing test alone by its runner: %o', (test, script) => {
    expect(scriptOf(test)).toBe(script);
  });

  it('installs what the test needs once, or at each commit where the range changes it, and says so', () => {
    const npm = { installer: 'npm', builds: ['build'], environment: ['NODE_ENV=test'] } as const;
    expect(scriptOf(npm)).toMatch(
      /^'\[ -d node_modules \] \|\| npm ci \|\| exit 125; npm run build \|\| exit 125; NODE_ENV=test npx /,
    );
    const changed = lone({ ...npm, installedAt: ['c'.repeat(40)] });
    const shown = describeBisect({ from: FROM, to: TO, total: 9, test: changed });
    expect(shown?.line).toContain("sh -c 'npm ci || exit 125; npm run build || exit 125; ");
    expect(shown?.note).toBe('Dependencies change in ccccccc, so it installs them at each commit.');
  });

  it('takes a commit that has no such test yet for one where nothing fails', () => {
    expect(scriptOf({ added: 'file' })).toMatch(/^'\[ -f test\/cart\.test\.ts \] \|\| exit 0; npx /);
    const named = { runner: 'pytest', name: 't.py::test_total', path: 't.py', added: 'name' } as const;
    expect(scriptOf(named)).toMatch(/^'grep -q test_total t\.py \|\| exit 0; /);
  });

  it('begins in the folder of the package', () => {
    expect(scriptOf({ folder: 'packages/shop' })).toMatch(/^'cd packages\/shop \|\| exit 125; npx /);
  });

  it('is there only where there is something to bisect, and a way to', () => {
    expect(lineOf({}, 1)).toBe('');
    expect(lineOf({ runner: 'playwright', path: '' })).toBe('');
    expect(lineOf({ runner: 'mocha', path: '' })).toBe('');
    expect(describeBisect({ from: FROM, to: TO, total: 9, test: null })).toBeNull();
    expect(describeBisect({ from: FROM, to: TO, total: 9 })).toBeNull();
    expect(describeBisect({ from: '--upload-pack=x', to: TO, total: 9, test: lone({}) })).toBeNull();
  });
});

const HOSTILE = [
  "'; touch ran; '",
  "\\'; touch ran; \\'",
  '$(touch ran)',
  '`touch ran`',
  '"; touch ran; "',
  '" & touch ran & "',
  'a\ntouch ran\n',
  '%PATH% ^& touch ran',
  '!touch ran',
  '‘; touch ran; ’',
  '--reporter=/tmp/evil.js',
  '-x || touch ran',
  "$1'$(touch ran)'",
  ['$', '{IFS}touch$', '{IFS}ran'].join(''),
];

describe('a hostile name', () => {
  const runners = [...new Set(RUNNERS.map(([{ runner = 'vitest' }]) => runner))];

  it.each(runners)('runs nothing, whatever shell reads it: %s', (runner) => {
    const at = mkdtempSync(join(tmpdir(), 'line-'));
    const names = HOSTILE.flatMap((name) => [name, `[${name}] › cart.spec.ts:1:1 › ${name}`]);
    const lines = names.flatMap((name) => ['test/cart.test.ts', ''].map((path) => lineOf({ runner, name, path })));
    const given = lines.filter((line) => line !== '');
    for (const line of given) {
      // What came from outside stands in quotes, with nothing that sh, fish, PowerShell or cmd would act on.
      const [head = '', words = ''] = line.split("' sh", 2);
      expect(words).toMatch(/^(?: '[^'"`\\&|<>%!;‘’\p{C}]*')*$/u);
      expect(head.slice(START.length)).toMatch(/^'[^'\\`\p{C}]*$/u);
      expect(head).not.toMatch(/touch ran|[$][{]| --reporter(?!=line )/);
    }
    // `git` runs what it is told to bisect with, and nothing else is there to be run.
    const git = 'git() { [ "$2" = run ] || return 0; shift 2; PATH=/nowhere /bin/sh -c "$3" sh "$5" "$6"; return 0; }';
    writeFileSync(join(at, 'lines.sh'), [git, ...given, ''].join('\n'));
    for (const shell of ['sh', 'bash']) execFileSync(shell, ['lines.sh'], { cwd: at, stdio: 'ignore' });
    expect(readdirSync(at)).toEqual(['lines.sh']);
  });

  it.each(["x'y.ts", 'x"y.ts', 'a\\b.ts', 'a;b.ts', 'a&b.ts', 'a%b.ts', 'a`b`.ts', 'a\nb.ts', 'a!b.ts'])(
    'of a file or a folder leaves the line out: %j',
    (path) => {
      expect([lineOf({ path }), lineOf({ folder: path })]).toEqual(['', '']);
    },
  );

  it('of an option or a script of the project leaves the line out', () => {
    expect(lineOf({ environment: ['A=$(touch ran)'] })).toBe('');
    expect(lineOf({ installer: 'npm', builds: ['x; touch ran'] })).toBe('');
    expect(lineOf({ options: ["'; touch ran"] })).toBe('');
  });
});
