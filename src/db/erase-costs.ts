// Erases what a project has cost in transactions of a few rows, since each row moves the totals that every running analysis moves too.
import type { Database } from './database.ts';

/** Runs whose costs go in one transaction. */
const FEW = 20;

/** What still runs may add to them until it is erased itself; that goes with the project. */
export async function eraseCosts(database: Database, projectId: string): Promise<void> {
  // Read outside of the transactions that delete: on PostgreSQL each of them would stand against whoever adds a cost.
  const rows = await database.read((reader) =>
    reader.selectFrom('costs').select('run_id').distinct().where('project_id', '=', projectId).execute(),
  );
  for (let from = 0; from < rows.length; from += FEW) {
    const runs = rows.slice(from, from + FEW).map((row) => row.run_id);
    await database.write((trx) => trx.deleteFrom('costs').where('run_id', 'in', runs).execute());
  }
}
