// Runs git on the double's bare repositories.
import { runGit } from '../../support/git-repository.ts';
import { keyOf, remember, remembered } from './remembered.ts';

/** Keeps the machine's own configuration, hooks and identity out. */
export const GIT_ENVIRONMENT: Readonly<Record<string, string | undefined>> = {
  PATH: process.env['PATH'],
  HOME: '/dev/null',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  LC_ALL: 'C',
};

interface GitOptions {
  readonly input?: Buffer | string;
  readonly env?: Readonly<Record<string, string>>;
}

/** What git printed. Rejects with what it complained of. */
export async function git(gitDir: string, args: readonly string[], options: GitOptions = {}): Promise<Buffer> {
  const key = options.input === undefined && options.env === undefined ? keyOf(gitDir, args) : null;
  const known = key === null ? undefined : remembered(key);
  const answer = known ?? (await run(gitDir, args, options, key));
  if (answer instanceof Error) throw answer;
  return answer;
}

async function run(
  gitDir: string,
  args: readonly string[],
  { input = '', env = {} }: GitOptions,
  key: string | null,
): Promise<Buffer | Error> {
  const all = { ...GIT_ENVIRONMENT, GIT_DIR: gitDir, ...env };
  const { code, stdout, stderr } = await runGit(args, { env: all, input });
  const answer = code === 0 ? stdout : new Error(`git ${args[0]}: ${stderr.toString().trim()}`);
  const isNo = code === 1 && args[0] === 'merge-base';
  if (key !== null && (code === 0 || isNo)) remember(key, answer);
  return answer;
}

export async function gitText(gitDir: string, args: readonly string[], options: GitOptions = {}): Promise<string> {
  return (await git(gitDir, args, options)).toString('utf8').trim();
}

/** The same, or null where git refused. */
export async function gitTry(gitDir: string, args: readonly string[]): Promise<string | null> {
  return gitText(gitDir, args).catch(() => null);
}
