// The tests that are nearest to a place: the files that test its file or name its function, and the one case in them
// that has most of the report's names.

import { splitName, stemWord } from 'causeway-code-words';
import type { LineRange, SearchHit } from 'causeway-git-objects';
import { cutText } from 'causeway-visible-text';
import { formatCounted } from '../core/counted.ts';
import { getSubject } from './clues.ts';
import { STOP_WORDS } from './identifiers.ts';
import { attempt, type Lookups, shortenSha } from './lookups.ts';
import { classifyFile, isProgram } from './own-code.ts';
import { getFileName } from './paths.ts';

export interface TestedName {
  /** Of the function; "" if not known. */
  readonly name: string;
  /** The lines of the commit that name it. */
  readonly uses: readonly SearchHit[];
}

/** Where a test case begins. */
export interface NearestTest {
  readonly path: string;
  readonly line: number;
}

interface TestedPlace extends TestedName {
  readonly path: string;
  /** Of the function that the place is in, which may have another name than the one that is tested; "" if not known. */
  readonly own: string;
  /** Names in the report, the most informative first. */
  readonly names: readonly string[];
  readonly report: string;
}

interface NearTestFile {
  readonly path: string;
  /** How many of its lines name the function. */
  readonly lines: number;
  /** Where the module of tests begins that the place's own file holds; 0: it holds none. */
  readonly inlineLine: number;
  /** Whether its name says that it tests the place. */
  readonly isNamed: boolean;
  readonly score: number;
}

/** A file's name that says whom it tests is worth more than any number of uses. */
const BY_NAME = 12;

/** `nullish.js` of a report on nullish operators; each further word counts as much again. */
const BY_REPORT = 4;

/** `fake-timers-test.js` may be of `fake-timers-src.js`. */
const BY_FIRST_WORDS = 6;

const MOST_USES = 10;

const FILES_SHOWN = 4;

/** Files that are read for a case. */
const FILES_READ = 4;

/** Lines of the case that is shown; longer ones are cut. */
const MAX_CASE = 40;

/** Names of the report that are looked for in the cases. */
const MAX_NAMES = 12;

/** The function's own name says more than any other. */
const OWN_NAME = 3;

/**
 * Records the test case that shares the most names with the report, if any does. It is returned only where it tests the
 * place: by its file's name, or since its file names the function.
 */
export async function recordNearestTests(lookups: Lookups, place: TestedPlace): Promise<NearestTest | null> {
  const files = await findNearTestFiles(lookups, place);
  const action = `find tests of ${place.path} at ${shortenSha(lookups.tree.revision)}`;
  if (files.length === 0) {
    const analysis = 'No test file has its name or names its function.';
    await lookups.notebook.record({ lookup: 'tests', action, result: 'nothing found', analysis });
    return null;
  }
  const best = await readBestCase(lookups, files.slice(0, FILES_READ), place);
  const shown = best === null ? [] : formatCase(best);
  const listed = files.slice(0, FILES_SHOWN).map((file) => describeFile(file, place.name));
  const more = files.length - listed.length;
  await lookups.notebook.record({
    lookup: 'tests',
    action,
    result: [...listed, ...(more > 0 ? [`… ${formatCounted(more, 'more file')}`] : []), ...shown].join('\n'),
    analysis:
      best === null ? 'None of their cases names it.' : 'The test case that shares the most names with the report.',
  });
  const file = files.find(({ path }) => path === best?.path);
  const isOfPlace = file?.isNamed || (file !== undefined && file.lines > 0 && place.name === place.own);
  return best && isOfPlace && !best.isWhole ? { path: best.path, line: best.from } : null;
}

function describeFile({ path, lines, inlineLine }: NearTestFile, name: string): string {
  const notes = [
    inlineLine === 0 ? '' : `the tests within the file, from line ${inlineLine}`,
    lines === 0 ? '' : `${formatCounted(lines, 'line')} with \`${name}\``,
  ].filter((note) => note !== '');
  return notes.length === 0 ? path : `${path} (${notes.join(', ')})`;
}

/** Best first: by the file's name, then by how often it names the function, then by how near its folder is. */
async function findNearTestFiles(
  lookups: Lookups,
  { path, name, names, report, uses: hits }: TestedPlace,
): Promise<readonly NearTestFile[]> {
  const uses = Map.groupBy(
    hits.filter((hit) => isTestFile(hit.path)),
    (hit) => hit.path,
  );
  const tests = lookups.ground.index.paths.filter(isTestFile);
  const said = {
    names: new Set(names.map((each) => each.toLowerCase())),
    stems: tests.length > MOST_COMPARED ? new Map<string, number>() : dropCommonStems(listReportStems(report), tests),
  };
  const named = new Map(
    tests.map((each) => [each, Math.max(rateName(each, path, name), rateSaid(each, said))] as const),
  );
  const paths = [...named].flatMap(([each, rate]) => (uses.has(each) || rate > 0 ? [each] : []));
  const inlineLine = await findInlineTests(lookups, path);
  const isOwnTest = inlineLine > 0 || (uses.has(path) && path.endsWith('.rs'));
  const files = [...new Set([...paths, ...(isOwnTest ? [path] : [])])];
  const rated = files.map((each) => {
    const own = each === path ? inlineLine : 0;
    const lines = (uses.get(each) ?? []).filter(({ line }) => line > own).length;
    const rate = each === path ? BY_NAME : (named.get(each) ?? 0);
    return {
      path: each,
      lines,
      inlineLine: own,
      isNamed: rate >= BY_NAME,
      // A name that many tests use says little about any of them.
      score: rate + Math.min(MOST_USES, lines) / Math.sqrt(uses.size || 1) + countShared(each, path),
    };
  });
  return rated.sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1));
}

