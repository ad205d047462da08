// The comparisons of docs/performance.md, in the order of its table.
import type { Comparison } from './comparison.ts';

export const COMPARISONS: readonly Comparison[] = [];
