// A limit that one question has met holds back every other to the same endpoint, of all processes, for as long as it asked for.
import { type Holds, MODEL_HOLDS } from '../ports/holds.ts';

/** Whoever asks after that learns by one refusal whether it still holds: an operator who has raised the quota waits no longer. */
const LONGEST_MS = 10 * 60_000;

export interface EndpointHold {
  /** Milliseconds until it may be asked; 0: now. */
  waitMs(): number;
  /** It limits the rate of requests, and wants to hear nothing for so long. */
  limitedFor(milliseconds: number): void;
}

/** Without `holds` each question learns by itself. */
export function holdOf(
  { model, baseUrl }: { readonly model: string; readonly baseUrl: string },
  { holds, now }: { readonly holds?: Holds; readonly now: () => Date },
): EndpointHold {
  // The host alone: the address may hold credentials.
  const name = `${MODEL_HOLDS}${model} at ${URL.parse(baseUrl)?.host ?? ''}`;
  return {
    waitMs: () => Math.max(0, (holds?.until(name)?.getTime() ?? 0) - now().getTime()),
    limitedFor: (milliseconds) => holds?.hold(name, new Date(now().getTime() + Math.min(milliseconds, LONGEST_MS))),
  };
}
