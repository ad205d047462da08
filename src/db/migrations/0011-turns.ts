// Whose job comes next: people before what nobody asked for, and organisations by turns.
import { type Kysely, sql } from 'kysely';
import type { TableForm } from './table-form.ts';

/** A job of the version before is a person's and of no organisation: it keeps its place among those that are due. */
export async function turns(database: Kysely<unknown>, form: TableForm): Promise<void> {
  const { schema } = database;
  const column = (table: string, name: string, otherwise: string) =>
    schema
      .alterTable(table)
      .addColumn(name, 'text', (added) => added.notNull().defaultTo(otherwise))
      .execute();
  await column('jobs', 'urgency', 'person');
  await column('jobs', 'organisation', '');
  await column('job_groups', 'organisation', '');
  for (const name of ['next_person_at', 'next_automatic_at']) {
    await schema.alterTable('job_groups').addColumn(name, 'text').execute();
  }
  await sql`update job_groups set next_person_at = next_at`.execute(database);
  await organisations(database, form);
  await indexes(database);
}

async function organisations(database: Kysely<unknown>, form: TableForm): Promise<void> {
  await database.schema
    .createTable('job_organisations')
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('organisation', 'text', (column) => column.notNull())
    .addColumn('running', 'integer', (column) => column.notNull())
    .addColumn('turn', 'integer', (column) => column.notNull())
    .addColumn('next_person_at', 'text')
    .addColumn('next_automatic_at', 'text')
    .addColumn('automatic_at', 'text')
    .addPrimaryKeyConstraint('job_organisations_key', ['kind', 'organisation'])
    .modifyEnd(form.end)
    .execute();
  await sql`
    insert into job_organisations (kind, organisation, running, turn, next_person_at)
    select kind, '', sum(running), 0, min(next_at) from job_groups group by kind`.execute(database);
}

/** That on `jobs` takes half a second where 200,000 wait (SQLite in memory, load 15 to 20). */
async function indexes({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createIndex('jobs_urgency')
    .on('jobs')
    .columns(['kind', 'group_key', 'state', 'urgency', 'run_at', 'seq'])
    .execute();
  await schema
    .createIndex('job_groups_running')
    .on('job_groups')
    .columns(['kind', 'organisation', 'running'])
    .where('running', '>', 0)
    .execute();
  for (const urgency of ['person', 'automatic']) {
    const next = `next_${urgency}_at`;
    await schema
      .createIndex(`job_groups_${urgency}`)
      .on('job_groups')
      .columns(['kind', 'organisation', next])
      .where(next, 'is not', null)
      .execute();
    await schema
      .createIndex(`job_organisations_${urgency}`)
      .on('job_organisations')
      .columns(['kind', 'running', 'turn', next])
      .where(next, 'is not', null)
      .execute();
  }
  for (const name of ['turn', 'automatic_at']) {
    await schema.createIndex(`job_organisations_by_${name}`).on('job_organisations').columns(['kind', name]).execute();
  }
}