/** Rust keeps tests in a module of the file that they test. The line where it begins; 0: there is none. */
async function findInlineTests(lookups: Lookups, path: string): Promise<number> {
  if (!path.endsWith('.rs')) return 0;
  const read = await attempt(lookups, `read ${path}`, () => lookups.tree.read(path, {}, lookups.signal));
  const lines = read?.kind === 'text' ? read.text.split(/\r?\n/) : [];
  return lines.findIndex((line) => INLINE_TESTS.test(line) && line.trimEnd().endsWith('{')) + 1;
}

/** What was recorded of a run, or is there to be read by one, has no cases. */
const NO_CASES = /(?:^|\/)(?:__snapshots__|snapshots?|fixtures?|testdata|__mocks__)\//;

function isTestFile(path: string): boolean {
  return classifyFile(path) === 'test' && isProgram(path) && !NO_CASES.test(path);
}

/** Words of the report, each with 2 where it is in the title, else 1. */
function listReportStems(report: string): ReadonlyMap<string, number> {
  const [title = ''] = report.split('\n', 1);
  const list = (text: string) => (text.match(/[A-Za-z]{4,40}/g) ?? []).flatMap(listStems);
  const isSaid = (stem: string) => stem.length > 3 && !STOP_WORDS.has(stem);
  return new Map([
    ...list(report.slice(0, 20_000))
      .filter(isSaid)
      .map((stem) => [stem, 1] as const),
    ...list(title)
      .filter(isSaid)
      .map((stem) => [stem, 2] as const),
  ]);
}

/** To take the words of 30,000 paths holds the event loop for half a second. */
const MOST_COMPARED = 5_000;

/** A word in the paths of more tests is the project's own, and tells none of them. */
const MOST_TESTS = 3;

function dropCommonStems(stems: ReadonlyMap<string, number>, tests: readonly string[]): ReadonlyMap<string, number> {
  const holding = new Map<string, number>();
  for (const test of tests) {
    for (const stem of new Set(listStems(test))) holding.set(stem, (holding.get(stem) ?? 0) + 1);
  }
  return new Map([...stems].filter(([stem]) => (holding.get(stem) ?? 0) <= MOST_TESTS));
}

interface Said {
  /** In small letters. */
  readonly names: ReadonlySet<string>;
  readonly stems: ReadonlyMap<string, number>;
}

/** A test that has the name of an option in the report, or whose whole name is words of it; those of the title first. */
function rateSaid(test: string, { names, stems }: Said): number {
  const subject = (getSubject(getFileName(test)) ?? getFileName(test)).replace(/\.\w+$/, '');
  const own = listStems(subject);
  const rates = own.map((stem) => stems.get(stem) ?? 0);
  if (!rates.some((rate) => rate > 0)) return 0;
  const rate = BY_REPORT * rates.reduce((sum, each) => sum + each, 0);
  if (subject.length > 5 && names.has(subject.toLowerCase())) return BY_NAME + rate;
  return rates.every((each) => each > 0) ? Math.min(BY_NAME - 1, rate) : 0;
}

/** Names that say nothing of what is in the file. */
const ANY_NAME = /^(?:__init__|conftest|index|mod|main|app|setup)\.\w+$/;

/** By the file (`parsing.test.ts` of `parse.ts`), its first words, or the function (`res.redirect.js`). */
function rateName(test: string, path: string, name: string): number {
  if (ANY_NAME.test(getFileName(test))) return 0;
  const subject = getSubject(getFileName(test)) ?? getFileName(test);
  if (subject.toLowerCase() === getFileName(path).toLowerCase()) return BY_NAME;
  const parts = subject.split('.').slice(0, -1);
  if (name.length > 2 && parts.some((part) => part.toLowerCase() === name.toLowerCase())) return BY_NAME;
  const own = listStems(getFileName(path));
  const tested = listStems(subject);
  const shared = Math.min(own.length, tested.length);
  if (shared === 0 || own.slice(0, shared).join(' ') !== tested.slice(0, shared).join(' ')) return 0;
  return own.length === tested.length ? BY_NAME : BY_FIRST_WORDS;
}

/** Of the words of a file's name without its ending. */
function listStems(name: string): readonly string[] {
  return splitName(name.replace(/\.\w+$/, '')).map(stemWord);
}

/** Folders that both paths begin with. */
function countShared(a: string, b: string): number {
  const [left, right] = [a.split('/').slice(0, -1), b.split('/').slice(0, -1)];
  const end = left.findIndex((folder, index) => folder !== right[index]);
  return end === -1 ? left.length : end;
}

