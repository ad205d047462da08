// A forecast as Markdown, for the summary of a job. Texts in it come from outside.
import { formatBullet, formatCodeSpan, sanitiseInline } from 'causeway-safe-markdown';
import {
  describeForecastCheck,
  explainForecast,
  FORECAST_GROUPS,
  type Forecast,
  type ForecastCheck,
  summariseForecast,
} from '../../core/past.ts';

const MAX_TEXT = 200;

/** The sentence, a fold for each of its numbers, and what a reader has to know. */
export function renderForecast(repository: string, forecast: Forecast): string {
  const folds = FORECAST_GROUPS.flatMap(([verdict, words]) => {
    const { checks, listed } = forecast.groups[verdict];
    const left = checks - listed.length;
    const items = [...listed.map(renderCheck), ...(left > 0 ? [`and ${left} more`] : [])];
    return checks === 0 ? [] : [fold(`${words}: ${checks}`, items)];
  });
  const issues = forecast.issues.labelled.map(
    ({ number, title, url }) => `[#${number}](${url}) ${sanitiseInline(title, MAX_TEXT)}`,
  );
  return [
    `## The last 14 days of ${sanitiseInline(repository, MAX_TEXT)}`,
    `**${summariseForecast(forecast)}.**`,
    ...folds,
    ...(issues.length === 0 ? [] : [fold(`issues labelled: ${issues.length}`, issues)]),
    explainForecast(forecast)
      .map((line) => formatBullet(sanitiseInline(line, MAX_TEXT * 2)))
      .join('\n'),
  ].join('\n\n');
}

function fold(summary: string, items: readonly string[]): string {
  return `<details><summary>${summary}</summary>\n\n${items.map(formatBullet).join('\n')}\n\n</details>`;
}

function renderCheck(check: ForecastCheck): string {
  const { name, branch, pullRequest, headline, url } = check;
  const place = pullRequest === null ? formatCodeSpan(branch) : `#${pullRequest}`;
  const said = headline === '' ? sanitiseInline(describeForecastCheck(check), MAX_TEXT) : formatCodeSpan(headline);
  return `[${sanitiseInline(name, MAX_TEXT)}](${url}) on ${place}: ${said}`;
}
