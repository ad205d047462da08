// `commander` 15 was tried: two commands with their help took 77 lines instead of 70, which leaves some 1,000 of the 1,069 here
// and in help.ts, and `erase --account --yes` erased an account called `--yes`. So `parseArgs` of Node reads, and here stands
// what each command takes, and how arguments become one command or one clear line about what is wrong.
import { parseArgs } from 'node:util';
import { DEFAULT_SCOPES, SCOPES, type TokenScope } from '../core/account/index.ts';
import { findNearestName } from '../core/command-words.ts';
import { CausewayError } from '../core/errors.ts';
import type { ProjectSource } from '../core/project/index.ts';
import { JOB_KINDS, type JobKind } from '../core/queue.ts';
import { TOPICS, type Topic } from './help.ts';

/** Where the report comes from; `none`: standard input if it is a pipe, or only the log. */
type ReportInput =
  | { readonly kind: 'none' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'stdin' }
  | { readonly kind: 'address'; readonly url: string };

/** How the answer is printed. */
export interface AnswerOptions {
  /** Exactly the Issue as JSON instead of the readable report. */
  readonly json: boolean;
  /** Where the unified patch goes, as given; null: nowhere. */
  readonly patchFile: string | null;
}

export type AnalyseCommand = Readonly<ReturnType<typeof readAnalyse>>;
export type DemoCommand = AnswerOptions & { readonly kind: 'demo' };

/** `account` is a login on GitHub; null: the local account. */
export type TokenCommand = { readonly account: string | null } & (
  | {
      readonly kind: 'token-create';
      readonly name: string;
      readonly scopes: readonly TokenScope[];
      /** Milliseconds from now; null: never. */
      readonly expiresIn: number | null;
    }
  | { readonly kind: 'token-list' }
  | { readonly kind: 'token-revoke'; readonly id: string }
);

export interface WebhookSecretCommand {
  readonly kind: 'webhook-secret-show' | 'webhook-secret-rotate';
  readonly account: string | null;
}

/** `file` is null where it is named by the moment, in DATA_DIR. */
export type BackupCommand = { readonly kind: 'backup'; readonly file: string | null };
/** `yes`: it was confirmed. */
export type RestoreCommand = { readonly kind: 'restore'; readonly file: string; readonly yes: boolean };
/** From a SQLite file to the address of a PostgreSQL database, with its password; null: as configured. */
export type MoveCommand = { readonly kind: 'move'; readonly from: string | null; readonly to: string | null };

/** What is erased: a person by login or GitHub's number, or a project by name or id. */
export interface EraseCommand {
  readonly kind: 'erase';
  readonly what: 'account' | 'project';
  readonly name: string;
  /** Whether it was confirmed. */
  readonly yes: boolean;
}

export type EvalCommand = Readonly<ReturnType<typeof readEval>>;
export type ReplayCommand = Readonly<ReturnType<typeof readReplay>>;
export type VerifyProofCommand = Readonly<ReturnType<typeof readVerifyProof>>;
export type ForecastCommand = Readonly<ReturnType<typeof readForecast>>;
export type InitCommand = Readonly<ReturnType<typeof readInit>>;
export type McpCommand = Readonly<ReturnType<typeof readMcp>>;

export const ACTION_MODES = ['observe', 'comment', 'fix'] as const;

/** `file` as given; null: all files of the repository around the caller's folder. */
export interface CheckConfigCommand {
  readonly kind: 'check-config';
  readonly file: string | null;
}

export type Command =
  | { readonly kind: 'serve'; readonly worker: boolean }
  /** `concurrency`: investigations at a time; null: as configured. */
  | { readonly kind: 'worker'; readonly concurrency: number | null }
  /** `jobs`: null for dead jobs of every kind. */
  | { readonly kind: 'redrive'; readonly jobs: JobKind | null }
  | { readonly kind: 'doctor'; readonly json: boolean }
  | { readonly kind: 'help'; readonly topic: Topic }
  | { readonly kind: 'action' | 'migrate' | 'sign-in' | 'pause' | 'resume' | 'version' }
  | (
      | AnalyseCommand
      | DemoCommand
      | EvalCommand
      | ReplayCommand
      | VerifyProofCommand
      | ForecastCommand
      | InitCommand
      | McpCommand
      | CheckConfigCommand
      | TokenCommand
      | WebhookSecretCommand
    )
  | (BackupCommand | RestoreCommand | MoveCommand | EraseCommand);

