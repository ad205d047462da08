// The agent's transcripts: appended turn by turn, read whole when a run goes on.
import type { AgentStore } from '../ports/agent-store.ts';
import type { Database } from './database.ts';
import { requireLease } from './lease.ts';
import type { Trx } from './schema.ts';

export function transcriptVerbs(database: Database): Pick<AgentStore, 'transcript' | 'appendTranscript'> {
  return {
    async transcript(runId) {
      const rows = await database.read((reader) =>
        reader.selectFrom('transcript_entries').select('entry').where('run_id', '=', runId).orderBy('seq').execute(),
      );
      return rows.map((row) => row.entry);
    },
    appendTranscript: (run, entry, now) =>
      database.write(async (trx) => {
        await requireLease(trx, run);
        await appendEntry(trx, run.id, { entry, now });
      }),
  };
}

/** The caller holds the run's lease. */
export async function appendEntry(
  trx: Trx,
  runId: string,
  { entry, now }: { readonly entry: string; readonly now: string },
): Promise<void> {
  await trx.insertInto('transcript_entries').values({ run_id: runId, entry, created_at: now }).execute();
}
