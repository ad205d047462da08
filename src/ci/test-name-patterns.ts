// How test runners name what failed on one line: a table, and a second one for what is tried last.

export interface NamingLine {
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
  { word: 'FAIL', pattern: /^\s{0,4}FAIL {1,3}(?<path>[^\s>]{1,300}\.[cm]?[jt]sx?) > (.{1,400})$/ },
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
  // XCTest, .NET before 5, Flutter, Robot Framework, Clojure, testthat, Ginkgo, Pest, Boost
  { word: "' failed (", pattern: /^Test Case '(?:-\[)?([\w. ]{1,300}?)\]?' failed \(/ },
  { word: 'X ', pattern: /^\s{0,2}X ([\w.+`]{1,300}(?:\(.{0,200}\))?) \[[<\d]/ },
  { word: ' [E]', pattern: /^\d\d:\d\d \+\d{1,6}(?: ~\d{1,6})? -\d{1,6}: (.{1,300}) \[E\]$/ },
  { word: '| FAIL |', pattern: /^(\S.{0,200}?) {2,200}\| FAIL \|$/ },
  { word: ' in (', pattern: /^(?:FAIL|ERROR) in \(([^\s()]{1,200})\)/ },
  { word: '── ', pattern: /^── (?:Failure|Error) \([^()]{1,200}\): (.{1,200}?)(?: ─{1,300})?$/ },
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
  { word: 'FAILED: ', pattern: /^FAILED: (\w{1,200}(?:\(.{0,200}\))?)$/ },
  { word: 'Wstat: ', pattern: /^(\S{1,300}\.t) [ .]{1,200}\(Wstat: .{1,60}Failed: {1,4}[1-9]/ },
  { word: ' > ', pattern: /^\s{1,8}[×✗] (.{1,300} > .{1,300}?)(?: \d{1,9}ms)?$/ },
  { word: '[junit]', pattern: /^\s{0,12}\[junit\] (?:TEST|Test) ([\w$.]{1,300}) FAILED/ },
  { word: '● ', pattern: /^ {2}● (?!Console|Deprecation|Validation|Test suite failed to run)(\S.{0,300})$/ },
];
