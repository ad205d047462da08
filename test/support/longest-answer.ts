// How long an address takes to answer while something else goes on.
import { setTimeout as wait } from 'node:timers/promises';

/** Milliseconds of the slowest answer of `address`, asked one time after the other until `act` is done. */
export async function longestAnswer(address: string, act: () => Promise<void>): Promise<number> {
  let isDone = false;
  const done = act().finally(() => {
    isDone = true;
  });
  let longest = 0;
  while (!isDone) {
    const from = performance.now();
    const answer = await fetch(address);
    await answer.text();
    if (!answer.ok) throw new Error(`${address} answered ${answer.status}`);
    longest = Math.max(longest, performance.now() - from);
    await Promise.race([wait(20), done]).catch(() => undefined);
  }
  await done;
  return longest;
}
