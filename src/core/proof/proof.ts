// The proof of a fix in the repository's own CI: red with the tests alone, green with the fix; judged from what the
// checks say. Pure.

import { createHash } from 'node:crypto';
import type { ChangeSet } from 'causeway-diff';
import { foldSpaces } from 'causeway-visible-text';
import type { Check } from '../check/index.ts';
import { type OwnTests, splitChange } from './change-parts.ts';

interface ProofRun {
  readonly url: string;
  /** When it ended. */
  readonly at: string;
}

/** A check that failed without the fix, and passed with it. */
export interface ProvenCheck {
  readonly name: string;
  readonly red: ProofRun;
  readonly green: ProofRun;
}

/** What a proof came to. Only `proven` proves anything. */
export type ProofVerdict =
  /** `turned`: names of the tests that failed without the fix. */
  | { readonly state: 'proven'; readonly checks: readonly ProvenCheck[]; readonly turned: readonly string[] }
  /** The tests pass without the fix. `isSecondTry`: those of a second investigation as well. */
  | { readonly state: 'not_reproduced'; readonly checks: readonly string[]; readonly isSecondTry?: boolean }
  | { readonly state: 'fails_otherwise'; readonly because: OtherFailure }
  /** No check is seen to run the tests without the fix. `seen`: what ran instead; absent: checks with other logs. */
  | { readonly state: 'not_covered'; readonly seen?: SeenCi; readonly tests?: readonly string[] }
  /** `tests`: files of the change that people can run themselves. */
  | { readonly state: 'not_run'; readonly because: NotRun; readonly tests?: readonly string[] }
  /** The checks that fail with the tests fail on the base as well. */
  | { readonly state: 'base_red'; readonly checks: readonly string[] };

export type ProofState = ProofVerdict['state'];

/** CI that can't prove the fix. */
type SeenCi =
  /** Of a CI whose logs GitHub doesn't have. */
  | { readonly kind: 'statuses'; readonly checks: readonly string[] }
  /** It ran with the fix; `because`: why it was not run on the tests alone. */
  | { readonly kind: 'with_fix'; readonly because: NotRun; readonly checks: readonly string[] };

type OtherFailure =
  | { readonly code: 'other_tests'; readonly tests: readonly string[] }
  /** Neither of them fails on the base. */
  | { readonly code: 'other_checks' | 'unnamed' | 'flaky' | 'still_red'; readonly checks: readonly string[] }
  /** The test could not run, or broke on something else. */
  | { readonly code: 'other_error'; readonly line: string }
  /** It asserts no more than that there is no error. */
  | { readonly code: 'hides_error' }
  /** The report has an error that its log doesn't have. */
  | { readonly code: 'other_reason'; readonly error: string }
  /** A further attempt changed the tests. */
  | { readonly code: 'tests_changed' };

export type NotRun =
  | 'no_checks'
  | 'no_ci'
  | 'unseen'
  | 'too_long'
  | 'no_drafts'
  | 'drafts_off'
  /** A workflow's own token starts no other workflow. */
  | 'own_token'
  | 'not_permitted'
  | 'pushed'
  /** By a further attempt of ours, after it was proven. */
  | 'moved'
  | 'closed'
  | 'no_pull_request'
  /** The change touches what decides which tests run, or what they expect. */
  | 'guarded';

/** The pull request's own record of its proof. */
export type ProofProgress = ProofCommits &
  (
    | { readonly phase: 'red'; readonly since: string; readonly hasRepeated: boolean }
    /** Another investigation looks for a test that fails; `checks` are those that passed. */
    | { readonly phase: 'second_try'; readonly checks: readonly string[] }
    /** Recorded before the fix is pushed, after which it couldn't be judged again. */
    | { readonly phase: 'judged'; readonly outcome: HalfOutcome }
    | { readonly phase: 'green'; readonly fixCommit: string; readonly red: RedHalf }
    | {
        readonly phase: 'ended';
        /** Null: it wasn't pushed. */
        readonly fixCommit: string | null;
        readonly verdict: ProofVerdict;
        /** Of the whole change; "" where it isn't proven. */
        readonly diffHash: string;
      }
  );

