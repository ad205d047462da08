// The tables as Kysely sees them: text, integers, JSON as text and ISO timestamps only, so that every engine agrees.
import type { Generated, Kysely, Transaction } from 'kysely';
import type { InvestigationState } from '../core/investigation.ts';
import type { Origin } from '../core/report.ts';
import type { CostTable, CostTotalTable, TranscriptEntryTable } from './agent-tables.ts';
import type {
  BackfillTable,
  FailureTable,
  FindingTable,
  GreenTable,
  HeadTable,
  JudgedTable,
  SightingTable,
} from './check-tables.ts';
import type { DeliveryTable, InstallationTable, ThreadTable, ToldTable } from './github-tables.ts';
import type { HoldTable, MarkTable } from './house-tables.ts';
import type { JobGroupTable, JobOrganisationTable, JobTable } from './job-tables.ts';
import type { SessionTable, SignInCodeTable, SignInStateTable } from './sign-in-tables.ts';
import type { WebhookAttemptTable, WebhookTable } from './webhook-tables.ts';

export interface Schema {
  accounts: AccountTable;
  signing_secrets: SigningSecretTable;
  tokens: TokenTable;
  projects: ProjectTable;
  runs: RunTable;
  steps: StepTable;
  investigations: InvestigationTable;
  issues: IssueTable;
  webhooks: WebhookTable;
  webhook_attempts: WebhookAttemptTable;
  idempotency_keys: IdempotencyKeyTable;
  jobs: JobTable;
  job_groups: JobGroupTable;
  job_organisations: JobOrganisationTable;
  audit: AuditTable;
  checks: CheckTable;
  transcript_entries: TranscriptEntryTable;
  costs: CostTable;
  cost_totals: CostTotalTable;
  deliveries: DeliveryTable;
  installations: InstallationTable;
  threads: ThreadTable;
  told: ToldTable;
  heads: HeadTable;
  findings: FindingTable;
  failures: FailureTable;
  sightings: SightingTable;
  greens: GreenTable;
  backfills: BackfillTable;
  sessions: SessionTable;
  sign_in_codes: SignInCodeTable;
  sign_in_states: SignInStateTable;
  marks: MarkTable;
  holds: HoldTable;
}

/** What a verb writes with. Inside a transaction nothing else may be used: the connection is taken. */
export type Trx = Transaction<Schema>;
export type Reader = Kysely<Schema>;

/** `seq` rises with every row of a table: the order in which things came, whatever the clocks say. */
export interface Sequenced {
  seq: Generated<number>;
}

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
  /** As asked for: branch, tag, sha or empty. */
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

interface InvestigationTable extends Sequenced, JudgedTable {
  id: string;
  run_id: string;
  account_id: string;
  project_id: string;
  origin: Origin;
  reference: string;
  text: string;
  callback_url: string;
  state: InvestigationState;
  /** JSON: InvestigationOutcome; `state` repeats its state for the index. */
  outcome: string;
  created_at: string;
  ended_at: string | null;
  thread_id: string | null;
  is_trusted: 0 | 1;
  /** JSON: what of InvestigationSettings differs from the defaults, in one order, so that equal ones are equal texts. */
  settings: string;
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

interface CheckTable {
  id: number;
  count: number;
}
