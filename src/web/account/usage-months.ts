// What was used, month by month: rows of projects with their sums.
import type { InvestigationState } from '../../core/investigation.ts';
import type { Project } from '../../core/project.ts';
import type { UsageRow } from '../../db/store.ts';

export type UsageFigures = Omit<UsageRow, 'projectId' | 'month'>;

export interface UsageLine extends UsageFigures {
  readonly project: Project;
}

export interface UsageMonth {
  /** Such as `2026-11`. */
  readonly month: string;
  /** The most expensive first. */
  readonly lines: readonly UsageLine[];
  readonly total: UsageFigures;
}

const NOTHING: UsageFigures = {
  investigations: { queued: 0, running: 0, concluded: 0, gave_up: 0, cancelled: 0 },
  ...{ spentUsd: 0, turns: 0, promptTokens: 0, cachedTokens: 0, cacheWriteTokens: 0, completionTokens: 0 },
};

/** The newest first; months without anything are left out. */
export function usageMonths(rows: readonly UsageRow[], projects: readonly Project[]): readonly UsageMonth[] {
  const known = new Map(projects.map((project) => [project.id, project]));
  const byMonth = new Map<string, UsageLine[]>();
  for (const { projectId, month, ...figures } of rows) {
    const project = known.get(projectId);
    if (project === undefined) continue;
    byMonth.set(month, [...(byMonth.get(month) ?? []), { project, ...figures }]);
  }
  return [...byMonth]
    .sort(([one], [other]) => other.localeCompare(one))
    .map(([month, lines]) => ({ month, lines: lines.sort(byCost), total: lines.reduce(sum, NOTHING) }));
}

/** How many were accepted, whatever became of them. */
export function acceptedOf({ investigations }: UsageFigures): number {
  return Object.values(investigations).reduce((all, some) => all + some, 0);
}

/** Such as `2026-06`, five months before `2026-11`. */
export function monthBefore(now: Date, months: number): string {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1)).toISOString().slice(0, 7);
}

function byCost(one: UsageLine, other: UsageLine): number {
  return (
    other.spentUsd - one.spentUsd ||
    acceptedOf(other) - acceptedOf(one) ||
    one.project.name.localeCompare(other.project.name)
  );
}

function sum(one: UsageFigures, other: UsageFigures): UsageFigures {
  const states = Object.keys(one.investigations) as InvestigationState[];
  const pairs = states.map((state) => [state, one.investigations[state] + other.investigations[state]] as const);
  return {
    investigations: Object.fromEntries(pairs) as UsageFigures['investigations'],
    spentUsd: one.spentUsd + other.spentUsd,
    turns: one.turns + other.turns,
    promptTokens: one.promptTokens + other.promptTokens,
    cachedTokens: one.cachedTokens + other.cachedTokens,
    cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
    completionTokens: one.completionTokens + other.completionTokens,
  };
}
