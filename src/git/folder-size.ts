// Watches a folder grow and says when it is too large.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

const INTERVAL_MS = 500;

export interface SizeWatch extends Disposable {
  /** Aborts once the limit is passed. */
  readonly exceeded: AbortSignal;
  /** Looks now, and says whether the limit is passed. */
  check(): Promise<boolean>;
}

/** Compares the files directly in `folder` with `maxBytes`, every half second until disposed. */
export function watchSize(folder: string, maxBytes: number): SizeWatch {
  const abort = new AbortController();
  async function check(): Promise<boolean> {
    if ((await sizeOf(folder)) > maxBytes) abort.abort();
    return abort.signal.aborted;
  }
  const timer = setInterval(check, INTERVAL_MS);
  timer.unref();
  return { exceeded: abort.signal, check, [Symbol.dispose]: () => clearInterval(timer) };
}

/** Bytes of an object folder: packs, and loose objects too, of which a repository may have nothing else. */
export async function objectsSize(objects: string): Promise<number> {
  let total = 0;
  const names = await readdir(objects).catch(() => []);
  for (const name of names.filter((each) => each === 'pack' || /^[0-9a-f]{2}$/.test(each))) {
    total += await sizeOf(join(objects, name));
  }
  return total;
}

/** Bytes of the files directly in `folder`; 0 where it is absent. */
async function sizeOf(folder: string): Promise<number> {
  let total = 0;
  for (const name of await readdir(folder).catch(() => [])) {
    // Files come and go while git works.
    total += await stat(join(folder, name)).then(
      (found) => found.size,
      () => 0,
    );
  }
  return total;
}
