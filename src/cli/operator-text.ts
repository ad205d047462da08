// What the operator's commands print: `doctor`, `verify-proof`, and those about the records (`migrate`, `backup`,
// `restore`, `redrive`, `move`, `erase`).

import { toPrintableLine } from 'causeway-safe-markdown';
import { sanitiseLine } from 'causeway-visible-text';
import { quoteWord } from '../core/command-words.ts';
import type { VerifiedProof } from '../core/proof/index.ts';
import type { ErasedAccount, ErasedProject } from '../db/index.ts';
import type { EraseCommand } from './command-line.ts';
import { createStyle, type ExitCode, type Io, type Style } from './terminal.ts';

/** `warn`: it works, but not as well as it could; `fail`: something does not work. */
type FindingStatus = 'ok' | 'warn' | 'fail';

export interface CheckUpFinding {
  /** Name of the check, such as `disk`. */
  readonly check: string;
  readonly status: FindingStatus;
  /** What was found, in one line. */
  readonly found: string;
  /** What fixes it; "" where all is well. */
  readonly repair: string;
}

/** Prints all findings of `doctor`; 1 where one of them is `fail`. */
export function printFindings(
  findings: readonly CheckUpFinding[],
  io: Pick<Io, 'out' | 'colour'>,
  json: boolean,
): ExitCode {
  const ok = findings.every(({ status }) => status !== 'fail');
  const paint = createStyle(io.colour.out);
  const lines = () => findings.map((finding) => formatCheckUpFinding(finding, paint)).join('');
  io.out(json ? `${JSON.stringify({ ok, findings }, null, 2)}\n` : `${lines()}${summariseCheckUp(findings)}\n`);
  return ok ? 0 : 1;
}

function formatCheckUpFinding({ check, status, found, repair }: CheckUpFinding, paint: Style): string {
  const colour = { ok: paint.green, warn: paint.yellow, fail: paint.red }[status];
  const line = `${colour(status.padEnd(4))}  ${check.padEnd(13)}  ${toPrintableLine(found)}\n`;
  return repair === '' ? line : `${line}${' '.repeat(21)}→ ${toPrintableLine(repair)}\n`;
}

function summariseCheckUp(findings: readonly CheckUpFinding[]): string {
  const count = (wanted: FindingStatus) => findings.filter(({ status }) => status === wanted).length;
  const [failed, warned] = [count('fail'), count('warn')];
  if (failed + warned === 0) return 'All checks passed.';
  return `${failed} failed, ${warned} ${warned === 1 ? 'warning' : 'warnings'}, ${count('ok')} ok.`;
}

interface Migrated {
  /** The database, without a password. */
  readonly place: string;
  /** Migrations that ran just now, in their order. */
  readonly made: readonly string[];
  /** Migrations that the schema has now. */
  readonly all: number;
}

export function formatMigrated({ place, made, all }: Migrated): string {
  if (made.length === 0) return `${place}: the schema was already up to date (${formatCountOf(all, 'migration')}).\n`;
  const names = made.map((name) => `  ${name}\n`).join('');
  return `${place}: the schema is now up to date. New: ${made.length} of ${formatCountOf(all, 'migration')}:\n${names}`;
}

interface BackUpFacts {
  readonly rows: number;
  readonly tables: number;
  readonly bytes: number;
  readonly seconds: number;
  /** Where the key is that opens its secrets. */
  readonly key: string;
}

export function formatBackedUp({ rows, tables, bytes, seconds, key }: BackUpFacts): string {
  const size = (bytes / 1024 / 1024).toFixed(1);
  return `Copied and checked: ${formatRows(rows, tables)}, ${size} MB, in ${seconds.toFixed(1)} s.
Its secrets can only be decrypted with ${key}: store that separately.
Mirrors of repositories are not included: they are fetched again.
`;
}

interface Restore {
  readonly backup: string;
  readonly database: string;
}

export function formatUnconfirmedRestore({ backup, database }: Restore, keptAs: string): string {
  return `This replaces ${database} with ${backup}, which passed all checks.
Everything accepted since that backup will be lost. The current database is kept as ${keptAs}.
Nothing was changed; repeat with --yes to confirm.`;
}

