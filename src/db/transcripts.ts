// The agent's transcripts: appended turn by turn, read whole when a run goes on.

import type { Database } from './database.ts';
import { requireLease } from './lease.ts';
import type { Trx } from './schema.ts';
import type { Seal } from './seal.ts';
import type { AgentStore } from './store.ts';

export function transcriptVerbs(
  database: Database,
  seal: Seal,
): Pick<AgentStore, 'transcript' | 'opaqueParts' | 'appendTranscript'> {
  return {
    async transcript(runId) {
      const rows = await database.read((reader) =>
        reader.selectFrom('transcript_entries').select('entry').where('run_id', '=', runId).orderBy('seq').execute(),
      );
      return rows.map((row) => row.entry);
    },
    async opaqueParts(runId) {
      const rows = await database.read((reader) =>
        reader.selectFrom('transcript_entries').select('opaque').where('run_id', '=', runId).orderBy('seq').execute(),
      );
      return rows.map(({ opaque }) => opaque && seal.open(opaque, purposeFor(runId)));
    },
    appendTranscript: (run, entry, now, opaque) =>
      database.write(async (trx) => {
        await requireLease(trx, run);
        const sealed = opaque === undefined ? null : seal.seal(opaque, purposeFor(run.id));
        await appendEntry(trx, run.id, { entry, now, opaque: sealed });
      }),
  };
}

/** The caller holds the run's lease. */
export async function appendEntry(
  trx: Trx,
  runId: string,
  { entry, now, opaque = null }: { readonly entry: string; readonly now: string; readonly opaque?: string | null },
): Promise<void> {
  await trx.insertInto('transcript_entries').values({ run_id: runId, entry, opaque, created_at: now }).execute();
}

function purposeFor(runId: string): string {
  return `opaque parts of ${runId}`;
}
