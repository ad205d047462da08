// Charts, drawn on the server as SVG: figures a day over 30 days. Those who listen hear the same as a sentence.
import { scaleBand, scaleLinear } from 'd3-scale';
import { html } from 'hono/html';
import { formatCount } from './components.ts';
import type { Html } from './layout.ts';

const DAY_MS = 86_400_000;
const TREND_DAYS = 30;

/** Days in UTC such as `2026-11-20`, the oldest first and today last. */
export function listTrendDays(now: Date, count = TREND_DAYS): readonly string[] {
  return Array.from({ length: count }, (_, at) => toDay(new Date(now.getTime() - (count - 1 - at) * DAY_MS)));
}

function toDay(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/** How many of the moments (ISO 8601) are on each of the days; others are left out. */
export function countByDay(moments: readonly string[], days: readonly string[]): readonly number[] {
  const counts = new Map(days.map((day) => [day, 0]));
  for (const moment of moments) {
    const day = moment.slice(0, 10);
    const count = counts.get(day);
    if (count !== undefined) counts.set(day, count + 1);
  }
  return [...counts.values()];
}

interface DayChart {
  /** Unique on the page. */
  readonly id: string;
  readonly days: readonly string[];
  readonly values: readonly number[];
  /** The whole in a sentence, for those who listen. */
  readonly label: string;
  readonly format?: (value: number) => string;
  /** A horizontal line, such as that of a budget; null: none. */
  readonly line?: { readonly value: number; readonly text: string } | null;
}

const [CHART_WIDTH, CHART_HEIGHT] = [640, 150];
const PLOT = { left: 52, right: CHART_WIDTH - 8, top: 16, bottom: CHART_HEIGHT - 22 };

/** A bar for each day over a labelled axis. */
export function renderDayChart({ id, days, values, label, format = formatCount, line = null }: DayChart): Html {
  const most = Math.max(...values, line?.value ?? 0);
  const y = scaleLinear([0, most > 0 ? most : 1], [PLOT.bottom, PLOT.top]).nice(3);
  const x = scaleBand(days, [PLOT.left, PLOT.right]).paddingInner(0.25);
  // Counts have no halves; of money, a chart of nothing has but its zero.
  const ticks = y.ticks(3).filter((tick) => format !== formatCount || Number.isInteger(tick));
  const bars = days.flatMap((day, at) => {
    const value = values[at] ?? 0;
    if (value <= 0) return [];
    const height = Math.max(2, PLOT.bottom - y(value));
    return [
      drawBar({ x: x(day) ?? 0, width: x.bandwidth(), height, bottom: PLOT.bottom, title: `${day}: ${format(value)}` }),
    ];
  });
  const dates = [0, Math.floor(days.length / 2), days.length - 1].map((at) => days[at] ?? '');
  return html`<svg class="chart" viewBox="0 0 ${CHART_WIDTH} ${CHART_HEIGHT}" role="img" aria-labelledby="${id}-title">
<title id="${id}-title">${label}</title>
${ticks.map((tick) => html`<path class="grid" d="M${PLOT.left} ${round(y(tick))}H${PLOT.right}"/><text x="${PLOT.left - 6}" y="${round(y(tick) + 4)}" text-anchor="end">${format(tick)}</text>`)}
${bars}${line === null ? '' : html`<path class="threshold" d="M${PLOT.left} ${round(y(line.value))}H${PLOT.right}"/><text x="${PLOT.right}" y="${round(y(line.value) - 4)}" text-anchor="end">${line.text}</text>`}
${dates.map((day, at) => html`<text x="${round((x(day) ?? 0) + x.bandwidth() / 2)}" y="${CHART_HEIGHT - 6}" text-anchor="${['start', 'middle', 'end'][at]}">${formatDay(day)}</text>`)}</svg>`;
}

/** `2026-11-20` as "20 Nov". */
export function formatDay(day: string): string {
  return new Date(`${day}T00:00:00Z`).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
}

interface Bar {
  readonly x: number;
  readonly width: number;
  readonly height: number;
  readonly bottom: number;
  /** Shown while a pointer rests on it. */
  readonly title?: string;
}

function drawBar({ x, width, height, bottom, title = '' }: Bar): Html {
  return html`<rect class="bar" x="${round(x)}" y="${round(bottom - height)}" width="${round(width)}" height="${round(height)}"${title === '' ? html`/>` : html`><title>${title}</title></rect>`}`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
