// The agent's tables as Kysely sees them: transcripts, and what runs have cost.
import type { Generated } from 'kysely';
import type { Sequenced } from './schema.ts';

export interface TranscriptEntryTable extends Sequenced {
  run_id: string;
  /** JSON. */
  entry: string;
  /** Sealed; null: the provider added nothing. */
  opaque: string | null;
  created_at: string;
}

/** In millionths of a US dollar, per run and calendar month (`2026-11`). */
export interface CostTable {
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
  cache_write_tokens: Generated<number>;
  completion_tokens: number;
}

/** What all costs of a month come to, reserved and spent together: of one project, and with "" for it of all. Triggers keep it (migration 0011). */
export interface CostTotalTable {
  month: string;
  project_id: string;
  in_use: number;
}