interface RestoreFacts extends Restore {
  readonly rows: number;
  readonly tables: number;
  /** Null where there was no database before. */
  readonly keptAs: string | null;
}

export function formatRestored({ rows, tables, backup, database, keptAs }: RestoreFacts): string {
  const kept =
    keptAs === null ? '' : `The previous database is kept as ${keptAs}; delete it when you no longer need it.\n`;
  return `Restored ${database} from ${backup}: ${formatRows(rows, tables)}.
${kept}Start the service, then run "causeway doctor". GitHub is asked to redeliver the webhooks that failed in the last three days.
`;
}

/** `address`: without its password. */
export function formatPgRestore(address: string): string {
  return `The records are in PostgreSQL. Restore a backup into a new, empty database with its own tools:
  pg_restore --no-owner --exit-on-error --dbname=${quoteWord(address)} causeway.dump`;
}

/** `address`: without its password. */
export function formatPgDump(address: string): string {
  return `The records are in PostgreSQL. Make the backup with its own tools, while the service runs:
  pg_dump --format=custom --file=causeway.dump ${quoteWord(address)}
It prompts for the password, or takes it from PGPASSWORD. Restore it into a new, empty database with:
  pg_restore --no-owner --exit-on-error --dbname=${quoteWord(address)} causeway.dump
Store ENCRYPTION_KEY separately: without it the secrets in the backup can't be opened.`;
}

/** How many dead jobs of each kind are retried. */
export function formatRedriven(redriven: readonly (readonly [kind: string, jobs: number])[]): string {
  const some = redriven.filter(([, jobs]) => jobs > 0);
  if (some.length === 0) return 'There are no failed jobs.\n';
  const lines = some.map(([kind, jobs]) => `  ${kind}  ${jobs}\n`).join('');
  return `These are retried up to three more times, by the running service or the next one that starts:\n${lines}`;
}

interface MoveFacts {
  readonly rows: number;
  readonly tables: number;
  /** Waiting. */
  readonly jobs: number;
  readonly deadJobs: number;
  readonly file: string;
  /** Address of the target, without its password. */
  readonly target: string;
  /** File of the key; null: it is configured. */
  readonly keptIn: string | null;
}

export function formatMoved({ rows, tables, jobs, deadJobs, file, target, keptIn }: MoveFacts): string {
  const key =
    keptIn === null ? 'ENCRYPTION_KEY as it is now' : `ENCRYPTION_KEY to the content of ${toPrintableLine(keptIn)}`;
  const dead =
    deadJobs === 0
      ? ''
      : `${formatCountOf(deadJobs, 'failed job')} moved as well: fix the cause, then run "causeway redrive".\n`;
  return `Moved to ${toPrintableLine(target)}: ${formatRows(rows, tables)}, the same counts as in the original, and ${formatCountOf(jobs, 'waiting job')}.
${dead}
Next, for every process of the service, on every machine:
  set DATABASE_URL to that database, and ${key},
  then start it: "causeway serve", with as many "causeway worker" as you want.
If /setup created the GitHub App, its file github-app in DATA_DIR is needed too, or
APP_ID, PRIVATE_KEY and WEBHOOK_SECRET.
Keep ${toPrintableLine(file)} as a backup, and don't start a service on it
again: new records are only in PostgreSQL.
`;
}

export function formatAlreadyMoved(target: string, ended: string): string {
  return `The move to ${toPrintableLine(target)} was completed at ${ended}: there is nothing left to move.\n`;
}

export function formatUnconfirmedErase({ what, name }: EraseCommand): string {
  const all =
    what === 'account'
      ? `the sessions, tokens, webhooks, name, number and guidance of ${toPrintableLine(name)}`
      : `everything about ${toPrintableLine(name)}, and its source on this machine`;
  return `This permanently deletes ${all}. Nothing was deleted; repeat with --yes to confirm.`;
}

const STAYS = 'Nothing on GitHub, in logs or in backups was deleted.';

