// The memory of this process over what it was before some work.

/** Bytes of resident memory at its highest over what it was, once it is called. Looked at between turns of the event loop. */
export function watchMemory(): () => number {
  const idle = process.memoryUsage.rss();
  let most = idle;
  const look = () => {
    most = Math.max(most, process.memoryUsage.rss());
  };
  const timer = setInterval(look, 10);
  return () => {
    look();
    clearInterval(timer);
    return most - idle;
  };
}
