// Causeway as operators run it, a process of its own with records that are thrown away, and what GitHub answers it.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Issue } from '../../src/core/issue/issue.ts';
import type { Ground } from './ground.ts';
import type { RecordedAnswer } from './record.ts';

const PROGRAM = path.join(import.meta.dirname, '..', '..', 'src', 'main.ts');
const RECORDER = pathToFileURL(path.join(import.meta.dirname, 'record-child.ts')).href;
/** Of the operator's own installation: this one has its own records. */
const NOT_OURS =
  /^(?:DATABASE_URL|ENCRYPTION_KEY|SESSION_SECRET|GITHUB_TOKEN|MCP_CONFIG|PROJECTS|LOCAL_MODE|VITEST.*)$/;

export interface RunningCauseway extends AsyncDisposable {
  /** What GitHub has answered it so far. */
  answers(): Promise<readonly RecordedAnswer[]>;
  /** Its Issues about the sandbox, newest first. */
  issues(): Promise<readonly Issue[]>;
  /** Whether it is at work on something now. */
  isBusy(): Promise<boolean>;
  /** The last lines that it printed. */
  lastWords(): string;
}

export interface Limits {
  /** US dollars. */
  readonly budget: number;
  readonly signal: AbortSignal;
}

export async function startCauseway(
  ground: Ground,
  login: string,
  { budget, signal }: Limits,
): Promise<RunningCauseway> {
  await using opening = new AsyncDisposableStack();
  const folder = await mkdtemp(path.join(tmpdir(), 'try-github-'));
  opening.defer(() => rm(folder, { recursive: true, force: true }));
  const record = path.join(folder, 'answers');
  const inherited = Object.entries(ground.environment).filter(([name]) => !NOT_OURS.test(name));
  const env = {
    ...Object.fromEntries(inherited),
    DATA_DIR: path.join(folder, 'data'),
    PORT: String(ground.port),
    ALLOWED_OWNERS: ground.sandbox.split('/')[0],
    BUDGET_RUN: String(budget),
    BUDGET_REPOSITORY_MONTH: String(budget),
    BUDGET_MONTH: String(budget),
    TRY_GITHUB_API: ground.apiUrl,
    TRY_GITHUB_RECORD: record,
  };
  const program = ['--import', RECORDER, PROGRAM];
  const child = spawn(process.execPath, [...program, 'serve'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'exit');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-20_000);
    });
  }
  opening.defer(async () => {
    // Whoever interrupts has seconds, and its records are thrown away.
    child.kill(signal.aborted ? 'SIGKILL' : 'SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await ended;
  });
  const address = `http://127.0.0.1:${ground.port}`;
  const lastWords = () => output.trim().split('\n').slice(-5).join('\n');
  await untilReady(`${address}/readyz`, () => child.exitCode, signal).catch((error: unknown) => {
    throw new Error(`Causeway did not start (${String(error)}):\n${lastWords()}`);
  });
  const arguments_ = [PROGRAM, 'token', 'create', '--name', 'try-github', '--account', login];
  const { stdout } = await promisify(execFile)(process.execPath, arguments_, {
    cwd: folder,
    env: { ...env, TRY_GITHUB_RECORD: undefined },
  });
  const get = async <T>(where: string): Promise<T> => {
    const answer = await fetch(`${address}/api/v1/${where}`, {
      headers: { authorization: `Bearer ${stdout.trim()}` },
      signal,
    });
    if (!answer.ok) throw new Error(`Causeway answered ${answer.status} to GET /api/v1/${where}`);
    return (await answer.json()) as T;
  };
  const opened = opening.move();
  return {
    lastWords,
    isBusy: async () => {
      const answer = await fetch(`${address}/readyz`, { signal });
      const { checks } = (await answer.json()) as { readonly checks: readonly { name: string; detail: string }[] };
      return !/\b0 running\b/.test(checks.find(({ name }) => name === 'queue')?.detail ?? '');
    },
    answers: async () => {
      const text = await readFile(record, 'utf8').catch(() => '');
      // The last line may be half written.
      return text
        .split('\n')
        .slice(0, -1)
        .map((line): RecordedAnswer => JSON.parse(line));
    },
    issues: async () => {
      const projects =
        await get<readonly { readonly name: string; readonly issueIds: readonly string[] }[]>('projects/');
      const ids = projects.filter(({ name }) => name === ground.sandbox).flatMap(({ issueIds }) => issueIds);
      return Promise.all(ids.map((id) => get<Issue>(`issues/${id}/`)));
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function untilReady(address: string, exitCode: () => number | null, signal: AbortSignal): Promise<void> {
  for (const end = Date.now() + 120_000; Date.now() < end; ) {
    const answer = await fetch(address, { signal }).catch(() => null);
    if (answer?.ok === true) return;
    if (exitCode() !== null) throw new Error(`exit ${exitCode()}`);
    await sleep(250, undefined, { signal });
  }
  throw new Error('not ready within two minutes');
}

/** A port of loopback that nobody listens on. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
