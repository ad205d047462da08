// How long a host wants to be left alone.
import { expect, it } from 'vitest';
import { readRetryAfter } from '../../src/core/retry-after.ts';

const NOW = new Date('2026-11-20T12:00:00Z');

it.each([
  ['3', 3_000],
  [60, 60_000],
  [' 120 ', 120_000],
  ['0', 0],
  ['31536000', 31_536_000_000],
  ['Fri, 20 Nov 2026 12:10:00 GMT', 600_000],
  ['Fri, 20 Nov 2026 11:00:00 GMT', 0],
  ['', null],
  [null, null],
  [undefined, null],
  ['soon', null],
  ['-60', null],
  ['6e1', null],
  ['60.5', null],
  ['0x60', null],
  ['2026-11-20T13:00:00Z', null],
  ['Fri, 99 Nov 2026 99:99:99 GMT', null],
  ['1; banana 2027', null],
])('%j is %j milliseconds', (header, milliseconds) => {
  expect(readRetryAfter(header, NOW)).toBe(milliseconds);
});
