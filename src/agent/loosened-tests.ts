// Whether a change makes tests prove less: deleted, skipped, or with other expectations. A heuristic that errs towards asking a person.
import type { FileChange } from '../core/change-set.ts';
import { plainPath } from './guarded-paths.ts';

/** Lines that the change takes out and puts in, over the whole file. */
export interface ChangedLines {
  readonly removed: readonly string[];
  readonly inserted: readonly string[];
}

export interface Loosening {
  readonly rule: 'person/tests-deleted' | 'person/tests-skipped' | 'person/tests-loosened';
  readonly reason: string;
}

const TEST_PATH =
  /(?:^|\/)(?:tests?|testing|__tests__|specs?|e2e|testdata|fixtures?|__mocks__|__snapshots__|snapshots?|androidtest|[^/]+tests?|integration-tests?|cypress|features)\/|(?:^|\/)(?:tests?|test_[^/]+|conftest)\.[a-z]+$|[._-](?:tests?|specs?|e2e|cy|snap)\.[^/]+$|\.(?:snap|approved\.[^/]+|golden)$|tests?\.(?:java|kt|cs|scala|groovy|php|swift)$|(?:it|spec|testcase)\.(?:java|kt|groovy|scala|cs)$/;
/** What a test compares with: changed data is a changed expectation. */
const EXPECTED_DATA = /(?:snap|snapshots?|golden|expected|approved|baselines?|__image_snapshots__)(?:[^a-z]|$)/;