/** `erased`: null where there was no such person. */
export function formatErasedAccount(name: string, erased: ErasedAccount | null): string {
  if (erased === null) {
    return `Nothing is stored about ${toPrintableLine(name)}. For a person who never signed in, use GitHub's user number.\n`;
  }
  const { sessions, tokens, webhooks, mentions, kept } = erased;
  return `Deleted ${toPrintableLine(name)}: ${formatCountOf(sessions, 'session')}, ${formatCountOf(tokens, 'token')}, ${formatCountOf(webhooks, 'webhook')}, \
and the name in ${formatCountOf(mentions, 'place')}.
${formatCountOf(kept, 'investigation')} that they started stay with their projects, without the account and without the person's guidance. The text of
the reports is unchanged. ${STAYS}
`;
}

/** `erased`: null where there was no such project; `onDisk`: what was deleted of this machine. */
export function formatErasedProject(
  name: string,
  erased: ErasedProject | null,
  { mirrors, evaluations }: { readonly mirrors: number; readonly evaluations: number },
): string {
  const evaluated = evaluations === 0 ? '' : `${formatCountOf(evaluations, 'evaluation')} and `;
  const source = `${evaluated}${formatCountOf(mirrors, 'copy', 'copies')} of source on this machine`;
  if (erased === null) {
    return `No project is called ${toPrintableLine(name)}: nothing was deleted from the database. Deleted ${source}.\n`;
  }
  const { investigations, issues, threads, heads, failures } = erased;
  return `Deleted ${toPrintableLine(name)}: ${formatCountOf(investigations, 'investigation')}, ${formatCountOf(issues, 'issue')}, ${formatCountOf(threads, 'thread')}, \
${formatCountOf(heads, 'commit with checks', 'commits with checks')}, ${formatCountOf(failures, 'failure')}, and ${source}.
Other machines delete their copies within an hour. ${STAYS} If the App can
still read the project, or PROJECTS names it, it comes back, empty.
`;
}

function formatRows(rows: number, tables: number): string {
  return `${formatCountOf(rows, 'row')} in ${formatCountOf(tables, 'table')}`;
}

function formatCountOf(number: number, one: string, several = `${one}s`): string {
  return `${number.toLocaleString('en-GB')} ${number === 1 ? one : several}`;
}

const MAX_LINE = 300;

/** `file`: of the certificate as given; null: it is in the pull request. */
export function formatVerifiedProof(verified: VerifiedProof, file: string | null): string {
  const list = (lines: readonly string[]) => lines.map((line) => `  - ${sanitiseLine(line, MAX_LINE)}\n`).join('');
  switch (verified.state) {
    case 'confirmed': {
      const { repository, pullRequest, commit, bot, author, turned } = verified;
      const tests = turned.length === 1 ? 'This test' : 'These tests';
      const where = `  pull request  ${pullRequest}, opened by ${author ?? bot}${author === undefined ? '' : `, proven by ${bot}`}\n  commit        ${commit}, its head\n`;
      return `Yes. ${tests} of ${repository} failed without the fix and passed with it:\n${list(turned)}${where}`;
    }
    case 'denied':
      return `No. GitHub does not confirm this proof:\n${list(verified.faults)}`;
    case 'not_verifiable':
      return `Not verifiable. ${describeUnverifiable(verified, file)}\n`;
  }
}

function describeUnverifiable(
  { because, named }: Extract<VerifiedProof, { readonly state: 'not_verifiable' }>,
  file: string | null,
): string {
  if (because === 'logs_gone') {
    return "GitHub no longer keeps the logs of its checks, so it can't be verified any more. Of somebody else's open pull request, `/analyse prove` there makes a new one.";
  }
  if (because === 'commit_gone') {
    return "GitHub no longer has the commit with the tests alone, so it can't be verified any more that it held nothing else, nor what its other checks said. The rest holds: the App's bot started its run, the tests failed there, and pass at the head. While it is open, `/analyse prove` there makes a new one.";
  }
  if (because === 'other_ci') {
    return "It names checks that are no jobs of GitHub Actions: GitHub has no logs of them, so it can't be seen which tests failed.";
  }
  if (because === 'names_none') {
    return 'This certificate names no pull request, as those of earlier versions: it may belong to any. Causeway replaces it at the next event there.';
  }
  const command = `causeway verify-proof ${quoteWord(named)} ${quoteWord(file ?? '')}`;
  return `A file alone does not say what it is to prove. Give the pull request as well: ${sanitiseLine(command, 1_000)}`;
}
