// What reaches a terminal: lines that fit, commands that can be pasted, and a readable log.
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createLauncher,
  createReadableLog,
  displayWidth,
  findColumns,
  truncateColumns,
  wrap,
} from '../../src/cli/terminal.ts';
import { quoteWord } from '../../src/core/command-words.ts';
import { createLog } from '../../src/log.ts';

describe('the width', () => {
  it.each([
    ['of the terminal', undefined, { isTTY: true, columns: 120 }, {}, 120],
    ['endless where the text goes to a file', undefined, {}, { isTTY: true, columns: 120 }, Number.POSITIVE_INFINITY],
    ['80 in a terminal that has none, such as of docker exec', undefined, { isTTY: true, columns: 0 }, {}, 80],
    ['of the other stream where it has none', undefined, { isTTY: true, columns: 0 }, { columns: 120 }, 120],
    ['as COLUMNS says', '60', { isTTY: true, columns: 120 }, {}, 60],
    ['as COLUMNS says for a file, too', '60', {}, {}, 60],
    ['of the terminal where COLUMNS says nothing usable', '0', { isTTY: true, columns: 120 }, {}, 120],
    ['of the terminal where COLUMNS is no number', 'wide', { isTTY: true, columns: 120 }, {}, 120],
  ])('is %s', (_, setting, outlet, other, columns) => {
    expect(findColumns(setting, outlet, other)).toBe(columns);
  });
});

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

  it('joins prose that was wrapped, but not separate lines', () => {
    const prose = `It stops several times a day, and then all of the customers\nsee an error for a while`;
    expect(wrap(prose, 200, '')).toEqual([prose.replace('\n', ' ')]);
    expect(wrap('first\nsecond line', 200, '')).toEqual(['first', 'second line']);
    const code = `\`\`\`\n${prose}\n\`\`\``;
    expect(wrap(code, 200, '')).toEqual(prose.split('\n').map((line) => `    ${line}`));
    expect(wrap('one\n\ntwo', 200, '')).toEqual(['one', '', 'two']);
  });

  it('is cut with an ellipsis where it must be one line', () => {
    expect(truncateColumns('abcdef', 6)).toBe('abcdef');
    expect(truncateColumns('abcdef', 5)).toBe('abcd…');
    expect(truncateColumns('日本語テキスト', 7)).toBe('日本語…');
  });
});

it('the launcher is short in the folder of the installation, and names another data folder, quoted for a shell', () => {
  const here = 'bin/causeway';
  expect(createLauncher('/srv/causeway', '/srv/causeway', null)).toEqual({
    here,
    anywhere: '/srv/causeway/bin/causeway',
  });
  expect(createLauncher('/srv/causeway', '/home/ada/shop', null).here).toBe('/srv/causeway/bin/causeway');
  const folder = "/home/ada/it's mine";
  const launcher = createLauncher(folder, folder, '/var/my data');
  expect(launcher.here).toBe("DATA_DIR='/var/my data' bin/causeway");
  const command = launcher.anywhere.replace(/^(DATA_DIR=\S+ \S+) /, "$1; printf '%s' ");
  expect(execFileSync('sh', ['-c', command]).toString()).toBe(`${folder}/bin/causeway`);
});

it.each(['', 'a b', "it's", '$HOME', '`x`', '*', '~/x', 'a;b'])(
  '%j as a word for the shell is read back as it is',
  (word) => {
    expect(execFileSync('sh', ['-c', `printf '%s' ${quoteWord(word)}`]).toString()).toBe(word);
  },
);

function printed(write: (log: ReturnType<typeof createLog>) => void, colour = false): string {
  const parts: string[] = [];
  write(createLog({ level: 'info', destination: createReadableLog((part) => void parts.push(part), colour) }));
  return parts.join('');
}

it('prints a line of the log as time, level, message and details, with the stack of an error below', () => {
  const text = printed((log) => {
    log.info({ job: 'job_1', ids: [], run: null, ms: 458, reason: 'two words' }, 'job done');
    log.error({ err: new Error('no such file') }, 'cannot read');
  });
  const [first, second, ...stack] = text.split('\n');
  expect(first).toMatch(/^\d\d:\d\d:\d\d info {2}job done job=job_1 ms=458 reason="two words"$/);
  expect(second).toMatch(/^\d\d:\d\d:\d\d error cannot read$/);
  expect(stack[0]).toBe('    Error: no such file');
  expect(stack[1]).toMatch(/^ {8}at /);
});

it('prints no escape sequence and no token of a line of the log', () => {
  const token = ['gh', 'p_', 'x9Kd72LmQp04VbN3tYw8ZrAe5HcJ1uSg6FoT'].join('');
  const text = printed((log) => log.warn({ url: '\u001b[2Jhttp://x', token: 'short' }, `said ${token}\r\u001b[1A`));
  expect(text).not.toContain('\u001b');
  expect(text).not.toContain(token);
  expect(text).toContain('[redacted]');
});
