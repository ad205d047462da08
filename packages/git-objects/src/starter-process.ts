// The starter's own process: starts what it is told to, and passes on what that prints. See starter.ts.
import { type ChildProcess, type SpawnOptionsWithoutStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { endProcessGroup, type FromStarter, type ToStarter } from './starter.ts';

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
function spawnOrNull(program: string, args: readonly string[], options: SpawnOptionsWithoutStdio) {
  try {
    return spawn(program, args, options);
  } catch {
    return null;
  }
}

async function start({
  id,
  program,
  args,
  folder,
  env,
}: Extract<ToStarter, { readonly kind: 'start' }>): Promise<void> {
  const child = spawnOrNull(program, args, {
    cwd: folder,
    env,
    stdio: 'pipe',
    windowsHide: true,
    detached: process.platform !== 'win32',
  });
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
// Ctrl-C and a service manager reach the whole group: what runs is ended by whoever asked for it.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => undefined);
process.send?.({ kind: 'ready' });
