// Judges the two halves of a proof from what the checks say: red for the reported reason with the tests alone, then green
// with the fix. Pure.

import { foldSpaces } from 'causeway-visible-text';
import type { Check } from '../check/index.ts';
import type { OwnTests } from './change-parts.ts';
import { isOwnTest, isSameNamedFile } from './named-tests.ts';
import { listDistinctNames, type OtherFailure, type ProofVerdict, type RedHalf, type RedJudgement } from './proof.ts';

/** A check as one of the halves sees it. */
export interface HalfCheck extends Pick<Check, 'name' | 'app' | 'state' | 'url'> {
  readonly at: string;
  /** Names of failed tests in its log, at most `MOST_TESTS`. */
  readonly tests: readonly string[];
  readonly firstError: string;
  /** Whether its log mentions one of our tests, or a file of theirs. */
  readonly namesOwn: boolean;
  /** Whether its log has one of the errors of the report (`listThrown`); true if there is none. */
  readonly showsReported: boolean;
  /** Whether a run of tests ended in one of them, so that those behind it did not run. */
  readonly isCutShort: boolean;
  /** Whether it had another result at this commit before. */
  readonly isFlaky: boolean;
}

/** As many as the log reader names: there may be more. */
const MOST_TESTS = 50;

/** A check on the base, as far as it is known. */
export type BaseCheck = Pick<Check, 'name' | 'app' | 'state'>;

export interface RedFacts {
  readonly base: readonly BaseCheck[];
  /** Of the commit with the tests alone. */
  readonly checks: readonly HalfCheck[];
  readonly own: OwnTests;
  /** What was reported: an error in it is the expected one, whatever it is. */
  readonly report: string;
  /** Whether it is waited for no longer. */
  readonly isLate: boolean;
  readonly mayRepeat: boolean;
}

export function judgeRedHalf(facts: RedFacts): RedJudgement {
  const { checks, isLate, own } = facts;
  const isWaiting = checks.length === 0 || checks.some(({ state }) => state === 'waiting');
  if (isWaiting && !isLate) return { kind: 'wait' };
  if (checks.length === 0) return endWithVerdict({ state: 'not_run', because: 'no_checks' });
  const red = checks.filter(({ state }) => state === 'red');
  const fresh = red.filter((check) => !isRedOn(facts.base, check));
  const standing = findStandingRed(facts, red, fresh);
  if (standing.length > 0) return endWithVerdict({ state: 'base_red', checks: listDistinctNames(standing) });
  if (red.length === 0 && isWaiting) return endWithVerdict({ state: 'not_run', because: 'too_long' });
  if (fresh.length === 0) return endWithVerdict(judgeGreenTests(checks));
  const failing = fresh.filter((check) => findTurned(check, own).length > 0);
  const otherwise = explainOtherwise(facts, fresh, failing);
  if (otherwise === null) return { kind: 'red', half: toRedHalf(failing, own) };
  const mayPass = otherwise.code === 'other_checks' || otherwise.code === 'other_tests';
  if (facts.mayRepeat && mayPass && failing.length > 0) return { kind: 'repeat' };
  return endWithVerdict({ state: 'fails_otherwise', because: otherwise });
}

/** Checks that were red on the base and may be those that run our tests. */
function findStandingRed(
  { checks, own }: RedFacts,
  red: readonly HalfCheck[],
  fresh: readonly HalfCheck[],
): readonly HalfCheck[] {
  const standing = red.filter((check) => !fresh.includes(check));
  const byOwn = standing.filter((check) => findTurned(check, own).length > 0);
  if (byOwn.length > 0) return byOwn;
  return fresh.length === 0 && !checks.some(isGreenWithOwn) ? standing : [];
}

/** No check is red that wasn't before. */
function judgeGreenTests(checks: readonly HalfCheck[]): ProofVerdict {
  const flaky = checks.filter(({ isFlaky }) => isFlaky);
  if (flaky.length > 0) {
    return { state: 'fails_otherwise', because: { code: 'flaky', checks: listDistinctNames(flaky) } };
  }
  const ran = checks.filter(isGreenWithOwn);
  if (ran.length > 0) return { state: 'not_reproduced', checks: listDistinctNames(ran) };
  const areStatuses = checks.every(({ app }) => app === '');
  return {
    state: 'not_covered',
    ...(areStatuses && { seen: { kind: 'statuses', checks: listDistinctNames(checks) } }),
  };
}

