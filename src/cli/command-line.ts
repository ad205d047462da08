// Understands the command line: arguments in, one command out, or one clear line about what is wrong.

import { parseArgs } from 'node:util';
import { DEFAULT_SCOPES, SCOPES, type Scope } from '../core/account.ts';
import { CausewayError } from '../core/errors.ts';
import { findNearestName } from '../core/nearest-name.ts';
import type { ProjectSource } from '../core/project.ts';
import type { JobKind } from '../core/queue.ts';
import { type AnalyseCommand, type Command, type LogInput, type ReportInput, TOPICS, type Topic } from './command.ts';

const ANSWER_OPTIONS = { json: 'boolean', patch: 'string' } as const;

const COMMANDS: Readonly<Record<string, (args: readonly string[]) => Command>> = {
  serve: parseServe,
  worker: parseWorker,
  migrate: (args) => parseAlone('migrate', args),
  backup: parseBackup,
  restore: parseRestore,
  move: parseMove,
  redrive: parseRedrive,
  erase: parseErase,
  doctor: parseDoctor,
  analyse: parseAnalyse,
  analyze: parseAnalyse,
  demo: parseDemo,
  token: parseToken,
  'webhook-secret': parseWebhookSecret,
  'sign-in': (args) => parseAlone('sign-in', args),
  pause: (args) => parseAlone('pause', args),
  resume: (args) => parseAlone('resume', args),
  help: parseHelp,
  version: (args) => parseAlone('version', args),
};

/** `argv` without node and script. Throws `usage`, whose message is one line with the repair. */
export function parseCommandLine(argv: readonly string[]): Command {
  const [name, ...args] = argv;
  if (name === undefined || name === '--help' || name === '-h') return { kind: 'help', topic: 'causeway' };
  if (name === '--version' || name === '-V') return parseAlone('version', args);
  const parse = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (parse !== undefined) return parse(args);
  if (name.startsWith('-')) throw usage(`There is no option ${name} before a command.`, 'causeway');
  throw usage(`There is no command "${name}".${didYouMean(name, Object.keys(COMMANDS))}`, 'causeway');
}

function parseServe(args: readonly string[]): Command {
  const options = readOptions(args, { 'no-worker': 'boolean' }, 'serve');
  if (options.help) return { kind: 'help', topic: 'serve' };
  refusePositionals(options, 'serve');
  return { kind: 'serve', worker: !options.flag('no-worker') };
}

function parseAnalyse(args: readonly string[]): Command {
  const kinds: OptionKinds = { ...ANSWER_OPTIONS, repo: 'string', revision: 'string', log: 'string' };
  const options = readOptions(args, kinds, 'analyse');
  if (options.help) return { kind: 'help', topic: 'analyse' };
  const input = reportInput(options.positionals);
  const log = logInput(options.value('log'));
  if (input.kind === 'stdin' && log.kind === 'stdin') {
    throw usage('Report and log cannot both come from standard input: give one of them as text or file.', 'analyse');
  }
  const command: AnalyseCommand = {
    kind: 'analyse',
    input,
    repository: repository(options.value('repo')),
    revision: options.value('revision') ?? '',
    log,
    json: options.flag('json'),
    patchFile: patchFile(options, 'analyse'),
  };
  return command;
}

function reportInput(positionals: readonly string[]): ReportInput {
  const [text, ...more] = positionals;
  if (more.length > 0) throw usage('The report must be one argument: put it in quotes.', 'analyse');
  if (text === undefined) return { kind: 'none' };
  if (text === '-') return { kind: 'stdin' };
  return /^https?:\/\/\S+$/i.test(text) ? { kind: 'address', url: text } : { kind: 'text', text };
}

function logInput(value: string | undefined): LogInput {
  if (value === undefined) return { kind: 'none' };
  return value === '-' ? { kind: 'stdin' } : { kind: 'file', path: value };
}

function repository(value: string | undefined): ProjectSource | null {
  if (value === undefined) return null;
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(value) && !/^[^/\\@]+@[^/\\]+:/.test(value))
    return { kind: 'path', path: value };
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw usage(`--repo takes a path or an https address, not "${value}": clone it and give the path.`, 'analyse');
  }
  if (url.username !== '' || url.password !== '') {
    throw usage('--repo takes no credentials in an address: clone the repository and give the path.', 'analyse');
  }
  return { kind: 'url', url: value };
}

function parseDemo(args: readonly string[]): Command {
  const options = readOptions(args, ANSWER_OPTIONS, 'demo');
  if (options.help) return { kind: 'help', topic: 'demo' };
  refusePositionals(options, 'demo');
  return { kind: 'demo', json: options.flag('json'), patchFile: patchFile(options, 'demo') };
}

function patchFile(options: Options, topic: Topic): string | null {
  const file = options.value('patch') ?? null;
  if (file === '-') throw usage('--patch takes the name of a file; standard output holds the answer.', topic);
  return file;
}

