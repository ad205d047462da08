// Red checks against the issues that people tied such failures to: which issue covers a finding, and what is counted for it.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { compilePattern, isSameFile } from '../../ci/index.ts';
import type { ChangedFiles, Finding, HeadPlace, KnownIssue, KnownMatch } from '../../core/check/index.ts';
import { classifyFile } from '../../triage/index.ts';
import { findTestFile } from './find-test-file.ts';
import type { Look } from './look.ts';
import { makeSightingKey, type Recorded } from './sightings.ts';

/** What was recorded of a failed check, as a pattern is compared with it. */
export function listPatternLines({ excerpt }: Pick<Finding, 'excerpt'>): readonly string[] {
  return [excerpt.headline, ...excerpt.tests, ...excerpt.lines];
}

/** The findings with the issue of each, where there is one; counted there. */
export async function addKnown(
  look: Look,
  place: HeadPlace,
  recorded: readonly Recorded[],
): Promise<readonly Recorded[]> {
  const { store } = look.services;
  const tied = (await store.listKnownIssues(look.project.id)).filter(({ ties }) => ties.length > 0);
  if (tied.length === 0) return recorded;
  const findIssue = createIssueFinder(look, tied);
  const added: Recorded[] = [];
  for (const one of recorded) {
    const found = one.group.suspects.some(({ isRed }) => isRed) ? await findIssue(one) : null;
    const match = found === null ? null : await toMatch(look, place, one, found);
    if (found !== null && match !== null) await countKnown(look, place, one, { found, match });
    const { known: before, ...finding } = one.finding;
    const known = match ?? (found === null && before?.code === 'known' ? before : null);
    added.push({ ...one, finding: known === null ? finding : { ...finding, known } });
  }
  return added;
}

/** `endedAt`: "" while the issue is open. */
interface FoundIssue {
  readonly id: string;
  readonly number: number;
  readonly endedAt: string;
}

type IssueFinder = (recorded: Recorded) => Promise<FoundIssue | null>;

/** An open issue before one that has ended, and what was tied itself before a pattern. */
function createIssueFinder(look: Look, tied: readonly KnownIssue[]): IssueFinder {
  const open = tied.filter(({ state }) => state === 'open');
  // That an issue is gone says nothing of what was tied to it.
  const ended = tied.filter((one) => one.state === 'ended' && one.ended?.by !== 'gone').toReversed();
  const matches = createMatcher();
  const readState = createStateReader(look);
  return async (one) => {
    for (const issues of [open, ended]) {
      const direct = issues.find(({ ties }) =>
        ties.some((tie) => tie.kind === 'failure' && tie.failureId === one.failure.id),
      );
      const issue = direct ?? (await findAsync(issues, (known) => matches(known, one.finding)));
      if (issue === undefined) continue;
      const { id, number } = issue;
      // What was covered at an earlier look was so then; what is new is asked of GitHub.
      const isSeen = one.group.before?.known?.issue === number;
      const endedAt = issue.ended?.at ?? (isSeen ? '' : await readState(issue));
      if (endedAt === null) continue;
      return { id, number, endedAt };
    }
    return null;
  };
}

async function findAsync<T>(all: readonly T[], test: (one: T) => Promise<boolean>): Promise<T | undefined> {
  for (const one of all) if (await test(one)) return one;
  return undefined;
}

/** Whether a pattern of the issue matches; each is compiled once. */
function createMatcher() {
  const compiled = new Map<string, ReturnType<typeof compilePattern>>();
  return async ({ ties }: KnownIssue, finding: Finding): Promise<boolean> => {
    const lines = listPatternLines(finding);
    for (const tie of ties) {
      if (tie.kind !== 'pattern') continue;
      const pattern = compiled.get(tie.pattern) ?? compilePattern(tie.pattern);
      compiled.set(tie.pattern, pattern);
      if (pattern.kind === 'compiled' && pattern.findLine(lines) !== null) return true;
      await nextTurn();
    }
    return false;
  };
}

