// How many investigations a token started through here within the hour. An agent in a loop must not spend a budget.
import { ApiRefusal } from './api-call.ts';

const HOUR_MS = 60 * 60_000;
const MOST = 5;

/** In memory: a restart forgets, and budgets hold all the same. */
export function createAnalysisCounter(now: () => Date): {
  readonly take: (tokenId: string) => { readonly takeBack: () => void };
} {
  const taken = new Map<string, readonly number[]>();
  return {
    take: (tokenId) => {
      const at = now().getTime();
      const recent = (taken.get(tokenId) ?? []).filter((time) => time > at - HOUR_MS && time <= at);
      const [first = at] = recent;
      if (recent.length >= MOST) {
        const minutes = Math.ceil((first + HOUR_MS - at) / 60_000);
        throw new ApiRefusal(
          429,
          `This token has started ${MOST} investigations within the hour: the next one in ${minutes} min.`,
        );
      }
      taken.set(tokenId, [...recent, at]);
      return { takeBack: () => taken.set(tokenId, (taken.get(tokenId) ?? []).slice(0, -1)) };
    },
  };
}
