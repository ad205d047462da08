// What was made of records and can be made again: kept in memory, bounded in bytes and in time.

export interface Kept<T> {
  get(key: string): T | undefined;
  /** Instead of what was kept under the key. `bytes`: about what it takes in memory. */
  keep(key: string, value: T, bytes: number): void;
  clear(): void;
}

interface Bounds {
  readonly mostBytes: number;
  /** Milliseconds after which nothing of it is left, however often it was asked for. */
  readonly lastsMs: number;
}

/** All of it goes at once: where there is no room for more, and when the time of what came first is over. */
export function keptForAMoment<T>({ mostBytes, lastsMs }: Bounds): Kept<T> {
  const entries = new Map<string, { readonly value: T; readonly bytes: number }>();
  let taken = 0;
  let end: NodeJS.Timeout | undefined;
  const clear = () => {
    clearTimeout(end);
    end = undefined;
    entries.clear();
    taken = 0;
  };
  return {
    clear,
    get: (key) => entries.get(key)?.value,
    keep: (key, value, bytes) => {
      taken -= entries.get(key)?.bytes ?? 0;
      entries.delete(key);
      if (bytes > mostBytes) return;
      if (taken + bytes > mostBytes) clear();
      end ??= setTimeout(clear, lastsMs).unref();
      entries.set(key, { value, bytes });
      taken += bytes;
    },
  };
}
