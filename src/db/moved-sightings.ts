// Red checks that were counted before and are told again as of another place: the default branch, or a pull request that is live.
import type { Sighting } from '../core/failure.ts';
import type { Finding } from '../core/head.ts';
import type { Trx } from './schema.ts';

/** A sighting as it was recorded before. */
export interface Counted {
  readonly standing: Finding['standing'];
  readonly opening: number;
  readonly isOnDefault: boolean;
  readonly pullRequest: number | null;
  readonly isOver: boolean;
}

export interface Moved {
  /** As it is told now. */
  readonly sighting: Sighting;
  /** Whether it keeps the failure open as that was opened last. */
  readonly isLive: boolean;
}

/** `opening`: of the failure as it is. `redNow`: keys of those that are red at this moment. */
export function movedOf(
  sightings: readonly Sighting[],
  counted: ReadonlyMap<string, Counted>,
  { opening, redNow = [] }: { readonly opening: number; readonly redNow: readonly string[] | undefined },
): readonly Moved[] {
  const red = new Set(redNow);
  return sightings.flatMap((sighting) => {
    const before = counted.get(sighting.key);
    const isRed = red.has(sighting.key);
    if (before === undefined || !isMoved(sighting, before, isRed)) return [];
    return [{ sighting, isLive: sighting.isOnDefault || (isRed && before.opening === opening) }];
  });
}

/**
 * What is of the default branch stays there. A pull request may be opened for a commit that was judged before, or again, or another in its
 * place: what passed there since does not bring it back.
 */
function isMoved(sighting: Sighting, before: Counted, isRed: boolean): boolean {
  if (before.isOnDefault) return false;
  if (sighting.isOnDefault) return true;
  return sighting.pullRequest !== null && (before.pullRequest === null || (before.isOver && isRed));
}

/** Where they are of now. */
export async function moveSightings(trx: Trx, failureId: string, moved: readonly Moved[]): Promise<void> {
  for (const { sighting } of moved) {
    await trx
      .updateTable('sightings')
      .set({
        ...{ branch: sighting.branch, pull_request: sighting.pullRequest, is_over: 0 },
        is_on_default: sighting.isOnDefault ? 1 : 0,
        is_trusted: sighting.isTrusted ? 1 : 0,
      })
      .where('failure_id', '=', failureId)
      .where('key', '=', sighting.key)
      .execute();
  }
}
