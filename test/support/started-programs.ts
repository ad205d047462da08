// Runs short programs by a small process beside this one, whose start of another costs a third.
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';

interface Program {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input: Buffer | string;
}

interface Ended {
  /** Null: it did not end by itself, or was not started. */
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  /** What Node says of it; "" where it went well. */
  readonly complaint: string;
}

let starter: ChildProcess | undefined;
let last = 0;
const waiting = new Map<
  number,
  { readonly resolve: (ended: Ended) => void; readonly reject: (error: Error) => void }
>();

export function runProgram(program: Program): Promise<Ended> {
  starter ??= startStarter();
  const id = ++last;
  const { promise, resolve, reject } = Promise.withResolvers<Ended>();
  waiting.set(id, { resolve, reject });
  starter.channel?.ref();
  starter.send({ id, ...program });
  return promise;
}

/** It ends when this process does, and keeps it from ending only while somebody waits. */
function startStarter(): ChildProcess {
  const child = fork(join(import.meta.dirname, 'process-starter.mjs'), [], {
    ...{ execArgv: [], env: { PATH: process.env['PATH'] }, serialization: 'advanced' },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  child.unref();
  child.channel?.unref();
  child.on('message', ({ id, ...ended }: Ended & { readonly id: number }) => {
    waiting.get(id)?.resolve({ ...ended, stdout: Buffer.from(ended.stdout), stderr: Buffer.from(ended.stderr) });
    waiting.delete(id);
    if (waiting.size === 0) child.channel?.unref();
  });
  child.on('exit', () => {
    starter = undefined;
    for (const { reject } of waiting.values()) reject(new Error('the process that starts programs ended'));
    waiting.clear();
  });
  return child;
}
