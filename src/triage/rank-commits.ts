// Which of the commits since a check was green is likeliest to have turned it red: by what each touches, and what the
// failure names.

import { findFailingPlaces } from 'causeway-ci-log';
import { getFolder } from 'causeway-paths';
import type { CommitRange, LikeliestCommit } from '../core/check/index.ts';
import { formatCounted } from '../core/counted.ts';
import type { Suspect } from '../core/issue/index.ts';
import type { MappedFrame } from './clues.ts';
import { attempt, formatOrdinal, type Lookups, shortenSha } from './lookups.ts';
import { classifyFile, isDependencyList } from './own-code.ts';
import { type Ground, type Mapping, mapPath } from './paths.ts';
import type { Trace } from './traces/find-traces.ts';

/** One of them. */
interface RangeCommit {
  readonly sha: string;
  readonly subject: string;
  /** What it changed, added or deleted; a renamed file under both names. */
  readonly paths: readonly string[];
}

/** What is known of the failure. Paths are of the repository, the most telling first. */
export interface RangeEvidence {
  /** Files that the failing lines name: never one that is merely mentioned, since its author would be blamed. */
  readonly places: readonly string[];
  /** Those of the failed tests, likewise. */
  readonly tests: readonly string[];
  /** Files that were ranked for it, the best first. */
  readonly suspects: readonly string[];
  /** Its first error line. */
  readonly headline: string;
}

interface RankedCommit {
  readonly sha: string;
  readonly score: number;
  /** In words, the most telling first; empty: nothing ties it to the failure. */
  readonly reasons: readonly string[];
}

/** Of a commit that touches everything each file says less. */
const WIDE = 12;

const MOST_REASONS = 3;

/**
 * Suspects are ranked by all that a report mentions: five of them and a word, 1.4 together, stay below {@link LEAST}.
 */
const WEIGHTS = { place: 4, test: 2.5, settings: 2, suspect: 0.9, beside: 1, word: 0.75 } as const;

/** Only the first ones: after them all files of the repository follow. */
const MOST_SUSPECTS = 5;

/** The first stands out if its score exceeds the second's by this much. */
const AHEAD = 1.5;

/** Less than a file that was named is not a reason to name a person's commit. */
const LEAST = 2;

const DEPENDENCY =
  /cannot find (?:module|package|symbol)|no module named|module not found|unresolved import|package .{1,80} (?:not found|does not exist)|ModuleNotFoundError|ERESOLVE|version conflict/i;

interface WeighedTie {
  readonly weight: number;
  readonly reason: string;
}

/** The likeliest first; equal ones stay in their order. */
export function rankCommits(commits: readonly RangeCommit[], evidence: RangeEvidence): readonly RankedCommit[] {
  return commits
    .map(({ sha, subject, paths }): RankedCommit => {
      const ties = [...scorePathTies(paths, evidence), ...scoreSubjectTies(subject, evidence)].sort(
        (a, b) => b.weight - a.weight,
      );
      const width = Math.min(1, Math.sqrt(WIDE / Math.max(1, paths.length)));
      // Ties of one commit repeat each other: each further one counts for half of the one before.
      const sum = ties.reduce((all, { weight }, at) => all + weight / 2 ** at, 0);
      return { sha, score: sum * width, reasons: ties.slice(0, MOST_REASONS).map(({ reason }) => reason) };
    })
    .toSorted((a, b) => b.score - a.score);
}

/** The first, if it stands out from the others; null: it may be any of them. */
export function pickLikeliest(ranked: readonly RankedCommit[]): RankedCommit | null {
  const [first, second] = ranked;
  if (first === undefined || first.score < LEAST) return null;
  return second === undefined || first.score >= AHEAD * second.score ? first : null;
}

function scorePathTies(
  paths: readonly string[],
  { places, tests, suspects, headline }: RangeEvidence,
): readonly WeighedTie[] {
  const named = [
    ...toTied(paths, places, (at) => ({
      weight: WEIGHTS.place / Math.sqrt(at + 1),
      reason: 'which the failing lines name',
    })),
    ...toTied(paths, tests, () => ({ weight: WEIGHTS.test, reason: 'in which a test failed' })),
  ];
  const ranked = toTied(paths, suspects.slice(0, MOST_SUSPECTS), (at) => ({
    weight: WEIGHTS.suspect / (at + 1),
    reason: `which ranks ${formatOrdinal(at + 1)} among the suspects`,
  }));
  return [...(named.length > 0 ? named : scoreNearTies(paths, { places, headline })), ...ranked];
}

