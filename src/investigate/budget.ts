// What a run may spend and what is left of it: arithmetic over the turns taken, and the interface to the monthly
// ledgers.

import { computeCost, type ModelRequest, type Prices, selectRates, type TurnUsage } from 'causeway-models';
import type { RunUsage } from '../core/issue/index.ts';
import type { CutReason } from '../core/reason.ts';
import type { RecordedTurn } from './transcript.ts';

export interface Budget {
  readonly limits: BudgetLimits;
  readonly ledger: Ledger;
}

interface BudgetLimits {
  readonly turns: number;
  readonly seconds: number;
  /** Prompt and completion tokens of all turns together. The only cap on the cost of an unpriced model. */
  readonly tokens: number;
  /** `BUDGET_RUN`. Not looked at where the model has no prices and its endpoint states no costs. */
  readonly usd: number;
}

/**
 * The budgets that runs share: the repository's month and the month of the whole service. Models without prices are
 * booked at NOMINAL_PRICE.
 */
export interface Ledger {
  /** Sets the sum aside, or says which budget refuses it. */
  reserve(usd: number): Promise<'ok' | { readonly refused: CutReason }>;
  /** Replaces the reserved sum by what the call cost. `tokens`: those of its answer, if there was one. */
  settle(reservedUsd: number, actualUsd: number, tokens?: TurnUsage): Promise<void>;
}

/** `open`: go on. `concluding`: the model is reminded. `closing`: no more tools. `over`: no more questions. */
export type BudgetStanding =
  | { readonly phase: 'open' }
  | { readonly phase: 'concluding' | 'closing' | 'over'; readonly reason: CutReason };

/** Output tokens set aside for a call: conclusions and edits of real runs stay below. */
const MAX_OUTPUT_TOKENS = 4_096;

const CONCLUDE_AT = 0.8;

const CLOSE_AT = 0.9;

/** The last turns get no tools. */
export const CLOSING_TURNS = 2;

/** `seconds`: of work up to now. `prices`: of the model. */
export function sumRunUsage(turns: readonly RecordedTurn[], seconds: number, prices: Prices | null): RunUsage {
  const sum = (value: (turn: RecordedTurn) => number) => turns.reduce((total, turn) => total + value(turn), 0);
  const cacheWriteTokens = sum(({ usage }) => usage.cacheWriteTokens ?? 0);
  return {
    turns: turns.length,
    promptTokens: sum(({ usage }) => usage.promptTokens),
    cachedTokens: sum(({ usage }) => usage.cachedTokens),
    ...(cacheWriteTokens > 0 && { cacheWriteTokens }),
    completionTokens: sum(({ usage }) => usage.completionTokens),
    costUsd: Math.round(sum(({ costUsd }) => costUsd) * 1e6) / 1e6,
    ...((prices !== null || turns.every(({ usage }) => usage.costUsd !== undefined)) && { isPriced: true }),
    seconds,
  };
}

/** US dollars per million tokens of any kind, at which a model without prices is booked. */
export const NOMINAL_PRICE = 0.5;

export function getBookedPrices(prices: Prices | null): Prices {
  return prices ?? { prompt: NOMINAL_PRICE, cached: NOMINAL_PRICE, completion: NOMINAL_PRICE };
}

/** What the next call may cost at most: nothing of it is taken as cached but what was cached the last time. */
export function estimateReservation(
  promptTokens: number,
  last: RecordedTurn | undefined,
  prices: Prices | null,
): number {
  const cachedTokens = Math.min(last?.usage.cachedTokens ?? 0, promptTokens);
  const dearest = prices && selectRates(promptTokens, prices);
  // Where writing to the cache costs more, all that was not in it may be written.
  const isWritten = dearest !== null && (dearest.cacheWrite ?? 0) > dearest.prompt;
  const cacheWriteTokens = isWritten ? promptTokens - cachedTokens : 0;
  return computeCost({ promptTokens, cachedTokens, cacheWriteTokens, completionTokens: MAX_OUTPUT_TOKENS }, prices);
}

interface BudgetShare {
  readonly unit: 'turns' | 'seconds' | 'tokens' | 'usd';
  readonly spent: number;
  readonly limit: number;
  /** What one more call takes of it, at most. */
  readonly next: number;
}

/** How much of the budget is left before the next call. `next`: that call's prompt tokens and reservation. */
export function assessStanding(
  limits: BudgetLimits,
  usage: RunUsage,
  next: { readonly promptTokens: number; readonly usd: number },
): BudgetStanding {
  const shares: readonly BudgetShare[] = [
    { unit: 'turns', spent: usage.turns, limit: limits.turns, next: 1 },
    { unit: 'seconds', spent: usage.seconds, limit: limits.seconds, next: 0 },
    {
      unit: 'tokens',
      spent: usage.promptTokens + usage.completionTokens,
      limit: limits.tokens,
      next: next.promptTokens,
    },
    ...(next.usd > 0 ? [{ unit: 'usd' as const, spent: usage.costUsd, limit: limits.usd, next: next.usd }] : []),
  ];
  const over = shares.find((share) => share.spent >= share.limit || share.spent + share.next > share.limit);
  if (over) return { phase: 'over', reason: toCutReason(over, 'over') };
  const closing = shares.find((share) => isClosing(share, usage.turns));
  if (closing) return { phase: 'closing', reason: toCutReason(closing, 'concluding') };
  const concluding = shares.find((share) => share.spent >= share.limit * CONCLUDE_AT);
  if (concluding) return { phase: 'concluding', reason: toCutReason(concluding, 'concluding') };
  return { phase: 'open' };
}

function toCutReason({ unit, limit }: BudgetShare, phase: 'concluding' | 'over'): CutReason {
  return { code: 'run_budget', unit, limit, phase };
}

/**
 * Turns: the last two. Other units: the last tenth, or when one more call would leave nothing for the conclusion. Never
 * before the first call.
 */
function isClosing({ unit, spent, limit, next }: BudgetShare, turnsTaken: number): boolean {
  if (unit === 'turns') return limit - spent <= CLOSING_TURNS;
  return turnsTaken > 0 && (spent >= limit * CLOSE_AT || spent + 2 * next > limit);
}

/**
 * UTF-8 bytes a token: source code has 4.9 characters, so 4 is on the safe side; a CJK character counts as three
 * quarters.
 */
const BYTES_PER_TOKEN = 4;

export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/** The whole prompt: messages and tools as they go over the wire, more or less. */
export function estimatePrompt(request: Pick<ModelRequest, 'messages' | 'tools'>): number {
  return estimateTokens(JSON.stringify(request.messages)) + estimateTokens(JSON.stringify(request.tools));
}
