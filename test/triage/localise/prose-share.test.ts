// How much of a file is comments and strings.
import { describe, expect, it } from 'vitest';
import { measureProseShare } from '../../../src/triage/localise/prose-share.ts';

describe('the share of text for people', () => {
  it.each([
    ['a.ts', 'add(one, two);', 0],
    ['a.ts', '// add\nxxxxx', 0.5],
    ['a.ts', "xx('abc')", 5 / 9],
    ['a.ts', '/* a\n b */', 1],
    ['a.rs', "fn a<'a>(b: &'a B)", 0],
    ['a.py', '"""\nabc\n"""\n# de', 1],
    ['a.py', 'x = "it\\"s"', 7 / 9],
    ['a.ts', "don't", 0],
    ['a.ts', '', 0],
  ])('of %s: %j', (path, text, share) => {
    expect(measureProseShare(path, text)).toBeCloseTo(share);
  });

  it('takes time in proportion to the length, whatever is left open', () => {
    for (const piece of ['"', "'", '`', '/*', '"""', "'\\"]) measureProseShare('a.ts', piece.repeat(200_000));
  });
});