/** What the red half came to. */
export type HalfOutcome = Extract<RedJudgement, { readonly kind: 'red' | 'ended' }>;

interface ProofCommits {
  readonly base: string;
  readonly testCommit: string;
  /** Since the first tests passed without the fix. `issueId`: whose change is proven instead; null: of none. */
  readonly secondTry?: { readonly investigationId: string; readonly issueId: string | null };
}

/** What stays from one phase to the next. */
export function pickCommits({ base, testCommit, secondTry }: ProofCommits): ProofCommits {
  return { base, testCommit, ...(secondTry && { secondTry }) };
}

/** Whether CI is still running without the fix, which isn't on the branch yet. */
export function isRedHalf({ phase }: ProofProgress): boolean {
  return phase === 'red' || phase === 'second_try' || phase === 'judged';
}

/** Ends whatever it was at. */
export function endProof(progress: ProofProgress, verdict: ProofVerdict, diffHash = ''): ProofProgress {
  return { ...pickCommits(progress), phase: 'ended', fixCommit: getFixCommit(progress), verdict, diffHash };
}

function getFixCommit(progress: ProofProgress): string | null {
  return 'fixCommit' in progress ? progress.fixCommit : null;
}

export interface ChangedFile {
  readonly path: string;
  readonly status: string;
  /** Git's name of its content. */
  readonly blob: string;
}

/** Of all files of a change, as GitHub compares two commits. */
export function hashChange(files: readonly ChangedFile[]): string {
  const lines = files.map(({ path, status, blob }) => JSON.stringify([path, status, blob])).sort();
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}

/** As the API shows it. */
export interface Proof {
  readonly state: ProofState;
  readonly base: string;
  readonly testCommit: string;
  readonly fixCommit: string;
  readonly checks: readonly ProvenCheck[];
  readonly turned: readonly string[];
  readonly diffHash: string;
  /** Why it isn't proven; "" where it is. */
  readonly reason: string;
  /** Checks that still fail with the fix after the last attempt; absent: none. */
  readonly failing?: readonly string[];
  /** Of a change whose tests CI did not run alone: with which people see both halves themselves. */
  readonly commands?: readonly string[];
}

/** What GitHub says of a certificate. */
export type VerifiedProof =
  | {
      readonly state: 'confirmed';
      readonly repository: string;
      /** Its address. */
      readonly pullRequest: string;
      /** What was proven: the head of the pull request. */
      readonly commit: string;
      /** Login of the bot that opened it and made its commits. */
      readonly bot: string;
      readonly turned: readonly string[];
    }
  /** `faults`: what contradicts it, at least one. */
  | { readonly state: 'denied'; readonly faults: readonly string[] }
  /** It can't be said whose proof it is. `named`: the address that it has; "" for none. */
  | { readonly state: 'not_verifiable'; readonly because: 'names_none' | 'file_alone'; readonly named: string };

/** Null until it has ended. `number`: of the pull request; absent: it is not needed. */
export function toProof(progress: ProofProgress | undefined, number = 0): Proof | null {
  if (progress?.phase !== 'ended') return null;
  const { verdict, base, testCommit, fixCommit, diffHash } = progress;
  const { checks, turned } = verdict.state === 'proven' ? verdict : { checks: [], turned: [] };
  const commits = { base, testCommit, fixCommit: fixCommit ?? '' };
  const commands = listCommands(progress, number);
  const failing = listFailing(verdict);
  return {
    state: verdict.state,
    ...commits,
    checks,
    turned,
    diffHash,
    reason: describeProofVerdict(verdict),
    ...(failing.length > 0 && { failing }),
    ...(commands.length > 0 && { commands }),
  };
}

/** Whether the repository seemed to have no CI, and none was seen since. */
export function isWithoutCi(progress: ProofProgress): boolean {
  if (progress.phase !== 'ended') return false;
  return (
    progress.verdict.state === 'not_run' &&
    (progress.verdict.because === 'no_ci' || progress.verdict.because === 'own_token')
  );
}

