// The verdict on a red check: what broke it, and the reasons to believe so.

import { matchError, type ReadCheck, TIME_OUT } from 'causeway-ci-log';
import type { Leaning, Reason, Verdict } from '../core/check/index.ts';
import { classifyFile, isDependencyList } from '../triage/index.ts';
import { findTiesByName, isCertainTie, type Tie } from './touches.ts';

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
    /** Tests that failed there. */
    readonly tests?: readonly string[];
    /** Whether errors are named here that are not named there; absent: not known. */
    readonly hasFewerErrors?: boolean;
  };
  /** The same failure so far; null: never seen. */
  readonly history: FailureHistory | null;
  /** Of each failed test, in whatever company it failed; absent or empty: not known of all. */
  readonly ofTests?: readonly FailureHistory[];
  /** What the change under test touches; null: not known. */
  readonly changed: { readonly paths: readonly string[]; readonly isCut: boolean } | null;
  /** What ties the failure to the change; absent: names decide. */
  readonly ties?: readonly Tie[];
  /** Whether it changes documentation alone, and nothing that failed reads that. */
  readonly isUnreadDocumentation?: boolean;
  /** What speaks for the change where none of these is certain; null or absent: nothing. */
  readonly leaning?: Leaning | null;
  /** A push to the default branch has no base but its previous commit. */
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
  /** The most informative first; never empty. */
  readonly reasons: readonly Reason[];
  /** Of a check that never runs on the base; absent: it leans to nothing. */
  readonly leaning?: Leaning;
}

/** A rule gives reasons where it applies, the most informative first; else null. */
interface VerdictRule {
  readonly verdict: Verdict;
  readonly explain: (evidence: CheckEvidence) => readonly Reason[] | null;
}

/** The first that applies counts. */
const RULES: readonly VerdictRule[] = [
  { verdict: 'flaky', explain: explainPassHere },
  { verdict: 'infrastructure', explain: explainInfrastructure },
  { verdict: 'base_broken', explain: explainBrokenBase },
  { verdict: 'flaky', explain: explainFlakiness },
  { verdict: 'inconclusive', explain: explainSilence },
  { verdict: 'inconclusive', explain: explainDocumentation },
  { verdict: 'inconclusive', explain: explainUntied },
  { verdict: 'code', explain: explainCode },
];

/** A failure that was seen fewer times than this may have passed by mere chance. */
const MIN_FLAKY = 2;
const MIN_FLAKY_TOGETHER = 3;

/** Decides from the evidence only, so the same evidence always gives the same verdict. */
export function judgeCheck(evidence: CheckEvidence): Judgement {
  for (const { verdict, explain } of RULES) {
    const reasons = explain(evidence);
    if (reasons === null) continue;
    const leaning = explain === explainUntied ? findOwnLeaning(evidence) : null;
    return { verdict, reasons, ...(leaning !== null && { leaning }) };
  }
  return { verdict: 'inconclusive', reasons: [{ code: 'unexplained' }] };
}

function explainPassHere({ passedHere, history }: CheckEvidence): readonly Reason[] | null {
  return passedHere ? [{ code: 'passed_at_same_commit' }, ...explainHistory(history)] : null;
}

function explainInfrastructure({ read }: CheckEvidence): readonly Reason[] | null {
  return read.infrastructure && [{ code: 'infrastructure', ...read.infrastructure }];
}

