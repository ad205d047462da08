// What red checks say: those judged before are recognised, the others read, few at a time, and compared with a green run of the same check.
import type { ReadCheck } from '../../ci/read-check.ts';
import type { Check, CheckWords } from '../../core/check.ts';
import type { Finding, Head, HeadPlace } from '../../core/head.ts';
import {
  type CleanTexts,
  OUTSIDE_LOG_BYTES,
  REPORT_LOG_BYTES,
  readCheckTexts,
  shortenForReport,
} from './check-texts.ts';
import type { Look } from './look.ts';
import type { Suspect } from './sort-checks.ts';

export interface ReadSuspect {
  readonly suspect: Suspect;
  readonly read: ReadCheck;
  readonly words: Pick<CheckWords, 'noLog'>;
  /** Cleaned of secrets, the log only as far as a report holds it; null: let go, so that not every log is kept until the last is read. */
  readonly said: CleanTexts | null;
}

/** Red checks of one cause. */
export interface Group {
  readonly fingerprint: string;
  readonly suspects: readonly Suspect[];
  readonly reads: readonly ReadSuspect[];
  /** What was found of them at an earlier look; null: this is the first. */
  readonly before: Finding | null;
}

interface ReadSuspects {
  readonly groups: readonly Group[];
  readonly leftOut: Head['leftOut'];
}

interface Bounds {
  /** Checks of one head whose words are read. */
  readonly mostRead: number;
  /** What of a log is read; absent: as much as there ever is. */
  readonly logBytes?: number;
  /** Causes whose words are kept for an investigation of each. */
  readonly mostKept: number;
}

const BOUNDS: Bounds = { mostRead: 40, mostKept: 5 };

/** Where anybody may have written what is read, and nothing begins unasked. */
const BOUNDS_OF_OUTSIDERS: Bounds = { mostRead: 10, logBytes: OUTSIDE_LOG_BYTES, mostKept: 0 };

const AT_A_TIME = 2;

/** Throws what `Checks.said` throws. */
export async function readSuspects(look: Look, place: HeadPlace, suspects: readonly Suspect[]): Promise<ReadSuspects> {
  const bounds = isOfOutsiders(place) ? BOUNDS_OF_OUTSIDERS : BOUNDS;
  const known = await recogniseSuspects(look, suspects);
  const fresh = suspects.filter((suspect) => !known.has(suspect));
  const chosen = new Set(spreadByKind(fresh).slice(0, Math.max(0, bounds.mostRead - known.size)));
  const reads = await readAll(look, bounds, [...chosen]);
  const causes = new Map([...known, ...reads.map(({ suspect, read }) => [suspect, read.fingerprint] as const)]);
  const leftOut: Head['leftOut'][number][] = [];
  for (const suspect of fresh) {
    if (causes.has(suspect)) continue;
    const cause = findSiblingCause(suspect, causes);
    if (cause === null) leftOut.push({ name: suspect.check.name, reason: describeLimit(bounds) });
    else causes.set(suspect, cause);
  }
  return { groups: await groupByCause(look, { suspects, causes, reads }), leftOut };
}

/** Whether anybody may have written what is read. */
export function isOfOutsiders(place: HeadPlace): boolean {
  return place.kind === 'pull_request' && (place.isFork || !place.isTrusted);
}

function describeLimit({ mostRead }: Bounds): string {
  return `Only ${mostRead} red checks of such a commit are read, and none of those is of its kind.`;
}

/** Of checks that an earlier look has judged, the fingerprint, as far as the ledger has it: a look may have been cut short before that. */
async function recogniseSuspects({ deps, head }: Look, suspects: readonly Suspect[]): Promise<Map<Suspect, string>> {
  const known = new Map<Suspect, string>();
  for (const { failureId, checks } of head.findings) {
    const runs = new Set(checks.flatMap(({ runId }) => (runId === null ? [] : [runId])));
    const seen = suspects.filter(({ check }) => check.runId !== null && runs.has(check.runId));
    const failure = seen.length === 0 ? null : await deps.store.findFailure(failureId);
    if (failure !== null) for (const suspect of seen) known.set(suspect, failure.fingerprint);
  }
  return known;
}

/** One of each kind first, then the second of each, so that no kind is left out for the many of another. */
function spreadByKind(suspects: readonly Suspect[]): readonly Suspect[] {
  const seen = new Map<string, number>();
  const ranked = suspects.map((suspect) => {
    const kind = findKind(suspect);
    const rank = seen.get(kind) ?? 0;
    seen.set(kind, rank + 1);
    return { suspect, rank };
  });
  return ranked.toSorted((a, b) => a.rank - b.rank).map(({ suspect }) => suspect);
}