/** Checks that still fail with the fix after the last attempt. */
function listFailing(verdict: ProofVerdict): readonly string[] {
  const isRed = verdict.state === 'fails_otherwise' && verdict.because.code === 'still_red';
  return isRed ? verdict.because.checks : [];
}

export type EndedProof = Extract<ProofProgress, { readonly phase: 'ended' }>;

/** Why CI did not run on the tests alone, where it may run with the fix all the same. */
const LATE_CI: ReadonlySet<NotRun> = new Set<NotRun>([
  ...(['no_checks', 'no_ci', 'unseen', 'too_long', 'no_drafts', 'drafts_off', 'moved', 'guarded'] as const),
]);

/** Of a fix on its branch, once checks of that commit are seen: that CI was not run can't be said any more. */
export function noteChecks(proof: EndedProof, checks: readonly Pick<Check, 'name'>[]): EndedProof {
  const { verdict } = proof;
  if (verdict.state !== 'not_run' || checks.length === 0 || !LATE_CI.has(verdict.because)) return proof;
  const { because, tests } = verdict;
  const seen = { kind: 'with_fix', because, checks: listDistinctNames(checks) } as const;
  return { ...proof, verdict: { state: 'not_covered', seen, ...(tests && { tests }) } };
}

/** Checks that passed at the very commit that they had failed at, or the other way round, say nothing of the fix. */
export function notePassed(proof: EndedProof): EndedProof {
  const checks = listFailing(proof.verdict);
  if (checks.length === 0) return proof;
  return { ...proof, verdict: { state: 'fails_otherwise', because: { code: 'flaky', checks } } };
}

/** After the last attempt: checks fail with the fix, whatever was known of it before. */
export function refuteByChecks(
  proof: ProofProgress | undefined,
  { base, head, checks }: { readonly base: string; readonly head: string; readonly checks: readonly string[] },
): ProofProgress {
  const commits = proof === undefined ? { base, testCommit: '' } : pickCommits(proof);
  const wasGreen = proof?.phase === 'ended' && proof.verdict.state === 'proven' && proof.fixCommit === head;
  const because = { code: wasGreen ? 'flaky' : 'still_red', checks } as const;
  return {
    ...commits,
    phase: 'ended',
    fixCommit: head,
    verdict: { state: 'fails_otherwise', because },
    diffHash: '',
  };
}

const PROOF_NAMES: Readonly<Record<ProofState, string>> = {
  proven: 'Proven in CI',
  not_reproduced: 'Not proven: the test passes without the fix',
  fails_otherwise: 'Not proven: the test fails for another reason',
  not_covered: 'Not proven: no check is seen to run the test without the fix',
  not_run: 'Not proven: CI was not run',
  base_red: 'Not proven: CI fails without the test too',
};

/** In a few words. */
export function nameProof({ state, failing }: Proof): string {
  return failing === undefined ? PROOF_NAMES[state] : 'Not proven: CI fails with the fix';
}

/** One sentence for people. */
export function describeProof({ state, turned, reason }: Proof): string {
  if (state !== 'proven') return `Not proven (${state}): ${reason}.`;
  return `Proven in the repository's own CI: ${listShort(turned)} failed without the fix and passed with it.`;
}

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
  /** Whether it had another result at this commit before. */
  readonly isFlaky: boolean;
}

/** As many as the log reader names: there may be more. */
const MOST_TESTS = 50;

/** A check on the base, as far as it is known. */
export type BaseCheck = Pick<Check, 'name' | 'app' | 'state'>;

/** The tests fail without the fix, by themselves and for a reason that isn't ruled out. */
export interface RedHalf {
  readonly checks: readonly (Pick<Check, 'name' | 'app'> & { readonly red: ProofRun })[];
  readonly turned: readonly string[];
}

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

export type RedJudgement =
  | { readonly kind: 'wait' }
  /** Something else failed that may pass when the checks run once more. */
  | { readonly kind: 'repeat' }
  | { readonly kind: 'red'; readonly half: RedHalf }
  | { readonly kind: 'ended'; readonly verdict: ProofVerdict };

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
  if (failing.some(({ showsReported }) => showsReported)) return null;
  return { code: 'other_reason', error: listThrown(report)[0] ?? '' };
}

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