/** On the default branch there is no base that could be blamed. */
function explainBrokenBase(evidence: CheckEvidence): readonly Reason[] | null {
  const { base, history, isOnDefault, read } = evidence;
  if (isOnDefault) return null;
  const isRed = base.state === 'red';
  const toReasons = (...reasons: readonly Reason[]) => [...reasons, ...explainHistory(history)];
  // Red on the base for another cause is no excuse; nor is a red base where this failure is unknown there and its cause
  // is known.
  const same = { code: 'red_on_base', check: base.name, cause: 'same' } as const;
  // One cause is one by the names of its tests: a test over a table may fail for more rows than it does there.
  const certain = base.hasFewerErrors === true ? findTies(evidence).filter(isCertainTie) : [];
  const more: Pick<typeof same & { readonly isMore?: true }, 'isMore'> = certain.length > 0 ? { isMore: true } : {};
  if (isRed && base.sameCause === true) return toReasons({ ...same, ...more }, ...explainTies(certain));
  const shared = findSharedTests({ base, read });
  // Fewer tests than on the base: the change mends some of what is broken there.
  if (shared.isAll) return toReasons({ ...same, tests: shared.tests, ...more }, ...explainTies(certain));
  if (history?.isOpenOnDefault === true) return toReasons({ code: 'open_on_default' });
  if (!isRed || base.sameCause === false) return null;
  return toReasons({ code: 'red_on_base', check: base.name, cause: read.isInformative ? 'unknown' : 'unsaid' });
}

function explainFlakiness({ history, ofTests = [] }: CheckEvidence): readonly Reason[] | null {
  if (history !== null && isChance(history)) return explainHistory(history);
  const [least = null] = ofTests.toSorted((a, b) => a.flakyHits - b.flakyHits);
  const areChance = ofTests.length > 0 && (ofTests.every(isChance) || areChanceTogether(ofTests));
  return areChance ? explainHistory(least) : null;
}

/** Slow machines fail several tests at a time, hardly ever the same ones: none of these failed but by chance, and they say so together. */
function areChanceTogether(ofTests: readonly FailureHistory[]): boolean {
  const sum = ofTests.reduce((all, { flakyHits }) => all + flakyHits, 0);
  const areAll = ofTests.every(({ hits, flakyHits }) => flakyHits > 0 && flakyHits === hits);
  return ofTests.length > 1 && areAll && sum >= MIN_FLAKY_TOGETHER;
}

function isChance({ hits, flakyHits }: FailureHistory): boolean {
  return hits > 0 && flakyHits >= MIN_FLAKY && flakyHits * 2 > hits;
}

function explainSilence(evidence: CheckEvidence): readonly Reason[] | null {
  const { read, conclusion, noLog } = evidence;
  const { headline, tests } = read.excerpt;
  const hasTimedOut = TIME_OUT.test(headline) || (conclusion === 'timed_out' && !read.isInformative);
  if (hasTimedOut && tests.length === 0) return [{ code: 'out_of_time' }, ...explainSurroundings(evidence)];
  if (read.isInformative) return null;
  if (noLog) return [{ code: 'no_log', why: noLog }, ...explainSurroundings(evidence)];
  const saysNothing = headline === '' || matchError(headline, false)?.kind === 'end';
  const said: Reason = saysNothing ? { code: 'says_nothing' } : { code: 'says', headline, isAll: true };
  return [said, ...explainSurroundings(evidence)];
}

/** What broke it is open; that it is not the change is not. */
function explainDocumentation(evidence: CheckEvidence): readonly Reason[] | null {
  const { isUnreadDocumentation = false, changed } = evidence;
  if (!isUnreadDocumentation || changed === null) return null;
  const rest = explainCode(evidence).filter(({ code }) => code !== 'untouched');
  return [{ code: 'only_documentation', paths: changed.paths }, ...rest];
}

/** Checks that never run on the base leave open what broke them, unless the change certainly touches what fails. */
function explainUntied(evidence: CheckEvidence): readonly Reason[] | null {
  const { base, isOnDefault } = evidence;
  const ties = findTies(evidence);
  if (isOnDefault || base.state !== 'unknown' || ties.some(isCertainTie)) return null;
  const leaning = findOwnLeaning(evidence);
  const isOpen = leaning !== null || ties.length > 0 || changesOneSource(evidence);
  const untied: Reason = { code: 'untied', check: base.name, ...(isOpen && { isOpen }) };
  if (leaning === null) return [...explainCode(evidence), untied];
  const rest = explainCode(evidence).filter(({ code }) => code !== 'touched_by_test' && code !== 'untouched');
  return [...explainLeaning(leaning), ...rest, untied];
}

