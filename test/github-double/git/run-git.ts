// Runs git on the double's bare repositories.
import { execFile } from 'node:child_process';
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
  if (key === null) return run(gitDir, args, options);
  const known = remembered(key);
  if (known !== undefined) return known;
  const answer = await run(gitDir, args, options);
  remember(key, answer);
  return answer;
}

function run(gitDir: string, args: readonly string[], options: GitOptions): Promise<Buffer> {
  const env = { ...GIT_ENVIRONMENT, GIT_DIR: gitDir, ...options.env };
  return new Promise((resolve, reject) => {
    const child = execFile(
      'git',
      [...args],
      { env, encoding: 'buffer', maxBuffer: 1024 ** 3 },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new Error(`git ${args[0]}: ${stderr.toString().trim() || error.message}`));
      },
    );
    // A git that ended before it read everything says so by its exit code.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(options.input ?? '');
  });
}

export async function gitText(gitDir: string, args: readonly string[], options: GitOptions = {}): Promise<string> {
  return (await git(gitDir, args, options)).toString('utf8').trim();
}

/** The same, or null where git refused. */
export async function gitTry(gitDir: string, args: readonly string[]): Promise<string | null> {
  return gitText(gitDir, args).catch(() => null);
}
