// Expressions that are asked together find what each of them finds.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ERROR_SIGNS } from '../../../src/triage/ci/error-sign-table.ts';
import { joined } from '../../../src/triage/ci/joined-patterns.ts';
import { linesFor, ownLogs, SIGN_PATTERNS } from './condense-samples.ts';

const ROWS = ERROR_SIGNS.map(({ patterns }) => ({ patterns, one: joined(patterns) }));

function expectAlike(line: string): void {
  for (const { patterns, one } of ROWS) {
    expect(one.some((pattern) => pattern.test(line))).toBe(patterns.some((pattern) => pattern.test(line)));
  }
}

it('every row of signs fits the lines that its patterns fit', () => {
  for (const text of ownLogs()) for (const line of text.split('\n')) expectAlike(line);
});

it('also lines that are made for a pattern', () => {
  for (const pattern of SIGN_PATTERNS) {
    fc.assert(fc.property(linesFor(pattern), expectAlike), { numRuns: 20 });
  }
});

it('fewer expressions are left', () => {
  expect(joined([/^a/, /^b|^c/, /d/, /^e/i]).map(String)).toEqual(['/(?:^a)|(?:^b|^c)/', '/(?:^e)/i', '/d/']);
});
