// A door that fails at one of its calls, before or after it was carried out, as a process that dies there.

export interface Cut {
  /** The call that fails, from 0, over all doors of the cut. */
  readonly call: number;
  /** Whether it was carried out before it failed: done, and never known of. */
  readonly isDone: boolean;
  /** The calls so far, by their names. */
  readonly calls: string[];
}

export class CutShort extends Error {}

/** The door with all its methods, of which each call counts. */
export function cutShort<T extends object>(door: T, cut: Cut): T {
  return new Proxy(door, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return async (...args: unknown[]) => {
        const isHere = cut.calls.length === cut.call;
        cut.calls.push(String(name));
        if (isHere && !cut.isDone) throw new CutShort(String(name));
        const answer: unknown = await method.apply(target, args);
        if (isHere) throw new CutShort(String(name));
        return answer;
      };
    },
  });
}
