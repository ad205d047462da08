// What red checks say: those that an earlier look has judged are recognised, the others are read and grouped by their
// cause.
import type { ReadCheck, UnreadFile } from 'causeway-ci-log';
import {
  ALL_OUTPUT,
  type Check,
  type Finding,
  type Head,
  type HeadPlace,
  type OutputLimits,
} from '../../core/check/index.ts';
import {
  type CleanTexts,
  isFromOutside,
  OUTSIDE_OUTPUT,
  REPORT_LOG_BYTES,
  readCheckTexts,
  shortenForReport,
} from './check-texts.ts';
import type { Look } from './look.ts';
import type { BaseChecks } from './read-base.ts';
import type { SuspectCheck } from './sort-checks.ts';

export interface ReadSuspect {
  readonly suspect: SuspectCheck;
  readonly read: ReadCheck;
  /** Why there is no log; "" where there is one. */
  readonly noLog: string;
  /** Result files that are not read. */
  readonly unread: readonly UnreadFile[];
  /** Kept for few causes, so that the logs of all checks are never in memory at once; null: not kept. */
  readonly texts: CleanTexts | null;
}

/** Red checks of one cause. */
export interface Group {
  readonly fingerprint: string;
  readonly suspects: readonly SuspectCheck[];
  readonly reads: readonly ReadSuspect[];
  /** What an earlier look at this commit found; null: this is the first. */
  readonly before: Finding | null;
}

/** `checks`: read per commit. `texts`: causes with stored texts. */
const LIMITS = { checks: 40, output: ALL_OUTPUT, texts: 5 };
/** Where anyone may have written what is read, and no investigation begins by itself. */
const OUTSIDE_LIMITS = { checks: 10, output: OUTSIDE_OUTPUT, texts: 0 };
const READ_AT_ONCE = 2;

/** The checks grouped by cause, and those that were not read. */
export async function readSuspects(
  look: Look,
  place: HeadPlace,
  suspects: readonly SuspectCheck[],
  readBase: () => Promise<BaseChecks>,
): Promise<{ readonly groups: readonly Group[]; readonly leftOut: Head['leftOut'] }> {
  const limits = isFromOutside(place) ? OUTSIDE_LIMITS : LIMITS;
  const causes = await recogniseSuspects(look, suspects);
  const unknown = suspects.filter((suspect) => !causes.has(suspect));
  const chosen = orderByKind(unknown).slice(0, Math.max(0, limits.checks - causes.size));
  const reads = chosen.length === 0 ? [] : await readAll(look, limits, { chosen, base: await readBase() });
  for (const { suspect, read } of reads) causes.set(suspect, read.fingerprint);
  const leftOut: Head['leftOut'][number][] = [];
  for (const suspect of unknown.filter((one) => !causes.has(one))) {
    // One job of a matrix mostly fails for the same cause as the next.
    const sibling = [...causes].find(([other]) => findKind(other) === findKind(suspect));
    if (sibling !== undefined) causes.set(suspect, sibling[1]);
    else
      leftOut.push({ name: suspect.check.name, reason: `Only ${limits.checks} red checks of this commit are read.` });
  }
  return { groups: await groupByCause(look, suspects, causes, reads), leftOut };
}

/** The fingerprint of each check that an earlier look has judged and recorded. */
async function recogniseSuspects(
  { services, head }: Look,
  suspects: readonly SuspectCheck[],
): Promise<Map<SuspectCheck, string>> {
  const known = new Map<SuspectCheck, string>();
  for (const { failureId, checks } of head.findings) {
    const seen = suspects.filter(({ check: { runId } }) => runId !== null && checks.some((one) => one.runId === runId));
    const failure = seen.length === 0 ? null : await services.store.findFailure(failureId);
    if (failure !== null) for (const suspect of seen) known.set(suspect, failure.fingerprint);
  }
  return known;
}

/** One of each kind first, then the second of each, so that a large matrix does not crowd out the others. */
function orderByKind(suspects: readonly SuspectCheck[]): readonly SuspectCheck[] {
  const counts = new Map<string, number>();
  const ranked = suspects.map((suspect) => {
    const kind = findKind(suspect);
    const rank = counts.get(kind) ?? 0;
    counts.set(kind, rank + 1);
    return { suspect, rank };
  });
  return ranked.toSorted((a, b) => a.rank - b.rank).map(({ suspect }) => suspect);
}

