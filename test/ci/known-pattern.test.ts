// Patterns for known failures: what every match must have, what is refused, and that no text takes long.
import { describe, expect, it } from 'vitest';
import { compilePattern } from '../../src/ci/known-pattern.ts';
import { cpuTime } from '../support/cpu-time.ts';

function refusalOf(pattern: string) {
  const compiled = compilePattern(pattern);
  return compiled.kind === 'refused' ? compiled.refusal : null;
}

describe('a pattern', () => {
  it('is compared with each line on its own', () => {
    const compiled = compilePattern('^connect ECONNREFUSED .*:\\d+$');
    if (compiled.kind === 'refused') throw new Error(compiled.refusal.code);
    const line = 'connect ECONNREFUSED 127.0.0.1:5432';
    expect(compiled.findLine(['Error:', line, 'at TCP'])).toBe(line);
    expect(compiled.findLine(['Error: connect', 'ECONNREFUSED 127.0.0.1:5432'])).toBeNull();
  });

  it.each([
    ['abc', 3],
    ['(connection reset by peer)?', 0],
    ['.*|connection reset by peer', 0],
    ['connection (reset by peer|x)', 11],
    ['[a-z]{30}', 0],
    ['\\s+ {40}x', 1],
    ['(?i)error e1', 7],
    ['(?:ab){5}c*', 10],
  ])('of %s has too few characters that must be there', (pattern, literals) => {
    expect(refusalOf(pattern)).toEqual({ code: 'known_pattern_short', literals });
  });

  it.each(['connection reset', '(?:abc){4}', '(?i)econnrefused', 'ünïcødé 😀 tèxt', '\\Qa.b (c) [d] e.f\\E'])(
    'of %s has enough',
    (pattern) => {
      expect(refusalOf(pattern)).toBeNull();
    },
  );

  it('is refused where it is no expression of RE2, or a large one', () => {
    expect(refusalOf('connection (reset by peer')).toMatchObject({ code: 'known_pattern_invalid' });
    expect(refusalOf('connection reset\nby peer')).toMatchObject({ code: 'known_pattern_invalid' });
    expect(refusalOf('connection \u202ereset by peer')).toMatchObject({ code: 'known_pattern_invalid' });
    expect(refusalOf('(?=connection reset)')).toMatchObject({ code: 'known_pattern_invalid' });
    expect(refusalOf(`connection reset ${'x'.repeat(300)}`)).toEqual({ code: 'known_pattern_large' });
    expect(refusalOf('connection reset [a-z]{900}[0-9]{900}[a-z]{900}')).toEqual({ code: 'known_pattern_large' });
  });

  it('takes no longer for a text that is made to take long', async () => {
    const compiled = compilePattern('connection reset (a|aa)*(.*)*!$');
    if (compiled.kind === 'refused') throw new Error(compiled.refusal.code);
    const line = `connection reset ${'a'.repeat(1_900)}`;
    expect(await cpuTime(async () => compiled.findLine(Array.from({ length: 200 }, () => line)))).toBeLessThan(2_000);
  });
});
