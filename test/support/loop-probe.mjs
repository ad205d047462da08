// Preloaded into a service: prints how long its event loop was held, each time that it was longer than before.
import { isMainThread } from 'node:worker_threads';

/** Time of the processor, of this thread alone: on a machine with other work the clock tells of that. */
function spent() {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

if (isMainThread) {
  let longest = 0;
  let before = spent();
  const look = () => {
    const held = spent() - before;
    if (held > longest) {
      longest = held;
      process.stderr.write(`The event loop was held for ${Math.ceil(held)} ms.\n`);
    }
    before = spent();
    setTimeout(look, 5).unref();
  };
  look();
}
