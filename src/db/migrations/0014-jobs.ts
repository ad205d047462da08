// One table of jobs, of the same form for both engines.
import { createJobTables } from '../job-tables.ts';
import type { Up } from './table-form.ts';

export const jobs: Up = async (database, form) => {
  for (const table of ['job_organisations', 'job_groups', 'jobs']) await database.schema.dropTable(table).execute();
  await createJobTables(database, form);
};
