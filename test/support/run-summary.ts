// The last lines of a run of the tests: what it did not run.
import type { Reporter } from 'vitest/node';
import { describeLeftOut } from '../left-out.ts';

export class RunSummary implements Reporter {
  readonly #leavesOut: boolean;

  constructor(leavesOut: boolean) {
    this.#leavesOut = leavesOut;
  }

  onTestRunEnd(): void {
    if (this.#leavesOut) process.stdout.write(`\n${describeLeftOut()}\n`);
  }
}
