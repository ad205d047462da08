// A server that is a program of ours: its environment, its words on standard error, its floods, its end.
import path from 'node:path';
import { DEFAULT_INHERITED_ENV_VARS, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Reach } from './config.ts';
import { errorLines } from './error-lines.ts';
import { plainLine } from './outside-text.ts';
import { type Family, familyOf } from './process-family.ts';
import { atMost } from './wait.ts';
import { MAX_ANSWER_BYTES, TOO_LARGE, type Wire, type WireContext } from './wire.ts';

const MAX_ERROR_LINE = 500;
/** What a program may write within one window: room for a few of the largest answers, far from what stops the house. */
const WINDOW_MS = 10_000;
const MAX_WINDOW_BYTES = 4 * MAX_ANSWER_BYTES;
const MAX_WINDOW_LINES = 20_000;
const LINE_FEED = 0x0a;

export function wireProgram(reach: Extract<Reach, { kind: 'program' }>, context: WireContext): Wire {
  const transport = new StdioClientTransport({
    command: reach.command,
    args: [...reach.args],
    env: onlyThese(context.given.environment),
    stderr: 'pipe',
    // Never the caller's folder, which may be a repository: npx would run what it finds there.
    cwd: path.parse(process.cwd()).root,
    maxBufferSize: MAX_ANSWER_BYTES,
  });
  transport.stderr?.on('data', readErrors(context));
  let family: Family | null = null;
  const killNow = (): void => family?.kill();
  // At once: every further line would cost us as much as it.
  const broken = (reason: string): void => {
    context.onBroken(reason);
    killNow();
  };
  const start = transport.start.bind(transport);
  transport.start = async () => {
    await start();
    if (transport.pid !== null) family = familyOf(transport.pid);
    watchFlood(transport, broken);
  };
  transport.onerror = ({ message }) => {
    if (message.includes('exceeded maximum size')) broken(TOO_LARGE);
  };
  return {
    transport,
    answered: () => family?.note(),
    killNow,
    async end(graceMs) {
      family?.note();
      // The SDK closes standard input and waits; it must not hold a shutdown up.
      await atMost(transport.close(), graceMs, undefined);
      killNow();
    },
  };
}

/** The SDK adds HOME, SHELL, USER and others of ours; an undefined value takes one out again. */
function onlyThese(environment: Readonly<Record<string, string>>): Record<string, string> {
  const none = Object.fromEntries(DEFAULT_INHERITED_ENV_VARS.map((name) => [name, undefined]));
  return { ...none, ...environment } as Record<string, string>;
}

function readErrors({ log, given }: WireContext): (chunk: Buffer) => void {
  return errorLines({
    onLine: (text) => {
      const line = plainLine(given.withoutSecrets(text), MAX_ERROR_LINE);
      log.debug({ line }, 'the monitoring server wrote on standard error');
    },
    onTooMany: () => log.debug('more from the monitoring server on standard error is left out'),
  });
}

/** Lines that are no JSON never reach us through the SDK, so they are counted on the pipe, which it keeps to itself. */
function watchFlood(transport: StdioClientTransport, onBroken: (reason: string) => void): void {
  const child: unknown = Reflect.get(transport, '_process');
  const output = (child as { stdout?: NodeJS.ReadableStream } | undefined)?.stdout;
  let [since, bytes, lines] = [Date.now(), 0, 0];
  output?.on('data', (chunk: Buffer) => {
    if (Date.now() - since > WINDOW_MS) [since, bytes, lines] = [Date.now(), 0, 0];
    bytes += chunk.length;
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, at + 1)) lines += 1;
    if (bytes > MAX_WINDOW_BYTES || lines > MAX_WINDOW_LINES) onBroken('it flooded its output and was ended');
  });
}
