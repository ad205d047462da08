// Which of the commits since a check was green is likeliest to have turned it red: by what each touches, and what the
// failure names.

import { findFailingPlaces } from 'causeway-ci-log';
import { getFolder } from 'causeway-paths';
import { type CommitRange, type CommitTie, describeCommitTie, type RankedCommit } from '../core/check/index.ts';
import { formatCounted } from '../core/counted.ts';
import type { Suspect } from '../core/issue/index.ts';
import type { MappedFrame } from './clues.ts';
import { compareTitles, findTakenBack, readCommitTitle } from './commit-titles.ts';
import { attempt, type Lookups, shortenSha } from './lookups.ts';
import { classifyFile, isDependencyList } from './own-code.ts';
import { type Ground, type Mapping, mapPath } from './paths.ts';
import type { Trace } from './traces/find-traces.ts';

/** One of them. */
interface RangeCommit {
  readonly sha: string;
  readonly subject: string;
  /** As `readCommitTitle` has it. It is compared, never shown. */
  readonly title: string;
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
  /** What the failed tests are called. */
  readonly titles: readonly string[];
  /** What was found in the changes themselves, by commit; absent: they were not read. */
  readonly changes?: ReadonlyMap<string, readonly CommitTie[]>;
}

interface ScoredCommit extends RankedCommit {
  readonly score: number;
  /** Without what its subject says. */
  readonly touch: number;
}

/** Of a commit that touches everything each file says less. */
const WIDE = 12;

const MOST_TIES = 3;

/**
 * Suspects are ranked by all that a report mentions: five of them, 1.4 together, stay below {@link LEAST}; so do an import
 * and words, as a test imports much.
 */
const WEIGHTS: Readonly<Record<CommitTie['code'], number>> = {
  named: 4,
  called: 3,
  test: 2.5,
  dependencies: 2,
  tested: 2,
  words: 1.2,
  beside: 1,
  suspect: 0.9,
  subject: 1,
  test_file: 0.75,
  imported: 0.6,
};

/** What a subject counts at most, however many words it shares. */
const MOST_SAID_WEIGHT = 1.9;

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
  readonly tie: CommitTie;
}

/** The likeliest first; equal ones stay in their order. What was taken back comes last, without ties. */
export function rankCommits(commits: readonly RangeCommit[], evidence: RangeEvidence): readonly ScoredCommit[] {
  const takenBack = findTakenBack(commits);
  const left = commits.filter(({ sha }) => !takenBack.has(sha));
  const said = compareTitles(left, [evidence.headline, ...evidence.titles, ...evidence.tests]);
  const ranked = left
    .map(({ sha, paths }): ScoredCommit => {
      const changes = (evidence.changes?.get(sha) ?? []).map((tie) => ({ weight: weighChange(tie), tie }));
      const ties = [...scorePathTies(paths, evidence), ...changes].sort((a, b) => b.weight - a.weight);
      const width = Math.min(1, Math.sqrt(WIDE / Math.max(1, paths.length)));
      // Ties of one commit repeat each other: each further one counts for half of the one before.
      const touch = width * ties.reduce((all, { weight }, at) => all + weight / 2 ** at, 0);
      const subject = weighSubject(said.get(sha));
      const all = [...ties, ...subject].sort((a, b) => b.weight - a.weight);
      const score = touch + subject.reduce((sum, { weight }) => sum + weight, 0);
      return { sha, score, touch, ties: all.slice(0, MOST_TIES).map(({ tie }) => tie) };
    })
    .toSorted((a, b) => b.score - a.score);
  return [...ranked, ...[...takenBack].map((sha) => ({ sha, score: 0, touch: 0, ties: [] }))];
}

/** What people say a commit does tells commits apart that touch the same; it repeats nothing that these touch. */
function weighSubject(said: { readonly word: string; readonly weight: number } | undefined): readonly WeighedTie[] {
  if (said === undefined) return [];
  const weight = Math.min(MOST_SAID_WEIGHT, WEIGHTS.subject * said.weight);
  return [{ weight, tie: { code: 'subject', word: said.word } }];
}

/** What is called over many calls is called by most tests. */
function weighChange(tie: CommitTie): number {
  return tie.code === 'called' ? WEIGHTS.called / Math.sqrt(tie.calls) : WEIGHTS[tie.code];
}

/** The first, if it stands out from the others; null: it may be any of them. */
export function pickLikeliest(ranked: readonly ScoredCommit[]): RankedCommit | null {
  const [first, second] = ranked;
  if (first === undefined || first.touch < LEAST) return null;
  const isAhead = second === undefined || first.score >= AHEAD * second.score;
  return isAhead ? { sha: first.sha, ties: first.ties } : null;
}

