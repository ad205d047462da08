// The comparisons of docs/evaluation.md, in the order of its table.
import type { Comparison } from './comparison.ts';
import { ACKNOWLEDGEMENT } from './comparisons/acknowledgement.ts';
import { CI_LOG } from './comparisons/ci-log.ts';
import { CLAIM } from './comparisons/claim.ts';
import { DIFF_LINES } from './comparisons/diff-lines.ts';
import { FACTS } from './comparisons/facts.ts';
import { PROMPT } from './comparisons/prompt.ts';
import { READ } from './comparisons/read.ts';
import { REPORT } from './comparisons/report.ts';
import { SOURCE_INDEX } from './comparisons/source-index.ts';
import { START } from './comparisons/start.ts';
import { TURNS_BESIDE_GIT } from './comparisons/turns.ts';

export const COMPARISONS: readonly Comparison[] = [
  ...[ACKNOWLEDGEMENT, REPORT, READ],
  ...[FACTS, SOURCE_INDEX, CI_LOG, DIFF_LINES],
  ...[CLAIM, TURNS_BESIDE_GIT, PROMPT, START],
];
