// Names of failed tests as test runners say them: a table of lines that name one, and lists under a heading.
import type { PlainLine } from './plain-lines.ts';
import { antTests, mochaTests, type Named, ruledTests, type Span, surefireTests } from './test-lists.ts';

export interface FailedTest {
  readonly name: string;
  /** Index of the line that names it first. */
  readonly at: number;
  /** Where it stands, where the runner says so; "" else. */
  readonly path: string;
}

interface NamingLine {
  readonly word: string;
  /** Group 1: the name; `path`: the file. */
  readonly pattern: RegExp;
}

/** Runners that say on one line which test failed, each with a word that such a line must have. */
const NAMING_LINES: readonly NamingLine[] = [
  // pytest: summary, progress in verbose mode, collection
  { word: 'FAILED', pattern: /^FAILED (?<path>[^\s:]{1,400}\.py)::(.{1,400}?)(?: - .*)?$/ },
  { word: 'ERROR', pattern: /^ERROR (?<path>[^\s:]{1,400}\.py)::(.{1,400}?)(?: - .*)?$/ },
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
  { word: 'FAIL: ', pattern: /^FAIL: (.{1,300})$/ },
  { word: 'ERROR: ', pattern: /^ERROR: ([\w.]{1,200} \([\w.<>]{1,300}\)(?: .{0,200})?)$/ },
  { word: 'ERROR: ', pattern: /^ERROR: (\w{1,100}(?:\.\w{1,100}){1,20}(?:\(.{0,300}\))?)$/ },
  { word: 'ERROR: ', pattern: /^ERROR: (Failure: \w{1,60} \(.{1,300}\).*)$/ },
  // Surefire and Failsafe
  {
    word: '<<< ',
    pattern:
      /^(?!(?:\[ERROR\] )?Tests run:)(?:\[ERROR\] )?(\S.{0,400}?) {1,4}(?:--|Time elapsed:).{0,100}<<< (?:FAILURE|ERROR)!/,
  },
  // Gradle
  { word: ' FAILED', pattern: /^(?!> |:|Task |Execution )(\S.{0,300} > \S.{0,400}) FAILED$/ },
  { word: ' FAILED', pattern: /^([\w$]{1,100}(?:\.[\w$]{1,100}){1,20}(?:\(.{0,100}\))?(?:\[.{0,200}\])?) FAILED$/ },
  // Go
  { word: '--- FAIL: ', pattern: /^\s*--- FAIL: (\S{1,400})(?: \([\d.]+s\))?$/ },
  // Rust
  { word: 'FAILED', pattern: /^test (\S.{0,300}?) \.\.\. FAILED$/ },
  { word: 'FAIL [', pattern: /^\s{1,8}FAIL \[ *[\d.]+s\] (?:\([\d/ ]+\) )?(\S.{1,300})$/ },
  // Jest, Vitest
  { word: '● ', pattern: /^\s{0,4}● (.{1,300} › .{1,300})$/ },
  { word: 'FAIL', pattern: /^\s{0,4}FAIL {1,3}(?<path>[^\s>]{1,300}\.[cm]?[jt]sx?) > (.{1,400})$/ },
  // Node's own
  { word: '✖ ', pattern: /^\s{0,40}✖ (.{1,300}) \(\d{1,9}(?:\.\d{1,9})?ms\)$/ },
  // RSpec, GoogleTest, CTest, .NET, TAP, harnesses with pipes
  { word: 'rspec ./', pattern: /^rspec \.\/(?<path>[^\s:]{1,300}):\d+ # (.{1,400})$/ },
  { word: '[  FAILED  ]', pattern: /^\[ {2}FAILED {2}\] ([\w/.]{1,300})(?: \(\d.*\)|,.*)?$/ },
  { word: '***', pattern: /^\s{0,4}\d+\/\d+ Test +#\d+: (\S{1,300}) \.*\*\*\*/ },
  { word: '  Failed ', pattern: /^ {2}Failed ([\w.+`]{1,300}(?:\(.{0,200}\))?) \[[<\d]/ },
  { word: 'not ok ', pattern: /^\s*not ok \d{1,6} (?:- )?(?!.{0,300}# (?:TODO|SKIP))(.{1,300})$/i },
  { word: 'TEST-UNEXPECTED-', pattern: /\bTEST-UNEXPECTED-\w{1,20} \| (\S{1,300})/ },
];

const MAX_TESTS = 2_000;
/** No test: what totals and tasks look like. */
const NOT_A_TEST = /^(?:\d+ tests?\b|Task\b|BUILD\b|.{0,300}\btests? completed\b|[\d.]+$)/;

/** Distinct failed tests between two lines, in order of their first mention. */
export function findFailedTests(lines: readonly PlainLine[], from: number, to: number): readonly FailedTest[] {
  const span: Span = { lines, from, to };
  const told = [...namedTests(span), ...mochaTests(span), ...antTests(span)].map(clean).filter(isTest);
  // What Surefire and pytest say of each test as it ends, they say again in lists, with other names.
  const listed = told.length > 0 ? [] : surefireTests(span).map(clean).filter(isTest);
  const found = told.length + listed.length > 0 ? [...told, ...listed] : ruledTests(span).map(clean).filter(isTest);
  const distinct = new Map<string, FailedTest>();
  for (const test of found.slice(0, MAX_TESTS)) if (!distinct.has(test.name)) distinct.set(test.name, test);
  return [...distinct.values()];
}

function namedTests({ lines, from, to }: Span): readonly FailedTest[] {
  const found: FailedTest[] = [];
  for (let at = from; at < to; at += 1) {
    const text = lines[at]?.text ?? '';
    const named = text.length < 6 ? null : namedOn(text);
    if (named) found.push({ ...named, at });
  }
  return found;
}

function clean(named: Named & { readonly path?: string }): FailedTest {
  return { name: cleanName(named.name), at: named.at, path: named.path ?? '' };
}

function isTest({ name }: FailedTest): boolean {
  return name !== '' && !NOT_A_TEST.test(name);
}

/** The test that a line names as failed; null: none. */
export function nameOn(text: string): string | null {
  return text.length < 6 ? null : (namedOn(text)?.name ?? null);
}

function namedOn(text: string): { readonly name: string; readonly path: string } | null {
  for (const { word, pattern } of NAMING_LINES) {
    const match = text.includes(word) ? pattern.exec(text) : null;
    if (!match) continue;
    const path = match.groups?.['path'] ?? '';
    // A named group counts as a group as well.
    const name = match.slice(1).find((group) => group !== undefined && group !== path) ?? path;
    return { name: path !== '' && name !== path ? `${path}::${name}` : name, path };
  }
  return null;
}

function cleanName(name: string): string {
  return name
    .replace(/\s+/g, ' ')
    .replace(/ \(?\d+(?:\.\d+)? ?m?s\)?$| <- .*$/, '')
    .replace("', methodName = '", '.')
    .trim()
    .slice(0, 300);
}
