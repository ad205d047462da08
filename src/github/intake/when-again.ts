// When a delivery is tried again that GitHub did not let us handle: the longer it waits the less often, and not for ever.

const SECOND_MS = 1_000;
const DAY_MS = 24 * 60 * 60 * SECOND_MS;

/** A delivery that has waited so long, in seconds, pauses so long. */
const PAUSES: readonly (readonly [waited: number, pause: number])[] = [
  [156, 600],
  [36, 120],
  [6, 30],
  [1, 5],
  [0, 1],
];

/** Without an answer, and where GitHub itself names the moment: a limit ends, but a key that it does not believe may stay wrong. */
const LONGEST_MS = { silent: DAY_MS, putOff: 7 * DAY_MS };

interface Waiting {
  readonly receivedAt: Date;
  readonly now: Date;
  /** When GitHub says that it may be tried; null: it said nothing. */
  readonly named: Date | null;
}

/** Known from its age alone, so that neither a restart nor a try that was cut short begins it anew. Null: it has waited long enough in vain. */
export function waitUntil({ receivedAt, now, named }: Waiting): Date | null {
  const waited = now.getTime() - receivedAt.getTime();
  if (waited > (named === null ? LONGEST_MS.silent : LONGEST_MS.putOff)) return null;
  const pause = PAUSES.find(([from]) => waited >= from * SECOND_MS)?.[1] ?? 1;
  return named ?? new Date(now.getTime() + pause * SECOND_MS);
}
