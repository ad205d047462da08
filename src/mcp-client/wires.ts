// How a monitoring server is reached: streamable HTTP with bounded answers, or a program of the operator, with all of
// its processes.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as delay } from 'node:timers/promises';
import { type FetchLike, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { DEFAULT_INHERITED_ENV_VARS, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Log } from '../log.ts';
import type { Given, ServerReach } from './config.ts';
import { toPlainLine } from './result-text.ts';

/** One message of a server, at most. Results are cut far below; a larger one is a mistake or an attack. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

const TOO_LARGE = `it answered with more than ${MAX_ANSWER_BYTES / 1024 / 1024} MB at once; ask for less`;

export interface McpWire {
  readonly transport: Transport;
  /** Called when the server has answered: by then all of its processes run. */
  readonly answered: () => void;
  /** Kills its processes at once, when this process exits. */
  readonly killNow: () => void;
  readonly end: (graceMs: number) => Promise<void>;
}

export interface WireContext {
  readonly given: Given;
  readonly log: Log;
  /** The longest that one exchange may take. */
  readonly maxExchangeMs: number;
  /** The connection cannot be used any more, for this reason in words. */
  readonly onBroken: (reason: string) => void;
}

export function openHttpWire(reach: Extract<ServerReach, { kind: 'address' }>, context: WireContext): McpWire {
  const transport = new StreamableHTTPClientTransport(new URL(reach.url), {
    requestInit: { headers: { ...context.given.headers } },
    fetch: createBoundedFetch(context),
    redirectPolicy: 'same-origin',
  });
  return {
    transport,
    answered: () => {},
    killNow: () => {},
    async end(graceMs) {
      await waitAtMost(
        transport.terminateSession().catch(() => {}),
        graceMs,
        undefined,
      );
      await transport.close();
    },
  };
}

/** The SDK itself has no deadline for a silent server, and no limit for its answers. */
function createBoundedFetch({ maxExchangeMs, onBroken }: WireContext): FetchLike {
  return async (address, init) => {
    // Streams for notifications are not needed; one that resumes an answer is.
    if (init?.method === 'GET' && !new Headers(init.headers).has('last-event-id'))
      return new Response(null, { status: 405 });
    const deadline = AbortSignal.timeout(maxExchangeMs);
    const signal = init?.signal ? AbortSignal.any([init.signal, deadline]) : deadline;
    const response = await fetch(address, { ...init, signal });
    if (!response.body) return response;
    const body = boundBody(response.body, (reason) => {
      if (!signal.aborted) onBroken(reason);
    });
    return new Response(body, response);
  };
}

function boundBody(body: ReadableStream<Uint8Array>, onBroken: (reason: string) => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let bytes = 0;
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        bytes += value.byteLength;
        if (bytes > MAX_ANSWER_BYTES) throw new Error(TOO_LARGE);
        controller.enqueue(value);
      } catch (error) {
        onBroken(bytes > MAX_ANSWER_BYTES ? TOO_LARGE : 'its answer broke off');
        controller.error(error);
        await reader.cancel().catch(() => {});
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

const MAX_ERROR_LINE = 500;

/** What a program may write within one window: a few of the largest answers. */
const WINDOW_MS = 10_000;

const MAX_WINDOW_BYTES = 4 * MAX_ANSWER_BYTES;

const MAX_WINDOW_LINES = 20_000;

const LINE_FEED = 0x0a;

export function openProgramWire(reach: Extract<ServerReach, { kind: 'program' }>, context: WireContext): McpWire {
  const transport = new StdioClientTransport({
    command: reach.command,
    args: [...reach.args],
    env: pickEnvironment(context.given.environment),
    stderr: 'pipe',
    // Never the caller's folder, which may be a repository: npx would run code from it.
    cwd: path.parse(process.cwd()).root,
    maxBufferSize: MAX_ANSWER_BYTES,
  });
  transport.stderr?.on('data', createErrorReader(context));
  let family: Family | null = null;
  const killNow = (): void => family?.kill();
  // At once, since reading further lines costs as much as writing them.
  const broken = (reason: string): void => {
    context.onBroken(reason);
    killNow();
  };
  const start = transport.start.bind(transport);
  transport.start = async () => {
    await start();
    if (transport.pid !== null) family = listFamily(transport.pid);
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
      // The SDK closes standard input and waits; that must not delay a shutdown.
      await waitAtMost(transport.close(), graceMs, undefined);
      killNow();
    },
  };
}

