// The tables as Kysely sees them: text, integers, JSON as text and ISO timestamps only, so that every engine agrees.
import type { Generated, Kysely, Transaction } from 'kysely';
import type { Subscription, SubscriptionFormat, WebhookState, WebhookType } from '../core/account/index.ts';
import type { BlamedStep, Closing, HeadState, KnownEnd, KnownIssue, Override, Verdict } from '../core/check/index.ts';
import type { Fate, Vote } from '../core/outcome/index.ts';
import type { JobKind, Urgency } from '../core/queue.ts';
import type { InvestigationState, Origin } from '../core/report/index.ts';

export interface Schema {
  accounts: AccountTable;
  signing_secrets: SigningSecretTable;
  tokens: TokenTable;
  projects: ProjectTable;
  runs: RunTable;
  steps: StepTable;
  investigations: InvestigationTable;
  issues: IssueTable;
  subscriptions: SubscriptionTable;
  webhooks: WebhookTable;
  webhook_attempts: WebhookAttemptTable;
  idempotency_keys: IdempotencyKeyTable;
  jobs: JobRows;
  audit: AuditTable;
  health_checks: HealthCheckTable;
  transcript_entries: TranscriptEntryTable;
  costs: CostTable;
  deliveries: DeliveryTable;
  installations: InstallationTable;
  threads: ThreadTable;
  config_notices: ConfigNoticeTable;
  heads: HeadTable;
  findings: FindingTable;
  failures: FailureTable;
  sightings: SightingTable;
  passing_checks: PassingCheckTable;
  known_issues: KnownIssueTable;
  known_ties: KnownTieTable;
  known_hits: KnownHitTable;
  backfills: BackfillTable;
  outcomes: OutcomeTable;
  votes: VoteTable;
  overrides: OverrideTable;
  reruns: RerunTable;
  put_backs: PutBackTable;
  foreign_proofs: ForeignProofTable;
  sessions: SessionTable;
  sign_in_codes: SignInCodeTable;
  sign_in_states: SignInStateTable;
  service_marks: ServiceMarkTable;
  move_state: MoveStateTable;
}

/** What a verb writes with. Inside a transaction nothing else may be used: the connection is taken. */
export type Trx = Transaction<Schema>;
export type Reader = Kysely<Schema>;

/** `seq` rises with every row of a table: the order of insertion, independent of clocks. */
interface Sequenced {
  seq: Generated<number>;
}

/** What the places of all GitHub projects start with, and no other. */
export const ON_GITHUB = 'github %';

export interface AccountTable {
  id: string;
  login: string;
  login_lower: string;
  github_id: number | null;
  created_at: string;
}

interface SigningSecretTable extends Sequenced {
  account_id: string;
  /** Sealed; see seal.ts. */
  secret: string;
  created_at: string;
  /** Null: signs until rotated. */
  expires_at: string | null;
}

export interface TokenTable extends Sequenced {
  id: string;
  account_id: string;
  name: string;
  hash: string;
  /** JSON array. */
  scopes: string;
  /** JSON array, or null for all. */
  project_ids: string | null;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
}

export interface ProjectTable {
  id: string;
  name: string;
  name_lower: string;
  /** JSON: ProjectSource. */
  source: string;
  /** Names the source: no two projects have the same. */
  place: string;
  hidden_at: string | null;
  created_at: string;
}

interface RunTable extends Sequenced {
  id: string;
  project_id: string;
  account_id: string;
  fingerprint: string;
  /** As requested: branch, tag, sha or empty. */
  revision: string;
  fresh: 0 | 1;
  state: 'queued' | 'running' | 'ended';
  generation: number;
  step_count: number;
  created_at: string;
  /** The sha that the conclusion was read at. */
  sha: string | null;
  /** JSON: Conclusion, kept once for everyone attached. */
  conclusion: string | null;
  /** When the analysis was made; a copy keeps the moment of its original, so that copies do not prolong each other. */
  analysed_at: string | null;
}

interface StepTable {
  run_id: string;
  number: number;
  action: string;
  result: string;
  analysis: string;
  created_at: string;
}

interface InvestigationTable extends Sequenced {
  id: string;
  run_id: string;
  account_id: string;
  project_id: string;
  origin: Origin;
  reference: string;
  text: string;
  /**
   * What the requester wants considered, appended to the text; "" for nothing, or after that person was erased.
   */
  guidance: string;
  callback_url: string;
  state: InvestigationState;
  /** JSON: InvestigationOutcome; `state` repeats its state for the index. */
  outcome: string;
  created_at: string;
  ended_at: string | null;
  thread_id: string | null;
  is_trusted: 0 | 1;
  /**
   * JSON: what of InvestigationSettings differs from the defaults, in one order, so that equal ones are equal texts.
   */
  settings: string;
  /** Of a failed check, what is known of it without a model. */
  verdict: Verdict | null;
}

interface IssueTable extends Sequenced {
  id: string;
  project_id: string;
  investigation_id: string;
  run_id: string;
  same_as: string | null;
  created_at: string;
  /** JSON: what of `analysis.links` was learnt after the conclusion. */
  links: string | null;
}

