// A change side by side: no line is lost, folds hide only what is unchanged, and a long one is cut.

import type { FileChange } from 'causeway-diff';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHighlighter, type Highlighter } from '../../src/web/highlight.ts';
import {
  alignSides,
  findDifference,
  foldRows,
  type Row,
  renderChange,
  type SideLine,
} from '../../src/web/issue-change.ts';
import { NO_TEXT_LINKS } from '../../src/web/text.ts';
import { wordsOf } from './read-page.ts';
import '../support/property-seed.ts';

const line = fc.constantFrom('', 'a', 'b', 'c', '  }', 'x\r', '\u2028', '😀', '\ud800', 'a b');
/** Texts of few different lines, so that many are shared; half of them without a newline at the end. */
const text = fc
  .tuple(fc.array(line, { maxLength: 30 }), fc.boolean())
  .map(([lines, ends]) => (lines.length === 0 ? '' : `${lines.join('\n')}${ends ? '\n' : ''}`));

function column(rows: readonly Row[], side: 'left' | 'right'): readonly SideLine[] {
  return rows.flatMap((row) => row[side] ?? []);
}

function joined(lines: readonly SideLine[]): string {
  return lines.map(({ text: each, endsWithNewline }) => `${each}${endsWithNewline ? '\n' : ''}`).join('');
}

describe('two texts side by side', () => {
  it('have the text before on the left and the text after on the right, each line with its number', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const rows = alignSides(before, after);
        for (const [side, whole] of [
          ['left', before],
          ['right', after],
        ] as const) {
          const lines = column(rows, side);
          expect(joined(lines)).toBe(whole);
          expect(lines.map(({ number }) => number)).toEqual(lines.map((_, index) => index + 1));
        }
      }),
    );
  });

  it('call a row the same where both lines are, and only there', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        for (const { kind, left, right } of alignSides(before, after)) {
          const isSame = left?.text === right?.text && left?.endsWithNewline === right?.endsWithNewline;
          expect(kind).toBe(isSame ? 'same' : 'changed');
        }
      }),
    );
  });

  it('keep each change with its context when they are folded, and all lines in count', () => {
    fc.assert(
      fc.property(text, text, fc.integer({ min: 0, max: 4 }), (before, after, context) => {
        const rows = alignSides(before, after);
        const shown = foldRows(rows, context);
        const counted = shown.reduce((sum, row) => sum + (row.kind === 'folded' ? row.lines : 1), 0);
        expect(counted).toBe(rows.length);
        const kept = new Set(shown);
        for (const [at, row] of rows.entries()) {
          const near = rows.slice(Math.max(0, at - context), at + context + 1).some(({ kind }) => kind === 'changed');
          if (near) expect(kept.has(row)).toBe(true);
        }
        expect(shown.every((row) => row.kind !== 'folded' || row.lines > 1)).toBe(true);
      }),
    );
  });

  it('fold what lies between two changes, and show a single line that would be folded', () => {
    const before = Array.from({ length: 20 }, (_, at) => `${at}\n`).join('');
    const after = before.replace('3\n', 'three\n').replace('\n15\n', '\nfifteen\n');
    const kinds = foldRows(alignSides(before, after), 3).map((row) => (row.kind === 'folded' ? row.lines : row.kind));
    expect(kinds).toEqual([
      ...Array(3).fill('same'),
      'changed',
      ...Array(3).fill('same'),
      5,
      ...Array(3).fill('same'),
      'changed',
      ...Array(4).fill('same'),
    ]);
  });

  it('show what differs within a line, and nothing where little is shared', () => {
    expect(findDifference('  if (x < 1) {', '  if (x <= 1) {')).toEqual({
      lead: '  if (x <',
      left: '',
      right: '=',
      tail: ' 1) {',
    });
    expect(findDifference('a😀b-same', 'a😁b-same')).toMatchObject({ left: '😀', right: '😁' });
    expect(findDifference('return discount;', 'const left = 4 + 3;')).toBeNull();
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), fc.string({ maxLength: 40 }), (left, right) => {
        const found = findDifference(left, right);
        if (found === null) return;
        expect(`${found.lead}${found.left}${found.tail}`).toBe(left);
        expect(`${found.lead}${found.right}${found.tail}`).toBe(right);
      }),
    );
  });
});

function _lines(count: number, word: string): string {
  return Array.from({ length: count }, (_, at) => `${word} ${at}\n`).join('');
}

function added(path: string, after: string): FileChange {
  return { kind: 'added', path, mode: '100644', after };
}

async function shown(files: readonly FileChange[], highlight: Highlighter['highlight'] = plain): Promise<string> {
  const changeSet = { base: 'a'.repeat(40), files };
  const how = { links: NO_TEXT_LINKS, highlight };
  return String(await renderChange({ id: 'iss_1', analysis: { proof: null } }, changeSet, how));
}

const plain: Highlighter['highlight'] = async (texts) => texts.map(() => null);

const LEFT_OUT = 'The lines are not shown, since the change is long: see the patch.';

describe('a long change', () => {
  it('is not compared where it is too large, unlike smaller files next to it', async () => {
    const page = await shown([added('huge.txt', 'x'.repeat(1_000_001)), added('small.txt', 'small\n')]);
    expect(wordsOf(page)).toContain(`huge.txt added ${LEFT_OUT}`);
    expect([page.match(/<table /g)?.length, page.includes('<tr class="come">')]).toEqual([1, true]);
    const [huge, small] = [added('one.txt', 'x'.repeat(600_000)), added('two.txt', 'y'.repeat(600_000))];
    expect((await shown([huge, small])).split(LEFT_OUT.slice(0, 20))).toHaveLength(2);
  });
});

describe('syntax colours', () => {
  const before = 'const due = 1; // \u{1f600}\nlet  gone = "a";\n';
  const after = 'const due = 1; // \u{1f600}\nlet  come = "a";\nlet x = "\u202eb";\n';
  const modified: FileChange = { kind: 'modified', path: 'src/due.ts', mode: '100644', before, after };

  it('are on both sides, with the marks of what changes, and leave the text as it is', async () => {
    await using highlighter = createHighlighter();
    const page = await shown([modified], highlighter.highlight);
    const [gone = ''] = /<tr class="gone">.*?<\/tr>/s.exec(page) ?? [];
    const [come = ''] = /<tr class="come">.*?<\/tr>/s.exec(page) ?? [];
    expect(gone).toContain('<span class="keyword">let</span>  <mark>gon</mark>e = <span class="string">');
    expect(come).toContain('<span class="keyword">let</span>  <mark>com</mark>e');
    expect(page).toContain('<span class="string">&quot;[U+202E]b&quot;</span>');
    expect(page).toContain('<span class="comment">// \u{1f600}</span>');
    expect(wordsOf(page)).toBe(wordsOf(await shown([modified])));
  });

  it('never part a character, whatever the grammar says', async () => {
    const halves = async (texts: readonly { readonly text: string }[]) =>
      texts.map(({ text }) =>
        text.split('\n').map((line) => [...Array(line.length)].map(() => [1, 'string'] as const)),
      );
    const page = await shown([modified], halves);
    expect(page).toContain('<span class="string">\u{1f600}</span>');
    expect(wordsOf(page)).toBe(wordsOf(await shown([modified])));
  });
});
