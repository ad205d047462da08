// A handler of jobs whose code is loaded when it is first needed, or after the start.
import type { JobHandler } from '../core/queue.ts';

/** `make` is asked once, unless it fails. */
export function lateHandler(make: () => Promise<JobHandler>): JobHandler {
  const made = once(make);
  return {
    handle: async (job, signal) => await (await made()).handle(job, signal),
    dead: async (job, error) => await (await made()).dead(job, error),
  };
}

/** What `make` has made; where that failed it is asked again. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = null;
      throw error;
    });
    return made;
  };
}