/** Jobs of a matrix have the name of the job, followed by what differs: `test (ubuntu, 20)`, `test-3`. */
function findKind({ check }: SuspectCheck): string {
  const stem = check.name.replace(/(?<!\s)\s*\([^()]*\)\s*$/, '').replace(/[\s\-_:#/]{0,20}\d[\d./]{0,40}$/, '');
  return `${check.app}\n${stem === '' ? check.name : stem}`;
}

async function readAll(
  look: Look,
  limits: typeof LIMITS | typeof OUTSIDE_LIMITS,
  { chosen: suspects, base }: { readonly chosen: readonly SuspectCheck[]; readonly base: BaseChecks },
): Promise<readonly ReadSuspect[]> {
  const reads: ReadSuspect[] = [];
  const kept = new Set<string>();
  for (let from = 0; from < suspects.length; from += READ_AT_ONCE) {
    const some = suspects
      .slice(from, from + READ_AT_ONCE)
      .map((suspect) =>
        readOne(look, suspect, { base, limits: { ...limits.output, resultBudget: look.resultBudget } }),
      );
    for (const one of await Promise.all(some)) {
      const { fingerprint } = one.read;
      const isKept = one.suspect.isRed && kept.size < limits.texts && !kept.has(fingerprint);
      if (isKept) kept.add(fingerprint);
      reads.push(isKept ? one : { ...one, texts: null });
    }
  }
  return reads;
}

async function readOne(
  look: Look,
  suspect: SuspectCheck,
  { base, limits }: { readonly base: BaseChecks; readonly limits: OutputLimits },
): Promise<ReadSuspect> {
  const texts = await readCheckTexts(look, suspect.check, limits);
  const { noLog, unread = [], ...words } = texts.words;
  const before = base.findFailed(suspect.check);
  const read = await look.services.readCheck({
    name: suspect.check.name,
    output: texts.output,
    ...words,
    ...(before !== null && { before }),
  });
  look.signal.throwIfAborted();
  return { suspect, read, noLog, unread, texts: await shortenForReport(texts, look.signal) };
}

async function groupByCause(
  { services, project, head }: Look,
  suspects: readonly SuspectCheck[],
  causes: ReadonlyMap<SuspectCheck, string>,
  reads: readonly ReadSuspect[],
): Promise<readonly Group[]> {
  const groups: Group[] = [];
  for (const fingerprint of new Set(suspects.flatMap((suspect) => causes.get(suspect) ?? []))) {
    const failure = await services.store.findFailureByFingerprint(project.id, fingerprint);
    groups.push({
      fingerprint,
      suspects: suspects.filter((suspect) => causes.get(suspect) === fingerprint),
      reads: reads.filter(({ read }) => read.fingerprint === fingerprint),
      before: head.findings.find(({ failureId }) => failureId === failure?.id) ?? null,
    });
  }
  return groups;
}

/** Green runs of one check that are tried for a comparison. */
const MOST_GREEN = 5;
/** For all comparisons of one look; the verdict waits for them. */
const COMPARE_MS = 20_000;
const PASSING: OutputLimits = { logBytes: REPORT_LOG_BYTES, artifactBytes: 0 };

/**
 * Compares failed checks that have stored texts with a passing run, so that the excerpt leaves out what both print. If
 * that fails, the check is kept as it is, and no further one is compared this time.
 */
export function createComparison(
  look: Look,
  place: HeadPlace,
  base: BaseChecks,
): (red: ReadSuspect) => Promise<ReadSuspect> {
  let hasFailed = false;
  let limit: AbortSignal | null = null;
  return async (red) => {
    if (hasFailed || !isComparable(red)) return red;
    limit ??= AbortSignal.timeout(COMPARE_MS);
    const within = { ...look, signal: AbortSignal.any([look.signal, limit]) };
    try {
      const green = await findGreenRun(within, place, red.suspect.check);
      if (green === null || red.texts === null) return red;
      const passing = (await readCheckTexts(within, green, PASSING)).words.log;
      const { output, words } = red.texts;
      const before = base.findFailed(red.suspect.check);
      const texts = { name: red.suspect.check.name, output, ...words, passing, ...(before !== null && { before }) };
      const read = await look.services.readCheck(texts);
      look.signal.throwIfAborted();
      return read.fingerprint === red.read.fingerprint ? { ...red, read } : red;
    } catch (error) {
      look.signal.throwIfAborted();
      hasFailed = true;
      look.services.log.debug({ head: look.head.id, err: error }, 'failed to compare a red check with a green run');
      return red;
    }
  };
}

/** Only logs of GitHub Actions can be read. */
function isComparable({ suspect: { check }, read, texts }: ReadSuspect): boolean {
  const hasLog = check.app === 'github-actions' && (texts?.words.log ?? '') !== '';
  return hasLog && read.isInformative && read.infrastructure === null;
}

/**
 * A run at this commit, or at the base of the pull request, or else the newest at one of its ancestors: a fork may have
 * a branch of the same name, so only commits that ours contains count.
 */
async function findGreenRun(look: Look, place: HeadPlace, { name, app }: Check): Promise<Check | null> {
  const { services, project, head, isAncestor, signal } = look;
  const to = place.kind === 'pull_request' ? place.base.sha : head.sha;
  const greens = (await services.store.listPassingChecks(project.id, { name, app })).filter(
    ({ runId }) => runId !== null,
  );
  const same = greens.find(({ sha }) => sha === to);
  for (const { sha: from, at, runId } of same === undefined ? greens.slice(0, MOST_GREEN) : [same]) {
    signal.throwIfAborted();
    if (from !== to && !(await isAncestor({ from, to }))) continue;
    return toPassingRun({ name, app }, { at, runId });
  }
  return null;
}

/** Of what is noted of a check that passed: all that reading its log takes. */
export function toPassingRun(
  { name, app }: Pick<Check, 'name' | 'app'>,
  { at, runId }: { readonly at: string; readonly runId: number | null },
): Check {
  return {
    name,
    app,
    runId,
    state: 'green',
    conclusion: 'success',
    startedAt: '',
    endedAt: at,
    url: '',
    title: '',
    summary: '',
    text: '',
    annotations: 0,
  };
}
