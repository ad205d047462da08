// A program that was started: its streams, its end, and signals to its whole group.
import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';

export interface Order {
  /** Absolute. */
  readonly file: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export type EndSignal = 'SIGTERM' | 'SIGKILL';

export interface Exit {
  readonly code: number | null;
  readonly killedBy: string | null;
}

export interface Program {
  readonly stdin: Socket;
  readonly stdout: Socket;
  readonly stderr: Socket;
  /** Resolves when it has ended and what it printed was taken. Rejects where it could not be started. */
  readonly closed: Promise<Exit>;
  /** To its group, so that an end reaches git's own children (index-pack, remote-https) too, also where they have outlived it and hold its streams. */
  signal(name: EndSignal): void;
  /** Whether this process stays while the program is there. */
  setReferenced(referenced: boolean): void;
}

/** As a child of this process: fork(2) copies the tables of all memory that this process has. */
export function startHere({ file, args, folder, env }: Order): Program {
  const child = spawn(file, args, {
    ...{ cwd: folder, env, stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true },
    detached: process.platform !== 'win32',
  });
  const { promise: closed, resolve, reject } = Promise.withResolvers<Exit>();
  child.on('error', reject);
  child.on('close', (code, killedBy) => resolve({ code, killedBy }));
  const [stdin, stdout, stderr] = [child.stdin as Socket, child.stdout as Socket, child.stderr as Socket];
  return {
    ...{ stdin, stdout, stderr, closed },
    signal(name) {
      if (process.platform === 'win32') child.kill(name);
      else if (child.pid !== undefined) signalGroup(child.pid, name);
    },
    setReferenced(referenced) {
      for (const one of [child, stdin, stdout, stderr]) one[referenced ? 'ref' : 'unref']();
    },
  };
}

/** At line feeds alone: `readline` ends lines at U+2028 too, which stands in JSON as it is. */
export function hearLines(stream: Readable, hear: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) hear(line);
  });
}

export function signalGroup(leader: number, name: EndSignal): void {
  try {
    process.kill(-leader, name);
  } catch {
    // The group is gone already.
  }
}
