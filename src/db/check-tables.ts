// The tables about checks as Kysely sees them: heads, findings, the ledger of failures, greens, backfills.
import type { Verdict } from '../core/check.ts';
import type { Closing } from '../core/failure.ts';
import type { HeadState } from '../core/head.ts';
import type { Sequenced } from './schema.ts';

/** Columns of `investigations` that only a failed check fills. */
export interface JudgedTable {
  /** What is known of it without a model; null: it is of no check. */
  verdict: Verdict | null;
}

export interface HeadTable extends Sequenced {
  id: string;
  project_id: string;
  sha: string;
  branch: string;
  state: HeadState;
  /** Whether it was red when it was last judged, and no later head of its pull request or branch has been green since. */
  is_red: 0 | 1;
  /** Of its place, also of a former one where it has none any more. */
  pull_request: number | null;
  /** JSON: HeadPlace. */
  place: string | null;
  /** JSON: Head.leftOut. */
  left_out: string;
  /** JSON: Head.stillWaiting. */
  still_waiting: string;
  ended_at: string;
  /** JSON: HeadRecord. */
  record: string;
  /** Whether the record holds something back. */
  is_held: 0 | 1;
  created_at: string;
  /** When anything of it last changed: its retention counts from here. */
  changed_at: string;
}

export interface FindingTable {
  head_id: string;
  /** From 0, in the order of Head.findings. */
  number: number;
  /** JSON: Finding without what the columns behind it hold. */
  finding: string;
  is_own: 0 | 1;
  investigation_id: string | null;
  thread_id: string | null;
}

export interface FailureTable extends Sequenced {
  id: string;
  project_id: string;
  fingerprint: string;
  headline: string;
  state: 'open' | 'closed';
  opening: number;
  is_on_default: 0 | 1;
  hits: number;
  flaky_hits: number;
  /** JSON: Sighting. */
  first_seen: string;
  /** JSON: Sighting; `last_seen_at` repeats its moment. */
  last_seen: string;
  last_seen_at: string;
  /** JSON: checkNames, branches and pullRequests of Failure. */
  seen_in: string;
  investigation_id: string | null;
  thread_id: string | null;
  closed_sha: string | null;
  closed_at: string | null;
  /** What closed it the last time; the three are null together. */
  closed_by: Closing['by'] | null;
  /** JSON: CommitRange. */
  commit_range: string | null;
}

/** What of a Sighting is asked for one by one; whole ones are kept of the first and the last alone. */
export interface SightingTable {
  failure_id: string;
  key: string;
  /** The opening of the failure that it belongs to. */
  opening: number;
  /** What was answered when it was recorded. */
  standing: 'new' | 'known' | 'regression';
  /** See `checkKey`. */
  check_key: string;
  sha: string;
  branch: string;
  is_on_default: 0 | 1;
  is_trusted: 0 | 1;
  /** Null: none. */
  pull_request: number | null;
  /** Whether that was closed or green since. */
  is_over: 0 | 1;
  is_flaky: 0 | 1;
  seen_at: string;
}

/** Of each check the newest few. */
export interface GreenTable {
  project_id: string;
  /** See `checkKey`. */
  check_key: string;
  sha: string;
  green_at: string;
  /** GitHub's number; null: a commit status, or noted before this was. */
  run_id: number | null;
}

export interface BackfillTable {
  project_id: string;
  state: 'waiting' | 'done';
  cursor: string;
  calls: number;
  checks: number;
  since: string;
  /** JSON: Forecast. */
  forecast: string | null;
  changed_at: string;
}
