// A forecast in the terminal. Texts in it come from outside.

import { toPrintableLine } from 'causeway-safe-markdown';
import {
  describeForecastCheck,
  explainForecast,
  FORECAST_GROUPS,
  type Forecast,
  type ForecastGroup,
  summariseForecast,
} from '../core/past.ts';
import { createStyle, padEnd, truncateColumns } from './terminal.ts';

const NAME_COLUMNS = 30;
const PLACE_COLUMNS = 20;

/** The sentence, a list for each of its numbers, and what a reader has to know. */
export function formatForecast(repository: string, forecast: Forecast, colour: boolean): string {
  const { bold, dim } = createStyle(colour);
  const { issues } = forecast;
  const groups = FORECAST_GROUPS.flatMap(([verdict, words]) => {
    const group = forecast.groups[verdict];
    if (group.checks === 0) return [];
    return ['', bold(`${capitalise(words)}: ${group.checks}`), ...formatForecastChecks(group, dim)];
  });
  const labelled = issues.labelled.map(({ number, title }) => `  #${number} ${toPrintableLine(title)}`);
  return [
    `${bold(toPrintableLine(repository))}, the last 14 days: ${summariseForecast(forecast)}.`,
    ...groups,
    ...(labelled.length === 0 ? [] : ['', bold(`Issues labelled: ${labelled.length}`), ...labelled]),
    '',
    ...explainForecast(forecast).map((line) => toPrintableLine(line)),
    '',
  ].join('\n');
}

function formatForecastChecks({ checks, listed }: ForecastGroup, dim: (text: string) => string): readonly string[] {
  const left = checks - listed.length;
  return [
    ...listed.flatMap((check) => {
      const { name, url, branch, pullRequest } = check;
      const place = pullRequest === null ? branch : `#${pullRequest} ${branch}`;
      const columns = [
        padEnd(truncateColumns(toPrintableLine(name), NAME_COLUMNS), NAME_COLUMNS),
        padEnd(truncateColumns(toPrintableLine(place), PLACE_COLUMNS), PLACE_COLUMNS),
      ];
      return [
        `  ${columns.join('  ')}  ${toPrintableLine(describeForecastCheck(check))}`,
        dim(`    ${toPrintableLine(url)}`),
      ];
    }),
    ...(left > 0 ? [`  and ${left} more`] : []),
  ];
}

function capitalise(words: string): string {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}
