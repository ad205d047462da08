// How a claim on pg-boss ends: one transaction, in which the row is held against whoever asks for the job meanwhile.
import type { Db } from 'pg-boss';
import { buryKind } from './boss-jobs.ts';
import type { BossJobData } from './boss-statements.ts';
import type { Claim, ClaimEnd } from './claims.ts';
import { earlier } from './earlier.ts';
import type { Boss } from './open-boss.ts';

/** What becomes of a row. `runAt` null: its old moment. */
type Next =
  | { readonly kind: 'gone' }
  | { readonly kind: 'dead' }
  | { readonly kind: 'waits'; readonly runAt: string | null; readonly data: BossJobData };

interface HeldRow {
  readonly data: BossJobData;
  readonly priority: number;
  readonly organisation: string;
}

/** False where the claim was lost before. */
export function endBossClaim(boss: Boss, held: Claim, end: ClaimEnd): Promise<boolean> {
  return boss.transact(async (db) => {
    const { rows } = await db.executeSql(boss.statements.held, [held.kind, held.id, held.generation]);
    const row: HeldRow | undefined = rows[0];
    if (!row) return false;
    await become({ ...boss, db }, held, row, afterEnd(row.data, held, end));
    return true;
  });
}

function afterEnd({ again, base, failures }: BossJobData, held: Claim, end: ClaimEnd): Next {
  const anew = { base: held.generation + 1, failures: 0 };
  switch (end.kind) {
    case 'done':
    case 'dead':
      if (again !== undefined) return { kind: 'waits', runAt: again, data: anew };
      return { kind: end.kind === 'done' ? 'gone' : 'dead' };
    case 'later':
      return { kind: 'waits', runAt: earlier(end.runAt, again ?? null), data: anew };
    case 'failed':
      return { kind: 'waits', runAt: end.runAt, data: { base, failures: failures + 1 } };
    case 'handed-back':
      return { kind: 'waits', runAt: null, data: { base: base + 1, failures } };
  }
}

async function become(
  { boss, statements, db }: Boss & { readonly db: Db },
  held: Claim,
  { priority, organisation }: HeldRow,
  next: Next,
): Promise<void> {
  const { kind, id, subject, group, generation } = held;
  if (next.kind === 'waits') {
    await db.executeSql(statements.putBack, [kind, id, JSON.stringify(next.data), next.runAt]);
    return;
  }
  await boss.deleteJob(kind, { id, retryCount: generation }, { db });
  if (next.kind === 'gone') return;
  await buryKind({ boss, db, kind }, [{ subject, group, organisation, priority }]);
}
