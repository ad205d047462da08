// What the commands about the records say: `migrate`, `backup`, `restore`, `redrive`, `move` and `erase`.
import { quoteWord } from '../core/shell-quote.ts';
import type { ErasedAccount, ErasedProject } from '../db/store.ts';
import type { EraseCommand } from './command.ts';
import { printableLine } from './terminal.ts';

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
  return `Copied and checked: ${count(rows, 'row')} in ${count(tables, 'table')}, ${formatMegabytes(bytes)} MB, in ${seconds.toFixed(1)} s.
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
  pg_restore --no-owner --exit-on-error --dbname=${quoteWord(shown)} causeway.dump`;
}

/** `shown`: the address without its password. */
export function dumpText(shown: string): string {
  return `Records are in PostgreSQL, whose own tools make the backup, while the service runs:
  pg_dump --format=custom --file=causeway.dump ${quoteWord(shown)}
It asks for the password, or takes it from PGPASSWORD. Into a new, empty database it goes back with:
  pg_restore --no-owner --exit-on-error --dbname=${quoteWord(shown)} causeway.dump
Keep ENCRYPTION_KEY as well, somewhere else: the secrets in it open with nothing else.`;
}

/** For each kind of work, how many dead jobs are alive again. */
export function redrivenText(redriven: readonly (readonly [kind: string, jobs: number])[]): string {
  const some = redriven.filter(([, jobs]) => jobs > 0);
  if (some.length === 0) return 'No job had been given up: there is nothing to try again.\n';
  const lines = some.map(([kind, jobs]) => `  ${kind}  ${jobs}\n`).join('');
  return `These are tried again, three times each, by the service that runs or the next one:\n${lines}`;
}

function formatMegabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}

export interface MovedWords {
  readonly rows: number;
  readonly tables: number;
  /** That wait to be done. */
  readonly jobs: number;
  /** That were given up. */
  readonly deadJobs: number;
  readonly file: string;
  /** Address of the target, without its password. */
  readonly target: string;
  /** File of the key; null: it is configured. */
  readonly keptIn: string | null;
}

export function moveLine(words: string): string {
  return `  ${printableLine(words)}\n`;
}

export function movedText({ rows, tables, jobs, deadJobs, file, target, keptIn }: MovedWords): string {
  const key = keptIn === null ? 'ENCRYPTION_KEY as it is now' : `ENCRYPTION_KEY to what ${printableLine(keptIn)} holds`;
  return `Moved to ${printableLine(target)}: ${formatNumber(rows)} rows in ${tables} tables, as many as in the original, and ${formatNumber(jobs)} jobs.
${describeGivenUp(deadJobs)}
Next, for every process of the service, on every machine:
  set DATABASE_URL to that database, and ${key},
  and start it: "causeway serve", with as many "causeway worker" as you want.
If /setup made the GitHub App, its file github-app in DATA_DIR is needed too, or
APP_ID, PRIVATE_KEY and WEBHOOK_SECRET.
Keep ${printableLine(file)} as a backup, and start nothing on it again: what
comes in from now on is only in PostgreSQL.
`;
}

/** Ends with a line feed, unless there is nothing to say. */
function describeGivenUp(deadJobs: number): string {
  if (deadJobs === 0) return '';
  const are = deadJobs === 1 ? '1 job that was given up is' : `${formatNumber(deadJobs)} jobs that were given up are`;
  return `${are} there too, still given up: fix the cause, then "causeway redrive".\n`;
}

export function alreadyMovedText(target: string, ended: string): string {
  return `The move to ${printableLine(target)} ended at ${ended}: there is nothing left to move.\n`;
}

/** Where `--yes` is missing. */
export function unconfirmedText({ what, name }: EraseCommand): string {
  const all =
    what === 'account'
      ? `the sessions, tokens, webhooks, name, number and guidance of ${printableLine(name)}`
      : `everything known about ${printableLine(name)}, and its source on this machine`;
  return `This permanently deletes ${all}. Nothing was deleted; repeat with --yes to confirm.`;
}

/** Null: there was nobody. */
export function erasedAccountText(name: string, erased: ErasedAccount | null): string {
  if (erased === null) {
    return `Nobody is known as ${printableLine(name)}: there is nothing to erase. Somebody who never signed in is found by GitHub's number.\n`;
  }
  const { sessions, tokens, webhooks, mentions, kept } = erased;
  return `Erased ${printableLine(name)}: ${count(sessions, 'session')}, ${count(tokens, 'token')}, ${count(webhooks, 'webhook')}, \
and the name in ${count(mentions, 'place')}.
${count(kept, 'investigation')} that they started stay with their projects, without an account and without what they asked to be heeded. What they and others
wrote in the reports themselves stays with those. What stands on GitHub, in logs and in backups is not ours to erase here.
`;
}

export interface ErasedProjectWords {
  readonly name: string;
  /** Null: there was none. */
  readonly erased: ErasedProject | null;
  /** Copies of source on this machine that went. */
  readonly mirrors: number;
}

export function erasedProjectText({ name, erased, mirrors }: ErasedProjectWords): string {
  const source = `${count(mirrors, 'copy', 'copies')} of source on this machine`;
  if (erased === null) {
    return `No project is known as ${printableLine(name)}: there is nothing to erase in the database. Removed ${source}.\n`;
  }
  const { investigations, issues, threads, heads, failures } = erased;
  return `Erased ${printableLine(name)}: ${count(investigations, 'investigation')}, ${count(issues, 'issue')}, ${count(threads, 'thread')}, \
${count(heads, 'head')}, ${count(failures, 'failure')}, and ${source}.
Other machines where a service or worker runs remove their copies within an hour. What stands on GitHub, in logs and in backups is not ours to erase here. Where the App can still
read it, or PROJECTS names it, it comes back, empty.
`;
}

function count(number: number, noun: string, nouns = `${noun}s`): string {
  return `${formatNumber(number)} ${number === 1 ? noun : nouns}`;
}

function formatNumber(number: number): string {
  return number.toLocaleString('en-GB');
}