/** Of a commit that touches nothing that the failure names. */
function scoreNearTies(
  paths: readonly string[],
  { places, headline }: Pick<RangeEvidence, 'places' | 'headline'>,
): readonly WeighedTie[] {
  const settings = DEPENDENCY.test(headline) ? paths.filter((path) => isDependencyList(path)) : [];
  const beside = paths.find(
    (path) => getFolder(path) !== '' && places.some((place) => getFolder(place) === getFolder(path)),
  );
  return [
    ...settings
      .slice(0, 1)
      .map((path) => ({ weight: WEIGHTS.settings, reason: `changes ${path}, and something is not found` })),
    ...(beside === undefined
      ? []
      : [{ weight: WEIGHTS.beside, reason: `touches ${beside}, beside what the failing lines name` }]),
  ];
}

/** Each path counts once, by the first of `wanted` that it is. */
function toTied(
  paths: readonly string[],
  wanted: readonly string[],
  tie: (at: number) => WeighedTie,
): readonly WeighedTie[] {
  return [...new Set(wanted)].flatMap((want, at) => {
    const path = paths.find((one) => isSamePath(one, want));
    if (path === undefined) return [];
    const { weight, reason } = tie(at);
    return [{ weight, reason: `touches ${path}, ${reason}` }];
  });
}

/** Logs name files by the end of their path or with folders in front; a bare file name could be any of its name. */
function isSamePath(path: string, named: string): boolean {
  if (path === named) return true;
  return (named.includes('/') && path.endsWith(`/${named}`)) || (path.includes('/') && named.endsWith(`/${path}`));
}

function scoreSubjectTies(subject: string, { headline, tests }: RangeEvidence): readonly WeighedTie[] {
  const names = new Set(
    [headline, ...tests].flatMap((text) => text.match(/[A-Za-z_$][\w$]{5,60}/g) ?? []).filter(isFileName),
  );
  const word = (subject.match(/[A-Za-z_$][\w$]{5,60}/g) ?? []).find((one) => names.has(one));
  return word === undefined ? [] : [{ weight: WEIGHTS.word, reason: `its subject names ${word}, as the failure does` }];
}

/** Of code, not of a sentence: `applyCoupon`, `apply_coupon`, `CouponTest`. */
function isFileName(word: string): boolean {
  return /[a-z\d][A-Z]|\w_\w|\$/.test(word);
}

interface Told {
  readonly report: string;
  /** Lines that begin so list commits: they are no part of the failure. */
  readonly listed: readonly string[];
  readonly ground: Ground;
  readonly traces: readonly Trace[];
  /** Of each trace, innermost frames first. */
  readonly mapped: readonly (readonly MappedFrame[])[];
}

const MAX_SAID = 120;

/**
 * Frames come first, the innermost of each trace before the others. Paths are of the repository where they could be
 * mapped. Linear in the report; nothing in it makes this fail.
 */
export function findFailingEvidence({ report, listed, ground, ...told }: Told): Omit<RangeEvidence, 'suspects'> {
  const { places, tests, headline, errors } = findFailingPlaces(report, (line) =>
    listed.some((start) => line.startsWith(start)),
  );
  const framed = told.traces.flatMap((trace, at) =>
    isMentioned(trace, errors) ? listFrames(told.mapped[at] ?? []) : [],
  );
  const named = [...framed, ...[...places, ...tests].map((path) => toOwnPath(mapPath(ground, path)) ?? path)];
  return {
    places: removeDuplicatePaths(named.filter((path) => classifyFile(path) !== 'test')),
    tests: removeDuplicatePaths(named.filter((path) => classifyFile(path) === 'test')),
    headline,
  };
}

/** Whether its error is one of those that the check failed with: programs print traces of errors that they get over. */
function isMentioned({ errorType, message }: Trace, errors: readonly string[]): boolean {
  const said = (message.split('\n', 1)[0] ?? '').slice(0, MAX_SAID).trim();
  const head = [errorType, said].filter((part) => part !== '').join(': ');
  if (head === '') return false;
  return errors.some((text) => {
    const start = text.indexOf(head);
    // `TypeError: x` is no `Error: x`, and `TypeError: x` no `TypeError`.
    return start >= 0 && !/[\w$.]/.test(text.charAt(start - 1)) && (said !== '' || text.endsWith(head));
  });
}