function listDistinctNames(checks: readonly Pick<Check, 'name'>[]): readonly string[] {
  return [...new Set(checks.map(({ name }) => name))];
}

/** Names of failed tests that are ours. */
function findTurned({ tests }: Pick<HalfCheck, 'tests'>, own: OwnTests): readonly string[] {
  return tests.filter((name) => isOwnTest(name, own));
}

/**
 * Runners put file and groups before the title: `test/a.test.js::cart > adds`, `tests/test_a.py::TestCart::test_adds`.
 */
export function isOwnTest(name: string, { titles, files }: OwnTests): boolean {
  const file = /^([^\s:]{1,300}\.\w{1,8})(?:::| > )/.exec(name)?.[1];
  if (file !== undefined && !files.some((own) => isSameNamedFile(file, own))) return false;
  const bare = name.replace(/\[[^[\]]{0,200}\]$/, '');
  return titles.some((title) => endsWithTitle(name, title) || endsWithTitle(bare, title));
}

function endsWithTitle(name: string, title: string): boolean {
  if (title === '' || !name.endsWith(title)) return false;
  const before = name.slice(0, name.length - title.length);
  return before === '' || /(?:[\s:>›»./#])$/.test(before);
}

/** Groups and files are reported as failed with the tests in them. */
function isOfOwn(name: string, own: OwnTests): boolean {
  return isOwnTest(name, own) || own.groups.includes(name) || own.files.some((file) => isSameNamedFile(name, file));
}

/** Machines name it by its whole path. */
function isSameNamedFile(named: string, file: string): boolean {
  return named === file || named.endsWith(`/${file}`) || file.endsWith(`/${named}`);
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

/** A sentence without its full stop; "" for what is proven. Names in it come from logs and are untrusted. */
export function describeProofVerdict(verdict: ProofVerdict): string {
  switch (verdict.state) {
    case 'proven':
      return '';
    case 'not_reproduced':
      return verdict.isSecondTry
        ? `the new test passes without the fix (${listShort(verdict.checks)}), and so did the first one, so neither shows the reported fault`
        : `the new test passes without the fix (${listShort(verdict.checks)}), so it does not show the reported fault`;
    case 'not_covered':
      return describeNotCovered(verdict.seen);
    case 'base_red':
      return `${listShort(verdict.checks)} ${verdict.checks.length === 1 ? 'fails' : 'fail'} on the base branch as well`;
    case 'not_run':
      return NOT_RUN[verdict.because];
    case 'fails_otherwise':
      return describeOtherFailure(verdict.because);
  }
}

function describeNotCovered(seen: SeenCi | undefined): string {
  switch (seen?.kind) {
    case undefined:
      return 'no check is seen to run the new test';
    case 'statuses':
      return `only commit statuses were seen (${listShort(seen.checks)}), whose logs GitHub does not have, so no check is seen to run the new test`;
    case 'with_fix':
      if (seen.because === 'guarded') return NOT_RUN.guarded;
      return `${WITHOUT_TEST[seen.because] ?? NOT_RUN[seen.because]}; CI was only seen with the fix (${listShort(seen.checks)})`;
  }
}

/**
 * How people see both halves of a pull request themselves, whatever runs their tests: lines for a shell in a clone.
 * Empty where CI shows them, or there is nothing to fetch.
 */
export function listCommands(progress: ProofProgress, number: number): readonly string[] {
  if (progress.phase !== 'ended' || number === 0) return [];
  const { verdict, base } = progress;
  const tests = 'tests' in verdict ? (verdict.tests ?? []) : [];
  if (tests.length === 0) return [];
  return [
    `git fetch origin pull/${number}/head`,
    `git switch --detach ${base.slice(0, 12)}`,
    `git checkout FETCH_HEAD -- ${tests.map(quoteWord).join(' ')}   # the tests alone: they should fail`,
    'git switch --detach FETCH_HEAD   # and the fix: they should pass',
  ];
}

/** For a shell. */
function quoteWord(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`;
}

/**
 * Of a change for which there is no pull request, and where none can be; null: it has no test. `patch`: the name under
 * which the change is downloaded.
 */
export function toUnrunProof(changeSet: ChangeSet, patch: string): Proof | null {
  const parts = splitChange(changeSet);
  if (parts === null) return null;
  const tests = parts.test.files.map(({ path }) => path);
  const verdict: ProofVerdict = { state: 'not_run', because: 'no_pull_request', tests };
  const commits = { base: changeSet.base, testCommit: '', fixCommit: '' };
  const reason = describeProofVerdict(verdict);
  const only = (option: string) => tests.map((path) => `--${option}=${quoteWord(path)}`).join(' ');
  const commands = [
    `git apply ${only('include')} ${patch}   # the tests alone: they should fail`,
    `git apply ${only('exclude')} ${patch}   # and the fix: they should pass`,
  ];
  return { state: 'not_run', ...commits, checks: [], turned: [], diffHash: '', reason, commands };
}

const NOT_RUN: Readonly<Record<NotRun, string>> = {
  no_checks: 'no CI ran on the draft with the test alone',
  no_ci: 'no CI was found in this repository',
  unseen: "the App isn't permitted to see checks here",
  own_token:
    'what a workflow pushes with its own token starts no CI (give the action the token of a GitHub App as `token`, or close and reopen the pull request to start it)',
  drafts_off: "pull requests aren't opened as drafts here (`pull_request.draft`)",
  too_long: 'CI took too long',
  no_drafts: 'GitHub offers no draft pull requests here',
  not_permitted: 'the fix may not be pushed (any more)',
  pushed: 'somebody else pushed to the branch',
  moved: 'a further attempt was pushed after CI had confirmed this fix',
  closed: 'the pull request was merged or closed before its checks had ended',
  no_pull_request: 'there is no pull request on GitHub',
  guarded: 'the change touches what decides which tests run or what they expect, so passing checks would prove nothing',
};

/** Of CI that ran all the same, but only with the fix. */
const WITHOUT_TEST: Partial<Readonly<Record<NotRun, string>>> = {
  no_checks: 'CI had not run on the draft with the test alone',
  no_ci: 'no CI was found when this was opened',
  unseen: "the App wasn't permitted to see checks when this was opened",
  too_long: 'CI with the test alone took too long',
};

function describeOtherFailure(because: OtherFailure): string {
  switch (because.code) {
    case 'other_tests':
      return `without the fix, other tests fail too: ${listShort(because.tests)}`;
    case 'other_checks':
      return `without the fix, other checks fail too: ${listShort(because.checks)}`;
    case 'unnamed':
      return `without the fix, ${listShort(because.checks)} fails, but its log does not name the new test`;
    case 'flaky':
      return `${listShort(because.checks)} both passed and failed at the same commit`;
    case 'still_red':
      return `with the fix, checks still fail: ${listShort(because.checks)}`;
    case 'other_error':
      return `the new test fails for another reason: ${because.line.slice(0, MAX_LINE)}`;
    case 'hides_error':
      return 'the new test only asserts that there is no error, which a fix that hides the error passes as well';
    case 'other_reason':
      return `without the fix, the new test fails, but not with the reported error: “${because.error.slice(0, MAX_LINE)}”`;
    case 'tests_changed':
      return 'a further attempt changed the tests that had failed';
  }
}

const MAX_LINE = 200;
const MOST_LISTED = 3;

function listShort(names: readonly string[]): string {
  const more = names.length - MOST_LISTED;
  const shown = names.slice(0, MOST_LISTED).map((name) => `“${name.slice(0, MAX_LINE)}”`);
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** A cause whose test passes without the fix, or whose fix leaves CI red, can't be sure. */
const MOST_CONTRADICTED = 0.4;

export function lowerConfidence(confidence: number | null, proof: Proof | null): number | null {
  const isContradicted = proof?.state === 'not_reproduced' || proof?.failing !== undefined;
  return isContradicted && confidence !== null ? Math.min(confidence, MOST_CONTRADICTED) : confidence;
}
