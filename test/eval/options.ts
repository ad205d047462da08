// The command line of `npm run eval`.
import { parseArgs } from 'node:util';
import { EvalFault, type Part } from './part.ts';

export interface CommandLine {
  /** Null: every part that the cases fit. */
  readonly part: string | null;
  readonly help: boolean;
  readonly cases: readonly string[];
  readonly repositories: string;
  readonly logs: string;
  readonly keep: string;
  readonly json: string;
  readonly record: string;
  readonly against: string;
  readonly every: number;
  readonly language: string;
  readonly baseline: '' | 'bm25';
}

const OPTIONS = {
  help: { type: 'boolean' },
  cases: { type: 'string', multiple: true },
  repositories: { type: 'string' },
  logs: { type: 'string' },
  keep: { type: 'string' },
  json: { type: 'string' },
  record: { type: 'string' },
  against: { type: 'string' },
  every: { type: 'string' },
  language: { type: 'string' },
  baseline: { type: 'string' },
} as const;

export function usage(parts: readonly Part[]): string {
  const width = Math.max(...parts.map(({ name }) => name.length));
  return `npm run eval -- [PART] --cases FILE [options]

Parts; without one, all that the cases fit:
${parts.map(({ name, says }) => `  ${name.padEnd(width)}  ${says}`).join('\n')}

  --cases FILE         one JSON object a line; may be given more than once
  --repositories DIR   bare repositories: owner+name, owner+name.git or owner+name/repo; nothing is written there
  --logs DIR           folder that the cases' logs are relative to
  --keep DIR           keep mirrors there between runs (else a temporary folder)
  --json FILE          every ranking, one line a case
  --record FILE        write the figures there; parts that were not run stay
  --against FILE       show the difference to figures recorded before
  --every N            only every Nth case
  --language L         only cases of this language
  --baseline bm25      plain BM25 beside it
`;
}

/** Throws EvalFault for what it does not know. */
export function parseCommandLine(args: readonly string[], parts: readonly Part[]): CommandLine {
  const { values, positionals } = parsed(args);
  const [part = null, ...more] = positionals;
  if (more.length > 0 || (part !== null && !parts.some(({ name }) => name === part))) {
    throw new EvalFault(
      `${positionals.join(' ')}: name one part of ${parts.map(({ name }) => name).join(', ')}, or none.`,
    );
  }
  const every = Number(values.every ?? 1);
  if (!Number.isInteger(every) || every < 1) throw new EvalFault('--every takes a whole number from 1 on.');
  const baseline = values.baseline ?? '';
  if (baseline !== '' && baseline !== 'bm25') throw new EvalFault('--baseline knows bm25 only.');
  const {
    help = false,
    cases = [],
    repositories = '',
    logs = '',
    keep = '',
    json = '',
    record = '',
    against = '',
  } = values;
  return {
    part,
    help,
    cases,
    repositories,
    logs,
    keep,
    json,
    record,
    against,
    every,
    language: values.language ?? '',
    baseline,
  };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (cause) {
    throw new EvalFault(cause instanceof Error ? cause.message : String(cause));
  }
}