function isGreenWithOwn({ state, namesOwn }: HalfCheck): boolean {
  return state === 'green' && namesOwn;
}

/** Why the red checks don't show the fault; null: they do. */
function explainOtherwise(
  { own, report }: RedFacts,
  fresh: readonly HalfCheck[],
  failing: readonly HalfCheck[],
): OtherFailure | null {
  const others = fresh.filter((check) => !failing.includes(check));
  const tests = fresh.flatMap((check) => check.tests).filter((name) => !isOfOwn(name, own));
  if (tests.length > 0) return { code: 'other_tests', tests: [...new Set(tests)] };
  // It lists only so many, and what follows isn't known.
  if (fresh.some((check) => check.tests.length >= MOST_TESTS))
    return { code: 'unnamed', checks: listDistinctNames(fresh) };
  const broken = fresh.find(({ firstError }) => isBroken(firstError) && !isReported(firstError, report));
  if (broken !== undefined) return { code: 'other_error', line: broken.firstError };
  if (failing.length === 0) return { code: 'unnamed', checks: listDistinctNames(fresh) };
  if (others.length > 0) return { code: 'other_checks', checks: listDistinctNames(others) };
  const flaky = failing.filter(({ isFlaky }) => isFlaky);
  return flaky.length > 0
    ? { code: 'flaky', checks: listDistinctNames(flaky) }
    : explainUnconvincing({ own, report }, failing);
}

/** Why tests that fail by themselves show another fault, or a fix could pass them without mending anything. */
function explainUnconvincing(
  { own, report }: Pick<RedFacts, 'own' | 'report'>,
  failing: readonly HalfCheck[],
): OtherFailure | null {
  const assertsNothing = own.asserts === 'unknown' && failing.some(({ firstError }) => isReported(firstError, report));
  if (own.asserts === 'no_error' || assertsNothing) return { code: 'hides_error' };
  const isRecorded = own.files.some((file) => RECORDED.test(file));
  if (isRecorded && failing.some(({ firstError }) => DIFFERS.test(firstError))) return { code: 'snapshot' };
  if (failing.some(({ showsReported }) => showsReported)) return null;
  return { code: 'other_reason', error: listThrown(report)[0] ?? '' };
}

/** Files that runners write themselves, from what the code gives. */
const RECORDED = /\.snap(?:\.[^./]+)?$|(?:^|\/)(?:__snapshots__|tap-snapshots|snapshots)\//;
const DIFFERS = /\bsnapshot\b.{0,300}\bmismatch|\btoMatchSnapshot\b|\bnot match (?:the )?snapshot\b/i;

function toRedHalf(failing: readonly HalfCheck[], own: OwnTests): RedHalf {
  return {
    checks: failing.map(({ name, app, url, at }) => ({ name, app, red: { url, at } })),
    turned: [...new Set(failing.flatMap((check) => findTurned(check, own)))],
  };
}

export interface GreenFacts {
  readonly half: RedHalf;
  readonly base: readonly BaseCheck[];
  /** Of the commit with the fix. */
  readonly checks: readonly Pick<HalfCheck, 'name' | 'app' | 'state' | 'url' | 'at' | 'isFlaky'>[];
  readonly isLate: boolean;
}

export type GreenJudgement =
  | { readonly kind: 'wait' }
  /** A further attempt may turn it. */
  | { readonly kind: 'red'; readonly checks: readonly string[] }
  | { readonly kind: 'ended'; readonly verdict: ProofVerdict };

