// A proof of a fix in the repository's own CI: what it comes to, and how far it is. Red with the tests alone, green with
// the fix. Pure.

import { createHash } from 'node:crypto';
import type { Check } from '../check/index.ts';

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
export type SeenCi =
  /** Of a CI whose logs GitHub doesn't have. */
  | { readonly kind: 'statuses'; readonly checks: readonly string[] }
  /** It ran with the fix; `because`: why it was not run on the tests alone. */
  | { readonly kind: 'with_fix'; readonly because: NotRun; readonly checks: readonly string[] };

export type OtherFailure =
  | { readonly code: 'other_tests'; readonly tests: readonly string[] }
  /** Neither of them fails on the base. */
  | { readonly code: 'other_checks' | 'unnamed' | 'flaky' | 'still_red'; readonly checks: readonly string[] }
  /** Whether they fail is not known: their names don't tell, or the run ended before them. */
  | { readonly code: 'unseen'; readonly tests: readonly string[]; readonly isCutShort: boolean }
  /** The test could not run, or broke on something else. */
  | { readonly code: 'other_error'; readonly line: string }
  /** It asserts no more than that there is no error. */
  | { readonly code: 'hides_error' }
  /** What fails is a recorded snapshot that comes with the tests: it says what the code prints, not what it should. */
  | { readonly code: 'snapshot' }
  /** The report has an error that its log doesn't have. */
  | { readonly code: 'other_reason'; readonly error: string }
  /** The runs in which they fail were not started by our branch or draft. */
  | { readonly code: 'other_runs'; readonly checks: readonly string[] }
  /** A further attempt changed the tests. */
  | { readonly code: 'tests_changed' }
  /** The halves were merged with different commits; "" where no log says with which. */
  | { readonly code: 'other_bases'; readonly red: string; readonly green: string };

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
  /** Of a file that was renamed. */
  readonly previousPath?: string;
}

interface FileBody {
  readonly filename: string;
  readonly status: string;
  readonly sha: string | null;
  readonly previous_filename?: string;
}

/** As GitHub's API compares two commits. */
export function toChangedFile({ filename, status, sha, previous_filename: before }: FileBody): ChangedFile {
  return { path: filename, status, blob: sha ?? '', ...(before !== undefined && { previousPath: before }) };
}

/** With the earlier ones of files that were renamed. */
export function listPathsOf(files: readonly ChangedFile[]): readonly string[] {
  return files.flatMap(({ path, previousPath }) => (previousPath === undefined ? [path] : [path, previousPath]));
}

/** Of all files of a change, as GitHub compares two commits. */
export function hashChange(files: readonly ChangedFile[]): string {
  const lines = files.map(({ path, status, blob }) => JSON.stringify([path, status, blob])).sort();
  return createHash('sha256').update(lines.join('\n')).digest('hex');
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
export function listFailing(verdict: ProofVerdict): readonly string[] {
  const isRed = verdict.state === 'fails_otherwise' && verdict.because.code === 'still_red';
  return isRed ? verdict.because.checks : [];
}

export type EndedProof = Extract<ProofProgress, { readonly phase: 'ended' }>;

/** Why CI did not run on the tests alone, where it may run with the fix all the same. */
const LATE_CI: ReadonlySet<NotRun> = new Set<NotRun>([
  'no_checks',
  'no_ci',
  'unseen',
  'too_long',
  'no_drafts',
  'drafts_off',
  'moved',
  'guarded',
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

/** The tests fail without the fix, by themselves and for a reason that isn't ruled out. */
export interface RedHalf {
  readonly checks: readonly (Pick<Check, 'name' | 'app'> & { readonly red: ProofRun })[];
  readonly turned: readonly string[];
}

export type RedJudgement =
  | { readonly kind: 'wait' }
  /** Something else failed that may pass when the checks run once more. */
  | { readonly kind: 'repeat' }
  | { readonly kind: 'red'; readonly half: RedHalf }
  | { readonly kind: 'ended'; readonly verdict: ProofVerdict };

export function listDistinctNames(checks: readonly Pick<Check, 'name'>[]): readonly string[] {
  return [...new Set(checks.map(({ name }) => name))];
}
