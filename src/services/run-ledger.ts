// The budgets that runs share.
import type { Ledger } from '../agent/budget.ts';
import type { TurnUsage } from '../core/model.ts';
import type { CutReason } from '../core/reason.ts';
import type { AgentStore, LimitName, Run, Settlement } from '../db/store.ts';

import type { Investigator, InvestigatorLimits } from './investigator.ts';

interface LedgerDeps {
  readonly store: Pick<AgentStore, 'reserveMoney' | 'settleMoney'>;
  readonly now: () => Date;
  /** Told when a budget of the month refuses. */
  readonly onSpent?: Investigator['onSpent'] | undefined;
}

/** Millionths of a US dollar, rounded up: nothing that was spent may be lost in rounding. */
function micros(usd: number): number {
  return Math.ceil(usd * 1_000_000);
}

export function runLedger({ store, now, onSpent }: LedgerDeps, run: Run, usd: InvestigatorLimits['usd']): Ledger {
  const limits = { run: micros(usd.run), repository: micros(usd.repository), all: micros(usd.all) };
  return {
    reserve: async (amount) => {
      const at = now().toISOString();
      const exceeded = await store.reserveMoney(run, { amount: micros(amount), limits, now: at });
      if (exceeded === null) return 'ok';
      if (exceeded !== 'run') {
        onSpent?.({ limit: exceeded, projectId: run.projectId, usd: usd[exceeded], month: at.slice(0, 7) });
      }
      return { refused: refusal(exceeded, usd) };
    },
    settle: (reserved, spent, usage) => {
      const tokens = usage && { tokens: tokensOf(usage) };
      const settled = { reserved: micros(reserved), spent: micros(spent), now: now().toISOString() };
      return store.settleMoney(run, { ...settled, ...tokens });
    },
  };
}

function tokensOf(usage: TurnUsage): Settlement['tokens'] & {} {
  const { promptTokens, cachedTokens, cacheWriteTokens = 0, completionTokens } = usage;
  return { prompt: promptTokens, cached: cachedTokens, cacheWrite: cacheWriteTokens, completion: completionTokens };
}

function refusal(exceeded: LimitName, usd: InvestigatorLimits['usd']): CutReason {
  return exceeded === 'run'
    ? { code: 'run_budget', unit: 'usd', limit: usd.run, phase: 'over' }
    : { code: 'month_budget', of: exceeded, usd: usd[exceeded] };
}
