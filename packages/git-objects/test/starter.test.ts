// Git that a small process starts for this one: the same answers, and an end in each way that one can come.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createGit, type Git, type GitProcess } from '../src/process.ts';
import { gitRepository } from './git-repository.ts';
import { SIGNAL } from './open-project.ts';

interface StartedGit extends AsyncDisposable {
  readonly git: Git;
  readonly gitDir: string;
  /** Processes of the starter that runs for this process; there is one at most. */
  starters(): readonly number[];
  /** Runs git until a starter does it. */
  warm(): Promise<void>;
}

async function startGit(): Promise<StartedGit> {
  await using stack = new AsyncDisposableStack();
  const repo = stack.use(await gitRepository());
  await repo.commit({ 'a.txt': 'alpha\n'.repeat(5_000), 'b.txt': 'beta\n' }, 'first');
  const lifetime = new AbortController();
  stack.defer(() => lifetime.abort());
  const git = createGit({ environment: process.env, certificates: () => '', lifetime: lifetime.signal });
  const gitDir = `${repo.path}/.git`;
  const owned = stack.move();
  const listChildren = (of: number, name: string) =>
    execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
      .split('\n')
      .filter((line) => line.includes(name))
      .map((line) => line.trim().split(/\s+/).map(Number))
      .flatMap(([pid = 0, parent]) => (parent === of ? [pid] : []));
  const starters = () => listChildren(process.pid, 'starter-process.ts');
  return {
    git,
    gitDir,
    starters,
    async warm() {
      await Promise.all(Array.from({ length: 17 }, () => version(git, gitDir)));
      for (let isWarm = false; !isWarm; ) {
        const waiting = waitForInput(git, gitDir);
        waiting.stdin.write('HEAD\n');
        await once(waiting.stdout, 'data');
        isWarm = starters().some((pid) => listChildren(pid, 'cat-file').length > 0);
        waiting.stop();
        await waiting.ended;
      }
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function run(git: Git, gitDir: string, args: readonly string[], more: object = {}) {
  return git.run({ args, gitDir, timeoutMs: 10_000, maxBytes: 1_000_000, signal: SIGNAL, ...more });
}

function waitForInput(git: Git, gitDir: string, more: object = {}): GitProcess {
  const args = ['cat-file', '--batch'];
  const child = git.start({ args, gitDir, timeoutMs: 60_000, signal: SIGNAL, isBrief: true, ...more });
  child.stdout.resume();
  return child;
}

const version = (git: Git, gitDir: string) => run(git, gitDir, ['--version']);

const told = ({ ending, stdout, stderr }: Awaited<ReturnType<Git['run']>>) => ({
  ending,
  stdout: stdout.toString(),
  stderr,
});

it('gives what git gives when it is started here: output, input, exit code, messages', async () => {
  await using at = await startGit();
  const ask = () =>
    Promise.all([
      run(at.git, at.gitDir, ['grep', '-n', 'alpha', 'HEAD']).then(told),
      run(at.git, at.gitDir, ['hash-object', '--stdin'], { input: 'some text\n' }).then(told),
      run(at.git, at.gitDir, ['rev-parse', '--verify', 'nowhere']).then(told),
      run(at.git, at.gitDir, ['cat-file', 'blob', 'HEAD:a.txt'], { maxBytes: 100 }).then(({ ending }) => ending),
    ]);
  const before = await ask();
  expect(at.starters()).toEqual([]);
  await at.warm();
  expect(at.starters()).toHaveLength(1);
  expect(await ask()).toEqual(before);
  expect(before[0].stdout.split('\n')).toHaveLength(5_001);
  expect(before.map((one) => ('ending' in one ? one.ending : one))).toEqual([
    { kind: 'exited', code: 0 },
    { kind: 'exited', code: 0 },
    { kind: 'exited', code: 128 },
    { kind: 'stopped' },
  ]);
});

it('ends what is aborted, what outlives its time, and what the starter took along; then goes on with another', async () => {
  await using at = await startGit();
  await at.warm();
  const wait = (more: object) => waitForInput(at.git, at.gitDir, more).ended;
  const stop = new AbortController();
  const aborted = wait({ signal: stop.signal });
  const late = wait({ timeoutMs: 300 });
  stop.abort();
  expect(await aborted).toMatchObject({ ending: { kind: 'aborted' } });
  expect(await late).toMatchObject({ ending: { kind: 'timeout' } });
  const lost = wait({});
  await version(at.git, at.gitDir);
  for (const pid of at.starters()) process.kill(pid, 'SIGKILL');
  expect(await lost).toMatchObject({
    ending: { kind: 'exited', code: 128 },
    stderr: 'It was ended with the process that started it.',
  });
  expect((await version(at.git, at.gitDir)).stdout.toString()).toMatch(/^git version/);
  await at.warm();
  expect(at.starters()).toHaveLength(1);
});

it('outlives what cannot be started', async () => {
  await using at = await startGit();
  await at.warm();
  const waiting = waitForInput(at.git, at.gitDir);
  // More than the system takes as one argument.
  await expect(run(at.git, at.gitDir, ['log', 'x'.repeat(200_000)])).rejects.toMatchObject({ code: 'unreachable' });
  waiting.stdin.write('HEAD\n');
  await once(waiting.stdout, 'data');
  waiting.stop();
  expect(await waiting.ended).toMatchObject({ ending: { kind: 'stopped' } });
});

it('goes with what it was made for', async () => {
  const at = await startGit();
  await at.warm();
  await at[Symbol.asyncDispose]();
  while (at.starters().length > 0) await sleep(50);
});
