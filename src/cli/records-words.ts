// What `migrate`, `backup`, `restore` and `redrive` say.
import { shellWord } from '../core/shell-quote.ts';

export interface Migrated {
  /** The database, without a password. */
  readonly place: string;
  /** Steps that were taken just now, in their order. */
  readonly made: readonly string[];
  /** Steps that the schema has now. */
  readonly all: number;
}

export function migratedText({ place, made, all }: Migrated): string {
  if (made.length === 0) return `${place}: the schema was up to date already, with ${count(all, 'step')}.\n`;
  const steps = made.map((name) => `  ${name}\n`).join('');
  return `${place}: the schema is up to date now. ${count(made.length, 'step')} of ${all} ${made.length === 1 ? 'was' : 'were'} new:\n${steps}`;
}

export interface BackedUpWords {
  readonly rows: number;
  readonly tables: number;
  readonly bytes: number;
  readonly seconds: number;
  /** Where the key is that opens what is sealed in it. */
  readonly key: string;
}

export function backedUpText({ rows, tables, bytes, seconds, key }: BackedUpWords): string {
  return `Copied and checked: ${count(rows, 'row')} in ${count(tables, 'table')}, ${megabytes(bytes)} MB, in ${seconds.toFixed(1)} s.
The secrets in it open with ${key} alone: keep that as well, somewhere else.
Mirrors of repositories are not in it: they are fetched again.
`;
}

export interface RestoreWords {
  readonly backup: string;
  readonly database: string;
}

export function unconfirmedRestoreText({
  backup,
  database,
  keptSuffix,
}: RestoreWords & { readonly keptSuffix: string }): string {
  return `This replaces ${database} with ${backup}, which passed all checks.
Everything accepted since that backup will be lost. The current database is kept as ${database}${keptSuffix}.
Nothing was changed; repeat with --yes to confirm.`;
}

/** `keptAs`: null where there was no database before. */
export function restoredText({
  rows,
  tables,
  backup,
  database,
  keptAs,
}: RestoreWords & { readonly rows: number; readonly tables: number; readonly keptAs: string | null }): string {
  const kept = keptAs === null ? '' : `The previous database is kept as ${keptAs}; delete it once all is well.\n`;
  return `Restored ${database} from ${backup}: ${count(rows, 'row')} in ${count(tables, 'table')}.
${kept}Start the service, then run "causeway doctor". GitHub is asked again for missed deliveries of the last three days.
`;
}

/** `shown`: the address without its password. */
export function pgRestoreText(shown: string): string {
  return `Records are in PostgreSQL, whose own tools restore a backup, into a new, empty database:
  pg_restore --no-owner --exit-on-error --dbname=${shellWord(shown)} causeway.dump`;
}

/** `shown`: the address without its password. */
export function dumpText(shown: string): string {
  return `Records are in PostgreSQL, whose own tools make the backup, while the service runs:
  pg_dump --format=custom --file=causeway.dump ${shellWord(shown)}
It asks for the password, or takes it from PGPASSWORD. Into a new, empty database it goes back with:
  pg_restore --no-owner --exit-on-error --dbname=${shellWord(shown)} causeway.dump
Keep ENCRYPTION_KEY as well, somewhere else: the secrets in it open with nothing else.`;
}

/** For each kind of work, how many dead jobs are alive again. */
export function redrivenText(redriven: readonly (readonly [kind: string, jobs: number])[]): string {
  const some = redriven.filter(([, jobs]) => jobs > 0);
  if (some.length === 0) return 'No job had been given up: there is nothing to try again.\n';
  const lines = some.map(([kind, jobs]) => `  ${kind}  ${jobs}\n`).join('');
  return `These are tried again, three times each, by the service that runs or the next one:\n${lines}`;
}

function count(number: number, noun: string): string {
  return `${number.toLocaleString('en-GB')} ${noun}${number === 1 ? '' : 's'}`;
}

function megabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}
