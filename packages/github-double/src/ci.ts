// A CI that really runs: each push to a repository runs commands on its tree, as jobs of GitHub Actions with their logs. For our own projects only.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { GithubDouble } from './double.ts';
import { git } from './git/run-git.ts';

export interface CiOptions {
  /** What each job runs in the tree, such as `node --test`; by its name. */
  readonly jobs: Readonly<Record<string, readonly string[]>>;
  /** Of the commands. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Called before a job runs; what it returns fails the job instead, as its log. Null: it runs. */
  readonly interfere?: (job: string, sha: string) => string | null;
}

export interface RunningCi {
  /** Runs the jobs at a commit that was there before. */
  run(sha: string): Promise<void>;
  /** Waits for all runs; whether there were any since the last time. */
  settled(): Promise<boolean>;
  /** Commits that were run, in order. */
  readonly ran: readonly string[];
}

/**
 * From now on runs the jobs for every push to that repository, one after the other, on this machine and as this user: for projects of one's
 * own only. A run, its jobs and their logs are there as of GitHub Actions. What a workflow pushes starts none.
 */
export function startCi(
  { people, repository, onEvent }: GithubDouble,
  name: string,
  { jobs, environment = {}, interfere = () => null }: CiOptions,
): RunningCi {
  const ran: string[] = [];
  const running = new Set<Promise<void>>();
  const { gitDir } = repository(name);
  const runAll = async (sha: string) => {
    ran.push(sha);
    const run = await people.startRun(name, { sha, jobs: Object.keys(jobs) });
    for (const [job, command] of Object.entries(jobs)) {
      const broken = interfere(job, sha);
      const { passed, output } =
        broken === null ? await runInTree(gitDir, sha, command, environment) : { passed: false, output: broken };
      const log = formatJobLog(command.join(' '), output, passed);
      const end = passed ? { conclusion: 'success' as const } : { conclusion: 'failure' as const, failedStep: 'test' };
      await people.finishJob(name, run, job, { ...end, log });
    }
  };
  onEvent((event, payload) => {
    const pushed = payload as {
      readonly ref?: string;
      readonly after?: string;
      readonly repository?: { readonly id: number };
      readonly sender?: { readonly login: string };
    };
    const { ref, after } = pushed;
    const isHere = event === 'push' && pushed.repository?.id === repository(name).id;
    // What a workflow pushes with its own token starts no other.
    const isOfWorkflow = pushed.sender?.login === 'github-actions[bot]';
    if (!isHere || isOfWorkflow || !ref?.startsWith('refs/heads/') || after === undefined || /^0+$/.test(after)) return;
    if (ran.includes(after)) return;
    const promise: Promise<void> = runAll(after).finally(() => running.delete(promise));
    running.add(promise);
  });
  return {
    ran,
    run: runAll,
    settled: async () => {
      const isAny = running.size > 0;
      while (running.size > 0) await Promise.all(running);
      return isAny;
    },
  };
}

async function runInTree(
  gitDir: string,
  sha: string,
  [command = '', ...args]: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly passed: boolean; readonly output: string }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'github-double-ci-'));
  try {
    const archive = path.join(folder, 'tree.tar');
    await writeFile(archive, await git(gitDir, ['archive', '--format=tar', '--prefix=tree/', sha]));
    await runJobCommand('tar', ['-xf', archive, '-C', folder], { cwd: folder });
    return await runJobCommand(command, args, { cwd: path.join(folder, 'tree'), environment });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface JobFolder {
  readonly cwd: string;
  readonly environment?: Readonly<Record<string, string>>;
}

function runJobCommand(command: string, args: readonly string[], { cwd, environment }: JobFolder) {
  return new Promise<{ readonly passed: boolean; readonly output: string }>((resolve) => {
    // Vitest's own variables would make the tests of the tree report to it.
    const env = { PATH: process.env['PATH'], HOME: cwd, CI: 'true', ...environment };
    execFile(command, args, { cwd, env, timeout: 60_000 }, (error, stdout, stderr) => {
      resolve({ passed: error === null, output: stdout + stderr });
    });
  });
}

function formatJobLog(command: string, output: string, passed: boolean): string {
  const lines = [
    `##[group]Run ${command}`,
    command,
    '##[endgroup]',
    ...output.trimEnd().split('\n'),
    ...(passed ? [] : ['##[error]Process completed with exit code 1.']),
  ];
  return `${lines.map((line) => `2026-03-01T10:00:00.0000000Z ${line}`).join('\n')}\n`;
}
