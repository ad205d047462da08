// Equal reports share a fingerprint; different problems never do.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeReportFingerprint } from '../../src/triage/report-text.ts';
import { ANY_CHARACTER } from '../support/any-character.ts';

const same = (a: string, b: string): boolean => computeReportFingerprint(a) === computeReportFingerprint(b);

describe('two sightings of one problem', () => {
  it.each([
    ['ISO times', '2024-05-01T10:11:12.345Z boom', '2024-06-02T23:59:59Z boom'],
    ['times with an offset', '2024-05-01 10:11:12,345 +0200 boom', '2024-05-01 11:11:12,999 +0000 boom'],
    ['clock times', 'at 10:11:12 the job died', 'at 23:01:02.5 the job died'],
    ['syslog days', 'Jan  2 10:11:12 host boom', 'Feb 13 01:02:03 host boom'],
    ['access logs', '[02/Jan/2024:13:55:36 +0000] GET /', '[03/Mar/2025:01:00:00 +0000] GET /'],
    [
      'UUIDs',
      'request 6f1e0c7a-1111-4222-8333-0123456789ab failed',
      'request 00000000-1111-4222-8333-fedcba987654 failed',
    ],
    ['addresses', '<Foo object at 0x7f8b1c0d5e50>', '<Foo object at 0x7f0000000abc>'],
    ['durations', 'timed out after 1503ms', 'timed out after 2 ms'],
    ['long durations', 'took 1m30s', 'took 2h5m1s'],
    ['epoch times', 'ts=1714557600123 boom', 'ts=1714557601999 boom'],
    ['colours', '\u001b[31mboom\u001b[0m', 'boom'],
    ['white space', 'a\n  b\r\n', 'a b'],
  ])('are one whatever the %s', (_, a, b) => {
    expect(same(a, b)).toBe(true);
  });
});

describe('different problems', () => {
  it.each([
    ['messages', 'TypeError: x is undefined', 'TypeError: y is undefined'],
    ['status codes', 'request failed with 500', 'request failed with 503'],
    ['line numbers', 'at f (src/a.ts:12:34)', 'at f (src/a.ts:13:34)'],
    ['columns that look like a clock', 'src/a.ts:12:34:56', 'src/a.ts:12:34:57'],
    ['versions', 'fails in 1.2.3', 'fails in 1.2.4'],
    ['git shas', 'since 1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d', 'since 1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0e'],
    ['result codes', 'failed with 0x80070005', 'failed with 0x80070002'],
    ['counts', 'expected 3 items', 'expected 4 items'],
    ['words after a number', '5 seals are missing', '6 seals are missing'],
  ])('differ by their %s', (_, a, b) => {
    expect(same(a, b)).toBe(false);
  });

  it('is 64 hexadecimal digits for any text, and always the same', () => {
    fc.assert(
      fc.property(fc.string({ unit: ANY_CHARACTER }), (text) => {
        const print = computeReportFingerprint(text);
        expect(print).toMatch(/^[0-9a-f]{64}$/);
        expect(computeReportFingerprint(text)).toBe(print);
      }),
    );
  });
});