interface TestCase extends LineRange {
  readonly path: string;
  /** Whether it is a file in which no case was told. */
  readonly isWhole: boolean;
  readonly lines: readonly string[];
}

/** Of the files that the place's name tells, else of those that name the function; null if none is told. */
async function readBestCase(
  lookups: Lookups,
  files: readonly NearTestFile[],
  place: TestedPlace,
): Promise<TestCase | null> {
  const named = new Set(files.flatMap(({ path, isNamed }) => (isNamed ? [path] : [])));
  const using = new Set(files.flatMap(({ path, lines }) => (lines > 0 ? [path] : [])));
  const cases = await Promise.all(
    files.map(async ({ path }): Promise<readonly TestCase[]> => {
      const read = await attempt(lookups, `read ${path}`, () => lookups.tree.read(path, {}, lookups.signal));
      const lines = read?.kind === 'text' ? read.text.split(/\r?\n/) : [];
      const found = findTestCases(lines);
      // Tables of cases, such as those of a linter's rules, are no cases one by one.
      const isWhole = found.length === 0 && named.has(path) && read !== null;
      const ranges = isWhole ? [{ from: 1, to: lines.length }] : found;
      return ranges.map((range) => ({ ...range, path, isWhole, lines: lines.slice(range.from - 1, range.to) }));
    }),
  );
  const near = cases.flat().filter(({ path }) => named.has(path));
  const used = cases.flat().filter(({ path }) => using.has(path));
  return pickBestCase(near, place) ?? near[0] ?? pickBestCase(used, place);
}

function formatCase({ path, lines, from }: TestCase): readonly string[] {
  const shown = lines.slice(0, MAX_CASE);
  const rows = shown.map((line, index) => `  ${String(from + index).padStart(4)} | ${cutText(line, 200)}`);
  const cut = lines.length > shown.length ? [`… ${lines.length - shown.length} more lines of this case`] : [];
  return [`${path}:${from}-${from + shown.length - 1}:`, ...rows, ...cut];
}

/** The case with most of the names, each worth more the fewer cases have it; of equal ones the shortest. */
function pickBestCase(cases: readonly TestCase[], { name, names }: TestedPlace): TestCase | null {
  const sought = [...new Set([name, ...names.slice(0, MAX_NAMES)])].filter((each) => each.length > 2);
  const texts = cases.map(({ lines }) => lines.join('\n'));
  const worth = sought.map((each) => {
    const holding = texts.filter((text) => text.includes(each)).length;
    return (each === name ? OWN_NAME : 1) * Math.log(1 + cases.length / Math.max(1, holding));
  });
  const scores = texts.map((text) =>
    sought.reduce((sum, each, index) => sum + (text.includes(each) ? (worth[index] ?? 0) : 0), 0),
  );
  let best = -1;
  for (const [index, score] of scores.entries()) {
    const most = scores[best] ?? 0;
    const isShorter = (cases[index]?.lines.length ?? 0) < (cases[best]?.lines.length ?? 0);
    if (score > most || (score === most && score > 0 && isShorter)) best = index;
  }
  return cases[best] ?? null;
}

/** How a case begins: `it('…')`, `def test_x`, `func TestX`, `#[test] fn x`, `@Test void x()`. */
const CASE =
  /^\s*(?:(?:it|test|specify|scenario|bench)(?:\.\w{1,20}){0,2}\s*[(`"']|(?:async\s+)?def\s+test|func\s+(?:\([^)]{0,80}\)\s*)?Test|(?:(?:public|private|internal|async)\s+){0,3}(?:suspend\s+)?(?:void|fun|Task)\s+[\w`]|(?:async\s+)?fn\s+\w)/;

/** What may precede the line that begins a case. */
const MARK = /^\s*(?:@\w|#\[|\[\w)/;

const INLINE_TESTS = /^\s*mod\s+tests?\b/;

/** The cases of a test file, or of the part of a source file that holds its tests; judged by indentation. */
export function findTestCases(lines: readonly string[]): readonly LineRange[] {
  const inline = lines.findIndex((line) => INLINE_TESTS.test(line));
  const cases: LineRange[] = [];
  for (let index = inline + 1; index < lines.length; index++) {
    if (!CASE.test((lines[index] ?? '').slice(0, 300))) continue;
    let from = index;
    while (from > 0 && MARK.test(lines[from - 1] ?? '')) from--;
    const last = findCaseEnd(lines, index);
    cases.push({ from: from + 1, to: last + 1 });
  }
  return cases;
}

/** Index of the last line that is indented further, or of the bracket that closes the case. */
function findCaseEnd(lines: readonly string[], start: number): number {
  const own = measureTestIndent(lines[start] ?? '');
  let last = start;
  for (let index = start + 1; index < lines.length; index++) {
    const line = lines[index] ?? '';
    if (line.trim() === '') continue;
    if (measureTestIndent(line) > own) last = index;
    else return /^\s*[)}\]]/.test(line) && measureTestIndent(line) === own ? index : last;
  }
  return last;
}

function measureTestIndent(line: string): number {
  return line.length - line.trimStart().length;
}
