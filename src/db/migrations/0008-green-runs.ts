// Which run of a check was green, so that its log can be read beside that of one that failed.
import type { Kysely } from 'kysely';

/** Of what was noted before this, the run is not known. */
export async function greenRuns({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('greens').addColumn('run_id', 'integer').execute();
}
