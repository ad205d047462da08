// What a process uses, as Linux tells it: memory now, processor time so far.
import { readFile } from 'node:fs/promises';

/** Resident memory in MiB; null where the system does not tell. */
export async function residentMemory(pid: number | undefined): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) / 1_024;
}

/** Milliseconds of processor time, its own and the kernel's for it; null where the system does not tell. */
export async function processorTime(pid: number | undefined): Promise<number | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // Behind the name, which may hold anything; in hundredths of a second.
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return user === undefined || system === undefined ? null : (Number(user) + Number(system)) * 10;
}
