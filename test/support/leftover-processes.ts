// After the last test: processes that a test which broke off has left behind are ended, and named.
import { readdir, readFile } from 'node:fs/promises';

/** Stands in the environment of everything that tests start. */
export const MARK = 'CAUSEWAY_TEST_RUN';

/**
 * For vitest's `globalSetup`. A child that is stopped, or waits for what never comes, holds the streams that it inherited: whoever reads
 * them to their end, as CI does, would wait for ever. Linux alone shows whose child is whose; elsewhere nothing is done.
 */
export function setup(): void {
  process.env[MARK] ??= `${process.pid}-${Date.now()}`;
}

export async function teardown(): Promise<void> {
  for (const { pid, command } of await leftover(process.env[MARK] ?? '')) {
    process.stderr.write(`left behind by a test, and ended now: process ${pid} (${command})\n`);
    kill(pid);
  }
}

/** Started within this run and no worker of it: those are gone by now, or are still children of this process. */
async function leftover(run: string): Promise<readonly { readonly pid: number; readonly command: string }[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(pids.map((pid) => look(pid, run)));
  return found.flatMap((one) => one ?? []);
}

async function look(pid: string, run: string): Promise<{ readonly pid: number; readonly command: string } | null> {
  const read = (name: string) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '');
  const isOfRun = (await read('environ')).split('\0').includes(`${MARK}=${run}`);
  if (!isOfRun || parentOf(await read('status')) === process.pid) return null;
  return { pid: Number(pid), command: (await read('cmdline')).replaceAll('\0', ' ').trim().slice(0, 200) };
}

function parentOf(status: string): number {
  return Number(/^PPid:\t(\d+)$/m.exec(status)?.[1]);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Ended by itself meanwhile.
  }
}
