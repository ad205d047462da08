// Understands the arguments of the commands for operators: roles of the service, and its records.
import type { JobKind } from '../core/queue.ts';
import type { Command } from './command.ts';
import { didYouMean } from './did-you-mean.ts';
import { readOptions, refusePositionals, usage } from './options.ts';

const MOST_AT_ONCE = 64;
/** All kinds of work, as the queue names them. */
const JOB_KINDS: Readonly<Record<JobKind, true>> = {
  run: true,
  webhook: true,
  delivery: true,
  'urgent-delivery': true,
  publish: true,
  head: true,
  'check-run': true,
  backfill: true,
};

export function parseWorker(args: readonly string[]): Command {
  const options = readOptions(args, { concurrency: 'string' }, 'worker');
  if (options.help) return { kind: 'help', topic: 'worker' };
  refusePositionals(options, 'worker');
  const value = options.value('concurrency');
  if (value === undefined) return { kind: 'worker', concurrency: null };
  const concurrency = /^\d{1,3}$/.test(value) ? Number(value) : 0;
  if (concurrency >= 1 && concurrency <= MOST_AT_ONCE) return { kind: 'worker', concurrency };
  throw usage(`--concurrency takes a whole number from 1 to ${MOST_AT_ONCE}, not "${value}".`, 'worker');
}

export function parseBackup(args: readonly string[]): Command {
  const options = readOptions(args, {}, 'backup');
  if (options.help) return { kind: 'help', topic: 'backup' };
  const [file = null, another] = options.positionals;
  if (another !== undefined) throw usage(`"backup" takes one file, not also "${another}".`, 'backup');
  if (file === '-') throw usage('A backup is a file that is checked after it was written: name one.', 'backup');
  return { kind: 'backup', file };
}

export function parseRestore(args: readonly string[]): Command {
  const options = readOptions(args, { yes: 'boolean' }, 'restore');
  if (options.help) return { kind: 'help', topic: 'restore' };
  const [file, another] = options.positionals;
  if (file === undefined) throw usage('"restore" takes the file of a backup.', 'restore');
  if (another !== undefined) throw usage(`"restore" takes one file, not also "${another}".`, 'restore');
  return { kind: 'restore', file, yes: options.flag('yes') };
}

export function parseMove(args: readonly string[]): Command {
  const options = readOptions(args, { from: 'string', to: 'string' }, 'move');
  if (options.help) return { kind: 'help', topic: 'move' };
  // Not repeated: it may be an address with a password.
  if (options.positionals.length > 0) throw usage('"move" takes no argument without --from or --to before it.', 'move');
  return { kind: 'move', from: sqliteFile(options.value('from')), to: options.value('to') ?? null };
}

function sqliteFile(value: string | undefined): string | null {
  if (value === undefined) return null;
  const [, file = ''] = /^sqlite:(?:\/\/(?=\/))?(.+)$/s.exec(value) ?? [];
  // Not repeated: it may be an address with a password, given the wrong way round.
  if (file === '') throw usage('--from takes sqlite:FILE, such as sqlite:/srv/causeway/causeway.db.', 'move');
  return file;
}

export function parseDoctor(args: readonly string[]): Command {
  const options = readOptions(args, { json: 'boolean' }, 'doctor');
  if (options.help) return { kind: 'help', topic: 'doctor' };
  refusePositionals(options, 'doctor');
  return { kind: 'doctor', json: options.flag('json') };
}

export function parseRedrive(args: readonly string[]): Command {
  const options = readOptions(args, {}, 'redrive');
  if (options.help) return { kind: 'help', topic: 'redrive' };
  const [word, another] = options.positionals;
  if (another !== undefined) throw usage(`"redrive" takes one kind of work, not also "${another}".`, 'redrive');
  if (word === undefined) return { kind: 'redrive', jobs: null };
  if (isJobKind(word)) return { kind: 'redrive', jobs: word };
  const kinds = Object.keys(JOB_KINDS);
  const hint = didYouMean(word, kinds) || ` Give one of ${kinds.join(', ')}.`;
  throw usage(`There is no kind of work "${word}".${hint}`, 'redrive');
}

export function parseErase(args: readonly string[]): Command {
  const options = readOptions(args, { account: 'string', project: 'string', yes: 'boolean' }, 'erase');
  if (options.help) return { kind: 'help', topic: 'erase' };
  refusePositionals(options, 'erase');
  const [account, project] = [options.value('account'), options.value('project')];
  const yes = options.flag('yes');
  if (account !== undefined && project === undefined) return { kind: 'erase', what: 'account', name: account, yes };
  if (project !== undefined && account === undefined) return { kind: 'erase', what: 'project', name: project, yes };
  throw usage('"erase" takes one of --account LOGIN and --project OWNER/NAME.', 'erase');
}

function isJobKind(word: string): word is JobKind {
  return Object.hasOwn(JOB_KINDS, word);
}
