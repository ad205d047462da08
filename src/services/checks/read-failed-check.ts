// The red checks that a run investigates, as data: what its conclusion must be about.

import { matchError } from 'causeway-ci-log';
import { diffLines, toLines } from 'causeway-diff';
import type { Repository } from 'causeway-git-objects';
import { createReacher } from '../../ci/index.ts';
import { EMPTY_EXCERPT, type Failure, type Finding, type Head, nameFailure } from '../../core/check/index.ts';
import { CausewayError } from '../../core/errors.ts';
import { isTestPath } from '../../core/proof/index.ts';
import { findSpans, type Span } from '../../core/source/index.ts';
import type { Run, Store } from '../../db/index.ts';
import type { FailedCheckGround } from '../../investigate/index.ts';

interface Red {
  readonly finding: Finding;
  /** Null: deleted. */
  readonly failure: Failure | null;
}

/** Null: the report is about no check, or its commit was not judged, such as one of our own branches. */
export async function readFailedCheck(
  store: Store,
  run: Run,
  repository: Repository,
  signal: AbortSignal,
): Promise<FailedCheckGround | null> {
  const found = await readRed(store, run);
  if (found === null) return null;
  const { head, failures } = found;
  const findings = failures.map(({ finding }) => finding);
  const excerpts = findings.map(({ excerpt }) => excerpt);
  const ranges = failures.flatMap(({ failure }) => failure?.range ?? []);
  const lines = listDistinct(excerpts.flatMap(({ headline, lines: all }) => [headline, ...all.filter(isQuotable)]));
  const before = head.place?.kind === 'pull_request' ? head.place.base.sha : (ranges[0]?.from ?? '');
  const tests = listDistinct(excerpts.flatMap((excerpt) => excerpt.tests));
  const reach = createReacher(
    repository.tree(head.sha),
    { places: findings.flatMap(({ places }) => places), excerpt: { ...EMPTY_EXCERPT, tests } },
    signal,
  );
  const readNow = createFailedCheckReader(repository, head.sha, signal);
  const readBefore = createFailedCheckReader(repository, before, signal);
  return {
    tests,
    lines,
    errors: lines.filter((line) => !FRAME.test(line)),
    textsOf: async (file) => ({ now: await readNow(file), before: await readBefore(file) }),
    reach,
  };
}

/** Of the red checks that the run is about; empty: it is about none. */
export async function listRunFindings(store: Store, run: Run): Promise<readonly Finding[]> {
  return ((await readRed(store, run))?.failures ?? []).map(({ finding }) => finding);
}

/** What failed, in a line for each cause; "" where nothing is known of it. */
export async function nameFailedCheck(store: Store, run: Run): Promise<string> {
  const failures = (await readRed(store, run))?.failures ?? [];
  return listDistinct(failures.map(({ finding }) => nameFailure(finding.excerpt)))
    .slice(0, MOST_NAMED)
    .join('\n');
}

const MOST_NAMED = 5;

/** A line that a change made or stands at, in the file as it is after the change. */
export interface ChangedPlace {
  readonly file: string;
  readonly line: number;
  /** That the line is in; "" where no function holds it. */
  readonly function: string;
}

/**
 * Where the change under test touches what fails, files that are no tests first, at most three; null where no change of
 * a pull request breaks all of it. Throws what the repository throws.
 */
export async function findOwnChange(
  store: Store,
  run: Run,
  repository: Repository,
  signal: AbortSignal,
): Promise<readonly ChangedPlace[] | null> {
  const red = await readRed(store, run);
  const findings = red?.failures.map(({ finding }) => finding) ?? [];
  const head = red?.head ?? null;
  const place = head?.place;
  if (head === null || place?.kind !== 'pull_request' || findings.some(({ verdict }) => verdict !== 'code'))
    return null;
  const reached = listDistinct(findings.flatMap((finding) => (finding.reached ?? []).map(({ path }) => path)));
  const named = findings.flatMap(({ places }) => places);
  const readBefore = createFailedCheckReader(repository, place.base.sha, signal);
  const readNow = createFailedCheckReader(repository, head.sha, signal);
  const findPlace = async (file: string): Promise<ChangedPlace[]> => {
    const [before, now] = [await readBefore(file), await readNow(file)];
    if (before === null || now === null) return [];
    const near = named.find(({ path, line }) => path === file && line > 0)?.line ?? 0;
    const line = findChangedLine(before, now, near);
    if (line === null) return [];
    const spans = findSpans(file, now, await repository.tree(head.sha).outline(file, signal));
    return [{ file, line, function: findFunction(spans, line) }];
  };
  const found: ChangedPlace[] = [];
  for (const file of reached.toSorted((a, b) => Number(isTestPath(a)) - Number(isTestPath(b)))) {
    if (found.length < MOST_CHANGED) found.push(...(await findPlace(file)));
  }
  return found;
}

