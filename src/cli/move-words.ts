// What `move` says: each thing that is done, and what to do next.
import { printableLine } from './printable.ts';

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
  return `Moved to ${printableLine(target)}: ${count(rows)} rows in ${tables} tables, as many as in the original, and ${count(jobs)} jobs.
${givenUp(deadJobs)}
Next, for every process of the service, on every machine:
  set DATABASE_URL to that database, and ${key},
  and start it: "causeway serve", with as many "causeway worker" as you want.
If /setup made the GitHub App, its file github-app in DATA_DIR is needed too, or
APP_ID, PRIVATE_KEY and WEBHOOK_SECRET.
Keep ${printableLine(file)} as a backup, and start nothing on it again: what
comes in from now on is in PostgreSQL alone.
`;
}

/** Ends with a line feed, unless there is nothing to say. */
function givenUp(deadJobs: number): string {
  if (deadJobs === 0) return '';
  const are = deadJobs === 1 ? '1 job that was given up is' : `${count(deadJobs)} jobs that were given up are`;
  return `${are} there too, still given up: mend the reason, then "causeway redrive".\n`;
}

export function alreadyMovedText(target: string, ended: string): string {
  return `The move to ${printableLine(target)} ended at ${ended}: there is nothing left to move.\n`;
}

function count(number: number): string {
  return number.toLocaleString('en-GB');
}
