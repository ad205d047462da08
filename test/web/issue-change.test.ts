// A change as a page shows it: how much of it is compared and shown, and where the rest is found.
import { describe, expect, it } from 'vitest';
import type { FileChange } from '../../src/core/change-set.ts';
import { renderChange } from '../../src/web/issue-change.ts';
import { NO_TEXT_LINKS } from '../../src/web/text.ts';
import { wordsOf } from './read-page.ts';

function lines(count: number, word: string): string {
  return Array.from({ length: count }, (_, at) => `${word} ${at}\n`).join('');
}

function added(path: string, after: string): FileChange {
  return { kind: 'added', path, mode: '100644', after };
}

function shown(files: readonly FileChange[]): string {
  return String(renderChange('iss_1', { base: 'a'.repeat(40), files }, NO_TEXT_LINKS));
}

const LEFT_OUT = 'The lines are not shown, since the change is long: see the patch.';

describe('a long change', () => {
  it('is cut after 1,500 rows of all files, and files behind them are named alone', () => {
    const page = shown([added('a.txt', lines(1_000, 'a')), added('b.txt', lines(1_000, 'b')), added('c.txt', 'c\n')]);
    const words = wordsOf(page);
    expect([page.match(/<tr class="changed">/g)?.length, page.match(/<table /g)?.length]).toEqual([1_500, 2]);
    expect(words).toContain('b.txt added +1000 −0');
    expect(words).toContain('500 more rows of this file are not shown: see the patch.');
    expect(words).toContain(`c.txt added ${LEFT_OUT}`);
  });

  it('is not compared where it is too large for that, and what is small beside it is', () => {
    const page = shown([added('huge.txt', 'x'.repeat(1_000_001)), added('small.txt', 'small\n')]);
    expect(wordsOf(page)).toContain(`huge.txt added ${LEFT_OUT}`);
    expect([page.match(/<table /g)?.length, page.includes('<td class="code come">')]).toEqual([1, true]);
    const [huge, small] = [added('one.txt', 'x'.repeat(600_000)), added('two.txt', 'y'.repeat(600_000))];
    expect(shown([huge, small]).split(LEFT_OUT.slice(0, 20))).toHaveLength(2);
  });
});
