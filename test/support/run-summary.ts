// The last lines of a run of the tests: how long they took, how long they may take, and what it did not run.
import type { Reporter, TestModule } from 'vitest/node';
import { describeLeftOut } from '../left-out.ts';
import { PATIENCE_MS } from './patience.ts';

export class RunSummary implements Reporter {
  readonly #leavesOut: boolean;

  constructor(leavesOut: boolean) {
    this.#leavesOut = leavesOut;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const lines = [...describeTimes(modules), ...(this.#leavesOut ? [describeLeftOut()] : [])];
    if (lines.length > 0) process.stdout.write(`\n${lines.join('\n')}\n`);
  }
}

/** Nothing where no test ran. */
function describeTimes(modules: readonly TestModule[]): readonly string[] {
  const tests = modules.flatMap(({ children }) => [...children.allTests()]);
  const times = tests.flatMap((test) => test.diagnostic()?.duration ?? []).toSorted((a, b) => a - b);
  const files = modules.map((module) => module.diagnostic().duration).toSorted((a, b) => a - b);
  const limit = modules[0]?.project.config.testTimeout;
  const [median, slowest, file] = [times[times.length >> 1], times.at(-1), files[files.length >> 1]];
  if (median === undefined || slowest === undefined || file === undefined || limit === undefined) return [];
  const took = `Median of a test ${formatTime(median)}, of a file ${formatTime(file)}; the slowest test ${formatTime(slowest)}`;
  return [`${took}. Limit of a test ${formatTime(limit)}, of what it waits for ${formatTime(PATIENCE_MS)}.`];
}

function formatTime(ms: number): string {
  if (ms < 100) return `${ms.toPrecision(2)} ms`;
  return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
}