/** What other pull requests and branches have too is not this change's. */
function findOwnLeaning({ leaning = null, history, changed }: CheckEvidence): Leaning | null {
  const isElsewhere = history !== null && history.pullRequests + history.branches + history.flakyHits > 0;
  return isElsewhere || changed === null || changed.isCut ? null : leaning;
}

function explainLeaning({ path: [test = '', ...way] }: Leaning): readonly Reason[] {
  const [path = '', via = null] = way.toReversed();
  return [{ code: 'touched_by_test', path, test, how: 'uses', ...(via !== null && { via }) }];
}

/** What gets to it at run time is not seen, and there is nothing else that could be it. */
function changesOneSource({ changed }: CheckEvidence): boolean {
  return changed !== null && changed.paths.filter((path) => classifyFile(path) === 'source').length === 1;
}

function explainCode(evidence: CheckEvidence): readonly Reason[] {
  const { headline, tests: all } = evidence.read.excerpt;
  const ties = findTies(evidence);
  const { tests: known } = findSharedTests(evidence);
  const tests = all.filter((name) => !known.includes(name));
  const [test] = tests;
  const failing: Reason =
    test === undefined
      ? { code: 'says', headline, isAll: false }
      : { code: 'test_failed', test, others: tests.length - 1 };
  return [
    ...explainTies(ties),
    failing,
    ...(ties.length > 0 ? [] : explainUntouched(evidence)),
    ...explainSurroundings(evidence),
  ];
}

function findTies({ ties, changed, read }: CheckEvidence): readonly Tie[] {
  return ties ?? findTiesByName(changed?.paths ?? [], read);
}

/** By the strongest tie: a file that a test only uses is named where there is nothing else. */
function explainTies(ties: readonly Tie[]): readonly Reason[] {
  const named = ties.filter(({ kind }) => kind === 'named').map(({ path }) => path);
  if (named.length > 0) return [{ code: 'touched', paths: named }];
  const tested = ties.find(({ kind }) => kind === 'tested');
  const tie = tested ?? ties.find(({ kind }) => kind === 'used');
  if (tie === undefined) {
    const beside = ties.find(({ kind }) => kind === 'beside');
    return beside === undefined ? [] : [{ code: 'touched_beside', path: beside.path }];
  }
  return [{ code: 'touched_by_test', path: tie.path, test: tie.test, how: tested ? 'tests' : 'uses' }];
}

function explainUntouched({ changed, read }: CheckEvidence): readonly Reason[] {
  if (!changed || changed.isCut || changed.paths.length === 0 || read.places.length === 0) return [];
  const paths = changed.paths.filter(isDependencyList).toSorted();
  return [paths.length > 0 ? { code: 'dependencies', paths } : { code: 'untouched' }];
}

/** Of the failed tests those that fail on the base as well, where that is red for another cause. */
function findSharedTests({ base, read }: Pick<CheckEvidence, 'base' | 'read'>): NonNullable<ReadCheck['before']> {
  const { tests = [], state, sameCause } = base;
  if (state !== 'red' || sameCause !== false) return { tests: [], isAll: false };
  if (read.before !== undefined) return read.before;
  const all = read.excerpt.tests;
  const shared = all.filter((name) => tests.includes(name));
  return { tests: shared, isAll: shared.length > 0 && shared.length === all.length };
}

/** What the base and the history add. */
function explainSurroundings(evidence: CheckEvidence): readonly Reason[] {
  const { base, history } = evidence;
  const isOther = base.state === 'red' && base.sameCause === false;
  const { tests } = findSharedTests(evidence);
  const other = { code: 'red_on_base', check: base.name, cause: 'other', ...(tests.length > 0 && { tests }) } as const;
  return [
    ...(base.state === 'green' ? [{ code: 'green_on_base', check: base.name } as const] : []),
    ...(isOther ? [other] : []),
    ...explainHistory(history),
  ];
}

function explainHistory(history: FailureHistory | null): readonly Reason[] {
  if (!history || history.hits === 0) return [];
  const { hits, flakyHits, pullRequests, branches } = history;
  return [{ code: 'seen_before', hits, flakyHits, pullRequests, branches }];
}
