// A proof as people see it: in the API, in a few words, in a sentence, and as commands with which they see it themselves.

import type { ChangeSet } from 'causeway-diff';
import { quoteLiteral } from '../command-words.ts';
import { splitChange } from './change-parts.ts';
import {
  listFailing,
  type NotRun,
  type OtherFailure,
  type ProofProgress,
  type ProofState,
  type ProofVerdict,
  type ProvenCheck,
  type SeenCi,
} from './proof.ts';

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

/** Why it can't be said whether a certificate holds. */
export type Unverifiable =
  | 'names_none'
  | 'file_alone'
  /** GitHub keeps them for a time. */
  | 'logs_gone'
  /** GitHub has no logs of it. */
  | 'other_ci'
  /** The commit with the tests alone, which a draft keeps; the record of its run holds. */
  | 'commit_gone';

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
      /** Who opened it, where that is somebody else; absent: the bot. */
      readonly author?: string;
      readonly turned: readonly string[];
    }
  /** `faults`: what contradicts it, at least one. */
  | { readonly state: 'denied'; readonly faults: readonly string[] }
  /** It can't be said whose proof it is. `named`: the address that it has; "" for none. */
  | {
      readonly state: 'not_verifiable';
      readonly because: Unverifiable;
      readonly named: string;
    };

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

const PROOF_NAMES: Readonly<Record<ProofState, string>> = {
  proven: 'Proven in CI',
  not_reproduced: 'Not proven: the test passes without the fix',
  fails_otherwise: 'Not proven: the test fails for another reason',
  not_covered: 'Not proven: no check was seen running the test without the fix',
  not_run: "Not verified: CI didn't run",
  base_red: 'Not proven: CI fails without the test too',
};

/** In a few words. */
export function nameProof({ state, failing }: Proof): string {
  return failing === undefined ? PROOF_NAMES[state] : 'Not proven: CI fails with the fix';
}

/** One sentence for people. */
export function describeProof({ state, turned, reason }: Proof): string {
  if (state !== 'proven') return `${leadDoubt(state)}: ${reason}.`;
  return `Proven in the repository's own CI: ${listShort(turned)} failed without the fix and passed with it.`;
}

/** Of a proof that is none: CI said too little, or nothing. */
export function leadDoubt(state: ProofState): 'Not proven' | 'Not verified' {
  return state === 'not_run' ? 'Not verified' : 'Not proven';
}

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
      return 'no check was seen running the new test';
    case 'statuses':
      return `only commit statuses were seen (${listShort(seen.checks)}), whose logs GitHub doesn't have, so no check was seen running the new test`;
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
    `git checkout FETCH_HEAD -- ${tests.map(quoteLiteral).join(' ')}   # the tests alone: they should fail`,
    'git switch --detach FETCH_HEAD   # and the fix: they should pass',
  ];
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
  const only = (option: string) => tests.map((path) => `--${option}=${quoteLiteral(path)}`).join(' ');
  const commands = [
    `git apply ${only('include')} ${patch}   # the tests alone: they should fail`,
    `git apply ${only('exclude')} ${patch}   # and the fix: they should pass`,
  ];
  return { state: 'not_run', ...commits, checks: [], turned: [], diffHash: '', reason, commands };
}

const NOT_RUN: Readonly<Record<NotRun, string>> = {
  no_checks: 'no CI ran on the draft with the test alone',
  no_ci: 'this repository has no CI',
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
    case 'unseen':
      return because.isCutShort
        ? `the tests alone end before all new ones have run: ${listShort(because.tests)} ${because.tests.length === 1 ? 'was' : 'were'} not seen to fail`
        : `by its names the log of the tests alone does not tell whether all new ones fail: ${listShort(because.tests)}`;
    case 'flaky':
      return `${listShort(because.checks)} both passed and failed at the same commit`;
    case 'still_red':
      return `with the fix, checks still fail: ${listShort(because.checks)}`;
    case 'other_error':
      return `the new test fails for another reason: ${because.line.slice(0, MAX_LINE)}`;
    case 'hides_error':
      return 'the new test only asserts that there is no error, which a fix that hides the error passes as well';
    case 'snapshot':
      return 'without the fix, a snapshot differs that is recorded with it: it says what the code gives, not what it should';
    case 'other_reason':
      return `without the fix, the new test fails, but not with the reported error: “${because.error.slice(0, MAX_LINE)}”`;
    case 'other_bases': {
      const name = (sha: string) => (sha === '' ? 'a base that its log does not name' : sha.slice(0, 12));
      return `the tests alone ran on ${name(because.red)} and the pull request on ${name(because.green)}, so more than its change may differ`;
    }
    case 'other_runs':
      return `without the fix, ${listShort(because.checks)} ${because.checks.length === 1 ? 'fails' : 'fail'} in a run that others started, not our branch or draft`;
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
