// What broke a check, the reasons to believe so, and what people said instead.
import type { Person } from '../project/index.ts';

/**
 * What broke a failed check: the change under test, its base (which already failed), chance, or the machine;
 * `inconclusive` if none can be shown.
 */
export type Verdict = 'code' | 'base_broken' | 'flaky' | 'infrastructure' | 'inconclusive';

/** Texts come from logs and check names: untrusted, and redacted before they are stored. */
export type Reason =
  | { readonly code: 'passed_at_same_commit' }
  | { readonly code: 'infrastructure'; readonly what: string; readonly line: string }
  | { readonly code: 'open_on_default' }
  /** `cause`: compared with the failure on the base. `unsaid`: neither log names a cause. */
  | {
      readonly code: 'red_on_base';
      readonly check: string;
      readonly cause: 'same' | 'other' | 'unknown' | 'unsaid';
      /** Of the failed tests those that fail there as well; absent: none is known. */
      readonly tests?: readonly string[];
      /** It names errors here that it does not name there, and the change touches what fails; absent: not known of both. */
      readonly isMore?: true;
    }
  | { readonly code: 'green_on_base'; readonly check: string }
  /**
   * Its state on the base is unknown, and nothing connects it to the change for certain. `isOpen`: something may; absent:
   * nothing does.
   */
  | { readonly code: 'untied'; readonly check: string; readonly isOpen?: boolean }
  | {
      readonly code: 'seen_before';
      readonly hits: number;
      readonly flakyHits: number;
      readonly pullRequests: number;
      readonly branches: number;
    }
  | { readonly code: 'out_of_time' }
  | { readonly code: 'no_log'; readonly why: string }
  /** `isAll`: the log contains only that line, which names no cause. */
  | { readonly code: 'says'; readonly headline: string; readonly isAll: boolean }
  | { readonly code: 'says_nothing' }
  | { readonly code: 'test_failed'; readonly test: string; readonly others: number }
  | { readonly code: 'touched'; readonly paths: readonly string[] }
  /** `via`: the file by way of which the test uses it; absent: the test uses it itself. */
  | {
      readonly code: 'touched_by_test';
      readonly path: string;
      readonly test: string;
      readonly how: 'tests' | 'uses';
      readonly via?: string;
    }
  /** The file of the failing test, and of it other tests alone. */
  | { readonly code: 'touched_beside'; readonly path: string }
  /** The change touches nothing else, and nothing that failed reads it. */
  | { readonly code: 'only_documentation'; readonly paths: readonly string[] }
  | { readonly code: 'untouched' }
  /** The same, of a change to manifests or lock files of dependencies. */
  | { readonly code: 'dependencies'; readonly paths: readonly string[] }
  | { readonly code: 'unexplained' };

/** Of one failure of one pull request, at each of its commits, until somebody says something else. */
export interface Override {
  readonly whose: 'mine' | 'not_mine';
  /** In their words, redacted; "": none were given, or their person was erased. */
  readonly reason: string;
  /** Null: erased. */
  readonly by: Person | null;
  readonly at: string;
}
