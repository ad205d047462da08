// The tables about signing in as Kysely sees them: sessions, and the codes and states that count once.
import type { Sequenced } from './schema.ts';

export interface SessionTable extends Sequenced {
  id: string;
  account_id: string;
  /** Of what the browser holds. */
  hash: string;
  started_at: string;
  last_seen_at: string;
  client: string;
}

export interface SignInCodeTable {
  hash: string;
  account_id: string;
  expires_at: string;
}

export interface SignInStateTable {
  hash: string;
  expires_at: string;
}
