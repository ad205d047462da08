// The proof of a pull request that is not ours: its tests alone on its base, beside the checks of its own head. What it came to, and how far
// it is. Pure.

import type { Person } from '../project/index.ts';
import type { ProofVerdict } from './proof.ts';
import type { RunOfDay } from './run-of-day.ts';
import type { StartRefusal } from './start-refusal.ts';

/** Asked for by a person, for one head of one pull request. */
export interface ForeignProof {
  readonly id: string;
  readonly projectId: string;
  readonly pullRequest: number;
  /** The head when it was asked for: another one is not looked at. */
  readonly head: string;
  /** Null: erased. */
  readonly askedBy: Person | null;
  /** The comment with the command; null: it was a call of the API. */
  readonly commentId: number | null;
  /** GitHub's time of the command; of a call our own. */
  readonly askedAt: string;
  readonly progress: ForeignProgress;
  readonly checkRun: PostedProofRun | null;
  readonly createdAt: string;
  readonly changedAt: string;
}

/** Our check run on the head, as we last wrote it. */
export interface PostedProofRun {
  readonly id: number;
  readonly url: string;
  readonly digest: string;
}

export type ForeignProgress =
  /**
   * Nothing of it is on GitHub. `run`: as it was said to who asked. `behind`: number of the pull request whose proof goes
   * first; absent: it waits for its own checks.
   */
  | { readonly phase: 'asked'; readonly run?: RunOfDay; readonly behind?: number }
  /** Its branch or draft may be there, as far as a process got. */
  | { readonly phase: 'opening'; readonly plan: RedPlan; readonly run?: RunOfDay }
  | { readonly phase: 'red'; readonly plan: RedPlan; readonly posted: PostedRedHalf; readonly since: string }
  /** `posted`: null where nothing was pushed. `isTidy`: branch and draft are gone. */
  | {
      readonly phase: 'ended';
      readonly plan: RedPlan | null;
      readonly posted: PostedRedHalf | null;
      readonly result: ForeignResult;
      readonly isTidy: boolean;
      /** Runs of what was given up that GitHub did not let us cancel; absent: none. */
      readonly uncancelled?: number;
    };

/** The commit with the tests alone, before it is made. */
export interface RedPlan {
  readonly baseBranch: string;
  /** Where the pull request left its base: the parent of the test commit. */
  readonly base: string;
  /** Address of the pull request. */
  readonly url: string;
  /** Who opened it; null: a deleted user, or erased here. */
  readonly author: Person | null;
  /** Whether a bot opened it, such as an agent. */
  readonly isByBot: boolean;
  /** Files of the pull request, at most as many as GitHub compares. */
  readonly tests: readonly string[];
  readonly fix: readonly string[];
  /** The tests that it is about, each with its file; at most 50. */
  readonly titled: readonly { readonly path: string; readonly title: string }[];
  /** Whether the pull request adds them; false: it changes them. */
  readonly adds: boolean;
}

export interface PostedRedHalf {
  readonly branch: string;
  readonly testCommit: string;
  readonly number: number;
  readonly url: string;
}

export type ForeignResult =
  | { readonly kind: 'refused'; readonly because: ProveRefusal }
  | {
      readonly kind: 'judged';
      readonly verdict: ProofVerdict;
      /** Titles of the tests that the pull request adds, or changes where it adds none; at most 50. */
      readonly tests: readonly string[];
      /** Those of them that did not fail without the change. */
      readonly quiet: readonly string[];
      /** Of the red half; "" for none. */
      readonly firstError: string;
      /** What the halves were merged with; "" where no log says it. */
      readonly redBase: string;
      readonly greenBase: string;
      /** Of the whole change; "" where it isn't proven. */
      readonly diffHash: string;
    };

/** Why nothing was pushed, or what was is given up. */
export type ProveRefusal =
  | {
      readonly code:
        | 'fork'
        | 'dependabot'
        | 'closed'
        | 'absent'
        /** Its base is another branch than when it was planned. */
        | 'retargeted'
        | 'no_write'
        /** `tests_alone`: no change beside them. `unnamed_tests`: files of tests, in which none is found by its name. */
        | 'no_tests'
        | 'tests_alone'
        | 'unnamed_tests'
        | 'no_drafts'
        | 'branch_taken'
        | 'too_large'
        | 'many_tests'
        /** They could fail on our draft alone. */
        | 'reads_run'
        | 'mode'
        /** We did, time and again. */
        | 'failed'
        | 'cancelled';
    }
  /** `refused`: absent in what an earlier version stored. */
  | { readonly code: 'not_permitted'; readonly refused?: RefusedCall }
  /** Which workflows rulesets require of our draft isn't known. */
  | { readonly code: 'rules_unread'; readonly refused: RefusedCall }
  /** More than `MOST_NEEDED`: what isn't read could speak against it. */
  | { readonly code: 'too_many'; readonly list: NeededList }
  /** `head`: the newer one. */
  | { readonly code: 'moved'; readonly head: string }
  /** Files that decide what runs, or which tests do. */
  | { readonly code: 'guarded'; readonly paths: readonly string[] }
  /** What a push or a draft of ours would start besides. */
  | { readonly code: 'starts'; readonly faults: readonly StartRefusal[] }
  /** What others did on a draft of ours, and not on the pull request. `draft`: its address. */
  | { readonly code: 'besides'; readonly acts: readonly ForeignAct[]; readonly draft: string }
  | { readonly code: 'day_limit'; readonly limit: number; readonly freeAt: string | null };

/** A call that GitHub refused. */
export interface RefusedCall {
  /** Such as `POST /repos/{owner}/{repo}/git/refs`. */
  readonly route: string;
  readonly status: number | null;
  /** That was not granted, such as `contents: write`; "": it is something else, or not known. */
  readonly permission: string;
  /** GitHub's own words, where these are the reason; "" for none. */
  readonly said: string;
}

/** What has to be known whole: rules of the base branch; runs of the head, jobs of a run; checks of a commit; what others did on our draft. */
export type NeededList = 'rules' | 'head_runs' | 'jobs' | 'head_checks' | 'base_checks' | 'red_checks' | 'acts';

/** How many of each are read at most. */
export const MOST_NEEDED = 500;

/** What somebody else did on a branch: an App, by its slug, in whatever way; or a run of a workflow that something started. */
export type ForeignAct =
  | { readonly kind: 'app'; readonly slug: string }
  | { readonly kind: 'run'; readonly path: string; readonly event: string };

export const PROOF_BRANCHES = 'causeway/prove/';

export function nameProofBranch({ pullRequest }: Pick<ForeignProof, 'pullRequest'>): string {
  return `${PROOF_BRANCHES}${pullRequest}`;
}

export function nameProofDraft({ pullRequest }: Pick<ForeignProof, 'pullRequest'>): string {
  return `Proof for #${pullRequest} (do not merge)`;
}

/** Whether it may still write something on GitHub. */
export function isForeignProofOpen({ progress }: Pick<ForeignProof, 'progress'>): boolean {
  return progress.phase !== 'ended' || !progress.isTidy;
}

/** `proven` alone proves something; `running`: no result yet. */
export type ForeignState = ProofVerdict['state'] | 'refused' | 'running';

export function findForeignState({ progress }: Pick<ForeignProof, 'progress'>): ForeignState {
  if (progress.phase !== 'ended') return 'running';
  return progress.result.kind === 'refused' ? 'refused' : progress.result.verdict.state;
}
