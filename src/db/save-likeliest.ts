// The ranges of the failures that a run looks into, and in them the commit that it takes for the likeliest.
import type { CommitRange, LikeliestCommit } from '../core/failure.ts';
import { requireLease } from './lease.ts';
import type { Reader, Trx } from './schema.ts';
import type { Run } from './store.ts';

/** Null where there is none, or where the failures that share the run differ in it. */
export async function rangeOfRun(reader: Reader, runId: string): Promise<CommitRange | null> {
  const [first, ...others] = (await rangesOf(reader, runId)).map(({ range }) => range);
  return others.every(({ from, to }) => from === first?.from && to === first.to) ? (first ?? null) : null;
}

/** A failure that was opened anew meanwhile has another range, or none. */
export async function saveLikeliest(trx: Trx, run: Run, likeliest: LikeliestCommit): Promise<void> {
  await requireLease(trx, run);
  for (const { id, range } of await rangesOf(trx, run.id)) {
    // Of a range that is cut it may be any of those that are left out.
    if (range.total > range.commits.length || !range.commits.some(({ sha }) => sha === likeliest.sha)) continue;
    const saved = { commit_range: JSON.stringify({ ...range, likeliest } satisfies CommitRange) };
    await trx.updateTable('failures').set(saved).where('id', '=', id).execute();
  }
}

async function rangesOf(
  reader: Reader | Trx,
  runId: string,
): Promise<readonly { readonly id: string; readonly range: CommitRange }[]> {
  const rows = await reader
    .selectFrom('failures')
    .innerJoin('investigations', 'investigations.id', 'failures.investigation_id')
    .select(['failures.id', 'failures.commit_range'])
    .where('investigations.run_id', '=', runId)
    .orderBy('failures.id')
    .execute();
  return rows.flatMap(({ id, commit_range }) => {
    const range: CommitRange | null = commit_range === null ? null : JSON.parse(commit_range);
    return range === null ? [] : [{ id, range }];
  });
}
