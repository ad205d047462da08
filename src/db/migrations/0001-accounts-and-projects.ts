// Who calls and what reports can be about.
import type { Kysely } from 'kysely';
import type { TableForm } from './table-form.ts';

export async function accountsAndProjects(database: Kysely<unknown>, form: TableForm): Promise<void> {
  await accounts(database, form);
  await tokens(database, form);
  await projects(database, form);
}

async function accounts({ schema }: Kysely<unknown>, form: TableForm): Promise<void> {
  await schema
    .createTable('accounts')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('login', 'text', (column) => column.notNull())
    .addColumn('login_lower', 'text', (column) => column.notNull().unique())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .modifyEnd(form.end)
    .execute();
  await form
    .sequence(schema.createTable('signing_secrets'))
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('secret', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text')
    .modifyEnd(form.end)
    .execute();
  await schema.createIndex('signing_secrets_account').on('signing_secrets').columns(['account_id', 'seq']).execute();
}

async function tokens({ schema }: Kysely<unknown>, form: TableForm): Promise<void> {
  await form
    .sequence(schema.createTable('tokens'))
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('scopes', 'text', (column) => column.notNull())
    .addColumn('project_ids', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text')
    .addColumn('last_used_at', 'text')
    .addColumn('revoked_at', 'text')
    .modifyEnd(form.end)
    .execute();
  await schema.createIndex('tokens_account').on('tokens').columns(['account_id', 'seq']).execute();
}

async function projects({ schema }: Kysely<unknown>, form: TableForm): Promise<void> {
  await schema
    .createTable('projects')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull().unique())
    .addColumn('name_lower', 'text', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('hidden', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .modifyEnd(form.end)
    .execute();
  await schema.createIndex('projects_name_lower').on('projects').columns(['name_lower', 'name']).execute();
}