/** The arguments after a command, which were checked against its options. */
interface Args {
  readonly positionals: readonly string[];
  has(option: string): boolean;
  /** Null where the option is absent; never empty. */
  value(option: string): string | null;
}

interface CommandRow {
  readonly options?: Readonly<Record<string, 'string' | 'boolean'>>;
  /** How many arguments it takes; absent: none. */
  readonly takes?: number;
  read(args: Args): Command;
}

const ANSWER_OPTIONS = { json: 'boolean', patch: 'string' } as const;

/** By the words that call them. */
const COMMANDS: Readonly<Record<string, CommandRow>> = {
  serve: {
    options: { 'no-worker': 'boolean' },
    read: (args) => ({ kind: 'serve', worker: !args.has('no-worker') }),
  },
  worker: {
    options: { concurrency: 'string' },
    read: (args) => ({ kind: 'worker', concurrency: parseConcurrency(args.value('concurrency')) }),
  },
  init: { options: { mode: 'string', model: 'string', key: 'string', uses: 'string', yes: 'boolean' }, read: readInit },
  'check-config': {
    takes: 1,
    read: ({ positionals }) => ({ kind: 'check-config', file: positionals[0] ?? null }),
  },
  forecast: { options: { json: 'boolean' }, takes: Number.POSITIVE_INFINITY, read: readForecast },
  action: { read: () => ({ kind: 'action' }) },
  mcp: { options: { repo: 'string', write: 'boolean' }, read: readMcp },
  migrate: { read: () => ({ kind: 'migrate' }) },
  backup: { takes: 1, read: readBackup },
  restore: { options: { yes: 'boolean' }, takes: 1, read: readRestore },
  // Takes none, but must not repeat one: it may be an address with a password.
  move: { options: { from: 'string', to: 'string' }, takes: Number.POSITIVE_INFINITY, read: readMove },
  redrive: { takes: 1, read: ({ positionals }) => ({ kind: 'redrive', jobs: parseJobKind(positionals[0]) }) },
  erase: { options: { account: 'string', project: 'string', yes: 'boolean' }, read: readErase },
  doctor: { options: { json: 'boolean' }, read: (args) => ({ kind: 'doctor', json: args.has('json') }) },
  analyse: {
    options: { ...ANSWER_OPTIONS, repo: 'string', revision: 'string', log: 'string' },
    takes: Number.POSITIVE_INFINITY,
    read: readAnalyse,
  },
  demo: { options: ANSWER_OPTIONS, read: (args) => ({ kind: 'demo', ...readAnswerOptions(args) }) },
  replay: { options: { model: 'string', json: 'boolean' }, takes: 1, read: readReplay },
  eval: {
    options: {
      github: 'string',
      repo: 'string',
      reports: 'string',
      subjects: 'boolean',
      models: 'string',
      last: 'string',
      budget: 'string',
      state: 'string',
      json: 'boolean',
      html: 'string',
    },
    read: readEval,
  },
  'verify-proof': { options: { app: 'string' }, takes: Number.POSITIVE_INFINITY, read: readVerifyProof },
  'token create': {
    options: { name: 'string', scopes: 'string', expires: 'string', account: 'string' },
    read: readTokenCreate,
  },
  'token list': {
    options: { account: 'string' },
    read: (args) => ({ kind: 'token-list', account: args.value('account') }),
  },
  'token revoke': { options: { account: 'string' }, takes: 1, read: readTokenRevoke },
  'webhook-secret show': {
    options: { account: 'string' },
    read: (args) => ({ kind: 'webhook-secret-show', account: args.value('account') }),
  },
  'webhook-secret rotate': {
    options: { account: 'string' },
    read: (args) => ({ kind: 'webhook-secret-rotate', account: args.value('account') }),
  },
  'sign-in': { read: () => ({ kind: 'sign-in' }) },
  pause: { read: () => ({ kind: 'pause' }) },
  resume: { read: () => ({ kind: 'resume' }) },
  help: { takes: 1, read: ({ positionals }) => ({ kind: 'help', topic: parseTopic(positionals[0]) }) },
  version: { read: () => ({ kind: 'version' }) },
};

