// Probot's own server with a handler that does nothing, in a process of its own: what there is to compare an acknowledgement with.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import type { App } from 'causeway-github-double';
import { pino } from 'pino';
import { Probot, Server } from 'probot';
import { processorTime, residentMemory } from '../support/process-figures.ts';

interface ProbotServer extends AsyncDisposable {
  readonly url: string;
  /** Resident memory in MiB; null where the system does not tell. */
  memory(): Promise<number | null>;
  /** Milliseconds of processor time so far; null where the system does not tell. */
  processor(): Promise<number | null>;
}

export async function startProbot({ id, privateKey, webhookSecret }: App): Promise<ProbotServer> {
  const env = { PATH: process.env['PATH'], APP_ID: String(id), PRIVATE_KEY: privateKey, WEBHOOK_SECRET: webhookSecret };
  const child = spawn(process.execPath, [import.meta.filename], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const [url] = await once(createInterface(child.stdout), 'line');
  return {
    url: String(url),
    memory: () => residentMemory(child.pid),
    processor: () => processorTime(child.pid),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Prints the address of its webhooks when it listens. */
async function serve(): Promise<void> {
  const { APP_ID: appId = '', PRIVATE_KEY: privateKey = '', WEBHOOK_SECRET: secret = '' } = process.env;
  const log = pino({ level: 'silent' });
  const port = await freePort();
  const server = new Server({
    ...{ Probot: Probot.defaults({ appId, privateKey, secret, log }), log, port, host: '127.0.0.1' },
  });
  await server.load((app) => app.on('issue_comment', () => undefined));
  await server.start();
  process.stdout.write(`http://127.0.0.1:${port}/api/github/webhooks\n`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

if (process.argv[1] === import.meta.filename) await serve();
