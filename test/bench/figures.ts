// Figures of a measurement: medians with their spread, tables in Markdown, the load of the machine.
import { cpus, loadavg } from 'node:os';

/** Such as `1.23 (1.10–1.40)`. */
export function spread(values: readonly number[], digits = 0): string {
  const sorted = values.toSorted((one, other) => one - other);
  const [low = Number.NaN] = sorted;
  const high = sorted.at(-1) ?? Number.NaN;
  return `${median(values).toFixed(digits)} (${low.toFixed(digits)}–${high.toFixed(digits)})`;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** How much else the machine has to do: the mean of a minute. */
export function load(): string {
  return `load ${(loadavg()[0] ?? 0).toFixed(1)} on ${cpus().length} cores`;
}

export function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