/** `argv` without node and script. Throws `usage` with a one-line message and repair. */
export function parseCommandLine(argv: readonly string[]): Command {
  const [given = '--help', ...args] = argv;
  if (given === '--help' || given === '-h') return { kind: 'help', topic: 'causeway' };
  const name = given === '--version' || given === '-V' ? 'version' : given === 'analyze' ? 'analyse' : given;
  const topic = TOPICS.find((known) => known === name && known !== 'causeway');
  if (topic === undefined) {
    if (name.startsWith('-')) refuseCommand(`There is no option ${name} before a command.`, 'causeway');
    refuseCommand(`There is no command "${name}".${suggestWord(name, TOPICS)}`, 'causeway');
  }
  const row = COMMANDS[name];
  return row === undefined ? parseVerb(topic, args) : readCommand(name, row, args, topic);
}

/** A name that workflows may use for a secret and a variable. */
export const SECRET_NAME = /^[A-Z_][A-Z0-9_]{0,99}$/;
const USES = /^[\w.-]{1,100}\/[\w.-]{1,100}(?:\/[\w./-]{1,200})?@[\w./-]{1,200}$/;

function readInit(args: Args) {
  const given = args.value('mode');
  const mode = ACTION_MODES.find((known) => known === (given ?? 'comment'));
  if (mode === undefined) refuseCommand(`--mode is "${given}": give observe, comment or fix.`, 'init');
  const named = args.value('model');
  const key = args.value('key');
  if (key !== null && !SECRET_NAME.test(key))
    refuseCommand(`--key is "${key}": give the name of a secret, such as OPENAI_API_KEY.`, 'init');
  const uses = args.value('uses');
  if (uses !== null && !USES.test(uses)) refuseCommand(`--uses is "${uses}": give OWNER/NAME@TAG.`, 'init');
  return {
    kind: 'init' as const,
    mode,
    /** "": none. */
    model: named ?? '',
    /** Name of the secret with the model's key; null: as the model's provider calls it. */
    key,
    /** `owner/name@ref` of the action; null: of who publishes this copy. */
    uses,
    /** Whether a person at a terminal is asked for what was not given. */
    isAsked: !args.has('yes') && given === null && named === null && key === null,
  };
}

/** Of a command that needs a second word, such as `token list`. */
function parseVerb(topic: Topic, args: string[]): Command {
  if (args.includes('--help') || args.includes('-h')) return { kind: 'help', topic };
  const [verb, ...rest] = args;
  const name = `${topic} ${verb}`;
  const row = COMMANDS[name];
  if (row !== undefined) return readCommand(name, row, rest, topic);
  const verbs = Object.keys(COMMANDS).flatMap((key) =>
    key.startsWith(`${topic} `) ? key.slice(topic.length + 1) : [],
  );
  if (verb === undefined) refuseCommand(`"${topic}" needs a subcommand: ${verbs.join(', ')}.`, topic);
  refuseCommand(`There is no "${name}".${suggestWord(verb, verbs) || ` Use one of ${verbs.join(', ')}.`}`, topic);
}

/** A fault in how a command was written, with where to read on. */
export function refuseCommand(message: string, topic: Topic): never {
  const command = topic === 'causeway' ? 'causeway help' : `causeway help ${topic}`;
  throw new CausewayError('usage', `${message} See "${command}".`);
}

