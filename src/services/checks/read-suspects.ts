// What red checks say of themselves: those judged before are known again, the others read, few at a time and not all of a flood.

import type { ReadCheck } from '../../ci/read-check.ts';
import type { CheckWords } from '../../core/check.ts';
import type { Finding, Head, HeadPlace } from '../../core/head.ts';
import type { Look } from './deps.ts';
import type { Suspect } from './sort-checks.ts';
import { type CleanWords, OUTSIDE_LOG_BYTES, wordsForReport, wordsOf } from './words-of.ts';

export interface ReadSuspect {
  readonly suspect: Suspect;
  readonly read: ReadCheck;
  readonly words: Pick<CheckWords, 'noLog'>;
  /** Cleaned of secrets, the log only as far as a report holds it; null: let go, so that not every log is kept until the last is read. */
  readonly said: CleanWords | null;
}

/** Red checks of one cause. */
export interface Group {
  readonly fingerprint: string;
  readonly suspects: readonly Suspect[];
  readonly reads: readonly ReadSuspect[];
  /** What was found of them at an earlier look; null: this is the first. */
  readonly before: Finding | null;
}

export interface ReadSuspects {
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
  const known = await knownAgain(look, suspects);
  const fresh = suspects.filter((suspect) => !known.has(suspect));
  const chosen = new Set(spread(fresh).slice(0, Math.max(0, bounds.mostRead - known.size)));
  const reads = await readAll(look, bounds, [...chosen]);
  const causes = new Map([...known, ...reads.map(({ suspect, read }) => [suspect, read.fingerprint] as const)]);
  const leftOut: Head['leftOut'][number][] = [];
  for (const suspect of fresh) {
    if (causes.has(suspect)) continue;
    const cause = causeOfSibling(suspect, causes);
    if (cause === null) leftOut.push({ name: suspect.check.name, reason: tooMany(bounds) });
    else causes.set(suspect, cause);
  }
  return { groups: await grouped(look, { suspects, causes, reads }), leftOut };
}

/** Whether anybody may have written what is read. */
export function isOfOutsiders(place: HeadPlace): boolean {
  return place.kind === 'pull_request' && (place.isFork || !place.isTrusted);
}

function tooMany({ mostRead }: Bounds): string {
  return `Only ${mostRead} red checks of such a commit are read, and none of those is of its kind.`;
}

/** Of checks that an earlier look has judged, the fingerprint, as far as the ledger has it: a look may have been cut short before that. */
async function knownAgain({ deps, head }: Look, suspects: readonly Suspect[]): Promise<Map<Suspect, string>> {
  const known = new Map<Suspect, string>();
  for (const { failureId, checks } of head.findings) {
    const runs = new Set(checks.flatMap(({ runId }) => (runId === null ? [] : [runId])));
    const seen = suspects.filter(({ check }) => check.runId !== null && runs.has(check.runId));
    const failure = seen.length === 0 ? null : await deps.store.failure(failureId);
    if (failure !== null) for (const suspect of seen) known.set(suspect, failure.fingerprint);
  }
  return known;
}

/** One of each kind first, then the second of each, so that no kind is left out for the many of another. */
function spread(suspects: readonly Suspect[]): readonly Suspect[] {
  const seen = new Map<string, number>();
  const ranked = suspects.map((suspect) => {
    const kind = kindOf(suspect);
    const rank = seen.get(kind) ?? 0;
    seen.set(kind, rank + 1);
    return { suspect, rank };
  });
  return ranked.toSorted((a, b) => a.rank - b.rank).map(({ suspect }) => suspect);
}

/** Jobs of a matrix have the name of the job, and what differs behind it: `test (ubuntu, 20)`, `test-3`. */
function kindOf({ check }: Suspect): string {
  const stem = check.name.replace(/(?<!\s)\s*\([^()]*\)\s*$/, '').replace(/[\s\-_:#/]{0,20}\d[\d./]{0,40}$/, '');
  return `${check.app}\n${stem === '' ? check.name : stem}`;
}

function causeOfSibling(suspect: Suspect, causes: ReadonlyMap<Suspect, string>): string | null {
  const kind = kindOf(suspect);
  for (const [other, cause] of causes) if (kindOf(other) === kind) return cause;
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
      reads.push(keepOrLetGo(answer.value, kept, bounds));
    }
  }
  return reads;
}

/** `kept`: causes of which the words are, one more with this. */
function keepOrLetGo(one: ReadSuspect, kept: Set<string>, { mostKept }: Bounds): ReadSuspect {
  const { fingerprint } = one.read;
  if (!one.suspect.isRed || kept.size >= mostKept || kept.has(fingerprint)) return { ...one, said: null };
  kept.add(fingerprint);
  return one;
}

async function readOne(look: Look, { logBytes }: Bounds, suspect: Suspect): Promise<ReadSuspect> {
  const said = await wordsOf({ ...look, logBytes }, suspect.check);
  const { log, noLog, annotations } = said.words;
  const read = await look.deps.readCheck({ name: suspect.check.name, output: said.output, log, annotations });
  look.signal.throwIfAborted();
  return { suspect, read, words: { noLog }, said: await wordsForReport(said, look.signal) };
}

async function grouped(
  { deps, project, head }: Look,
  all: {
    readonly suspects: readonly Suspect[];
    readonly causes: ReadonlyMap<Suspect, string>;
    readonly reads: readonly ReadSuspect[];
  },
): Promise<readonly Group[]> {
  const groups: Group[] = [];
  for (const fingerprint of new Set(all.suspects.flatMap((suspect) => all.causes.get(suspect) ?? []))) {
    const failure = await deps.store.failureOf(project.id, fingerprint);
    groups.push({
      fingerprint,
      suspects: all.suspects.filter((suspect) => all.causes.get(suspect) === fingerprint),
      reads: all.reads.filter(({ read }) => read.fingerprint === fingerprint),
      before: head.findings.find(({ failureId }) => failureId === failure?.id) ?? null,
    });
  }
  return groups;
}
