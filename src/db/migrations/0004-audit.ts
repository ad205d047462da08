// Who did what, append-only; and a row that the health check writes.
import type { Kysely } from 'kysely';
import type { TableForm } from './table-form.ts';

export async function audit({ schema }: Kysely<unknown>, form: TableForm): Promise<void> {
  await form
    .sequence(schema.createTable('audit'))
    .addColumn('at', 'text', (column) => column.notNull())
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('verb', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .modifyEnd(form.end)
    .execute();
  await schema
    .createTable('checks')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('count', 'integer', (column) => column.notNull())
    .modifyEnd(form.end)
    .execute();
}
