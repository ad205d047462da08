// `causeway serve --no-worker` in the place of a stage's service: deliveries are taken and kept, and nothing is done.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { COMPILED } from './compiled.ts';
import { type GithubStage, OWNER } from './github-stage.ts';
import { processorTime, residentMemory } from './process-figures.ts';
import { recordsEnv } from './records.ts';

const MAIN = path.join(import.meta.dirname, '..', '..', 'src', 'main.ts');

export interface Receiving extends AsyncDisposable {
  /** Resident memory in MiB; null where the system does not tell. */
  memory(): Promise<number | null>;
  /** Milliseconds of processor time so far; null where the system does not tell. */
  processor(): Promise<number | null>;
}

/** Ends the stage's service; `stage.restart()` after disposing brings one that works. */
export async function serveWithoutWorker(
  stage: GithubStage,
  env: Readonly<Record<string, string>> = {},
): Promise<Receiving> {
  const { address } = stage.service();
  await stage.service().end('SIGTERM');
  const { app, webUrl } = stage.double;
  const child = spawn(process.execPath, [MAIN, 'serve', '--no-worker'], {
    cwd: stage.dataDir,
    env: {
      ...{ PATH: process.env['PATH'], PORT: new URL(address).port, DATA_DIR: stage.dataDir },
      ...{ APP_ID: String(app.id), PRIVATE_KEY: app.privateKey, WEBHOOK_SECRET: app.webhookSecret },
      ...{ GHE_HOST: new URL(webUrl).host, GHE_PROTOCOL: 'http', ALLOWED_OWNERS: OWNER, RATE_LIMIT: 'off' },
      ...COMPILED,
      ...(await recordsEnv(stage.dataDir)),
      ...env,
    },
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  await listening(address, child);
  return {
    memory: () => residentMemory(child.pid),
    processor: () => processorTime(child.pid),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function listening(address: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const answer = await fetch(`${address}/healthz`).catch(() => null);
    if (answer?.ok) return;
    await wait(50);
  }
  throw new Error('the service without a worker did not start');
}
