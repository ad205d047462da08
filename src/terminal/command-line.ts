// Understands the command line: arguments in, one command out, or one clear line about what is wrong.
import { DEFAULT_SCOPES, SCOPES, type Scope } from '../domain/account.ts';
import type { ProjectSource } from '../domain/project.ts';
import type { AnalyseCommand, Command, LogInput, ReportInput, Topic } from './command.ts';
import { TOPICS } from './command.ts';
import { didYouMean } from './did-you-mean.ts';
import { type OptionKinds, type Options, readOptions, usage } from './options.ts';

const ANSWER_OPTIONS = { json: 'boolean', patch: 'string' } as const;
const COMMANDS: Readonly<Record<string, (args: readonly string[]) => Command>> = {
  serve: parseServe,
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
const HOUR = 60 * 60 * 1_000;
const UNITS: Readonly<Record<string, number>> = { h: HOUR, d: 24 * HOUR, w: 7 * 24 * HOUR };
/** Ten years: far enough for any token, near enough for every date type. */
const LONGEST = 3_650 * 24 * HOUR;

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
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(value) && !/^[^/\\]+@[^/\\]+:/.test(value)) return { kind: 'path', path: value };
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

function parseAlone(kind: 'pause' | 'resume' | 'version' | 'sign-in', args: readonly string[]): Command {
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

function unknownVerb(command: string, verb: string | undefined, verbs: readonly string[]): string {
  const list = verbs.join(', ');
  if (verb === undefined) return `"${command}" needs a word after it: ${list}.`;
  return `There is no "${command} ${verb}".${didYouMean(verb, verbs) || ` There is: ${list}.`}`;
}

function refusePositionals(options: Options, topic: Topic): void {
  const [first] = options.positionals;
  if (first !== undefined) throw usage(`"${topic}" takes no argument "${first}".`, topic);
}