function parseWebhookSecret(args: readonly string[]): Command {
  const options = readOptions(args, { account: 'string' }, 'webhook-secret');
  if (options.help) return { kind: 'help', topic: 'webhook-secret' };
  const [verb, ...more] = options.positionals;
  if (more.length > 0) throw usage(`"webhook-secret ${verb}" takes no argument "${more[0]}".`, 'webhook-secret');
  const account = options.value('account') ?? null;
  if (verb === 'show') return { kind: 'webhook-secret-show', account };
  if (verb === 'rotate') return { kind: 'webhook-secret-rotate', account };
  throw usage(unknownVerb('webhook-secret', verb, ['show', 'rotate']), 'webhook-secret');
}

function parseAlone(kind: 'pause' | 'resume' | 'version' | 'sign-in' | 'migrate', args: readonly string[]): Command {
  const options = readOptions(args, {}, kind);
  if (options.help) return { kind: 'help', topic: kind };
  refusePositionals(options, kind);
  return { kind };
}

function parseHelp(args: readonly string[]): Command {
  const options = readOptions(args, {}, 'help');
  if (options.help) return { kind: 'help', topic: 'help' };
  const [word, another] = options.positionals;
  if (another !== undefined) throw usage(`"help ${word}" takes no argument "${another}".`, 'help');
  const name = word === 'analyze' ? 'analyse' : (word ?? 'causeway');
  const topic = TOPICS.find((known) => known === name);
  if (topic !== undefined) return { kind: 'help', topic };
  throw usage(`There is no help on "${name}".${didYouMean(name, TOPICS)}`, 'causeway');
}

type OptionKinds = Readonly<Record<string, 'string' | 'boolean'>>;

interface Options {
  readonly positionals: readonly string[];
  /** Whether `--help` or `-h` stands among them; then nothing else was judged. */
  readonly help: boolean;
  flag(name: string): boolean;
  /** Undefined where the option is absent; an empty value is refused. */
  value(name: string): string | undefined;
}

