// Names of failed tests as test runners print them: on lines that name one, and in lists under a heading.
import type { LogLine } from './log-lines.ts';
import { nameTapTests, type StepLines } from './tap-tests.ts';
import { type NamedTest, tellApart } from './test-scopes.ts';
import { toRepositoryPath } from './written-places.ts';

interface NamingLine {
  readonly word: string;
  /** Group 1: the name; `path`: the file. */
  readonly pattern: RegExp;
}

/** Runners that say on one line which test failed, each with a word that such a line must have. */
export const NAMING_LINES: readonly NamingLine[] = [
  // pytest: summary, progress in verbose mode, collection
  { word: 'FAILED', pattern: /^FAILED (?<path>[^\s:]{1,400}\.py)::([^[]{1,400}?(?:\[.{0,400}?\])?)(?: - .*)?$/ },
  { word: 'ERROR', pattern: /^ERROR (?<path>[^\s:]{1,400}\.py)::([^[]{1,400}?(?:\[.{0,400}?\])?)(?: - .*)?$/ },
  { word: 'ERROR', pattern: /^ERROR (?<path>([\w./-]{1,400}\.py))(?: - .*)?$/ },
  { word: 'ERROR', pattern: /^ERROR ([\w.-]{1,200}(?:\/[\w.-]{1,200}){1,30})(?: - .*)?$/ },
  { word: 'MethodSource', pattern: /MethodSource \[className = '([\w$.]{1,300}', methodName = '[\w$]{1,200})'/ },
  { word: 'ERROR collecting', pattern: /^_{3,} ERROR collecting (?<path>([\w./-]{1,400}\.py)) _{3,}$/ },
  {
    word: 'FAILED',
    pattern: /^(?:\[gw\d+\] \[ *\d+%\] )?(?<path>[^\s:]{1,400}\.py)::(\S.{0,400}?) (?:FAILED|ERROR)(?: +\[ *\d+%\])?$/,
  },
  { word: 'FAILED', pattern: /^\[gw\d+\] \[ *\d+%\] FAILED (?<path>[^\s:]{1,400}\.py)::(\S.{0,400}?)$/ },
  { word: 'FAILED CONSISTENTLY', pattern: /^FAILED CONSISTENTLY: (?<path>[^\s:]{1,400}\.py)::(\S.{0,400}?)$/ },
  // unittest, nose
  { word: 'FAIL: ', pattern: /^FAIL: (.{1,700})$/ },
  { word: 'ERROR: ', pattern: /^ERROR: (\w\S{0,600} \([\w.<>]{1,300}\)(?: .{0,200})?)$/ },
  { word: 'ERROR: ', pattern: /^ERROR: (\w{1,100}(?:\.\w{1,100}){1,20}(?:\(.{0,300}\))?)$/ },
  { word: 'ERROR: ', pattern: /^ERROR: (Failure: \w{1,60} \(.{1,300}\).*)$/ },
  // Surefire and Failsafe
  {
    word: '<<< ',
    pattern:
      /^(?!(?:\[ERROR\] )?Tests run:)(?:\[ERROR\] )?(\S.{0,400}?) {1,4}(?:--|Time elapsed:).{0,100}<<< (?:FAILURE|ERROR)!/,
  },
  // Gradle
  { word: ' FAILED', pattern: /^(?!> |:|Task |Execution )(\S.{0,300} > \S.{0,700}) FAILED$/ },
  { word: ' FAILED', pattern: /^([\w$]{1,100}(?:\.[\w$]{1,100}){1,20}(?:\(.{0,200}\))?(?:\[.{0,600}\])?) FAILED$/ },
  // Go
  { word: '--- FAIL: ', pattern: /^\s*--- FAIL: (\S{1,400})(?: \([\d.]+s\))?$/ },
  // Rust
  { word: 'FAILED', pattern: /^test (\S.{0,300}?) \.\.\. FAILED$/ },
  { word: 'FAIL [', pattern: /^\s{1,8}FAIL \[ *[\d.]+s\] (?:\([\d/ ]+\) )?(\S.{1,300})$/ },
  // Jest, Vitest
  { word: '● ', pattern: /^\s{0,4}● (.{1,300} › .{1,600})$/ },
  {
    word: 'FAIL',
    pattern:
      /^\s{0,4}FAIL {1,3}(?:\|[^|\s]{1,40}\| | ?[\w@./:-]{1,40} {1,2})?(?<path>[^\s>]{1,300}\.[cm]?[jt]sx?) > (.{1,400})$/,
  },
  // uvu, with the suite before the name if that has a name
  { word: 'FAIL', pattern: /^ {2,4}FAIL {1,3}(?:[^\s"/>][^"/>]{0,80} {1,3})?"(.{1,300})"$/ },
  // Node's own
  { word: '✖ ', pattern: /^\s{0,40}✖ (.{1,300}) \(\d{1,9}(?:\.\d{1,9})?ms\)$/ },
  // RSpec, GoogleTest, CTest, .NET, TAP, harnesses with pipes
  { word: 'rspec ./', pattern: /^rspec \.\/(?<path>[^\s:]{1,300}):\d+ # (.{1,400})$/ },
  { word: '[  FAILED  ]', pattern: /^\[ {2}FAILED {2}\] ([\w/.]{1,300})(?: \(\d.*\)|,.*)?$/ },
  { word: '***', pattern: /^\s{0,4}\d+\/\d+ Test +#\d+: (\S{1,300}) \.*\*\*\*/ },
  { word: '  Failed ', pattern: /^ {2}Failed ([\w.+`]{1,300}(?:\(.{0,200}\))?) \[[<\d]/ },
  { word: 'not ok ', pattern: /^\s*not ok \d{1,6} (?:- )?(?!.{0,300}# (?:TODO|SKIP))(.{1,300}?)(?: # time=.*)?$/i },
  { word: 'TEST-UNEXPECTED-', pattern: /\bTEST-UNEXPECTED-\w{1,20} \| (\S{1,300})/ },
  // RSpec by the number of the example, minitest, ExUnit, ScalaTest
  { word: "rspec './", pattern: /^rspec '\.\/(?<path>[^\s:[']{1,300})\[[\d:]{1,40}\]' # (.{1,400})$/ },
  { word: '#', pattern: /^([A-Z][\w:]{0,200}#\S.{0,200}?) \[[^\s\]]{1,300}:\d{1,6}\]:?$/ },
  { word: '#test_', pattern: /^([A-Z][\w:]{0,200}#test_\S{1,200}):$/ },
  { word: '#test_', pattern: /^(\S.{0,200}?#test_\d{4}_.{1,200}?) \[[^\s\]]{1,300}:\d{1,6}\]:?$/ },
  { word: ') ', pattern: /^\s{1,4}\d{1,4}\) ((?:test |doctest |property ).{1,300} \([\w.]{1,200}\))$/ },
  { word: '*** FAILED ***', pattern: /^(?:\[info\] )?\s{0,8}- (.{1,300}) \*\*\* FAILED \*\*\*/ },
  // AVA, Bun, Deno, Playwright, Karma
  {
    word: '✘ [fail]: ',
    pattern: /^\s{0,8}✘ \[fail\]: (.{1,300}?)(?: (?:Error thrown in test|Rejected promise.{0,60}))?$/,
  },
  { word: '(fail) ', pattern: /^\(fail\) (.{1,300}?)(?: \[\d.{0,20}\])?$/ },
  { word: ' ... FAILED (', pattern: /^(\S.{0,300}) \.\.\. FAILED \(\d{1,9}m?s\)$/ },
  { word: '] › ', pattern: /^\s{1,6}\d{1,4}\) (\[[^\]]{1,40}\] › .{1,300}?)(?: ─{1,300})?$/ },
  {
    word: ' FAILED',
    pattern:
      /^(?:HeadlessChrome|ChromeHeadless|Chrome|Firefox|Safari|Edge|Electron|PhantomJS)[ \w.]{0,60} \([^()]{1,60}\) (?!.{0,100}Executed)(.{1,300}) FAILED$/,
  },
  // XCTest, Flutter, Robot Framework, testthat, Ginkgo, Pest, Boost
  { word: "' failed (", pattern: /^Test Case '(?:-\[)?([\w. ]{1,300}?)\]?' failed \(/ },
  { word: ' [E]', pattern: /^\d\d:\d\d \+\d{1,6}(?: ~\d{1,6})? -\d{1,6}: (.{1,300}) \[E\]$/ },
  { word: '| FAIL |', pattern: /^(\S.{0,200}?) {2,200}\| FAIL \|$/ },
  { word: '── ', pattern: /^\s{0,4}── (?:Failure|Error) \([^()]{1,200}\): (.{1,200}?)(?: ─{1,300})?$/ },
  { word: '[It]', pattern: /\[(?:Fail|FAIL|FAILED|PANICKED!)\] (.{1,300}\[It\].{0,300})$/ },
  { word: '⨯ ', pattern: /^\s{1,4}⨯ (.{1,300}?)(?: {2,200}[\d.]{1,8}s)?$/ },
  { word: 'error: in "', pattern: /: (?:fatal )?error: in "([^"]{1,200})": / },
  // sbt with JUnit
  {
    word: '[error] Test ',
    pattern: /\[error\] Test (\w[\w$.]{1,300})(?:\([^()]{0,100}\))? failed: /,
  },
  // Bazel, Cucumber
  { word: '//', pattern: /^(\/\/\S{1,300}) {1,200}(?:FAILED|TIMEOUT)(?: TO BUILD)?(?: in |$)/ },
  {
    word: 'cucumber ',
    pattern: /^cucumber (?<path>\S{1,200}\.feature):\d{1,6} # (?:Scenario(?: Outline)?: )?(.{1,300})$/,
  },
];

/** Used only where no other line names a test: they repeat what others say better, or name only a suite. */
export const LAST_NAMING_LINES: readonly NamingLine[] = [
  { word: '[FAIL]', pattern: /^\[xUnit\.net [\d:.]{1,20}\] {2,10}(\S.{0,300}) \[FAIL\]$/ },
  { word: ' ... ', pattern: /^(\w{1,200} \([\w.]{1,300}\)) \.\.\. (?:FAIL|ERROR)$/ },
  { word: '=== FAIL: ', pattern: /^=== FAIL: \S{1,300} (\S{1,300})(?: \([\d.]{1,9}s\))?$/ },
  { word: ' stdout ----', pattern: /^---- (\S.{0,300}) stdout ----$/ },
  { word: 'FAILED: ', pattern: /^FAILED: (\w{1,200}(?:\(.{0,200}\))?)$/ },
  { word: 'Wstat: ', pattern: /^(\S{1,300}\.t) [ .]{1,200}\(Wstat: .{1,60}Failed: {1,4}[1-9]/ },
  { word: ' > ', pattern: /^\s{1,8}[×✗] (.{1,300} > .{1,300}?)(?: \d{1,9}ms)?$/ },
  { word: '[junit]', pattern: /^\s{0,12}\[junit\] (?:TEST|Test) ([\w$.]{1,300}) FAILED/ },
  { word: '● ', pattern: /^ {2}● (?!Console|Deprecation|Validation|Test suite failed to run)(\S.{0,300})$/ },
];

interface TestList {
  readonly opens: RegExp;
  /** The first line that is no longer of it. */
  readonly ends: RegExp;
  /** The last group but `path`, which is its file: the name. */
  readonly item: RegExp;
  /** What other lines say of the item. */
  readonly complete?: (span: StepLines, test: NamedTest) => NamedTest;
}

/** Each number is followed by the titles of suites and test on lines of their own, the last of which ends with a colon. */
const MOCHA: TestList = {
  opens: /^\s{0,8}[1-9]\d{0,4} failing$/,
  ends: /^(?:Run |Starting: )\S/,
  item: /^\s{1,12}\d{1,4}\) (\S.{0,700})$/,
  complete: (span, { name, at }) => {
    const titles = [name];
    while (!titles.at(-1)?.endsWith(':') && titles.length < 9) {
      const next = readStepText(span, at + titles.length).trim();
      if (next === '') break;
      titles.push(next);
    }
    return { name: titles.join(' ').replace(/:$/, ''), at };
  },
};

/** `CartTest.adds:12->check:8 expected …`, `adds(shop.CartTest): expected …`; the heading may name the first itself. */
const SUREFIRE: TestList = {
  opens: /^(?:\[ERROR\] )?(?:Failed tests|Tests in error|Failures|Errors): ?.{0,300}$/,
  ends: /^(?:\[(?:INFO|ERROR)\] *$|$|\[INFO\]|\[ERROR\] Tests run|Tests run)/,
  item: /^(?:(?:\[ERROR\] )?(?:Failed tests|Tests in error|Failures|Errors): {1,4}(?=[^:]{1,300}\))|\[ERROR\] {1,6}|\s{1,6})([^:\s][^:]{0,250}?(?:\[.{1,200}\])?\([\w$]{1,100}(?:\.[\w$]{1,100}){1,20}\)|(?=[\w$.]{1,200}(?:[.>(][\w$]|:\d))(?:(?!->|:(?:[\d\s]|$))\S){1,300})/,
};

/** A name between rules, of which a long name leaves little or nothing: pytest without its summary. */
const PYTEST: TestList = {
  opens: /^=+ (?:FAILURES|ERRORS) =+$/,
  ends: /^={3,} .{1,200} ={3,}$/,
  item: /^(?:_{1,100} (?:ERROR at (?:setup|teardown) of )?(?!_ )(\S.{0,300}?) _{1,100}|_{1,100} ([^_\s]\S{0,300})| (?!_ )([A-Za-z]\w{0,100}(?:\.\w{1,200}){0,3}(?:\[.{0,200}\])?)(?: _{1,100})?)$/,
  complete: findRuledFile,
};

/** Where an exception came from: of a file with the name of tests it is the test's own assertion. */
const RULED_PLACE = /^(?<path>(?:[\w./\\-]{0,300}[/\\])?(?:test\w{0,100}|\w{1,100}_tests?)\.py):\d{1,6}: \S/;

const MAX_RULED = 2_000;

/** Named as the summary would: file, classes and test. Dots of parameters stay. */
function findRuledFile(span: StepLines, { name, at }: NamedTest): NamedTest {
  for (let line = at + 1; line < Math.min(span.to, at + MAX_RULED); line += 1) {
    const text = readStepText(span, line);
    if (PYTEST.item.test(text)) break;
    const path = toRepositoryPath(RULED_PLACE.exec(text)?.groups?.['path'] ?? '/');
    const [bare = ''] = name.split('[', 1);
    if (path !== null) return { name: `${path}::${bare.replaceAll('.', '::')}${name.slice(bare.length)}`, at, path };
  }
  return { name, at };
}

const TEST_LISTS: readonly TestList[] = [
  // PHPUnit
  {
    opens: /^There (?:was|were) \d+ (?:failures?|errors?):$/,
    item: /^\d{1,4}\) (\S.{0,700})$/,
    ends: /^(?:FAILURES!|ERRORS!|Tests: \d|--$)/,
  },
  // RSpec, Jasmine, Hspec
  {
    opens: /^Failures: ?$/,
    item: /^\s{0,4}\d{1,4}\) (?!Failure:|Error:)(\S.{0,700})$/,
    ends: /^(?:Finished in|Failed examples:|Ran \d|Executed \d|Randomized with|\d+ (?:specs?|examples?),)/,
  },
  // CTest
  { opens: /^The following tests FAILED:$/, item: /^\s{1,12}\d{1,6} - (\S{1,300}) \([\w ]{1,30}\)/, ends: /^\S/ },
  // Cargo
  { opens: /^failures:$/, item: /^ {4}(\w[\w:]{0,300})$/, ends: /^\S/ },
  // behave
  {
    opens: /^(?:Failing|Errored) scenarios:$/,
    item: /^ {2}(?<path>\S{1,200}\.feature):\d{1,6} {1,4}(\S.{0,300})$/,
    ends: /^(?:\S|$)/,
  },
];

/** Each line is looked at once. */
function readTestList(span: StepLines, { opens, ends, item, complete }: TestList): readonly NamedTest[] {
  const found: NamedTest[] = [];
  let isInside = false;
  for (let at = span.from; at < span.to; at += 1) {
    const text = readStepText(span, at);
    isInside = opens.test(text) || (isInside && !ends.test(text));
    const named = isInside ? readGroups(item.exec(text)) : null;
    if (named && /\p{L}{2}/u.test(named.name)) found.push(complete?.(span, { ...named, at }) ?? { ...named, at });
  }
  return found;
}

const ANT_CASE =
  /^\s{0,12}\[junit\] Testcase: (.{1,300}?)(?:\(([\w$.]{1,300})\))?:?\s{0,4}(?:took |FAILED|Caused an ERROR)/;

const ANT_SUITE = /^\s{0,12}\[junit\] (?:Testsuite|Running):? ([\w$.]{1,300})/;

const ANT_FAILED = /^\s{0,12}\[junit\](?: Testcase: .{1,300}:)?\s{1,12}(?:FAILED|Caused an ERROR)/;

/** Ant names the case on one line and its failure on the next. */
function readAntTests(span: StepLines): readonly NamedTest[] {
  const found: NamedTest[] = [];
  let suite = '';
  let test: NamedTest | null = null;
  for (let at = span.from; at < span.to; at += 1) {
    const text = readStepText(span, at);
    if (!text.includes('[junit]')) continue;
    suite = ANT_SUITE.exec(text)?.[1] ?? suite;
    test = readAntCase(text, suite, at) ?? test;
    if (test && ANT_FAILED.test(text)) found.push(test);
  }
  return found;
}

function readAntCase(text: string, suite: string, at: number): NamedTest | null {
  const [, name, of = suite] = ANT_CASE.exec(text) ?? [];
  return name === undefined ? null : { name: of === '' ? name : `${of}.${name}`, at };
}

function readStepText({ lines }: StepLines, at: number): string {
  return lines[at]?.text ?? '';
}

export interface FailedTest {
  readonly name: string;
  /** Index of the line that names it first. */
  readonly at: number;
  /** Its file, where the runner names it; "" otherwise. */
  readonly path: string;
  /** Whether the run ended in it: tests behind it did not run. */
  readonly endsRun?: boolean;
}

const MAX_TESTS = 2_000;

const MAX_NAME = 700;

/** No test: what totals and tasks look like. */
const NOT_A_TEST = /^(?:\d+ tests?\b|Task\b|BUILD\b|.{0,300}\btests? completed\b|[\d.]+$)/;

/** Tried in turn until one finds any: later ones would find the same tests under other names. */
const READERS: readonly ((span: StepLines) => readonly NamedTest[])[] = [
  (span) => [
    ...nameTapTests(span, readNamedTests(span, NAMING_LINES)),
    ...readTestList(span, MOCHA),
    ...readAntTests(span),
  ],
  (span) => readTestList(span, SUREFIRE),
  (span) => readTestList(span, PYTEST),
  (span) => TEST_LISTS.flatMap((list) => readTestList(span, list)),
  (span) => readNamedTests(span, LAST_NAMING_LINES),
];

/** Distinct failed tests between two lines, in order of their first mention. */
export function findFailedTests(lines: readonly LogLine[], from: number, to: number): readonly FailedTest[] {
  const distinct = new Map<string, FailedTest>();
  for (const { name, at, path = '', endsRun } of findMentions({ lines, from, to })) {
    if (!distinct.has(name)) distinct.set(name, { name, at, path, ...(endsRun && { endsRun }) });
  }
  return [...distinct.values()];
}

/** Every line that names a failed test; what one reader calls a test another may call by the end of that name. */
export function findAllMentions(lines: readonly LogLine[], from: number, to: number): readonly NamedTest[] {
  const span = { lines, from, to };
  const own = findMentions(span);
  const others = READERS.flatMap((read) => read(span).slice(0, MAX_TESTS)).map(cleanTest);
  return [...new Map([...others, ...own].map((test) => [test.at, test] as const)).values()];
}

/** By the first reader that finds any. */
function findMentions(span: StepLines): readonly NamedTest[] {
  const isParent = createParentFinder(span.lines);
  for (const read of READERS) {
    const named = read(span)
      .slice(0, MAX_TESTS)
      .map(cleanTest)
      .filter(({ name, at, repeats }) => name !== '' && !repeats && !NOT_A_TEST.test(name) && !isParent(at, name));
    if (named.length > 0) return tellApart(span.lines, named);
  }
  return [];
}

function cleanTest(test: NamedTest): NamedTest {
  return { ...test, name: cleanName(test.name) };
}

/** What Node's own runner says of a test of which others are parts. */
const PARENT =
  /^\s{1,60}failureType: 'subtestsFailed'|^\s{0,40}(?:Error \[ERR_TEST_FAILURE\]: |')\d{1,6} subtests? failed/;

const PARENT_REACH = 8;

/** Whether a test failed only because parts of it did, which are named as well. */
function createParentFinder(lines: readonly LogLine[]): (at: number, name: string) => boolean {
  let groups: ReadonlySet<string> | null = null;
  return (at, name) => {
    const below = lines.slice(at + 1, at + PARENT_REACH);
    const next = below.findIndex(({ text }) => findTestName(text) !== null);
    if (below.slice(0, next < 0 ? below.length : next).some(({ text }) => PARENT.test(text))) return true;
    if (lines[at]?.text.includes('✖ ') !== true) return false;
    groups ??= new Set(lines.map(({ text }) => text.trimStart()).filter((text) => text.startsWith('▶ ')));
    return groups.has(`▶ ${name}`);
  };
}

function readNamedTests(span: StepLines, forms: readonly NamingLine[]): readonly NamedTest[] {
  const found: NamedTest[] = [];
  for (let at = span.from; at < span.to; at += 1) {
    const named = matchTestName(readStepText(span, at), forms);
    if (named) found.push({ ...named, at });
  }
  return found;
}

/** Whether a line may name a test by itself where no other line names any: what is under a heading is not counted. */
export function mayNameTestLast({ text }: LogLine): boolean {
  return text.includes('[junit]') || SUREFIRE.opens.test(text) || matchTestName(text, LAST_NAMING_LINES) !== null;
}

/** The test that a line names as failed; null: none. */
export function findTestName(text: string): string | null {
  return matchTestName(text, NAMING_LINES)?.name ?? null;
}

function matchTestName(text: string, forms: readonly NamingLine[]): Pick<FailedTest, 'name' | 'path'> | null {
  if (text.length < 6) return null;
  for (const { word, pattern } of forms) {
    const named = text.includes(word) ? readGroups(pattern.exec(text)) : null;
    if (named) return named;
  }
  return null;
}

/** A named group counts as a group as well. */
function readGroups(match: RegExpExecArray | null): Pick<FailedTest, 'name' | 'path'> | null {
  if (!match) return null;
  const path = match.groups?.['path'] ?? '';
  const name = match.slice(1).find((group) => group !== undefined && group !== path) ?? path;
  return { name: path !== '' && name !== path ? `${path}::${name}` : name, path };
}

function cleanName(name: string): string {
  return name
    .replace(/\s+/g, ' ')
    .replace(/ \(?\d+(?:\.\d+)? ?m?s\)?$| <- .*$/, '')
    .replace("', methodName = '", '.')
    .trim()
    .slice(0, MAX_NAME);
}
