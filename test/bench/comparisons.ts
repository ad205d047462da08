// The comparisons of docs/performance.md, in the order of its table.
import type { Comparison } from './comparison.ts';
import { ACKNOWLEDGEMENT } from './comparisons/acknowledgement.ts';
import { CLAIM } from './comparisons/claim.ts';
import { PROMPT } from './comparisons/prompt.ts';
import { READ } from './comparisons/read.ts';
import { REPORT } from './comparisons/report.ts';
import { START } from './comparisons/start.ts';
import { TURNS_BESIDE_GIT } from './comparisons/turns.ts';

export const COMPARISONS: readonly Comparison[] = [
  ...[ACKNOWLEDGEMENT, REPORT, READ, CLAIM],
  ...[TURNS_BESIDE_GIT, PROMPT, START],
];
