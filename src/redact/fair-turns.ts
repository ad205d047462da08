// One at a time, in turns of those whom the work belongs to: who brings much waits behind his own, and nobody else does.

interface Line {
  readonly waiting: (() => Promise<void>)[];
}

/** Work of an owner waits for the piece under way, for his own before it, and for one piece of each other owner in between. */
export class FairTurns {
  /** By owner, who is next first. Those who have nothing more are not in it. */
  readonly #lines = new Map<unknown, Line>();
  #running: Promise<void> | null = null;

  /** Does `work` when its turn has come. `of`: whose it is; "": nobody's, which waits as if its owner had nothing else. */
  take<T>(of: string, work: () => T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const begin = async (): Promise<void> => {
        try {
          resolve(await work());
        } catch (error) {
          reject(error);
        }
      };
      const owner = of === '' ? begin : of;
      const line = this.#lines.get(owner);
      if (line) line.waiting.push(begin);
      else this.#lines.set(owner, { waiting: [begin] });
      this.#running ??= this.#run();
    });
  }

  /** When nothing is under way or waits any more. */
  async over(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    // A microtask later, so that `#running` is known before anything can end.
    await null;
    for (const [owner, line] of this.#lines) {
      await line.waiting.shift()?.();
      // Behind all who came meanwhile. A map goes on with what is added while it is gone through.
      this.#lines.delete(owner);
      if (line.waiting.length > 0) this.#lines.set(owner, line);
    }
    this.#running = null;
  }
}