function readCommand(name: string, { options = {}, takes = 0, read }: CommandRow, args: string[], topic: Topic) {
  const known = Object.fromEntries(Object.entries(options).map(([option, type]) => [option, { type }]));
  const { tokens, positionals } = parseArgs({
    args,
    options: { ...known, help: { type: 'boolean', short: 'h' } },
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const given = tokens.filter((token) => token.kind === 'option');
  if (given.some((token) => token.name === 'help')) return { kind: 'help', topic } as const;
  for (const token of given) checkOption(token, options, topic);
  const [extra] = positionals.slice(takes);
  if (extra !== undefined) {
    const fault = takes === 0 ? `takes no argument "${extra}"` : `takes only one argument; unexpected "${extra}"`;
    refuseCommand(`"${name}" ${fault}.`, topic);
  }
  const values = new Map(given.map((token) => [token.name, token.value]));
  return read({
    positionals,
    has: (option) => values.has(option),
    value: (option) => values.get(option) ?? null,
  });
}

interface GivenOption {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

function checkOption({ name, rawName, value, inlineValue }: GivenOption, options: object, topic: Topic): void {
  const kinds = new Map<string, string>(Object.entries(options));
  const kind = kinds.get(name);
  if (kind === undefined) {
    const hint = suggestWord(
      `--${name}`,
      [...kinds.keys()].map((known) => `--${known}`),
    );
    refuseCommand(`There is no option ${rawName}.${hint}`, topic);
  }
  if (kind === 'boolean') {
    if (value !== undefined) refuseCommand(`${rawName} takes no value.`, topic);
    return;
  }
  // `--repo --json`: the next option was taken for the value.
  const isSwallowed = value !== undefined && inlineValue !== true && /^-./.test(value);
  if (!value || isSwallowed) refuseCommand(`${rawName} needs a value after it.`, topic);
}

/** ` Did you mean "x"?` for a word that is nearly one of those known; empty if none is near. */
function suggestWord(word: string, known: readonly string[]): string {
  const name = findNearestName(word, known);
  return name === null ? '' : ` Did you mean "${name}"?`;
}

function parseTopic(word = 'causeway'): Topic {
  const name = word === 'analyze' ? 'analyse' : word;
  const topic = TOPICS.find((known) => known === name);
  if (topic === undefined) refuseCommand(`There is no help on "${name}".${suggestWord(name, TOPICS)}`, 'causeway');
  return topic;
}

function readVerifyProof(args: Args) {
  const isUrl = (given: string) => /^https?:\/\//i.test(given);
  const [url = null, ...urls] = args.positionals.filter(isUrl);
  const [file = null, ...files] = args.positionals.filter((given) => !isUrl(given));
  if (url === null && file === null)
    refuseCommand('Name the address of a pull request with a certificate.', 'verify-proof');
  if (urls.length + files.length > 0) {
    refuseCommand('"verify-proof" takes one pull request, and one file at most.', 'verify-proof');
  }
  return {
    kind: 'verify-proof' as const,
    /** File of a certificate as given; null: the one in the pull request's body. */
    file,
    /** Address of the pull request; null: none. At least one of the two is given. */
    url,
    /** Name of the App that must have opened it; null: any. */
    app: args.value('app'),
  };
}

function readAnalyse(args: Args) {
  const input = parseReportInput(args.positionals);
  const log = args.value('log');
  if (input.kind === 'stdin' && log === '-')
    refuseCommand('Report and log cannot both come from standard input: give one of them as text or file.', 'analyse');
  return {
    kind: 'analyse' as const,
    input,
    /** As given (a path is relative to the caller's folder); null: the one around it, or the one of the address. */
    repository: parseRepository(args.value('repo')),
    /** Empty: the default branch, or the commit of the address. */
    revision: args.value('revision') ?? '',
    /** File as given; `-`: standard input; null: none. */
    log,
    ...readAnswerOptions(args),
  };
}

function readMcp(args: Args) {
  // `repository` as given, relative to the caller's folder; null: PROJECTS, or the one around that folder.
  return { kind: 'mcp' as const, repository: args.value('repo'), write: args.has('write') };
}

function readReplay(args: Args) {
  const [issueId] = args.positionals;
  if (issueId === undefined) refuseCommand('Name the Issue to replay by its id (iss_…).', 'replay');
  // The model as in `--models` of `eval`; null: the configured one.
  return { kind: 'replay' as const, issueId, model: args.value('model'), json: args.has('json') };
}

/** As GitHub allows it. */
const REPOSITORY_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}\/[A-Za-z0-9._-]{1,100}$/;
const MOST_CASES = 1_000;

function readEval(args: Args) {
  const [github, repository, reports] = [args.value('github'), args.value('repo'), args.value('reports')];
  const subjects = args.has('subjects');
  if (github === null && repository === null) refuseCommand('"eval" needs --github OWNER/NAME or --repo PATH.', 'eval');
  if (github !== null && !REPOSITORY_NAME.test(github)) {
    refuseCommand(`--github takes OWNER/NAME, not "${github}".`, 'eval');
  }
  if ([github, reports, subjects || null].filter((texts) => texts !== null).length !== 1) {
    const fault = github === null && reports === null ? 'has no reports' : 'names several sources of reports';
    refuseCommand(
      `"eval" ${fault}: give one of --github OWNER/NAME, --reports FILE, or --subjects, which uses the messages of the fixes and so gives them away.`,
      'eval',
    );
  }
  return {
    kind: 'eval' as const,
    /** `owner/name`: where the texts are, and the source unless `repository` is given; null: not GitHub. */
    github,
    /** A path as given; null: the source of `github`. */
    repository,
    /** File of reports as given; null: none. */
    reports,
    /** Whether the messages of the fixes stand in for reports. */
    subjects,
    /** Empty: the configured model, and none. */
    models: (args.value('models') ?? '').split(',').flatMap((name) => name.trim() || []),
    /** Most cases. */
    last: parseCount(args.value('last') ?? '50'),
    /** US dollars, for all runs with the same state together. */
    budget: parseDollars(args.value('budget') ?? '5'),
    /** Folder as given; null: in DATA_DIR. */
    state: args.value('state'),
    json: args.has('json'),
    /** File of the page as given; null: none. */
    html: args.value('html'),
  };
}

function readForecast(args: Args) {
  const [given, ...more] = args.positionals;
  if (given === undefined) refuseCommand('Name the repository: causeway forecast OWNER/NAME.', 'forecast');
  if (more.length > 0) refuseCommand('"forecast" takes one repository.', 'forecast');
  // Its address, as one copies it from the browser or gives it to git.
  const address = URL.parse(given.replace(/^git@([^/:]{1,255}):/, 'ssh://$1/'));
  const isAddress = address !== null && /^(?:https?|ssh):$/.test(address.protocol);
  const parts = (isAddress ? `${address.host}${address.pathname}` : given).split('/');
  const [host = '', owner = '', name = ''] = parts.length > 2 ? parts : ['', ...parts];
  const repository = `${owner}/${name.replace(/\.git$/, '')}`;
  const isHost = host === '' || isAddress || host.includes('.');
  if (!isHost || !REPOSITORY_NAME.test(repository))
    refuseCommand(`"forecast" takes OWNER/NAME, not "${given}".`, 'forecast');
  // The host of the address that was given, such as `github.com`; "": only the name was.
  return { kind: 'forecast' as const, repository, host: host.toLowerCase(), json: args.has('json') };
}

function parseCount(value: string): number {
  const count = Number(value);
  if (/^\d{1,4}$/.test(value) && count >= 1 && count <= MOST_CASES) return count;
  refuseCommand(`--last takes a number of cases from 1 to ${MOST_CASES}, not "${value}".`, 'eval');
}

function parseDollars(value: string): number {
  if (/^\d{1,6}(?:\.\d{1,4})?$/.test(value)) return Number(value);
  refuseCommand(`--budget takes US dollars, such as 5 or 0.50, not "${value}".`, 'eval');
}

function parseReportInput([text, ...more]: readonly string[]): ReportInput {
  if (more.length > 0) refuseCommand('The report must be one argument: put it in quotes.', 'analyse');
  if (text === undefined) return { kind: 'none' };
  if (text === '-') return { kind: 'stdin' };
  return /^https?:\/\/\S+$/i.test(text) ? { kind: 'address', url: text } : { kind: 'text', text };
}

function parseRepository(value: string | null): ProjectSource | null {
  if (value === null) return null;
  const isAddress = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) || /^[^/\\@]+@[^/\\]+:/.test(value);
  if (!isAddress) return { kind: 'path', path: value };
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol))
    refuseCommand(`--repo takes a path or an https address, not "${value}": clone it and give the path.`, 'analyse');
  if (url.username !== '' || url.password !== '')
    refuseCommand('--repo takes no credentials in an address: clone the repository and give the path.', 'analyse');
  return { kind: 'url', url: value };
}

