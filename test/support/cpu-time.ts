// What work costs the processor, for tests of bounds: unlike the time that passes it hardly grows where other work runs as well.

/** Milliseconds of this thread. */
export async function cpuTime(work: () => unknown): Promise<number> {
  const from = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(from);
  return (user + system) / 1_000;
}
