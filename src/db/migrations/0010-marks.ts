// What the operator has set for all processes over a database.
import type { Kysely } from 'kysely';
import type { TableForm } from './table-form.ts';

export async function marks({ schema }: Kysely<unknown>, form: TableForm): Promise<void> {
  await schema
    .createTable('marks')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('set_at', 'text', (column) => column.notNull())
    .modifyEnd(form.end)
    .execute();
}
