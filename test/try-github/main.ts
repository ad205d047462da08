// Plays the main stories in a sandbox repository on the real GitHub, and prints where that differs from the double, in Markdown.
//   npm run try-github -- OWNER/SANDBOX [--yes] [--budget DOLLARS] [--patience MINUTES]
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import type { Prepared } from './preflight.ts';
import { findFreePort } from './service.ts';
import { readSettings } from './settings.ts';
import { SCRIPTED, tryGithub } from './try-github.ts';

const USAGE = `usage: npm run try-github -- OWNER/SANDBOX [--yes] [--budget DOLLARS] [--patience MINUTES]
  OWNER/SANDBOX       a repository on which the App is installed alone: empty, or with the file .causeway-sandbox
  --yes               writes there without asking first
  --budget DOLLARS    what the model may cost (1)
  --patience MINUTES  how long GitHub may take for each thing that is waited for (10)
The table goes to standard output; docs/github.md says what is needed.
Exit code: 0 no difference, 1 differences or a step that failed, 2 nothing was written.
`;

interface Options {
  readonly sandbox: string;
  readonly yes: boolean;
  readonly budget: number;
  readonly patienceMs: number;
}

function readOptions(given: readonly string[]): Options | null {
  try {
    const options = { yes: { type: 'boolean' }, budget: { type: 'string' }, patience: { type: 'string' } } as const;
    const { values, positionals } = parseArgs({ args: [...given], options, allowPositionals: true });
    const [sandbox = '', ...more] = positionals;
    const [budget, minutes] = [Number(values.budget ?? 1), Number(values.patience ?? 10)];
    const isRight = /^[\w.-]+\/[\w.-]+$/.test(sandbox) && more.length === 0 && budget >= 0 && minutes > 0;
    return isRight ? { sandbox, yes: values.yes === true, budget, patienceMs: minutes * 60_000 } : null;
  } catch {
    return null;
  }
}

const say = (text: string) => process.stderr.write(`${text}\n`);

async function run({ sandbox, yes, budget, patienceMs }: Options): Promise<number> {
  const settings = readSettings(process.env, sandbox, SCRIPTED);
  if (settings.kind === 'problems') return refuse(settings.problems);
  const port = settings.ground.port === 0 ? await findFreePort() : settings.ground.port;
  const ground = { ...settings.ground, port };
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      say('Interrupted: cleaning up.');
      interruption.abort();
    });
  }
  const tried = await tryGithub(ground, {
    ...{ budget, patienceMs, signal: interruption.signal, tell: say, expected: null },
    on: ground.webUrl === 'https://github.com' ? 'github.com' : 'GitHub Enterprise Server',
    mayWrite: async (prepared) => yes || (await ask(sandbox, prepared, budget, interruption.signal)),
  });
  if (tried.kind === 'problems') return refuse(tried.problems);
  if (tried.kind === 'refused') {
    say('Nothing was written. With --yes it is not asked.');
    return 2;
  }
  process.stdout.write(`${tried.table}\n`);
  return tried.isWhole && tried.differences.length === 0 ? 0 : 1;
}

function refuse(problems: readonly string[]): number {
  for (const problem of problems) say(`- ${problem}`);
  say('Nothing was written.');
  return 2;
}

async function ask(
  sandbox: string,
  { login, slug, defaultBranch }: Prepared,
  budget: number,
  signal: AbortSignal,
): Promise<boolean> {
  say(`This writes to ${sandbox}, as ${login} and as the App ${slug}:
- ${defaultBranch} is overwritten with a small shop and a workflow that runs its tests, and put back at the end
- a branch, an issue with the label "analyse", two pull requests, comments and runs of CI; closed or removed at the end
- the model may cost up to $${budget}`);
  if (!process.stdin.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await terminal.question('Go on? [y/N] ', { signal })).trim());
  } catch {
    return false;
  } finally {
    terminal.close();
  }
}

const options = readOptions(process.argv.slice(2));
if (options === null) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else {
  process.exitCode = await run(options).catch((error: unknown) => {
    say(error instanceof Error ? error.message : String(error));
    return 1;
  });
}
