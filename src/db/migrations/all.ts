// The migrations in their order. A number that was once released never changes its meaning.
//
// On PostgreSQL processes of two versions run side by side while one replaces the other, so from 0010 on each only adds, in ways that the
// version before it need not know: a table, an index, a column that may be null or has a default, a trigger that writes to new tables alone. What is to go, or to mean something else,
// goes with the release after the one that has stopped using it, and a release brings one migration at most: a process works with a schema
// that is one ahead of its own, and refuses one that is further. `test/db/migrations.test.ts` holds the form. An index on a large table is
// made while nobody writes to that table: say how long that takes where it is more than a moment. An index that keeps nothing unique may go with
// the migration that leaves another which begins with the same column: the version before finds its rows, if not as soon.
import type { Migration } from 'kysely/migration';
import { accountsAndProjects } from './0001-accounts-and-projects.ts';
import { investigations } from './0002-investigations.ts';
import { jobs } from './0003-jobs.ts';
import { audit } from './0004-audit.ts';
import { agent } from './0005-agent.ts';
import { github } from './0006-github.ts';
import { checks } from './0007-checks.ts';
import { greenRuns } from './0008-green-runs.ts';
import { accountArea } from './0009-account-area.ts';
import { marks } from './0010-marks.ts';
import { totalsAndHolds } from './0011-totals-and-holds.ts';
import { turns } from './0011-turns.ts';
import { fewerIndexes } from './0012-fewer-indexes.ts';
import { opaqueParts } from './0013-opaque-parts.ts';
import type { TableForm, Up } from './table-form.ts';

const ALL: Readonly<Record<string, Up>> = {
  '0001-accounts-and-projects': accountsAndProjects,
  '0002-investigations': investigations,
  '0003-jobs': jobs,
  '0004-audit': audit,
  '0005-agent': agent,
  '0006-github': github,
  '0007-checks': checks,
  '0008-green-runs': greenRuns,
  '0009-account-area': accountArea,
  '0010-marks': marks,
  '0011-turns-and-totals': async (database, form) => {
    await turns(database, form);
    await totalsAndHolds(database, form);
  },
  '0012-fewer-indexes': fewerIndexes,
  '0013-opaque-parts': opaqueParts,
};

/** All migrations, by name, in the form of one engine. There is no way down: a downgrade is refused. */
export function migrationsFor(form: TableForm): Record<string, Migration> {
  const entries = Object.entries(ALL).map(([name, up]): [string, Migration] => [
    name,
    { up: (database) => up(database, form) },
  ]);
  return Object.fromEntries(entries);
}
