import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayWidth, truncate, wrap } from '../../src/cli/terminal.ts';

describe('wrapped text', () => {
  it('keeps to the columns and loses no word', () => {
    const words = fc.array(fc.stringMatching(/^[a-zé日]{1,12}$/u), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(words, fc.integer({ min: 30, max: 100 }), (all, columns) => {
        const lines = wrap(all.join(' '), columns, '  ');
        for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
        expect(lines.flatMap((line) => line.trim().split(' '))).toEqual(all);
      }),
    );
  });

  it('does not break paths, addresses and code', () => {
    const path = `src/${'deep/'.repeat(12)}file.ts`;
    expect(wrap(`see ${path} there`, 30, '  ')).toEqual(['  see', `  ${path}`, '  there']);
    expect(wrap('run\n```sh\nnpm   run a --with=many --long=options\n```', 20, '  ')).toEqual([
      '  run',
      '      npm   run a --with=many --long=options',
    ]);
    expect(wrap('    const a  =  1; // as it was written', 20, '')).toEqual([
      '    const a  =  1; // as it was written',
    ]);
  });

  it('hangs under a lead and under list marks', () => {
    expect(wrap('one two three', 12, '    ', '  1.')).toEqual(['  1.one two', '    three']);
    expect(wrap('- one two three', 10, '')).toEqual(['- one two', '  three']);
  });

  it('joins prose that came wrapped, but no lines of their own', () => {
    const prose = `It stops several times a day, and then all of the customers\nsee an error for a while`;
    expect(wrap(prose, 200, '')).toEqual([prose.replace('\n', ' ')]);
    expect(wrap('first\nsecond line', 200, '')).toEqual(['first', 'second line']);
    const code = `\`\`\`\n${prose}\n\`\`\``;
    expect(wrap(code, 200, '')).toEqual(prose.split('\n').map((line) => `    ${line}`));
    expect(wrap('one\n\ntwo', 200, '')).toEqual(['one', '', 'two']);
  });

  it('is cut with an ellipsis where it must be one line', () => {
    expect(truncate('abcdef', 6)).toBe('abcdef');
    expect(truncate('abcdef', 5)).toBe('abcd…');
    expect(truncate('日本語テキスト', 7)).toBe('日本語…');
  });
});
