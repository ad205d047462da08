// Runs of CI that people's requests cause in one repository, proofs and reverts together: which of the day one more would be. Pure.

/** The day is the last 24 hours. */
export interface RunOfDay {
  /** From 1. */
  readonly number: number;
  readonly limit: number;
}

export type JudgedDay =
  | { readonly kind: 'free'; readonly run: RunOfDay }
  /** `freeAt`: when there is one again, ISO 8601; null: never, or that depends on proofs that wait. */
  | { readonly kind: 'full'; readonly limit: number; readonly freeAt: string | null };

export interface DayFacts {
  /** When each was caused, ISO 8601, ascending. */
  readonly caused: readonly string[];
  /** Proofs that were asked for and have caused none yet. */
  readonly waiting: number;
  readonly limit: number;
}

export const DAY_MS = 24 * 3_600_000;

export function judgeDay({ caused, waiting, limit }: DayFacts): JudgedDay {
  const number = caused.length + waiting + 1;
  if (number <= limit) return { kind: 'free', run: { number, limit } };
  const next = limit === 0 ? undefined : caused[caused.length - limit];
  return { kind: 'full', limit, freeAt: next === undefined ? null : new Date(Date.parse(next) + DAY_MS).toISOString() };
}

/** A clause without a full stop. */
export function describeFullDay({
  limit,
  freeAt,
}: Pick<Extract<JudgedDay, { kind: 'full' }>, 'limit' | 'freeAt'>): string {
  if (limit === 0) return 'no run of CI may be caused on request here (`limits.ci_runs_day: 0`)';
  const when =
    freeAt === null ? 'ask again later' : `one is free again at ${freeAt.slice(0, 16).replace('T', ' ')} UTC`;
  const used = limit === 1 ? 'the 1 run' : `the ${limit} runs`;
  return `${used} of CI that proofs and reverts may cause here in 24 hours (\`limits.ci_runs_day\`) ${limit === 1 ? 'is' : 'are'} taken; ${when}`;
}