/** Marks that keep a test from running or from counting, in any file: Rust and Python hold tests beside the code. */
const SKIPS: readonly RegExp[] = [
  /\b(?:it|tests?|describe|context|suite|specify|bench)\s*(?:\.\s*|\[\s*['"`])(?:\w+\s*\.\s*)?(?:skip|only|todo|fails|failing|fixme|skipIf|runIf)\b/,
  /(?<![\w.])(?:x(?:it|describe|test|context|specify|scenario)|f(?:it|describe|context))\b\s*[('"]/,
  /\bpytest\s*\.\s*(?:mark\s*\.\s*(?:skip|skipif|xfail)|skip|xfail|importorskip)\b|\bunittest\s*\.\s*(?:skip\w*|expectedFailure)|@(?:skip(?:If|Unless)?|expectedFailure)\b|\bskipTest\s*\(|\bSkipTest\b|\b__test__\s*=|\bcollect_ignore\w*\s*=|doctest:\s*\+SKIP/,
  /\b[tbf]\.Skip(?:f|Now)?\s*\(|\btesting\.Short\s*\(/,
  /#\s*!?\[\s*(?:ignore|should_panic|cfg_attr\s*\([^)]{0,200}ignore)/,
  /@(?:Disabled|Ignore)\w*\b|\bassum(?:e(?:True|False|That|NoException)|ing\w*)\s*\(/,
  /\[\s*(?:Ignore|Explicit)\b|\bSkip\s*=\s*["$@]|\bAssert\s*\.\s*(?:Ignore|Inconclusive|Pass)\b/,
  /\bmarkTest(?:Skipped|Incomplete)\b|\bXCTSkip\w*|\bGTEST_SKIP\b|\bDISABLED_\w+|@(?:module)?tag\s+:?(?:skip|pending)|\bskip_test\b/i,
];
/** The same for words that mean something else outside of tests. */
const SKIPS_IN_TESTS: readonly RegExp[] = [
  /^\s*(?:skip|pending|xit|return|next)\b(?=\s*(?:$|['"(;]|if\b|unless\b))/,
  /\b(?:skip|todo)\s*:\s*(?:true|['"`])|\b(?:this|t|ctx|context|test|self)\s*\.\s*(?:skip|todo|pending)\s*\(/,
  /\bif\s*(?:\(\s*)?(?:false|0|!1|False|!true|not True)\s*(?:[){:]|$|then\b)/,
  /\b(?:process\.exit|sys\.exit|os\._exit|os\.Exit|exit!?|quit)\s*\(/,
];
const ASSERTION =
  /\b(?:expect\w*|assert\w*|should\w*|verify\w*|refute\w*|must_\w+|require\s*\.\s*\w+|raises|throws|snapshot\w*|approve\w*|XCTAssert\w*|(?:EXPECT|ASSERT|CHECK|REQUIRE|BOOST)_\w+|CHECK|REQUIRE)\b|\b[tb]\s*\.\s*(?:Error|Fatal|Fail|is|ok|equal|deepEqual|same|not)\w*\s*\(|\bAssert\w*\s*\.|\bdebug_assert\w*!|\.\s*(?:to|not|should)\s*[.(]|\bis_expected\b|^\s*>>> /i;
const TEST_CASE =
  /\b(?:it|test|describe|scenario|specify|context|bench)\s*(?:\.\s*\w+\s*)?(?:\(|['"`])|\bdef\s+test\w*|\bclass\s+(?:Test\w*|\w+Tests?)\b|\bfunc\s+(?:\([^)]{0,200}\)\s*)?(?:Test|Benchmark|Fuzz|Example|test)\w*|#\s*\[\s*(?:\w+::)*(?:test|rstest)\b|@(?:Test|ParameterizedTest|RepeatedTest)\b|\[\s*(?:Fact|Theory|Test\w*)\b|\bTEST(?:_[FP])?\s*\(|\bfunction\s+test\w*/;

function isTestPath(path: string): boolean {
  return TEST_PATH.test(plainPath(path));
}

/** What the change loosens, each kind once. `lines` are those of this change. */
export function loosenings(change: FileChange, lines: ChangedLines): readonly Loosening[] {
  const before = change.kind === 'renamed' ? change.previousPath : change.path;
  const wasTest = change.kind !== 'added' && isTestPath(before);
  if (wasTest && (change.kind === 'deleted' || !isTestPath(change.path))) {
    const reason = change.kind === 'deleted' ? 'a test is deleted' : 'a test is moved to where it may not be run';
    return [{ rule: 'person/tests-deleted', reason }];
  }
  const gone = onlyIn(lines.removed, lines.inserted);
  const fresh = onlyIn(lines.inserted, lines.removed);
  const inTest = isTestPath(change.path);
  const skipped: readonly Loosening[] = fresh.some((line) => isSkip(line, inTest))
    ? [{ rule: 'person/tests-skipped', reason: 'a test is kept from running or counting' }]
    : [];
  const reason = loosened(gone, wasTest, EXPECTED_DATA.test(plainPath(before)) && gone.length + fresh.length > 0);
  return reason === '' ? skipped : [...skipped, { rule: 'person/tests-loosened', reason }];
}

/** A changed expectation may be a looser one: only a person can tell. */
function loosened(gone: readonly string[], wasTest: boolean, isData: boolean): string {
  if (gone.some((line) => TEST_CASE.test(line))) return 'a test case is taken out or changed';
  if (!wasTest) return '';
  if (gone.some((line) => ASSERTION.test(line))) return 'an expectation of a test is taken out or changed';
  return isData ? 'data that a test compares with is changed' : '';
}

function isSkip(line: string, inTest: boolean): boolean {
  return SKIPS.some((mark) => mark.test(line)) || (inTest && SKIPS_IN_TESTS.some((mark) => mark.test(line)));
}

/** Lines of the one list without those that the other has as well: what was only moved or indented anew is the same. */
function onlyIn(lines: readonly string[], others: readonly string[]): readonly string[] {
  const left = new Map<string, number>();
  for (const line of others) left.set(folded(line), (left.get(folded(line)) ?? 0) + 1);
  return lines.flatMap((line) => {
    const key = folded(line);
    const count = left.get(key) ?? 0;
    left.set(key, count - 1);
    return count > 0 ? [] : [shortened(line)];
  });
}

function folded(line: string): string {
  return line.trim().replace(/\s+/g, ' ');
}

/** No expression looks at more of a line: a minified file must not cost seconds. */
function shortened(line: string): string {
  return line.slice(0, 2_000);
}
