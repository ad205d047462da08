// Tells the operator that the money of a month is used up: once for each budget and month, however many reports come after.

import type { LimitName } from '../db/store.ts';
import type { Log } from '../log.ts';

export interface SpentBudget {
  readonly limit: Exclude<LimitName, 'run'>;
  readonly projectId: string;
  /** Of the budget, in US dollars. */
  readonly usd: number;
  /** Such as `2026-11`. */
  readonly month: string;
}

const SETTINGS = { repository: 'BUDGET_REPOSITORY_MONTH', all: 'BUDGET_MONTH' } as const;
/** Told ones that are remembered; a budget that was forgotten is told once more. */
const MOST_TOLD = 1_000;

/** For one process: after a restart it is told once more. */
export function createSpentBudgets(log: Log): (spent: SpentBudget) => void {
  const told = new Set<string>();
  return ({ limit, projectId, usd, month }) => {
    const about = limit === 'all' ? {} : { project: projectId };
    const key = JSON.stringify([limit, about, usd, month]);
    if (told.has(key)) return;
    if (told.size >= MOST_TOLD) told.clear();
    told.add(key);
    log.warn(
      { budget: SETTINGS[limit], usd, month, ...about },
      'a budget of the month is used up: until the month turns or the budget is raised, reports get the facts alone',
    );
  };
}