function readAnswerOptions(args: Args): AnswerOptions {
  const patchFile = args.value('patch');
  if (patchFile === '-')
    refuseCommand('--patch takes the name of a file, since the answer goes to standard output.', 'analyse');
  return { json: args.has('json'), patchFile };
}

function readTokenCreate(args: Args): Command {
  const name = args.value('name')?.trim() ?? '';
  if (name === '') refuseCommand('A token needs a name: causeway token create --name laptop.', 'token');
  if (name.length > 100) refuseCommand('The name of a token has at most 100 characters.', 'token');
  const scopes = parseScopes(args.value('scopes'));
  return {
    kind: 'token-create',
    name,
    scopes,
    expiresIn: parseDuration(args.value('expires')),
    account: args.value('account'),
  };
}

function readTokenRevoke(args: Args): Command {
  const [id] = args.positionals;
  if (id === undefined) refuseCommand('Name the token to revoke by its id (tok_…).', 'token');
  return { kind: 'token-revoke', id, account: args.value('account') };
}

function parseScopes(value: string | null): readonly TokenScope[] {
  if (value === null) return DEFAULT_SCOPES;
  const wanted = value.split(',').map((scope) => scope.trim());
  const unknown = wanted.find((scope) => !SCOPES.some((known) => known === scope));
  if (unknown !== undefined) {
    const hint = suggestWord(unknown, SCOPES) || ` Choose from ${SCOPES.join(',')}.`;
    refuseCommand(`There is no scope "${unknown}".${hint}`, 'token');
  }
  return SCOPES.filter((scope) => wanted.includes(scope));
}