export function judgeGreenHalf({ half, base, checks, isLate }: GreenFacts): GreenJudgement {
  const isWaiting = checks.length === 0 || checks.some(({ state }) => state === 'waiting');
  if (isWaiting && !isLate) return { kind: 'wait' };
  const turning = half.checks.map((check) => ({ check, now: checks.find((one) => isSameCheck(one, check)) }));
  const red = checks.filter((check) => check.state === 'red' && !isRedOn(base, check));
  if (red.length > 0) return { kind: 'red', checks: listDistinctNames(red) };
  const late = turning.filter(({ now }) => now?.state !== 'green');
  if (late.length > 0) {
    const isMissing = !isWaiting && late.some(({ now }) => now === undefined);
    return endWithVerdict(isMissing ? { state: 'not_covered' } : { state: 'not_run', because: 'too_long' });
  }
  const flaky = turning.flatMap(({ now }) => (now?.isFlaky ? now : []));
  if (flaky.length > 0)
    return endWithVerdict({ state: 'fails_otherwise', because: { code: 'flaky', checks: listDistinctNames(flaky) } });
  const proven = turning.flatMap(({ check, now }) =>
    now === undefined ? [] : { name: check.name, red: check.red, green: { url: now.url, at: now.at } },
  );
  return endWithVerdict({ state: 'proven', checks: proven, turned: half.turned });
}

function endWithVerdict(verdict: ProofVerdict): { readonly kind: 'ended'; readonly verdict: ProofVerdict } {
  return { kind: 'ended', verdict };
}

function isRedOn(base: readonly BaseCheck[], check: BaseCheck): boolean {
  return base.some((one) => one.state === 'red' && isSameCheck(one, check));
}

function isSameCheck(one: Pick<Check, 'name' | 'app'>, other: Pick<Check, 'name' | 'app'>): boolean {
  return one.name === other.name && one.app === other.app;
}

/** Names of failed tests that are ours. */
function findTurned({ tests }: Pick<HalfCheck, 'tests'>, own: OwnTests): readonly string[] {
  return tests.filter((name) => isOwnTest(name, own));
}

/** Groups and files are reported as failed with the tests in them. */
function isOfOwn(name: string, own: OwnTests): boolean {
  return isOwnTest(name, own) || own.groups.includes(name) || own.files.some((file) => isSameNamedFile(name, file));
}

/** The test did not run to its assertion: it, or what it imports, is broken or missing; or the machine failed. */
const BROKEN =
  /\b(?:SyntaxError|IndentationError|ReferenceError|NameError|ImportError|ModuleNotFoundError|NoClassDefFoundError|ClassNotFoundException|(?:ERR_)?MODULE_NOT_FOUND|ERR_UNKNOWN_FILE_EXTENSION|ENOENT|ECONNREFUSED|ETIMEDOUT)\b|\bcannot find (?:module|package|name|symbol|function|value|type)\b|\bdoes not provide an export\b|\bis not (?:a function|a constructor|defined)\b|\bhas no attribute\b|\bundefined (?:method|local variable|:)|\bunresolved (?:import|name)\b|\bno such file or directory\b|\btim(?:ed|e) ?out\b|\bout of memory\b|\bno space left\b/i;

function isBroken(line: string): boolean {
  return BROKEN.test(line);
}

/** Shorter messages say too little to be recognised. */
const LEAST_MESSAGE = 12;

function isReported(line: string, report: string): boolean {
  const message = foldSpaces(line.replace(/^.{0,80}?\b\w*(?:Error|Exception)\b(?: \[\w{1,40}\])?:? /, ''));
  return message.length >= LEAST_MESSAGE && foldSpaces(report).includes(message);
}

/** Of messages with a stack trace, the longest part without numbers and paths, which differ from machine to machine. */
export function listThrown(report: string): readonly string[] {
  const lines = report.split('\n').map((line) => line.trim());
  return lines.flatMap((line, at) => {
    const isAbove = /^at\s/.test(lines[at + 1] ?? '');
    const isBelow = lines.slice(Math.max(0, at - 4), at).some((one) => /^File "/.test(one));
    const message = isAbove || isBelow ? (THROWN.exec(line)?.[1] ?? '') : '';
    const words = message.split(/\s+/).map((word) => (/[\d/\\]/.test(word) ? '\n' : word));
    const parts = words.join(' ').split('\n').map(foldSpaces);
    const [longest = ''] = parts.sort((one, other) => other.length - one.length);
    return longest.length >= LEAST_MESSAGE ? [longest] : [];
  });
}

const THROWN = /^.{0,80}?\b\w{0,80}(?:Error|Exception)\b(?: \[\w{1,40}\])?: (.{1,300})/;