/** When the issue was closed, as GitHub says now; "" where it is open, null where it is gone. A delivery that says so may be lost. */
function createStateReader({ services, project, signal, now }: Look): (known: KnownIssue) => Promise<string | null> {
  const read = new Map<string, string | null>();
  return async ({ id, number }) => {
    const known = read.get(id);
    if (known !== undefined) return known;
    const state = await services.checks.readIssue(project, number, signal);
    const at = state.kind === 'open' ? '' : (state.kind === 'closed' && state.closedAt) || now();
    if (state.kind !== 'open') {
      const by = state.kind;
      await services.store.endKnownIssue({ projectId: project.id, number, by, person: null, at, now: now() });
    }
    const found = state.kind === 'gone' ? null : at;
    read.set(id, found);
    return found;
  };
}

/** Null: the issue has ended, and the checks failed before that. */
async function toMatch(
  look: Look,
  place: HeadPlace,
  { group, finding }: Recorded,
  { number: issue, endedAt }: FoundIssue,
): Promise<KnownMatch | null> {
  const before = group.before?.known;
  if (endedAt !== '') {
    const isAfter = group.suspects.some(({ check, isRed }) => isRed && toTimeOf(check.endedAt) > toTimeOf(endedAt));
    if (isAfter) return { code: 'returned', issue, endedAt };
    return before?.issue === issue ? before : null;
  }
  const path = place.kind === 'pull_request' ? findTouched(finding, await look.readChanged(place)) : null;
  return path === null ? { code: 'known', issue } : { code: 'touched', issue, path };
}

function toTimeOf(at: string): number {
  return Date.parse(at) || 0;
}

/**
 * The file of a failing test or of the cause that the change touches; null: none. "": it isn't known which. Where the file of a failing test isn't known, it may be any test that the change touches; where the machine failed
 * before any test did, there is none.
 */
function findTouched(finding: Finding, changed: ChangedFiles | null): string | null {
  if (changed === null || changed.isCut) return '';
  const certain = finding.reached?.find(({ isCertain }) => isCertain)?.path;
  const { paths, areAll } = listTestFiles(finding);
  const named = [...finding.places.map(({ path }) => path), ...paths];
  const mayBeAnyTest = !areAll && (finding.verdict !== 'infrastructure' || finding.excerpt.tests.length > 0);
  const isTouched = (path: string) =>
    named.some((name) => isSameFile(path, name)) || (mayBeAnyTest && classifyFile(path) === 'test');
  const touched = certain ?? changed.paths.find(isTouched);
  return touched ?? (finding.isTouched === true ? '' : null);
}

/** Of several tests each has to be named with its file: that of one says nothing of the others. */
function listTestFiles(finding: Finding): { readonly paths: readonly string[]; readonly areAll: boolean } {
  const { excerpt } = finding;
  const isOne = excerpt.tests.length <= 1;
  const found = isOne
    ? [findTestFile(finding)]
    : excerpt.tests.map((name) => findTestFile({ excerpt: { ...excerpt, tests: [name] }, places: [] }));
  const paths = found.filter((path) => path !== null);
  return { paths, areAll: paths.length === found.length };
}

async function countKnown(
  { services, head, now }: Look,
  place: HeadPlace,
  { group, failure }: Recorded,
  { found, match }: { readonly found: FoundIssue; readonly match: KnownMatch },
): Promise<void> {
  if (match.code === 'touched') return;
  const pullRequest = place.kind === 'pull_request' ? place.number : null;
  const hits = group.suspects
    .filter(({ isRed }) => isRed)
    .map(({ check }) => ({
      key: makeSightingKey(check, head.sha),
      failureId: failure.id,
      sha: head.sha,
      pullRequest,
      checkName: check.name,
      isAfterEnd: match.code === 'returned',
      at: check.endedAt || check.startedAt || head.createdAt,
    }));
  await services.store.recordKnownHits(found.id, hits, now());
}
