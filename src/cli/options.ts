// Options of one command: read with node's parser, every fault said in our words.
import { parseArgs } from 'node:util';
import { CausewayError } from '../core/errors.ts';
import type { Topic } from './command.ts';
import { didYouMean } from './did-you-mean.ts';

export type OptionKinds = Readonly<Record<string, 'string' | 'boolean'>>;

export interface Options {
  readonly positionals: readonly string[];
  /** Whether `--help` or `-h` stands among them; then nothing else was judged. */
  readonly help: boolean;
  flag(name: string): boolean;
  /** Undefined where the option is absent; an empty value is refused. */
  value(name: string): string | undefined;
}

/** Reads `args` as options of `kinds` and positionals; throws `usage` for an unknown option or a missing value. */
export function readOptions(args: readonly string[], kinds: OptionKinds, topic: Topic): Options {
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
export function unknownVerb(command: string, verb: string | undefined, verbs: readonly string[]): string {
  const list = verbs.join(', ');
  if (verb === undefined) return `"${command}" needs a word after it: ${list}.`;
  return `There is no "${command} ${verb}".${didYouMean(verb, verbs) || ` There is: ${list}.`}`;
}

/** Throws `usage` where a command that takes none was given an argument. */
export function refusePositionals(options: Options, topic: Topic): void {
  const [first] = options.positionals;
  if (first !== undefined) throw usage(`"${topic}" takes no argument "${first}".`, topic);
}
