// What a month has come to, kept beside the costs themselves; and until when somebody outside wants to be left alone.
import { type Kysely, sql } from 'kysely';
import type { TableForm, Trigger } from './table-form.ts';

export async function totalsAndHolds(database: Kysely<unknown>, form: TableForm): Promise<void> {
  await costTotals(database, form);
  await holds(database, form);
}

/**
 * Kept by triggers, since a process of the version before writes costs without knowing of totals. They are made before the costs of today are
 * summed: on PostgreSQL making one waits for everybody who is writing costs, and keeps others from it until the end of this migration (0.4 s
 * at 100,000 rows).
 */
async function costTotals(database: Kysely<unknown>, form: TableForm): Promise<void> {
  await database.schema
    .createTable('cost_totals')
    .addColumn('month', 'text', (column) => column.notNull())
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('in_use', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('cost_totals_key', ['month', 'project_id'])
    .modifyEnd(form.end)
    .execute();
  await keepTotals(database, form);
  await sql`insert into cost_totals (month, project_id, in_use)
    select month, project_id, sum(reserved + spent) from costs group by month, project_id`.execute(database);
  await sql`insert into cost_totals (month, project_id, in_use)
    select month, '', sum(reserved + spent) from costs group by month`.execute(database);
}

async function keepTotals(database: Kysely<unknown>, form: TableForm): Promise<void> {
  const columns = ['month', 'project_id', 'reserved', 'spent'];
  const come = (rows: string) => `select month, project_id, reserved + spent as amount from ${rows}`;
  const gone = (rows: string) => `select month, project_id, 0 - reserved - spent as amount from ${rows}`;
  const of: Readonly<Record<Trigger['after'], Trigger['statements']>> = {
    insert: (rows) => moved(come(rows.new)),
    update: (rows) => moved(`${come(rows.new)} union all ${gone(rows.old)}`),
    delete: (rows) => [...moved(gone(rows.old)), emptied(rows.old)],
  };
  for (const after of ['insert', 'update', 'delete'] as const) {
    await form.addTrigger(database, {
      ...{ name: `cost_totals_${after}`, table: 'costs', columns, after },
      statements: of[after],
    });
  }
}

/** The totals of the projects of those amounts, and those of everything, whose project is "". */
function moved(amounts: string): readonly string[] {
  const add = (project: string, group: string) => `insert into cost_totals (month, project_id, in_use)
    select month, ${project}, sum(amount) from (${amounts}) as moved group by ${group} having sum(amount) <> 0
    on conflict (month, project_id) do update set in_use = cost_totals.in_use + excluded.in_use`;
  return [add('project_id', 'month, project_id'), add("''", 'month')];
}

/** What is left of a project whose costs are gone is nothing, not a row with its name. */
function emptied(rows: string): string {
  return `delete from cost_totals where in_use = 0 and (month, project_id) in (select month, project_id from ${rows})`;
}

async function holds({ schema }: Kysely<unknown>, form: TableForm): Promise<void> {
  await schema
    .createTable('holds')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('until', 'text', (column) => column.notNull())
    .modifyEnd(form.end)
    .execute();
}
