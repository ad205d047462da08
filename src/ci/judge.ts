// The verdict on a red check: what broke it, and why that is believed, in words.

import type { Verdict } from '../core/check.ts';
import { formatCount } from '../triage/lookups.ts';
import { matchError, TIME_OUT } from './error-patterns.ts';
import type { ReadCheck } from './read-check.ts';

import { findTiesByName, type Tie } from './touches.ts';

export interface CheckEvidence {
  readonly name: string;
  /** As GitHub says it: `failure`, `timed_out`, `error` … */
  readonly conclusion: string;
  readonly read: ReadCheck;
  /** Why its log could not be read, in words; absent or "": it was, or there never is one. */
  readonly noLog?: string;
  /** Whether the same check passed at the same commit, earlier or later. */
  readonly passedHere: boolean;
  /** The same check on the base. `sameCause`: null where only its colour is known. */
  readonly base: {
    readonly name: string;
    readonly state: 'green' | 'red' | 'unknown';
    readonly sameCause: boolean | null;
  };
  /** The same failure so far; null: never seen. */
  readonly history: FailureHistory | null;
  /** What the change under test touches; null: not known. */
  readonly changed: { readonly paths: readonly string[]; readonly isCut: boolean } | null;
  /** What ties the failure to the change; absent: what its names alone say. */
  readonly ties?: readonly Tie[];
  /** A push to the default branch has no base but what stood there before. */
  readonly isOnDefault: boolean;
}

export interface FailureHistory {
  /** Open, and seen on the default branch. */
  readonly isOpenOnDefault: boolean;
  readonly hits: number;
  readonly flakyHits: number;
  /** Other pull requests and other branches that it was seen in. */
  readonly pullRequests: number;
  readonly branches: number;
}

export interface Judgement {
  readonly verdict: Verdict;
  /** In words, the most telling first; never empty. */
  readonly reasons: readonly string[];
}

/** A rule gives reasons where it fits, the most telling first; else null. */
interface Rule {
  readonly verdict: Verdict;
  readonly reasons: (evidence: CheckEvidence) => readonly string[] | null;
}

/** The first that fits counts. */
const RULES: readonly Rule[] = [
  { verdict: 'flaky', reasons: passedHere },
  { verdict: 'infrastructure', reasons: infrastructure },
  { verdict: 'base_broken', reasons: brokenBase },
  { verdict: 'flaky', reasons: mostlyFlaky },
  { verdict: 'inconclusive', reasons: tellsNothing },
  { verdict: 'inconclusive', reasons: unproven },
  { verdict: 'code', reasons: code },
];

/** Seen fewer times than this, a failure has no habits. */
const HABIT = 2;

/** From evidence alone; the same evidence is always judged the same. */
export function judgeCheck(evidence: CheckEvidence): Judgement {
  for (const { verdict, reasons } of RULES) {
    const found = reasons(evidence);
    if (found) return { verdict, reasons: found };
  }
  return { verdict: 'inconclusive', reasons: ['nothing that it says tells what broke it'] };
}

function passedHere({ passedHere, history }: CheckEvidence): readonly string[] | null {
  return passedHere ? ['it passed at this very commit as well', ...seen(history)] : null;
}

function infrastructure({ read }: CheckEvidence): readonly string[] | null {
  if (!read.infrastructure) return null;
  const { what, line } = read.infrastructure;
  return [line === '' ? what : `${what}: ${quoted(line)}`];
}

/** On the default branch there is no base that could be blamed. */
function brokenBase({ base, history, isOnDefault, read }: CheckEvidence): readonly string[] | null {
  if (isOnDefault) return null;
  const isOpen = history?.isOpenOnDefault === true;
  // Red on the base for another cause is no excuse; nor is its colour alone where this failure is not yet known there and the cause is.
  if (base.state === 'red' && base.sameCause === true)
    return [`${named(base.name)} is red on the base as well, for the same cause`, ...seen(history)];
  if (isOpen) return ['the same failure is open on the default branch', ...seen(history)];
  if (base.state !== 'red' || base.sameCause === false) return null;
  const unknown = read.isInformative ? 'whether for the same cause is not known' : 'and neither says why';
  return [`${named(base.name)} is red on the base as well; ${unknown}`, ...seen(history)];
}

function mostlyFlaky({ history }: CheckEvidence): readonly string[] | null {
  if (!history || history.hits === 0) return null;
  if (history.flakyHits < HABIT || history.flakyHits * 2 <= history.hits) return null;
  return seen(history);
}

