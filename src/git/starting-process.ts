// A small process that starts programs for a large one, which would copy the tables of all its memory for each. It ends with its standard input.
import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import path from 'node:path';
import { type EndSignal, hearLines, type Order, signalGroup } from './program.ts';

export type Told =
  | { readonly kind: 'start'; readonly id: number; readonly order: Order }
  | { readonly kind: 'signal'; readonly id: number; readonly name: EndSignal };

export type Said =
  | { readonly kind: 'ready' }
  | { readonly kind: 'started'; readonly id: number; readonly pid: number }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string }
  | { readonly kind: 'exited'; readonly id: number; readonly code: number | null; readonly killedBy: string | null };

/** More than are ever sent at once; the system may have a lower bound. */
const MOST_CONNECTIONS = 512;

interface Waiting {
  readonly id: number;
  readonly order: Order;
  readonly signals: EndSignal[];
}

const [place = ''] = process.argv.slice(2);
const waiting: Waiting[] = [];
/** Three for each program, in the order in which they were connected, which is that of the programs. */
const streams: Socket[] = [];
const running = new Map<number, ChildProcess>();

function say(what: Said): void {
  process.stdout.write(`${JSON.stringify(what)}\n`);
}

function startWaiting(): void {
  for (let next = waiting[0]; next !== undefined && streams.length >= 3; next = waiting[0]) {
    waiting.shift();
    const own = streams.splice(0, 3);
    try {
      startOne(next, own);
    } catch (error) {
      say({ kind: 'failed', id: next.id, message: String(error) });
    }
    // The program has them now, and nobody else: their end is its end.
    for (const stream of own) stream.destroy();
  }
}

function startOne({ id, order, signals }: Waiting, streams: Socket[]): void {
  const { file, args, folder, env } = order;
  const child = spawn(file, args, { cwd: folder, env, stdio: streams, detached: true });
  child.on('error', ({ message }) => say({ kind: 'failed', id, message }));
  child.on('exit', (code, killedBy) => {
    running.delete(id);
    say({ kind: 'exited', id, code, killedBy });
  });
  const { pid } = child;
  if (pid === undefined) return;
  running.set(id, child);
  say({ kind: 'started', id, pid });
  for (const name of signals) signalGroup(pid, name);
}

function hear(told: Told): void {
  switch (told.kind) {
    case 'start':
      waiting.push({ id: told.id, order: told.order, signals: [] });
      startWaiting();
      return;
    case 'signal': {
      waiting.find(({ id }) => id === told.id)?.signals.push(told.name);
      const pid = running.get(told.id)?.pid;
      if (pid !== undefined) signalGroup(pid, told.name);
    }
  }
}

/** Whoever told us what to start is gone, however that came: nobody waits for these any more. */
function end(): void {
  for (const { pid } of running.values()) if (pid !== undefined) signalGroup(pid, 'SIGTERM');
  rmSync(path.dirname(place), { recursive: true, force: true });
  process.exit();
}

// A stop of the whole service comes to us too; what it still starts while it stops is started.
for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => undefined);
process.stdout.on('error', end);
const server = createServer({ pauseOnConnect: true }, (stream) => {
  stream.on('error', () => undefined);
  streams.push(stream);
  startWaiting();
});
server.listen({ path: place, backlog: MOST_CONNECTIONS }, () => say({ kind: 'ready' }));
hearLines(process.stdin, (line) => hear(JSON.parse(line) as Told));
process.stdin.on('close', end);
