// Usage as a file for spreadsheets, in which no cell is a formula.
import { withoutUnseen } from '../../core/inert-text.ts';
import type { UsageMonth } from './usage-months.ts';

const HEAD = [
  ...['month', 'project', 'queued', 'running', 'concluded', 'gave_up', 'cancelled', 'turns'],
  ...['prompt_tokens', 'cached_tokens', 'completion_tokens', 'cost_usd', 'cache_write_tokens'],
];

/** RFC 4180: lines end in CR LF; one row for each project and month. */
export function usageCsv(months: readonly UsageMonth[]): string {
  const rows = months.flatMap(({ month, lines }) =>
    lines.map(({ project, investigations, ...figures }) => [
      ...[month, project.name],
      ...[investigations.queued, investigations.running, investigations.concluded],
      ...[investigations.gave_up, investigations.cancelled, figures.turns],
      ...[figures.promptTokens, figures.cachedTokens, figures.completionTokens, figures.spentUsd.toFixed(6)],
      figures.cacheWriteTokens,
    ]),
  );
  return [HEAD, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

/** Spreadsheets run what begins with one of these; behind an apostrophe it is text to them. */
function cell(value: string | number): string {
  const text = withoutUnseen(String(value)).replace(/\s/g, ' ').trimStart();
  const safe = /^[=+\-@|%]/.test(text) ? `'${text}` : text;
  return /[",']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