function tellsNothing(evidence: CheckEvidence): readonly string[] | null {
  const { read, conclusion } = evidence;
  const hasTests = read.excerpt.tests.length > 0;
  const ranOut =
    TIME_OUT.test(read.excerpt.headline) || (conclusion === 'timed_out' && !hasTests && !read.isInformative);
  if (ranOut && !hasTests)
    return ['it ran out of time or was stopped; what took so long it does not say', ...besides(evidence)];
  if (read.isInformative) return null;
  if (evidence.noLog) return [`its log cannot be read: ${evidence.noLog}`, ...besides(evidence)];
  const { headline } = read.excerpt;
  const says =
    headline === '' || matchError(headline, false)?.kind === 'end' ? '' : `it says: ${quoted(headline)}, and no more`;
  const silent = 'it is red, but nothing in its log, its annotations or its own words tells why';
  return [says || silent, ...besides(evidence)];
}

/** Checks that never run on the base leave open whose fault it is, unless the change touches what fails. */
function unproven(evidence: CheckEvidence): readonly string[] | null {
  const { base, isOnDefault } = evidence;
  if (isOnDefault || base.state !== 'unknown' || tiesOf(evidence).length > 0) return null;
  const open = `whether ${named(base.name)} is red on the base as well is not known, and nothing ties it to the change`;
  return [...code(evidence), open];
}

function code(evidence: CheckEvidence): readonly string[] {
  const { read } = evidence;
  const ties = tiesOf(evidence);
  const [test] = read.excerpt.tests;
  const more = read.excerpt.tests.length - 1;
  const failing = test ? `${quoted(test)}${more > 0 ? ` and ${formatCount(more, 'other test')}` : ''} failed` : '';
  const said = read.excerpt.headline === '' ? 'it says what is wrong' : `it says: ${quoted(read.excerpt.headline)}`;
  return [
    ...touchReasons(ties),
    failing || said,
    ...(ties.length > 0 ? [] : untouched(evidence)),
    ...besides(evidence),
  ];
}

function tiesOf({ ties, changed, read }: CheckEvidence): readonly Tie[] {
  return ties ?? findTiesByName(changed?.paths ?? [], read);
}

/** By what says most: a file that a test only uses is named where there is nothing else. */
function touchReasons(ties: readonly Tie[]): readonly string[] {
  const named = ties.filter(({ kind }) => kind === 'named').map(({ path }) => path);
  const tested = ties.find(({ kind }) => kind === 'tested');
  const used = ties.find(({ kind }) => kind === 'used');
  if (named.length > 0) return [`the change touches ${list(named)}, where it fails`];
  if (tested) return [`the change touches ${tested.path}, which ${tested.test} tests`];
  return used ? [`the change touches ${used.path}, which ${used.test} uses`] : [];
}

function untouched({ changed, read }: CheckEvidence): readonly string[] {
  if (!changed || changed.isCut || changed.paths.length === 0 || read.places.length === 0) return [];
  return ['no file of the change under test is one that the failure names'];
}

function besides({ base, history }: CheckEvidence): readonly string[] {
  const green = base.state === 'green' ? [`${named(base.name)} is green on the base`] : [];
  const other =
    base.state === 'red' && base.sameCause === false
      ? [`${named(base.name)} is red on the base too, for another cause`]
      : [];
  return [...green, ...other, ...seen(history)];
}

function seen(history: FailureHistory | null): readonly string[] {
  if (!history || history.hits === 0) return [];
  const { hits, flakyHits, pullRequests, branches } = history;
  const places = [
    ...(pullRequests > 0 ? [formatCount(pullRequests, 'other pull request')] : []),
    ...(branches > 0 ? [`${branches} other ${branches === 1 ? 'branch' : 'branches'}`] : []),
  ];
  const where = places.length > 0 ? ` on ${places.join(' and ')}` : '';
  const flaky = flakyHits > 0 ? `, ${flakyHits} of them passed when run again` : '';
  return [`seen ${hits === 1 ? 'once' : `${hits} times`} before${where}${flaky}`];
}

const MAX_QUOTED = 160;

function quoted(text: string): string {
  const short = text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED - 1)}…` : text;
  return `“${short.trim()}”`;
}

function named(name: string): string {
  return name === '' ? 'the same check' : `\`${name.replaceAll('`', '')}\``;
}

function list(paths: readonly string[]): string {
  const shown = paths.slice(0, 2).join(' and ');
  return paths.length > 2 ? `${shown} and ${paths.length - 2} more` : shown;
}
