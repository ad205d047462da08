// The tables about GitHub as Kysely sees them: deliveries, installations, threads.
import type { Sequenced } from './schema.ts';

export interface DeliveryTable {
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

export interface ToldTable {
  project_id: string;
  digest: string;
  told_at: string;
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