interface IdempotencyKeyTable {
  account_id: string;
  key: string;
  body_hash: string;
  investigation_id: string;
  created_at: string;
}

interface AuditTable extends Sequenced {
  at: string;
  account_id: string;
  verb: string;
  subject: string;
  /** Null: of no project, or from before it was kept. */
  project_id: string | null;
}

interface HealthCheckTable {
  id: number;
  count: number;
}

interface TranscriptEntryTable extends Sequenced {
  run_id: string;
  /** JSON. */
  entry: string;
  /** Sealed; null: the provider added nothing. */
  opaque: string | null;
  created_at: string;
}

/** In millionths of a US dollar, per run and calendar month (`2026-11`). */
interface CostTable {
  run_id: string;
  month: string;
  project_id: string;
  reserved: number;
  spent: number;
  /** Calls that were answered; the tokens are theirs. */
  turns: number;
  prompt_tokens: number;
  /** Those of `prompt_tokens` that the endpoint took from its cache. */
  cached_tokens: number;
  /** Those of them that it wrote to its cache. */
  cache_write_tokens: number;
  completion_tokens: number;
  /** The part of second looks. */
  look_spent: number;
  look_turns: number;
}

export interface ForeignProofTable extends Sequenced {
  id: string;
  project_id: string;
  pull_request: number;
  head: string;
  /** JSON: Person. Null: erased. */
  asked_by: string | null;
  asked_by_id: number | null;
  comment_id: number | null;
  asked_at: string;
  /** Whether it may still write something on GitHub. */
  is_open: 0 | 1;
  /** JSON: ForeignProgress. */
  progress: string;
  /** JSON: PostedProofRun. Null: there is none. */
  check_run: string | null;
  /** When its push caused a run of CI; null: nothing was pushed. */
  pushed_at: string | null;
  created_at: string;
  changed_at: string;
}

export interface HeadTable extends Sequenced {
  id: string;
  project_id: string;
  sha: string;
  branch: string;
  state: HeadState;
  /**
   * Whether it was red when it was last judged, and no later head of its pull request or branch has been green since.
   */
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
  /** When a person last re-ran our check run on it; "" for never. */
  rerequested_at: string;
  created_at: string;
  /** When anything of it last changed: its retention counts from here. */
  changed_at: string;
}

