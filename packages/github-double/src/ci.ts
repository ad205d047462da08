// A CI that really runs: what happens in a repository runs commands on its tree, as jobs of GitHub Actions with their logs. For our own projects only.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { GithubDouble } from './double.ts';
import { type GitCommit, readCommit } from './git/read-objects.ts';
import { git } from './git/run-git.ts';
import { covers } from './lookup.ts';
import type { ActionsRun } from './state.ts';
import { listStarted, type StartedWorkflow, type StartingPayload } from './workflow-starts.ts';

export interface CiOptions {
  /** What each job runs in the tree, such as `node --test`; by its name. A job of a workflow's file without one passes at once. */
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
 * From now on runs jobs for that repository on this machine and as this user, one after the other: for projects of one's own only. A run, its jobs
 * and their logs are there as of GitHub Actions. Where the repository has workflow files, these say what starts when, as on GitHub (but for
 * conditions of jobs); without any, every push runs all jobs. What a workflow does with its own token starts nothing.
 */
export function startCi(
  double: GithubDouble,
  name: string,
  { jobs, environment = {}, interfere = () => null }: CiOptions,
): RunningCi {
  const { people, repository, onEvent, state } = double;
  const ran: string[] = [];
  const running = new Set<Promise<void>>();
  /** By the id of a run: how many runs it follows, one after the other. */
  const levels = new Map<number, number>();
  /** A run says that it was requested before its id is known here. */
  const beginning = new Set<Promise<unknown>>();
  const { gitDir } = repository(name);
  const runJob = async (run: ActionsRun, job: string, { sha, checkout, lines }: JobPlace) => {
    const command = jobs[job] ?? [];
    const broken = interfere(job, sha);
    const { passed, output } =
      broken !== null
        ? { passed: false, output: broken }
        : command.length === 0
          ? { passed: true, output: '' }
          : await runInTree(gitDir, checkout, command, environment);
    const log = `${lines}${formatJobLog(command.join(' '), output, passed)}`;
    // Cancelled in between.
    if (!run.attempts.at(-1)?.some((one) => one.name === job && one.conclusion === null)) return;
    const end = passed ? { conclusion: 'success' as const } : { conclusion: 'failure' as const, failedStep: 'test' };
    await people.finishJob(name, run, job, { ...end, log });
  };
  const runAll = async (sha: string) => {
    ran.push(sha);
    const run = await people.startRun(name, { sha, jobs: Object.keys(jobs) });
    for (const job of Object.keys(jobs)) await runJob(run, job, { sha, checkout: sha, lines: '' });
  };
  const runWorkflow = async (started: StartedWorkflow, level: number) => {
    const { sha, branch, event, checkout } = started;
    ran.push(sha);
    const toName = (id: string) => started.jobs.find((job) => job.id === id)?.name ?? id;
    const pending = started.jobs.flatMap(({ name: job, needs, isAlways }) =>
      needs.length === 0 ? [] : [{ name: job, needs: needs.map(toName), isAlways }],
    );
    const first = started.jobs.flatMap(({ name: job, needs }) => (needs.length === 0 ? [job] : []));
    const made = { sha, branch, event, workflow: started.name, path: started.path, jobs: first, pending };
    const begun = people.startRun(name, made).then((run) => {
      levels.set(run.id, level);
      beginning.delete(begun);
      return run;
    });
    beginning.add(begun);
    const run = await begun;
    const lines = formatCheckout(await readCommit(gitDir, checkout), checkout);
    const findNext = () => run.attempts.at(-1)?.find(({ conclusion }) => conclusion === null);
    for (let next = findNext(); next !== undefined; next = findNext()) {
      await runJob(run, next.name, { sha, checkout, lines });
    }
  };
  const follow = async (event: string, payload: StartingPayload) => {
    const started = await listStarted(repository(name), event, payload);
    const { ref = '', after = '' } = payload;
    const isPush = event === 'push' && ref.startsWith('refs/heads/') && !/^0*$/.test(after);
    if (started === null && isPush && !ran.includes(after)) await runAll(after);
    if (event === 'workflow_run') await Promise.all(beginning);
    const level = 1 + (levels.get(payload.workflow_run?.id ?? 0) ?? -1);
    for (const one of level > MAX_CHAIN ? [] : (started ?? [])) await runWorkflow(one, level);
  };
  onEvent((event, payload, installationId) => {
    const said = payload as StartingPayload & Sent;
    const found = repository(name);
    if (said.repository?.id !== found.id || !STARTING.has(event)) return;
    // Each installation is told.
    const first = [...state.installations.values()].find((one) => covers(one, found) && one.suspendedAt === null);
    // What a workflow does with its own token starts no other; that a run has ended is said by GitHub itself.
    const isOfWorkflow = event !== 'workflow_run' && said.sender?.login === 'github-actions[bot]';
    if (first?.id !== installationId || isOfWorkflow) return;
    for (const one of event === 'pull_request' ? [event, 'pull_request_target'] : [event]) {
      const promise: Promise<void> = follow(one, said).finally(() => running.delete(promise));
      running.add(promise);
    }
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

/** GitHub follows a run with a run three times. */
const MAX_CHAIN = 3;

const STARTING = new Set(['push', 'create', 'delete', 'pull_request', 'workflow_run']);

interface Sent {
  readonly repository?: { readonly id: number };
  readonly sender?: { readonly login: string };
}

interface JobPlace {
  readonly sha: string;
  readonly checkout: string;
  /** At the beginning of its log. */
  readonly lines: string;
}

/** What `actions/checkout` says of a commit: of a branch git names none, so that it is asked for. */
function formatCheckout({ message, parents }: GitCommit, sha: string): string {
  const [subject = ''] = message.split('\n');
  const isMerge = parents.length > 1;
  return formatLogLines([
    '##[group]Run actions/checkout@v4',
    'with:',
    '  clean: true',
    '##[endgroup]',
    '##[group]Checking out the ref',
    isMerge ? `HEAD is now at ${sha.slice(0, 7)} ${subject}` : 'Switched to a new branch',
    '##[endgroup]',
    "[command]/usr/bin/git log -1 --format='%H'",
    `'${sha}'`,
  ]);
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
  return formatLogLines(lines);
}

function formatLogLines(lines: readonly string[]): string {
  return `${lines.map((line) => `2026-03-01T10:00:00.0000000Z ${line}`).join('\n')}\n`;
}