function listFrames(frames: readonly MappedFrame[]): readonly string[] {
  return frames.flatMap(({ mapping }) => toOwnPath(mapping) ?? []);
}

/** Null: not known. A bare name that agrees with a file's may be that of another program's file. */
function toOwnPath(mapping: Mapping): string | null {
  return mapping.kind === 'own' && (mapping.certain || mapping.compiled) ? mapping.path : null;
}

function removeDuplicatePaths(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)];
}

const SHOWN = 8;

/** The commits since a check was green, and what is known of its failure. */
export interface KnownRange {
  readonly report: string;
  /** Never read from the report: a log could list commits there as well. */
  readonly range: CommitRange;
  readonly traces: readonly Trace[];
  /** As `traces`, each frame with the file of the repository that it is in. */
  readonly mapped: readonly (readonly MappedFrame[])[];
  readonly suspects: readonly Suspect[];
}

/**
 * Null: none stands out, or not all could be ranked, so that the culprit may be another; also where there are fewer
 * than two, or git knows none of them, and there is no step.
 */
export async function rankRange(lookups: Lookups, known: KnownRange): Promise<LikeliestCommit | null> {
  const { commits: listed, total } = known.range;
  if (listed.length === 0 || total < 2) return null;
  const touched = await attempt(lookups, describeAction(listed.length, total), () => listChangedPaths(lookups, listed));
  if (touched === null || touched.size === 0) return null;
  const commits: readonly RangeCommit[] = listed.flatMap(({ sha, subject }) => {
    const paths = touched.get(sha);
    return paths === undefined ? [] : [{ sha, subject, paths }];
  });
  const ranked = rankCommits(commits, describeEvidence(lookups, known));
  const left = total - commits.length;
  const first = left > 0 ? null : pickLikeliest(ranked);
  const reason = first?.reasons[0] ?? '';
  const analysis = left > 0 ? describeUnranked(left, total) : explainRange(first, reason);
  await lookups.notebook.record({
    action: describeAction(commits.length, total),
    result: formatRankedCommits(ranked, commits),
    analysis,
  });
  return first === null ? null : { sha: first.sha, reason };
}

function describeAction(ranked: number, total: number): string {
  const which = ranked < total ? `${ranked.toLocaleString('en')} of the` : 'the';
  return `rank ${which} ${formatCounted(total, 'commit')} since the check was green, by what they touch`;
}

function describeEvidence({ ground }: Lookups, { suspects, range, ...told }: KnownRange): RangeEvidence {
  const listed = range.commits.map(({ sha }) => `- ${sha} `);
  return { ...findFailingEvidence({ ...told, listed, ground }), suspects: suspects.map(({ file }) => file) };
}

async function listChangedPaths(
  { tree, signal }: Lookups,
  listed: readonly { readonly sha: string }[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  const ids = listed.map(({ sha }) => sha);
  for await (const messages of tree.messages(ids, signal)) for (const { sha, paths } of messages) found.set(sha, paths);
  return found;
}

function formatRankedCommits(ranked: readonly RankedCommit[], commits: readonly RangeCommit[]): string {
  const subjects = new Map(commits.map(({ sha, subject }) => [sha, subject]));
  const lines = ranked
    .filter(({ reasons }) => reasons.length > 0)
    .slice(0, SHOWN)
    .map(({ sha, reasons }) => `${shortenSha(sha)} ${subjects.get(sha) ?? ''}: ${reasons.join('; ')}`);
  return lines.length === 0 ? 'none of them touches what the failure names' : lines.join('\n');
}

function describeUnranked(left: number, total: number): string {
  return `No commit is named: ${left.toLocaleString('en')} of the ${formatCounted(total, 'commit')} could not be ranked, and may have turned the check red.`;
}

function explainRange(first: RankedCommit | null, reason: string): string {
  if (first !== null) return `${shortenSha(first.sha)} is the likeliest to have turned the check red: it ${reason}.`;
  return 'No commit stands out: any of them may have turned the check red.';
}