interface FindingTable {
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

/** The queried parts of a Sighting; the first and the last are stored whole with the failure. */
interface SightingTable {
  failure_id: string;
  key: string;
  /** The opening of the failure that it belongs to. */
  opening: number;
  /** What was answered when it was recorded. */
  standing: 'new' | 'known' | 'regression';
  /** See `toCheckKey`. */
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
interface PassingCheckTable {
  project_id: string;
  /** See `toCheckKey`. */
  check_key: string;
  sha: string;
  passed_at: string;
  /** GitHub's number; null: a commit status, or noted before this was. */
  run_id: number | null;
}

export interface KnownIssueTable extends Sequenced {
  id: string;
  project_id: string;
  /** GitHub's. */
  number: number;
  title: string;
  state: KnownIssue['state'];
  /** Both null until it ends. */
  ended_at: string | null;
  ended_by: KnownEnd | null;
  is_labelled: 0 | 1;
  /** JSON: ids of failures. */
  named: string;
  /** JSON: ProposedPattern. */
  proposed: string | null;
  /** JSON: KnownRecord. */
  record: string;
  created_at: string;
  changed_at: string;
}

/** A failure or a pattern: the other is null. */
export interface KnownTieTable extends Sequenced {
  known_id: string;
  failure_id: string | null;
  pattern: string | null;
  /** JSON: Person; null: erased. */
  person: string | null;
  at: string;
}

export interface KnownHitTable {
  known_id: string;
  /** Of the sighting. */
  key: string;
  failure_id: string;
  sha: string;
  pull_request: number | null;
  check_name: string;
  is_after_end: 0 | 1;
  seen_at: string;
}

interface BackfillTable {
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

/** What became of the answer of an Issue, or of a head's verdict on a failure: the columns of the other are null. */
export interface OutcomeTable extends Sequenced {
  id: string;
  project_id: string;
  issue_id: string | null;
  head_id: string | null;
  failure_id: string | null;
  /** Of a verdict: what it led to. */
  investigation_id: string | null;
  /** JSON: Answer without the Issue that a verdict led to. */
  answer: string;
  /** JSON: Fate; `state` repeats its kind. */
  fate: string;
  state: Fate['kind'];
  reads_reactions: 0 | 1;
  answered_at: string;
  looked_at: string;
}

export interface VoteTable {
  outcome_id: string;
  person_id: number;
  source: Vote['source'];
  vote: Vote['vote'];
  why: string;
  at: string;
}

export interface OverrideTable {
  project_id: string;
  pull_request: number;
  failure_id: string;
  whose: Override['whose'];
  reason: string;
  /** JSON: FailureOverride.checkKeys. */
  checks: string;
  /** Null: erased; `login` is "" then. */
  person_id: number | null;
  login: string;
  /** GitHub's: they ascend. */
  comment_id: number;
  at: string;
}

/** Failed jobs of a head that a person wants run again: at most once a head. */
interface RerunTable {
  head_id: string;
  project_id: string;
  person_id: number | null;
  comment_id: number;
  /** JSON: AskedRerun.jobIds. */
  jobs: string;
  at: string;
  /** Null: GitHub has not taken it yet. */
  started_at: string | null;
}

export interface PutBackTable extends Sequenced {
  id: string;
  project_id: string;
  failure_id: string;
  /** The commit that is taken back, and why that one. */
  sha: string;
  why: BlamedStep['why'];
  /** JSON: PutBackRequest. */
  request: string;
  /** JSON: PutBackState. */
  state: string;
  /** Of its pull request; null: there is none. */
  branch: string | null;
  pull_request: number | null;
  /** Whether something is still to be done for it. */
  is_under_way: 0 | 1;
  created_at: string;
  changed_at: string;
}

interface DeliveryTable {
  id: string;
  event: string;
  /** Sealed; null once it was handled. Up to 25 MiB: selected by name, never with the rest. */
  body: string | null;
  meaning: string;
  group_key: string;
  state: 'waiting' | 'done' | 'failed';
  detail: string;
  received_at: string;
}

export interface InstallationTable {
  /** GitHub's. */
  id: number;
  /** JSON: Installation.owner. */
  owner: string;
  /** JSON: Installation.permissions. */
  permissions: string;
  suspended: 0 | 1;
  created_at: string;
  removed_at: string | null;
}

interface ConfigNoticeTable {
  project_id: string;
  digest: string;
  posted_at: string;
}

export interface ThreadTable extends Sequenced {
  id: string;
  project_id: string;
  subject_key: string;
  /** JSON: Subject. */
  subject: string;
  investigation_id: string;
  /** JSON: Trigger. */
  trigger_json: string;
  /** JSON: Person. */
  fix_request: string | null;
  /** JSON: ThreadRecord; the four columns behind it repeat what is looked up by. */
  record: string;
  branch: string | null;
  pull_request: number | null;
  pull_request_open: 0 | 1;
  is_held: 0 | 1;
  created_at: string;
  /** When anything of it last changed: its retention counts from here. */
  changed_at: string;
}

/** `paused`: since when. `leader`: the process that does the recurring work, until `set_at`. */
interface ServiceMarkTable {
  name: string;
  set_at: string;
  holder: string | null;
}

export interface SessionTable extends Sequenced {
  id: string;
  account_id: string;
  /** Of what the browser holds. */
  hash: string;
  started_at: string;
  last_seen_at: string;
  client: string;
}

interface SignInCodeTable {
  hash: string;
  account_id: string;
  expires_at: string;
}

interface SignInStateTable {
  hash: string;
  expires_at: string;
}

export interface SubscriptionTable extends Sequenced {
  id: string;
  account_id: string;
  project_id: string | null;
  /** JSON arrays. */
  types: string;
  origins: string;
  format: SubscriptionFormat;
  /** Host and last four characters. */
  address: string;
  /** Sealed JSON: its whole address, and the secrets that sign. */
  sealed: string;
  created_at: string;
  disabled_at: string | null;
  disabled_reason: NonNullable<Subscription['disabled']>['reason'] | null;
}

export interface WebhookTable extends Sequenced {
  id: string;
  type: WebhookType;
  account_id: string;
  /** "" where it is about none. */
  investigation_id: string;
  subscription_id: Generated<string | null>;
  /** Of the event of a subscription. */
  project_id: Generated<string | null>;
  /** JSON: the data of an event of a failure or a pull request. */
  event: Generated<string | null>;
  is_example: Generated<0 | 1>;
  url: string;
  state: WebhookState;
  attempts: number;
  /** Attempts before it was last resent. */
  attempts_before: number;
  last_error: string;
  created_at: string;
}

interface WebhookAttemptTable {
  webhook_id: string;
  /** From 1; what `attempts` of the webhook was after it. */
  number: number;
  at: string;
  ok: 0 | 1;
  error: string;
  ms: number;
}

/** A move of records into this database; no row: there was none. */
interface MoveStateTable {
  id: number;
  ended_at: string;
}

/** On SQLite the queue itself; on PostgreSQL the state of each job that pg-boss hands out. */
interface JobRows extends Sequenced {
  /** A new one each time that the job is scheduled, so that a claim of an earlier time is worth nothing. */
  id: string;
  kind: JobKind;
  subject: string;
  group_key: string;
  urgency: Urgency;
  state: 'waiting' | 'running' | 'dead';
  run_at: string;
  /** Claims since the last success. */
  attempts: number;
  /** How many of them ended with an error of the handler; in the others the process ended first. */
  failures: number;
  /** Enqueued again while running: when to run next. */
  again_at: string | null;
}