/** Reads `args` as options of `kinds` and positionals; throws `usage` for an unknown option or a missing value. */
function readOptions(args: readonly string[], kinds: OptionKinds, topic: Topic): Options {
  const options = Object.fromEntries(Object.entries(kinds).map(([name, type]) => [name, { type }]));
  const { tokens, positionals } = parseArgs({
    args: [...args],
    options: { ...options, help: { type: 'boolean', short: 'h' } },
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const given = tokens.filter((token) => token.kind === 'option');
  const help = given.some((token) => token.name === 'help');
  if (!help) for (const token of given) check(token, kinds, topic);
  const values = new Map(given.map((token) => [token.name, token.value]));
  return { positionals, help, flag: (name) => values.has(name), value: (name) => values.get(name) };
}

interface GivenOption {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

function check(option: GivenOption, kinds: OptionKinds, topic: Topic): void {
  const { name, rawName, value } = option;
  if (!Object.hasOwn(kinds, name)) {
    throw usage(`There is no option ${rawName}.${didYouMean(`--${name}`, Object.keys(kinds).map(dashed))}`, topic);
  }
  if (kinds[name] === 'boolean') {
    if (value !== undefined) throw usage(`${rawName} takes no value; write it alone.`, topic);
    return;
  }
  const swallowed = value !== undefined && option.inlineValue !== true && /^-./.test(value);
  if (!value || swallowed) throw usage(`${rawName} needs a value after it.`, topic);
}

/** A fault in how a command was written, with where to read on. */
export function usage(message: string, topic: Topic): CausewayError {
  const command = topic === 'causeway' ? 'causeway help' : `causeway help ${topic}`;
  return new CausewayError('usage', `${message} See "${command}".`);
}

function dashed(name: string): string {
  return `--${name}`;
}

/** What to say where a command needs one of `verbs` after it, and has another word or none. */
function unknownVerb(command: string, verb: string | undefined, verbs: readonly string[]): string {
  const list = verbs.join(', ');
  if (verb === undefined) return `"${command}" needs a word after it: ${list}.`;
  return `There is no "${command} ${verb}".${didYouMean(verb, verbs) || ` There is: ${list}.`}`;
}

/** Throws `usage` where a command that takes none was given an argument. */
function refusePositionals(options: Options, topic: Topic): void {
  const [first] = options.positionals;
  if (first !== undefined) throw usage(`"${topic}" takes no argument "${first}".`, topic);
}

/** ` Did you mean "x"?` for a word that is nearly one of those known; empty where none is near. */
function didYouMean(word: string, known: readonly string[]): string {
  const name = findNearestName(word, known);
  return name === null ? '' : ` Did you mean "${name}"?`;
}

const HOUR = 60 * 60 * 1_000;

const UNITS: Readonly<Record<string, number>> = { h: HOUR, d: 24 * HOUR, w: 7 * 24 * HOUR };

/** Ten years: far enough for any token, near enough for every date type. */
const LONGEST = 3_650 * 24 * HOUR;

function parseToken(args: readonly string[]): Command {
  const kinds: OptionKinds = { name: 'string', scopes: 'string', expires: 'string', account: 'string' };
  const options = readOptions(args, kinds, 'token');
  if (options.help) return { kind: 'help', topic: 'token' };
  const [verb, id, ...more] = options.positionals;
  const account = options.value('account') ?? null;
  const wanted = ['name', 'scopes', 'expires'].filter((name) => options.flag(name));
  if (verb !== 'create' && wanted.length > 0) throw usage(`--${wanted[0]} belongs to "token create".`, 'token');
  if (verb === 'revoke') {
    if (id === undefined || more.length > 0) throw usage('Name the one token to revoke by its id (tok_…).', 'token');
    return { kind: 'token-revoke', id, account };
  }
  if (id !== undefined) throw usage(`"token ${verb}" takes no argument "${id}".`, 'token');
  if (verb === 'list') return { kind: 'token-list', account };
  if (verb !== 'create') throw usage(unknownVerb('token', verb, ['create', 'list', 'revoke']), 'token');
  return tokenCreate(options, account);
}

function tokenCreate(options: Options, account: string | null): Command {
  const name = options.value('name')?.trim();
  if (!name) throw usage('A token needs a name: causeway token create --name laptop.', 'token');
  if (name.length > 100) throw usage('The name of a token has at most 100 characters.', 'token');
  return {
    kind: 'token-create',
    name,
    scopes: scopes(options.value('scopes')),
    expiresIn: duration(options.value('expires')),
    account,
  };
}

function scopes(value: string | undefined): readonly Scope[] {
  if (value === undefined) return DEFAULT_SCOPES;
  const wanted = value.split(',').map((scope) => scope.trim());
  const unknown = wanted.find((scope) => !SCOPES.some((known) => known === scope));
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, SCOPES) || ` Give some of ${SCOPES.join(',')}.`;
    throw usage(`There is no scope "${unknown}".${hint}`, 'token');
  }
  return SCOPES.filter((scope) => wanted.includes(scope));
}

/** Milliseconds of `12h`, `90d` or `4w`. */
function duration(value: string | undefined): number | null {
  if (value === undefined) return null;
  const [, count = '', unit = ''] = /^(\d{1,6})([hdw])$/.exec(value) ?? [];
  const milliseconds = Number(count) * (UNITS[unit] ?? 0);
  if (milliseconds > 0 && milliseconds <= LONGEST) return milliseconds;
  throw usage(`--expires takes hours, days or weeks up to 3650d, such as 12h, 90d or 4w, not "${value}".`, 'token');
}

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

function parseWorker(args: readonly string[]): Command {
  const options = readOptions(args, { concurrency: 'string' }, 'worker');
  if (options.help) return { kind: 'help', topic: 'worker' };
  refusePositionals(options, 'worker');
  const value = options.value('concurrency');
  if (value === undefined) return { kind: 'worker', concurrency: null };
  const concurrency = /^\d{1,3}$/.test(value) ? Number(value) : 0;
  if (concurrency >= 1 && concurrency <= MOST_AT_ONCE) return { kind: 'worker', concurrency };
  throw usage(`--concurrency takes a whole number from 1 to ${MOST_AT_ONCE}, not "${value}".`, 'worker');
}

function parseBackup(args: readonly string[]): Command {
  const options = readOptions(args, {}, 'backup');
  if (options.help) return { kind: 'help', topic: 'backup' };
  const [file = null, another] = options.positionals;
  if (another !== undefined) throw usage(`"backup" takes one file, not also "${another}".`, 'backup');
  if (file === '-') throw usage('A backup is a file that is checked after it was written: name one.', 'backup');
  return { kind: 'backup', file };
}

function parseRestore(args: readonly string[]): Command {
  const options = readOptions(args, { yes: 'boolean' }, 'restore');
  if (options.help) return { kind: 'help', topic: 'restore' };
  const [file, another] = options.positionals;
  if (file === undefined) throw usage('"restore" takes the file of a backup.', 'restore');
  if (another !== undefined) throw usage(`"restore" takes one file, not also "${another}".`, 'restore');
  return { kind: 'restore', file, yes: options.flag('yes') };
}

function parseMove(args: readonly string[]): Command {
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

function parseDoctor(args: readonly string[]): Command {
  const options = readOptions(args, { json: 'boolean' }, 'doctor');
  if (options.help) return { kind: 'help', topic: 'doctor' };
  refusePositionals(options, 'doctor');
  return { kind: 'doctor', json: options.flag('json') };
}

function parseRedrive(args: readonly string[]): Command {
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

function parseErase(args: readonly string[]): Command {
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
