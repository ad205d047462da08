// The order of test files: what takes long begins first, so that no worker is left alone with it at the end.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Seconds of a file that has not run here yet; the first part that its path holds decides. Most of the others take less than one. */
const EXPECTED: readonly (readonly [part: string, seconds: number])[] = [
  ['/lost-answers', 50],
  ['/upgrade', 40],
  ['/killed', 35],
  ['/stories/github-', 25],
  ['/contract/', 25],
  ['/mcp-client/program', 20],
  ['/ci-log/test/condense-log', 15],
  ['/services/judge-head-killed', 15],
  ['/models/faults', 15],
  ['/redact/', 10],
  ['/render/joined-words', 10],
  ['/launcher', 10],
  ['/api/docs-page', 10],
  ['/stories/', 10],
  ['/github/publish/', 10],
  ['/git/', 8],
  ['/queue/', 8],
  ['/app/', 2],
];

/** A file that has run here before takes as long as then: vitest keeps that in node_modules. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => this.#seconds(b) - this.#seconds(a));
  }

  #seconds(file: TestSpecification): number {
    const before = this.ctx.cache.getTestSpecificationResult(file);
    if (before !== undefined) return before.duration / 1_000;
    return EXPECTED.find(([part]) => file.moduleId.includes(part))?.[1] ?? 0;
  }
}
