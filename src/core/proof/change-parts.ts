// The parts of a change: tests that show the fault, and the fix; and the names of the tests that it adds or changes.
import { type ChangeSet, diffLines, type FileChange, hasChanges } from 'causeway-diff';
import { toComparablePath } from 'causeway-paths';

const TEST_PATH =
  /(?:^|\/)(?:tests?|testing|__tests__|specs?|e2e|testdata|fixtures?|__mocks__|__snapshots__|snapshots?|androidtest|[^/]+tests?|integration-tests?|cypress|features)\/|(?:^|\/)(?:tests?|test_[^/]+|conftest)\.[a-z]+$|[._-](?:tests?|specs?|e2e|cy|snap)(?:-d)?\.[^/]+$|\.(?:snap|approved\.[^/]+|golden)$|tests?\.(?:java|kt|cs|scala|groovy|php|swift)$|(?:it|spec|testcase)\.(?:java|kt|groovy|scala|cs)$/;

export function isTestPath(path: string): boolean {
  return TEST_PATH.test(toComparablePath(path));
}

/** Folders whose names programs have as well, such as `src/features/cart.ts` and `docs/latest/`. */
const DOUBTFUL_FOLDER =
  /(?<=\/)features\/|(?<=^|\/)(?:latest|contests?|protests?|attests?|greatest|fastest|shortest)\//g;
const STEPS_FOLDER = /^(?:step_?definitions?|steps|support)$/;

/** Of somebody else's change, where code that is taken for a test would run without the rest of it. */
export function isTestAlone(path: string): boolean {
  const plain = toComparablePath(path);
  const folders = plain.split('/').slice(0, -1);
  const features = folders.indexOf('features');
  const isSteps = features !== -1 && folders.slice(features).some((folder) => STEPS_FOLDER.test(folder));
  return isSteps || plain.endsWith('.feature')
    ? isTestPath(path)
    : isTestPath(plain.replaceAll(DOUBTFUL_FOLDER, 'folder/'));
}

export interface ChangeParts {
  readonly test: ChangeSet;
  readonly fix: ChangeSet;
}

/** Null where one of the parts is empty or names no test, so that there is nothing to prove it with. */
export function splitChange({ base, files }: ChangeSet): ChangeParts | null {
  const changed = files.filter(hasChanges);
  const test = changed.filter(isTestChange);
  const fix = changed.filter((file) => !isTestChange(file));
  if (fix.length === 0 || test.flatMap(listTouchedTests).length === 0) return null;
  return { test: { base, files: test }, fix: { base, files: fix } };
}

/** A test that is deleted, or moved between tests and code, shows no fault: it belongs to the fix. */
function isTestChange(file: FileChange): boolean {
  if (file.kind === 'deleted') return false;
  return isTestPath(file.path) && (file.kind !== 'renamed' || isTestPath(file.previousPath));
}

/** What identifies the tests of a change in the log of a check. */
export interface OwnTests {
  readonly files: readonly string[];
  /** As they are written in the source: titles of JavaScript and Ruby, names of functions elsewhere. */
  readonly titles: readonly string[];
  /** Titles of groups in those files: runners report them as failed with their tests. */
  readonly groups: readonly string[];
  /** What their new lines assert: a fix that hides an error passes tests that assert no more than that there is none. */
  readonly asserts: 'result' | 'no_error' | 'unknown';
}

export function listOwnTests({ files }: ChangeSet): OwnTests {
  const distinct = (texts: readonly string[]) => [...new Set(texts)];
  return {
    files: files.map(({ path }) => path),
    titles: distinct(files.flatMap(listTouchedTests)),
    groups: distinct(files.flatMap(listGroups)),
    asserts: findAsserted(files.flatMap(listNewLines)),
  };
}

