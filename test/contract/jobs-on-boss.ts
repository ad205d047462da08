// What stands in pg-boss's table, in the words of our port.
import type { JobKind, NewJob } from '../../src/core/queue.ts';
import type { Boss } from '../../src/queue/open-boss.ts';

interface Row {
  readonly name: string;
  readonly subject: string;
  readonly group: string;
  readonly due_ms: number;
  readonly priority: number;
  readonly organisation: string;
}

/** All jobs, whatever their state, the oldest first; of a dead one the kind that it had. */
export async function jobsOnBoss(boss: Boss): Promise<readonly NewJob[]> {
  const rows = await boss.ask<Row>(
    `select name, singleton_key as subject, group_id as "group", extract(epoch from start_after)::float8 * 1000 as due_ms, priority, coalesce(group_tier, '') as organisation
     from causeway_jobs.job order by id`,
    [],
  );
  return rows.map(({ name, subject, group, due_ms: due, priority, organisation }) => ({
    ...{ kind: name.replace(/-dead$/, '') as JobKind, subject, group, runAt: new Date(due).toISOString() },
    ...{ urgency: priority < 0 ? 'automatic' : 'person', organisation },
  }));
}