/** Jobs of a matrix have the name of the job, and what differs behind it: `test (ubuntu, 20)`, `test-3`. */
function findKind({ check }: Suspect): string {
  const stem = check.name.replace(/(?<!\s)\s*\([^()]*\)\s*$/, '').replace(/[\s\-_:#/]{0,20}\d[\d./]{0,40}$/, '');
  return `${check.app}\n${stem === '' ? check.name : stem}`;
}

function findSiblingCause(suspect: Suspect, causes: ReadonlyMap<Suspect, string>): string | null {
  const kind = findKind(suspect);
  for (const [other, cause] of causes) if (findKind(other) === kind) return cause;
  return null;
}

async function readAll(look: Look, bounds: Bounds, suspects: readonly Suspect[]): Promise<readonly ReadSuspect[]> {
  const reads: ReadSuspect[] = [];
  const kept = new Set<string>();
  for (let from = 0; from < suspects.length; from += AT_A_TIME) {
    const answers = await Promise.allSettled(
      suspects.slice(from, from + AT_A_TIME).map((suspect) => readOne(look, bounds, suspect)),
    );
    for (const answer of answers) {
      if (answer.status === 'rejected') throw answer.reason;
      reads.push(limitKept(answer.value, kept, bounds));
    }
  }
  return reads;
}

/** `kept`: causes of which the words are, one more with this. */
function limitKept(one: ReadSuspect, kept: Set<string>, { mostKept }: Bounds): ReadSuspect {
  const { fingerprint } = one.read;
  if (!one.suspect.isRed || kept.size >= mostKept || kept.has(fingerprint)) return { ...one, said: null };
  kept.add(fingerprint);
  return one;
}

async function readOne(look: Look, { logBytes }: Bounds, suspect: Suspect): Promise<ReadSuspect> {
  const said = await readCheckTexts({ ...look, logBytes }, suspect.check);
  const { log, noLog, annotations } = said.words;
  const read = await look.deps.readCheck({ name: suspect.check.name, output: said.output, log, annotations });
  look.signal.throwIfAborted();
  return { suspect, read, words: { noLog }, said: await shortenForReport(said, look.signal) };
}

async function groupByCause(
  { deps, project, head }: Look,
  all: {
    readonly suspects: readonly Suspect[];
    readonly causes: ReadonlyMap<Suspect, string>;
    readonly reads: readonly ReadSuspect[];
  },
): Promise<readonly Group[]> {
  const groups: Group[] = [];
  for (const fingerprint of new Set(all.suspects.flatMap((suspect) => all.causes.get(suspect) ?? []))) {
    const failure = await deps.store.findFailureByFingerprint(project.id, fingerprint);
    groups.push({
      fingerprint,
      suspects: all.suspects.filter((suspect) => all.causes.get(suspect) === fingerprint),
      reads: all.reads.filter(({ read }) => read.fingerprint === fingerprint),
      before: head.findings.find(({ failureId }) => failureId === failure?.id) ?? null,
    });
  }
  return groups;
}

/** The same check with what is to be shown of it then; itself where there is nothing to compare it with. */
export type Comparison = (red: ReadSuspect) => Promise<ReadSuspect>;

/** So many greens of one check are asked whether they are of our own branch. */
const MOST_ASKED = 5;

/** For all of a look: its verdict waits for this. */
const LIMIT_MS = 20_000;

/** Of other CI no log can be read. */
const ACTIONS = 'github-actions';

/**
 * For one look at a head, of checks whose words are kept, which are few: a log more for each. What does not work out leaves the check as it is,
 * and nothing more is asked in that look: no verdict is put off for such a log. Throws the look's reason.
 */
export function createComparison(look: Look, place: HeadPlace): Comparison {
  let hasFailed = false;
  let limit: AbortSignal | null = null;
  return async (red) => {
    if (hasFailed || !isComparable(red)) return red;
    limit ??= AbortSignal.timeout(LIMIT_MS);
    const within = { ...look, signal: AbortSignal.any([look.signal, limit]) };
    try {
      const green = await findGreenRun(within, place, red.suspect.check);
      if (green === null) return red;
      const { words } = await readCheckTexts({ ...within, logBytes: REPORT_LOG_BYTES }, green);
      return await readWithPassing(look, red, words.log);
    } catch (error) {
      look.signal.throwIfAborted();
      hasFailed = true;
      look.deps.log.debug({ head: look.head.id, err: error }, 'red checks could not be compared with green ones');
      return red;
    }
  };
}

/** What fails with its machine is known by that, and of what tells nothing there is nothing to be left out. */
function isComparable({ suspect: { check }, read, said }: ReadSuspect): boolean {
  return check.app === ACTIONS && (said?.words.log ?? '') !== '' && read.isInformative && read.infrastructure === null;
}

/**
 * That of this very commit, or of the base, needs no question; else the newest that it stands on. A fork may have a `main` of its own, whose
 * greens are noted alike: what counts is what our branch contains.
 */
async function findGreenRun(look: Look, place: HeadPlace, { name, app }: Check): Promise<Check | null> {
  const { deps, project, head, leads, signal } = look;
  const to = place.kind === 'pull_request' ? place.base.sha : head.sha;
  const greens = (await deps.store.listPassingChecks(project.id, { name, app })).filter(({ runId }) => runId !== null);
  const same = greens.find(({ sha }) => sha === to);
  const asked = same === undefined ? greens.slice(0, MOST_ASKED) : [same];
  for (const { sha: from, at, runId } of asked) {
    signal.throwIfAborted();
    if (from !== to && !(await leads({ from, to }))) continue;
    return {
      ...{ name, app, runId, state: 'green', conclusion: 'success', startedAt: '', endedAt: at, url: '' },
      ...{ title: '', summary: '', text: '', annotations: 0 },
    };
  }
  return null;
}

/** Read again it is the same failure, or it was not read in time, or what is kept of its log tells something else. */
async function readWithPassing({ deps, signal }: Look, red: ReadSuspect, passing: string): Promise<ReadSuspect> {
  const { suspect, read, said } = red;
  if (said === null) return red;
  const { log, annotations } = said.words;
  const texts = { name: suspect.check.name, output: said.output, log, annotations, passing };
  const beside = await deps.readCheck(texts);
  signal.throwIfAborted();
  return beside.fingerprint === read.fingerprint ? { ...red, read: beside } : red;
}