function scorePathTies(
  paths: readonly string[],
  { places, tests, suspects, headline }: RangeEvidence,
): readonly WeighedTie[] {
  const named = [
    ...toTied(paths, places, (path, at) => ({
      weight: WEIGHTS.named / Math.sqrt(at + 1),
      tie: { code: 'named', path },
    })),
    ...toTied(paths, tests, (path) => ({ weight: WEIGHTS.test, tie: { code: 'test', path } })),
  ];
  const ranked = toTied(paths, suspects.slice(0, MOST_SUSPECTS), (path, at) => ({
    weight: WEIGHTS.suspect / (at + 1),
    tie: { code: 'suspect', path, rank: at + 1 },
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
      .map((path): WeighedTie => ({ weight: WEIGHTS.dependencies, tie: { code: 'dependencies', path } })),
    ...(beside === undefined ? [] : [{ weight: WEIGHTS.beside, tie: { code: 'beside', path: beside } } as const]),
  ];
}

/** Each path counts once, by the first of `wanted` that it is. */
function toTied(
  paths: readonly string[],
  wanted: readonly string[],
  tie: (path: string, at: number) => WeighedTie,
): readonly WeighedTie[] {
  return [...new Set(wanted)].flatMap((want, at) => {
    const path = paths.find((one) => isSamePath(one, want));
    return path === undefined ? [] : [tie(path, at)];
  });
}

/** Logs name files by the end of their path or with folders in front; a bare file name could be any of its name. */
function isSamePath(path: string, named: string): boolean {
  if (path === named) return true;
  return (named.includes('/') && path.endsWith(`/${named}`)) || (path.includes('/') && named.endsWith(`/${path}`));
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
  const { places, tests, titles, headline, errors } = findFailingPlaces(report, (line) =>
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
    titles,
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

/** How likely the commits of a range are. */
export interface RangeRanking {
  readonly ranks: readonly RankedCommit[];
  /** Null: none stands out, or not all could be ranked, so that the culprit may be another. */
  readonly likeliest: RankedCommit | null;
}

/** Null where there are fewer than two, or git knows none of them, and there is no step. */
export async function rankRange(lookups: Lookups, known: KnownRange): Promise<RangeRanking | null> {
  const { commits: listed, total } = known.range;
  if (listed.length === 0 || total < 2) return null;
  const touched = await attempt(lookups, describeAction(listed.length, total), () => listChanged(lookups, listed));
  if (touched === null || touched.size === 0) return null;
  const commits = listed.flatMap(({ sha, subject }): readonly RangeCommit[] => {
    const found = touched.get(sha);
    return found === undefined ? [] : [{ sha, subject, ...found }];
  });
  const ranked = rankCommits(commits, describeEvidence(lookups, known));
  const left = total - commits.length;
  const first = left > 0 ? null : pickLikeliest(ranked);
  const analysis = left > 0 ? describeUnranked(left, total) : explainRange(first);
  await lookups.notebook.record({
    action: describeAction(commits.length, total),
    result: formatRankedCommits(ranked, commits),
    analysis,
  });
  return { ranks: listRanks(ranked), likeliest: first };
}

function describeAction(ranked: number, total: number): string {
  const which = ranked < total ? `${ranked.toLocaleString('en')} of the` : 'the';
  return `rank ${which} ${formatCounted(total, 'commit')} since the check was green, by what they touch`;
}

function describeEvidence({ ground }: Lookups, { suspects, range, ...told }: KnownRange): RangeEvidence {
  const listed = range.commits.map(({ sha }) => `- ${sha} `);
  const found = findFailingEvidence({ ...told, listed, ground });
  return { ...found, suspects: suspects.map(({ file }) => file), changes: findChangeTies(range) };
}

const OF_CHANGES: ReadonlySet<CommitTie['code']> = new Set(['called', 'tested', 'imported', 'words', 'test_file']);

/** What an earlier look found in the changes themselves. */
function findChangeTies({ ranks = [] }: CommitRange): ReadonlyMap<string, readonly CommitTie[]> {
  return new Map(ranks.map(({ sha, ties }) => [sha, ties.filter(({ code }) => OF_CHANGES.has(code))]));
}

/** Without their scores. */
export function listRanks(ranked: readonly ScoredCommit[]): readonly RankedCommit[] {
  return ranked.map(({ sha, ties }) => ({ sha, ties }));
}

async function listChanged(
  { tree, signal }: Lookups,
  listed: readonly { readonly sha: string }[],
): Promise<ReadonlyMap<string, Pick<RangeCommit, 'title' | 'paths'>>> {
  const found = new Map<string, Pick<RangeCommit, 'title' | 'paths'>>();
  const ids = listed.map(({ sha }) => sha);
  for await (const messages of tree.messages(ids, signal))
    for (const { sha, message, paths } of messages) found.set(sha, { title: readCommitTitle(message), paths });
  return found;
}

function formatRankedCommits(ranked: readonly RankedCommit[], commits: readonly RangeCommit[]): string {
  const subjects = new Map(commits.map(({ sha, subject }) => [sha, subject]));
  const lines = ranked
    .filter(({ ties }) => ties.length > 0)
    .slice(0, SHOWN)
    .map(({ sha, ties }) => `${shortenSha(sha)} ${subjects.get(sha) ?? ''}: ${ties.map(describeCommitTie).join('; ')}`);
  return lines.length === 0 ? 'none of them touches what the failure names' : lines.join('\n');
}

function describeUnranked(left: number, total: number): string {
  return `No commit is named: ${left.toLocaleString('en')} of the ${formatCounted(total, 'commit')} could not be ranked, and may have turned the check red.`;
}

function explainRange(first: RankedCommit | null): string {
  const [tie] = first?.ties ?? [];
  if (first !== null && tie !== undefined)
    return `${shortenSha(first.sha)} is the likeliest to have turned the check red: it ${describeCommitTie(tie)}.`;
  return 'No commit stands out: any of them may have turned the check red.';
}