/** The line after the change that is nearest to `near`, the first where that is 0; null where nothing changed. */
function findChangedLine(before: string, after: string, near: number): number | null {
  const [line] = diffLines(toLines(before).lines, toLines(after).lines)
    .map((hunk) => (hunk.inserted === 0 ? Math.max(1, hunk.after) : hunk.after + 1))
    .toSorted((a, b) => (near === 0 ? a - b : Math.abs(a - near) - Math.abs(b - near)));
  return line ?? null;
}

function findFunction(spans: readonly Span[], line: number): string {
  return (
    spans.findLast(({ kind, line: from, lastLine }) => kind === 'function' && from <= line && line <= lastLine)?.name ??
    ''
  );
}

const MOST_CHANGED = 3;

/** Never without a failure; null as in `readFailedCheck`. */
async function readRed(
  store: Store,
  run: Run,
): Promise<{ readonly head: Head; readonly failures: readonly Red[] } | null> {
  const investigation = await store.findInvestigation(run.investigationId);
  const head = investigation?.origin === 'check-run' ? await store.findHeadOfCommit(run.projectId, run.revision) : null;
  if (head === null) return null;
  const red: Red[] = [];
  for (const finding of head.findings.filter(({ checks }) => checks.some(({ isRed }) => isRed))) {
    red.push({ finding, failure: await store.findFailure(finding.failureId) });
  }
  if (red.length === 0) return null;
  // All that are red where a person requested the analysis of a pull request.
  const own = red.filter(({ finding, failure }) =>
    [finding.investigationId, failure?.investigationId].includes(run.investigationId),
  );
  return { head, failures: own.length > 0 ? own : red };
}

/** A line of a stack, or a test that passed: neither says what went wrong. */
const FRAME = /^\s*(?:at |File "|from \S+:\d|\d{1,4}: |#\d)|^\s*(?:✔|✓|√|ok \d|PASS\b|--- PASS)/;

/** Every log says that a process ended; that proves nothing. */
function isQuotable(line: string): boolean {
  const kind = matchError(line, false)?.kind;
  return line.trim() !== '' && kind !== 'end' && kind !== 'weak';
}

/** Reads each file once; null where it or its content is not there, or is not text. */
function createFailedCheckReader(
  repository: Repository,
  sha: string,
  signal: AbortSignal,
): (file: string) => Promise<string | null> {
  const texts = new Map<string, Promise<string | null>>();
  let listed: Promise<ReadonlySet<string>> | null = null;
  const list = async (): Promise<ReadonlySet<string>> => {
    if (sha === '' || (await repository.resolve(sha, signal)) === null) return new Set();
    return new Set((await repository.tree(sha).files(signal)).entries.map(({ path }) => path));
  };
  const read = async (file: string): Promise<string | null> => {
    listed ??= list();
    // Paths are guessed from the words of steps, and a tree takes long to answer for one that it does not have.
    if (!(await listed).has(file)) return null;
    try {
      const found = await repository.tree(sha).read(file, {}, signal);
      return found.kind === 'text' ? found.text : null;
    } catch (error) {
      // A replay reads a copy that lacks the contents of other commits.
      if (error instanceof CausewayError && error.code === 'absent') return null;
      throw error;
    }
  };
  return (file) => {
    const text = texts.get(file) ?? read(file);
    texts.set(file, text);
    return text;
  };
}

function listDistinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts.filter((text) => text !== ''))];
}