/** The SDK adds HOME, SHELL, USER and others of ours; an undefined value removes one. */
function pickEnvironment(environment: Readonly<Record<string, string>>): Record<string, string> {
  const none = Object.fromEntries(DEFAULT_INHERITED_ENV_VARS.map((name) => [name, undefined]));
  return { ...none, ...environment } as Record<string, string>;
}

function createErrorReader({ log, given }: WireContext): (chunk: Buffer) => void {
  return readErrorLines({
    onLine: (text) => {
      const line = toPlainLine(given.withoutSecrets(text), MAX_ERROR_LINE);
      log.debug({ line }, 'the monitoring server wrote on standard error');
    },
    onTooMany: () => log.debug('more from the monitoring server on standard error is left out'),
  });
}

/** The SDK drops lines that are no JSON, so they are counted on the pipe itself. */
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

const MAX_LINES = 200;

/** The rest of a longer line is dropped. */
const MAX_HELD = 8_192;

interface ErrorLines {
  readonly onLine: (line: string) => void;
  /** Called once, when more is left out. */
  readonly onTooMany: () => void;
}

/** Takes the chunks of a stream as they come. */
export function readErrorLines({ onLine, onTooMany }: ErrorLines): (chunk: Buffer) => void {
  const decoder = new StringDecoder('utf8');
  let [held, lines] = ['', 0];
  const tell = (line: string): void => {
    if (line.trim() === '' || lines > MAX_LINES) return;
    lines += 1;
    if (lines > MAX_LINES) onTooMany();
    else onLine(line);
  };
  return (chunk) => {
    if (lines > MAX_LINES) return;
    const [first = '', ...rest] = decoder.write(chunk).split('\n');
    held += first.slice(0, MAX_HELD - held.length);
    for (const line of rest) {
      tell(held);
      held = line.slice(0, MAX_HELD);
    }
  };
}

/** A process by its id and start time: the id itself is reused. */
type Identity = string;

interface Family {
  /** Records the current descendants. */
  readonly note: () => void;
  /** Kills all that are left. */
  readonly kill: () => void;
}

/** Without /proc (not Linux) only the program itself is known. */
function listFamily(pid: number): Family {
  const members = new Map<Identity, number>();
  const note = (): void => {
    const present = [...members]
      .filter(([id, member]) => readProcessIdentity(member) === id)
      .map(([, member]) => member);
    for (const [id, member] of addDescendants(present)) members.set(id, member);
  };
  const kill = (): void => {
    note();
    for (const [id, member] of members) if (readProcessIdentity(member) === id) killQuietly(member);
    members.clear();
  };
  const id = readProcessIdentity(pid);
  if (id !== null) members.set(id, pid);
  return { note, kill };
}

function addDescendants(roots: readonly number[]): ReadonlyMap<Identity, number> {
  const found = new Map<Identity, number>();
  const waiting = [...roots];
  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
    const id = readProcessIdentity(pid);
    if (id === null || found.has(id)) continue;
    found.set(id, pid);
    waiting.push(...listChildProcesses(pid));
  }
  return found;
}

function listChildProcesses(pid: number): readonly number[] {
  const ids = ignoreErrors(() => readdirSync(`/proc/${pid}/task`)) ?? [];
  return ids.flatMap((id) => {
    const children = ignoreErrors(() => readFileSync(`/proc/${pid}/task/${id}/children`, 'utf8')) ?? '';
    return children.split(' ').filter(Boolean).map(Number);
  });
}

/** Null: there is no such process any more. */
function readProcessIdentity(pid: number): Identity | null {
  if (process.platform !== 'linux') return ignoreErrors(() => process.kill(pid, 0)) ? `${pid}` : null;
  const stat = ignoreErrors(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // After the name, which may contain anything, in brackets: the first field is the state, the twentieth the start
  // time.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields ? `${pid}@${fields[19]}` : null;
}

function killQuietly(pid: number): void {
  ignoreErrors(() => process.kill(pid, 'SIGKILL'));
}

function ignoreErrors<T>(action: () => T): T | null {
  try {
    return action();
  } catch {
    return null;
  }
}

/**
 * What the promise gives, or `late` after `ms`. Throws what the promise throws, and at once where `signal` is aborted.
 */
export async function waitAtMost<T>(promise: Promise<T>, ms: number, late: T, signal?: AbortSignal): Promise<T> {
  const enough = new AbortController();
  const stop = signal ? AbortSignal.any([signal, enough.signal]) : enough.signal;
  const waited = delay(ms, late, { signal: stop });
  waited.catch(() => {});
  try {
    return await Promise.race([promise, waited]);
  } finally {
    enough.abort();
    signal?.throwIfAborted();
  }
}
