// What `causeway verify-proof` prints: yes or no, with the reasons.
import { sanitiseLine } from '../core/text.ts';

export interface VerifiedProof {
  readonly repository: string;
  readonly turned: readonly string[];
  /** Empty: it holds. */
  readonly faults: readonly string[];
}

const MAX_LINE = 300;

export function formatVerifiedProof({ repository, turned, faults }: VerifiedProof): string {
  const list = (lines: readonly string[]) => lines.map((line) => `  - ${sanitiseLine(line, MAX_LINE)}\n`).join('');
  if (faults.length > 0) return `No. GitHub does not confirm this proof:\n${list(faults)}`;
  const tests = turned.length === 1 ? 'This test' : 'These tests';
  return `Yes. ${tests} of ${repository} failed without the fix and passed with it:\n${list(turned)}`;
}
