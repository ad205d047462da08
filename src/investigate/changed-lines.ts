// The lines of a change: those that touch a secret are withheld, and those that make tests prove less are found.

import { diffLines, type FileChange, type Hunk } from 'causeway-diff';
import { toComparablePath } from 'causeway-paths';
import { REDACTED } from 'causeway-redact';
import { ASSERTION, isTestPath } from '../core/proof/index.ts';
import { splitLines } from '../core/source/index.ts';

type Redact = (text: string) => Promise<string>;

export function listChangedLines(change: FileChange): ChangedLines {
  const { before, after } = splitSides(change);
  const hunks = diffLines(before, after);
  return {
    removed: hunks.flatMap((hunk) => before.slice(hunk.before, hunk.before + hunk.removed)),
    inserted: hunks.flatMap((hunk) => after.slice(hunk.after, hunk.after + hunk.inserted)),
  };
}

/** Lines taken out and put in. */
export function countLines(change: FileChange): number {
  const { removed, inserted } = listChangedLines(change);
  return removed.length + inserted.length;
}

/** Null where nothing of it can be shown: the file is new or gone, and holds a secret. `withheld`: parts left out. */
export async function removeSecretHunks(
  change: FileChange,
  redact: Redact,
): Promise<{ readonly change: FileChange | null; readonly withheld: number }> {
  const { before, after } = splitSides(change);
  const secretBefore = await findSecretLines(before, redact);
  const secretAfter = await findSecretLines(after, redact);
  const touches = (hunk: Hunk): boolean =>
    hasAny(secretBefore, hunk.before, hunk.removed) ||
    hasAny(secretAfter, hunk.after, hunk.inserted) ||
    isMarkerWritten(hunk, before, after);
  const hunks = diffLines(before, after);
  const kept = hunks.filter((hunk) => !touches(hunk));
  const withheld = hunks.length - kept.length;
  if (withheld === 0) return { change, withheld };
  if (change.kind === 'added' || change.kind === 'deleted') return { change: null, withheld };
  return { change: { ...change, after: applyHunks(kept, before, after).join('') }, withheld };
}

/** Lines with their line feeds, so that joining them gives the text again. */
function splitSides(change: FileChange): { readonly before: readonly string[]; readonly after: readonly string[] } {
  return {
    before: change.kind === 'added' ? [] : splitLines(change.before),
    after: change.kind === 'deleted' ? [] : splitLines(change.after),
  };
}

/** Indices of the lines that do not stay as they are when secrets are taken out: a key may run over many. */
async function findSecretLines(lines: readonly string[], redact: Redact): Promise<ReadonlySet<number>> {
  const text = lines.join('');
  const clean = await redact(text);
  if (clean === text) return new Set();
  const hunks = diffLines(lines, splitLines(clean));
  return new Set(hunks.flatMap(({ before, removed }) => Array.from({ length: removed }, (_, index) => before + index)));
}

function hasAny(lines: ReadonlySet<number>, from: number, count: number): boolean {
  for (let index = from; index < from + count; index++) if (lines.has(index)) return true;
  return false;
}

/** The model sees this marker in place of a secret: an edit that writes it would overwrite the secret. */
function isMarkerWritten(hunk: Hunk, before: readonly string[], after: readonly string[]): boolean {
  const has = (line: string): boolean => line.includes(REDACTED);
  const fresh = after.slice(hunk.after, hunk.after + hunk.inserted);
  return fresh.some(has) && !before.slice(hunk.before, hunk.before + hunk.removed).some(has);
}

function applyHunks(hunks: readonly Hunk[], before: readonly string[], after: readonly string[]): readonly string[] {
  const out: string[] = [];
  let at = 0;
  for (const hunk of hunks) {
    for (const line of before.slice(at, hunk.before)) out.push(line);
    for (const line of after.slice(hunk.after, hunk.after + hunk.inserted)) out.push(line);
    at = hunk.before + hunk.removed;
  }
  for (const line of before.slice(at)) out.push(line);
  return out;
}

