// Understands the command line: arguments in, one command out, or one clear line about what is wrong.
import type { ProjectSource } from '../core/project.ts';
import type { AnalyseCommand, Command, LogInput, ReportInput, Topic } from './command.ts';
import { TOPICS } from './command.ts';
import { didYouMean } from './did-you-mean.ts';
import {
  parseBackup,
  parseDoctor,
  parseErase,
  parseMove,
  parseRedrive,
  parseRestore,
  parseWorker,
} from './operator-arguments.ts';
import { type OptionKinds, type Options, readOptions, refusePositionals, unknownVerb, usage } from './options.ts';
import { parseToken } from './token-arguments.ts';

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