export const ASSERTION =
  /\b(?:expect\w*|assert\w*|should\w*|verify\w*|refute\w*|must_\w+|require\s*\.\s*\w+|raises|throws|snapshot\w*|approve\w*|XCTAssert\w*|(?:EXPECT|ASSERT|CHECK|REQUIRE|BOOST)_\w+|CHECK|REQUIRE)\b|\b[tb]\s*\.\s*(?:Error|Fatal|Fail|is|ok|equal|deepEqual|same|not)\w*\s*\(|\bAssert\w*\s*\.|\bdebug_assert\w*!|\.\s*(?:to|not|should)\s*[.(]|\bis_expected\b|^\s*>>> /i;

const NO_ERROR =
  /\bdoes_?not_?(?:throw|reject|raise)\w*|\bnot\s*\.\s*(?:to\s*\.\s*)?(?:to)?throw\w*|\bnothing_?(?:raised|thrown)|\bnot_to\s+raise_error/i;

function findAsserted(lines: readonly string[]): OwnTests['asserts'] {
  const bare = lines
    .map((line) => line.slice(0, 600).replace(/'[^']*'|"[^"]*"|`[^`]*`/g, "''"))
    .filter((line) => !/^\s*(?:import|from|use|using|#include)\b|\brequire\s*\(/.test(line));
  if (bare.some((line) => ASSERTION.test(line) && !NO_ERROR.test(line))) return 'result';
  return bare.some((line) => NO_ERROR.test(line)) ? 'no_error' : 'unknown';
}

/** Titles of the tests whose own line is new: those that the change adds. */
export function listAddedTests({ files }: ChangeSet): readonly string[] {
  const titles = files.flatMap((change) => {
    if (change.kind === 'deleted') return [];
    const lines = change.after.split('\n');
    const before = new Set(
      change.kind === 'added' ? [] : change.before.split('\n').flatMap((line) => readBlockTitle(line) ?? []),
    );
    const inserted = findInserted(change, lines).flatMap((at) => readBlockTitle(lines[at] ?? '') ?? []);
    return inserted.filter((title) => !before.has(title));
  });
  return [...new Set(titles)];
}

/** With computed parts, such as `${n}` or `%s`, a title isn't what the log says. */
const COMPUTED = /\$\{|%[sdifjop#$]/;
const TITLED = /\b(?:it|test|specify|scenario)\b[^'"`\n+]{0,40}(['"`])((?:\\.|(?!\1)[^\\\n]){1,200})\1/;
const GROUPED = /\b(?:describe|suite|context|feature)\b[^'"`\n]{0,40}(['"`])((?:\\.|(?!\1)[^\\\n]){1,200})\1/;
const IMPORTED = /^\s*(?:import|export)\b|\brequire\s*\(/;
const NAMED: readonly RegExp[] = [
  /\bdef (test\w{0,200})/,
  /\bfunc (?:\([^)\n]{0,100}\) )?(Test\w{1,200})/,
  /\bfunction (test\w{1,200})/,
  /\bfn (\w{1,200})/,
  /\b(?:void|fun|Task) `?(\w{1,200})`?\(/,
];

/** Titles of the tests of which lines are new. */
function listTouchedTests(change: FileChange): readonly string[] {
  if (change.kind === 'deleted') return [];
  const lines = change.after.split('\n');
  const titles = findInserted(change, lines).flatMap((at) => findTitleAround(lines, at) ?? []);
  return [...new Set(titles)];
}

function listNewLines(change: FileChange): readonly string[] {
  if (change.kind === 'deleted') return [];
  const lines = change.after.split('\n');
  return findInserted(change, lines).map((at) => lines[at] ?? '');
}

function findInserted(change: Exclude<FileChange, { kind: 'deleted' }>, lines: readonly string[]): readonly number[] {
  const before = change.kind === 'added' ? [] : change.before.split('\n');
  return diffLines(before, lines).flatMap((hunk) =>
    Array.from({ length: hunk.inserted }, (_, index) => hunk.after + index),
  );
}

/** Of the test that begins at the line or that the line is in. */
function findTitleAround(lines: readonly string[], at: number): string | null {
  const own = readBlockTitle(lines[at] ?? '');
  if (own !== null) return own;
  const depth = measureBlockIndent(lines[at] ?? '');
  for (let above = at - 1; above >= 0 && depth > 0; above -= 1) {
    const line = lines[above] ?? '';
    if (line.trim() === '' || measureBlockIndent(line) >= depth) continue;
    const title = readBlockTitle(line);
    // The end of a block at a lower depth, or a function of another kind: the line isn't in a test.
    if (title !== null || measureBlockIndent(line) === 0) return title;
  }
  return null;
}

function measureBlockIndent(line: string): number {
  return line.trim() === '' ? 0 : line.length - line.trimStart().length;
}

function readBlockTitle(line: string): string | null {
  const short = line.slice(0, 600);
  // An import of `test` names no test.
  if (IMPORTED.test(short)) return null;
  const titled = TITLED.exec(short);
  const title = titled !== null && !isInString(short.slice(0, titled.index)) ? titled[2] : undefined;
  if (title !== undefined) return COMPUTED.test(title) ? null : unescapeTitle(title);
  for (const pattern of NAMED) {
    const name = pattern.exec(short)?.[1];
    if (name !== undefined) return name;
  }
  return null;
}

/** Whether a string begins in the text and goes on behind it, such as an address with `test.com`. */
function isInString(before: string): boolean {
  return QUOTES.some((quote) => before.split(quote).length % 2 === 0);
}

const QUOTES = ["'", '"', '`'];

function unescapeTitle(title: string): string {
  return title.replace(/\\(['"`\\])/g, '$1');
}

function listGroups(change: FileChange): readonly string[] {
  if (change.kind === 'deleted') return [];
  return change.after.split('\n').flatMap((line) => {
    const title = GROUPED.exec(line.slice(0, 600))?.[2];
    return title === undefined || COMPUTED.test(title) ? [] : unescapeTitle(title);
  });
}