const HOUR = 60 * 60 * 1_000;
const UNITS: Readonly<Record<string, number>> = { h: HOUR, d: 24 * HOUR, w: 7 * 24 * HOUR };
/** Ten years. */
const LONGEST = 3_650 * 24 * HOUR;

/** Milliseconds of `12h`, `90d` or `4w`. */
function parseDuration(value: string | null): number | null {
  if (value === null) return null;
  const [, count = '', unit = ''] = /^(\d{1,6})([hdw])$/.exec(value) ?? [];
  const milliseconds = Number(count) * (UNITS[unit] ?? 0);
  if (milliseconds > 0 && milliseconds <= LONGEST) return milliseconds;
  refuseCommand(`--expires takes hours, days or weeks up to 3650d, such as 12h, 90d or 4w, not "${value}".`, 'token');
}

const MAX_CONCURRENCY = 64;

function parseConcurrency(value: string | null): number | null {
  if (value === null) return null;
  const concurrency = /^\d{1,3}$/.test(value) ? Number(value) : 0;
  if (concurrency >= 1 && concurrency <= MAX_CONCURRENCY) return concurrency;
  refuseCommand(`--concurrency takes a whole number from 1 to ${MAX_CONCURRENCY}, not "${value}".`, 'worker');
}

function parseJobKind(word: string | undefined): JobKind | null {
  if (word === undefined) return null;
  const kind = JOB_KINDS.find((known) => known === word);
  if (kind !== undefined) return kind;
  const hint = suggestWord(word, JOB_KINDS) || ` Use one of ${JOB_KINDS.join(', ')}.`;
  refuseCommand(`There is no kind of job "${word}".${hint}`, 'redrive');
}

function readBackup({ positionals }: Args): Command {
  const [file = null] = positionals;
  if (file === '-') refuseCommand('A backup is checked after it was written, so it needs a file: name one.', 'backup');
  return { kind: 'backup', file };
}

function readRestore(args: Args): Command {
  const [file] = args.positionals;
  if (file === undefined) refuseCommand('"restore" needs the file of a backup.', 'restore');
  return { kind: 'restore', file, yes: args.has('yes') };
}

function readMove(args: Args): Command {
  if (args.positionals.length > 0) refuseCommand('"move" takes no arguments; use --from and --to.', 'move');
  return { kind: 'move', from: parseSqliteFile(args.value('from')), to: args.value('to') };
}

function parseSqliteFile(value: string | null): string | null {
  if (value === null) return null;
  const [, file = ''] = /^sqlite:(?:\/\/(?=\/))?(.+)$/s.exec(value) ?? [];
  // Not repeated: it may be an address with a password, given the wrong way round.
  if (file === '') refuseCommand('--from takes sqlite:FILE, such as sqlite:/srv/causeway/causeway.db.', 'move');
  return file;
}

function readErase(args: Args): Command {
  const [account, project] = [args.value('account'), args.value('project')];
  const yes = args.has('yes');
  if (account !== null && project === null) return { kind: 'erase', what: 'account', name: account, yes };
  if (project !== null && account === null) return { kind: 'erase', what: 'project', name: project, yes };
  refuseCommand('"erase" needs either --account LOGIN or --project OWNER/NAME.', 'erase');
}
