// Charts, drawn on the server as SVG: figures a day over 30 days. Those who listen hear the same as a sentence.
import { scaleBand, scaleLinear } from 'd3-scale';
import { html } from 'hono/html';
import { formatCount } from './components.ts';
import type { Html } from './layout.ts';

/** The counts of one entry on each of the days; days that it has none of count 0. */
export function spreadOverDays(
  counts: readonly { readonly day: string; readonly count: number }[],
  days: readonly string[],
): readonly number[] {
  const byDay = new Map(days.map((day) => [day, 0]));
  for (const { day, count } of counts) {
    const before = byDay.get(day);
    if (before !== undefined) byDay.set(day, before + count);
  }
  return [...byDay.values()];
}

interface Sparkline {
  readonly values: readonly number[];
  /** What it shows, for those who listen, such as "30 days: 12 red checks, at most 4 a day". */
  readonly label: string;
  readonly tone?: 'bad' | 'busy' | 'good' | 'quiet';
}

/** Of the drawing, in its units: one bar takes 4, of which 1 is the space to the next. */
const [SPARK_BAR, SPARK_HEIGHT] = [4, 22];

/** A bar for each value, in the height of a line of text. */
export function renderSparkline({ values, label, tone = 'quiet' }: Sparkline): Html {
  const width = values.length * SPARK_BAR;
  const y = scaleLinear([0, Math.max(1, ...values)], [0, SPARK_HEIGHT - 3]);
  const bars = values.flatMap((value, at) =>
    value <= 0
      ? []
      : [drawBar({ x: at * SPARK_BAR, width: SPARK_BAR - 1, height: Math.max(2, y(value)), bottom: SPARK_HEIGHT - 2 })],
  );
  return html`<svg class="spark ${tone}" viewBox="0 0 ${width} ${SPARK_HEIGHT}" width="${width}" height="${SPARK_HEIGHT}" role="img" aria-label="${label}"><path class="grid" d="M0 ${SPARK_HEIGHT - 0.5}H${width}"/>${bars}</svg>`;
}

export type ShareTone = 'bad' | 'busy' | 'accent' | 'field' | 'line';

interface Share {
  readonly value: number;
  readonly tone: ShareTone;
}

const [SHARES_WIDTH, SHARES_HEIGHT, SHARES_GAP] = [640, 14, 2];

/** One bar of parts that together are the whole; a table beside it says which is which. */
export function renderShares(label: string, shares: readonly Share[]): Html {
  if (shares.length === 0) return html``;
  const whole = shares.reduce((sum, { value }) => sum + value, 0);
  const x = scaleLinear([0, whole], [0, SHARES_WIDTH - SHARES_GAP * (shares.length - 1)]);
  const parts = shares.map(({ value, tone }, at) => {
    const before = shares.slice(0, at).reduce((sum, one) => sum + one.value, 0);
    return html`<rect class="${tone}" x="${round(x(before) + SHARES_GAP * at)}" y="0" width="${round(Math.max(1, x(value)))}" height="${SHARES_HEIGHT}" rx="2"/>`;
  });
  return html`<svg class="shares" viewBox="0 0 ${SHARES_WIDTH} ${SHARES_HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}">${parts}</svg>`;
}

/** What a colour of the bar stands for, beside its words. */
export function renderSwatch(tone: ShareTone): Html {
  return html`<svg class="swatch" viewBox="0 0 10 10" aria-hidden="true"><rect class="${tone}" width="10" height="10" rx="2"/></svg>`;
}

interface DayChart {
  /** Unique on the page. */
  readonly id: string;
  readonly days: readonly string[];
  readonly values: readonly number[];
  /** The whole in a sentence, for those who listen. */
  readonly label: string;
  readonly format?: (value: number) => string;
  /** Of the axis; absent: as `format`. */
  readonly formatTick?: (value: number) => string;
  readonly tone?: 'bad';
  /** For the width of a panel; absent: for that of the page. */
  readonly size?: 'small';
  /** A horizontal line, such as that of a budget; where it is far above all bars, only its text. Null: none. */
  readonly line?: { readonly value: number; readonly text: string } | null;
}

/** Units of the drawing are pixels of the page where there is room. */
const SIZES = {
  page: { width: 640, height: 170, left: 58, right: 632, top: 20, bottom: 140 },
  small: { width: 340, height: 120, left: 28, right: 336, top: 10, bottom: 98 },
} as const;

/** A line of more than this many times the highest bar would press the bars flat. */
const FAR = 2.5;

/** A bar for each day over a labelled axis. */
export function renderDayChart({
  id,
  days,
  values,
  label,
  format = formatCount,
  formatTick = format,
  line = null,
  tone,
  size,
}: DayChart): Html {
  const plot = SIZES[size ?? 'page'];
  const highest = Math.max(...values);
  const isFar = line !== null && line.value > highest * FAR && highest > 0;
  const most = Math.max(highest, isFar ? 0 : (line?.value ?? 0));
  const y = scaleLinear([0, most > 0 ? most : 1], [plot.bottom, plot.top]).nice(3);
  const x = scaleBand(days, [plot.left, plot.right]).paddingInner(0.25);
  // A count is a whole number.
  const ticks = y.ticks(3).filter((tick) => format !== formatCount || Number.isInteger(tick));
  const bars = days.flatMap((day, at) => {
    const value = values[at] ?? 0;
    if (value <= 0) return [];
    const height = Math.max(2, plot.bottom - y(value));
    return [
      drawBar({ x: x(day) ?? 0, width: x.bandwidth(), height, bottom: plot.bottom, title: `${day}: ${format(value)}` }),
    ];
  });
  const dates = [0, Math.floor(days.length / 2), days.length - 1].map((at) => days[at] ?? '');
  return html`<svg class="chart ${size ?? ''} ${tone ?? ''}" viewBox="0 0 ${plot.width} ${plot.height}" role="img" aria-labelledby="${id}-title">
<title id="${id}-title">${label}</title>
${ticks.map((tick) => html`<path class="grid" d="M${plot.left} ${round(y(tick))}H${plot.right}"/><text x="${plot.left - 6}" y="${round(y(tick) + 4)}" text-anchor="end">${formatTick(tick)}</text>`)}
${bars}${line === null ? '' : isFar ? html`<text x="${plot.right}" y="${plot.top - 4}" text-anchor="end">↑ ${line.text}</text>` : html`<path class="threshold" d="M${plot.left} ${round(y(line.value))}H${plot.right}"/><text x="${plot.right}" y="${round(y(line.value) - 4)}" text-anchor="end">${line.text}</text>`}
${dates.map((day, at) => html`<text x="${round((x(day) ?? 0) + x.bandwidth() / 2)}" y="${plot.height - 6}" text-anchor="${['start', 'middle', 'end'][at]}">${formatDay(day)}</text>`)}</svg>`;
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
