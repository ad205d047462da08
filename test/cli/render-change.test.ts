// The proposed change in the terminal: what goes, what comes, and how much is left out.
import { describe, expect, it } from 'vitest';
import { renderChange } from '../../src/cli/render.ts';
import { style } from '../../src/cli/terminal.ts';
import type { FileDiff } from '../../src/core/issue.ts';

const page = { columns: 40, paint: style(false) };
const added = (code: string): FileDiff['changes'][number] => ({
  type: 'add',
  lines: [{ lineNumber: 0, oldCode: '', newCode: code }],
});

describe('a change in the terminal', () => {
  it('shows each file with its lines, new, deleted and renamed ones as such', () => {
    const files: readonly FileDiff[] = [
      { fileName: 'a.ts', status: 'added', changes: [added('one\n\ntwo')] },
      {
        fileName: 'old.ts',
        status: 'deleted',
        changes: [{ type: 'delete', lines: [{ lineNumber: 1, oldCode: 'gone', newCode: '' }] }],
      },
      {
        fileName: 'c.ts',
        previousFileName: 'b.ts',
        status: 'renamed',
        changes: [{ type: 'modify', lines: [{ lineNumber: 7, oldCode: 'x', newCode: '' }] }],
      },
    ];
    expect(renderChange(files, page).join('\n')).toMatchInlineSnapshot(`
      "Change (--patch FILE writes it)
        a.ts (added) +3 -0
          at the top
          + one
          +
          + two
        old.ts (deleted) +0 -1
          line 1
          - gone
        b.ts → c.ts +1 -1
          line 7
          - x
          +"
    `);
  });

  it('cuts wide lines, long changes, and what would steer the terminal', () => {
    const wide = renderChange([{ fileName: 'a', changes: [added(`\u001b[2J${'w'.repeat(99)}`)] }], page);
    expect(wide.join('')).not.toContain('\u001b');
    expect(Math.max(...wide.slice(1).map((line) => line.length))).toBeLessThanOrEqual(40);
    const long = renderChange([{ fileName: 'a', changes: [added('x\n'.repeat(99))] }], page);
    expect(long).toHaveLength(62);
    expect(long.at(-1)).toBe('  and 42 more lines (--patch FILE has all)');
  });

  it('of nothing is nothing', () => {
    expect(renderChange([], page)).toEqual([]);
  });
});
