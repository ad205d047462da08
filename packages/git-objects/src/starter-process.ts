// The small process of starter.ts: starts git when asked, and forwards its output.
import type { ChildProcess, ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Readable } from 'node:stream';
import { endProcessGroup, type FromStarter, type ProcessToStart, spawnGroup, type ToStarter } from './starter.ts';

const running = new Map<number, ChildProcess>();

/** Resolves when the pipe has taken it, so that what git prints faster waits in git, not in this memory. */
function send(message: FromStarter): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => resolve());
    else resolve();
  });
}

async function forward(id: number, kind: 'stdout' | 'stderr', from: Readable): Promise<void> {
  for await (const chunk of from) await send({ kind, id, chunk });
}

/** Null where it can't even be tried, such as with more arguments than the system takes. */
function spawnOrNull(what: ProcessToStart): ChildProcessWithoutNullStreams | null {
  try {
    return spawnGroup(what);
  } catch {
    return null;
  }
}

async function start({ id, ...what }: Extract<ToStarter, { readonly kind: 'start' }>): Promise<void> {
  const child = spawnOrNull(what);
  if (child === null) return await send({ kind: 'closed', id, code: null });
  running.set(id, child);
  child.stdin.on('error', () => undefined);
  const closed = new Promise<number | null>((resolve) => {
    child.on('error', () => resolve(null));
    child.on('close', (code) => resolve(code ?? 128));
  });
  // A stream ends early only with the process, whose end says why.
  await Promise.allSettled([forward(id, 'stdout', child.stdout), forward(id, 'stderr', child.stderr)]);
  const code = await closed;
  running.delete(id);
  await send({ kind: 'closed', id, code });
}

process.on('message', (message: ToStarter) => {
  const child = running.get(message.id);
  if (message.kind === 'start') void start(message);
  else if (message.kind === 'input') child?.stdin?.write(message.chunk);
  else if (message.kind === 'end') child?.stdin?.end();
  else if (child !== undefined) endProcessGroup(child, message.signal);
});
process.on('disconnect', () => {
  for (const child of running.values()) endProcessGroup(child, 'SIGTERM');
});
// Ctrl-C and service managers signal the whole process group; the parent decides what to end.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => undefined);
process.send?.({ kind: 'ready' });