/** Lines that the change takes out and puts in, over the whole file. */
interface ChangedLines {
  readonly removed: readonly string[];
  readonly inserted: readonly string[];
}

interface Loosening {
  readonly rule: 'person/tests-deleted' | 'person/tests-skipped' | 'person/tests-loosened';
  readonly reason: string;
}

/** What a test compares with: changed data is a changed expectation. */
const EXPECTED_DATA = /(?:snap|snapshots?|golden|expected|approved|baselines?|__image_snapshots__)(?:[^a-z]|$)/;

/** Marks that skip a test or keep it from counting, in any file: Rust and Python keep tests next to the code. */
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

const TEST_CASE =
  /\b(?:it|test|describe|scenario|specify|context|bench)\s*(?:\.\s*\w+\s*)?(?:\(|['"`])|\bdef\s+test\w*|\bclass\s+(?:Test\w*|\w+Tests?)\b|\bfunc\s+(?:\([^)]{0,200}\)\s*)?(?:Test|Benchmark|Fuzz|Example|test)\w*|#\s*\[\s*(?:\w+::)*(?:test|rstest)\b|@(?:Test|ParameterizedTest|RepeatedTest)\b|\[\s*(?:Fact|Theory|Test\w*)\b|\bTEST(?:_[FP])?\s*\(|\bfunction\s+test\w*/;

/** What the change loosens, each kind once. `lines` are those of this change. */
export function findLoosenings(change: FileChange, lines: ChangedLines): readonly Loosening[] {
  const before = change.kind === 'renamed' ? change.previousPath : change.path;
  const wasTest = change.kind !== 'added' && isTestPath(before);
  if (wasTest && (change.kind === 'deleted' || !isTestPath(change.path))) {
    const reason = change.kind === 'deleted' ? 'a test is deleted' : 'a test is moved to where it may not be run';
    return [{ rule: 'person/tests-deleted', reason }];
  }
  const gone = removeSharedLines(lines.removed, lines.inserted);
  const fresh = removeSharedLines(lines.inserted, lines.removed);
  const inTest = isTestPath(change.path);
  const skipped: readonly Loosening[] = fresh.some((line) => isSkip(line, inTest))
    ? [{ rule: 'person/tests-skipped', reason: 'a test is kept from running or from counting' }]
    : [];
  const reason = explainLoosened(
    gone,
    wasTest,
    EXPECTED_DATA.test(toComparablePath(before)) && gone.length + fresh.length > 0,
  );
  return reason === '' ? skipped : [...skipped, { rule: 'person/tests-loosened', reason }];
}

/** A changed expectation may be a looser one: only a person can tell. */
function explainLoosened(gone: readonly string[], wasTest: boolean, isData: boolean): string {
  if (gone.some((line) => TEST_CASE.test(line))) return 'a test case is removed or changed';
  if (!wasTest) return '';
  if (gone.some((line) => ASSERTION.test(line))) return 'an expectation of a test is removed or changed';
  return isData ? 'data that a test compares with is changed' : '';
}

function isSkip(line: string, inTest: boolean): boolean {
  return SKIPS.some((mark) => mark.test(line)) || (inTest && SKIPS_IN_TESTS.some((mark) => mark.test(line)));
}

/** Lines that the other list does not have: what was only moved or indented differently is the same. */
function removeSharedLines(lines: readonly string[], others: readonly string[]): readonly string[] {
  const left = new Map<string, number>();
  for (const line of others) left.set(foldWhitespace(line), (left.get(foldWhitespace(line)) ?? 0) + 1);
  return lines.flatMap((line) => {
    const key = foldWhitespace(line);
    const count = left.get(key) ?? 0;
    left.set(key, count - 1);
    return count > 0 ? [] : [shortenChangedLine(line)];
  });
}

function foldWhitespace(line: string): string {
  return line.trim().replace(/\s+/g, ' ');
}

/** No expression looks at more of a line: a minified file must not cost seconds. */
function shortenChangedLine(line: string): string {
  return line.slice(0, 2_000);
}
