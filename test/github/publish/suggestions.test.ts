// A change as suggestions in a pull request's files: to the letter, or none.

import { type Diff, toDiff } from 'causeway-diff';
import { readSuggestion } from 'causeway-github-double';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomEdit } from '../../../packages/diff/test/random-edits.ts';
import type { InvestigationSettings } from '../../../src/core/project/settings.ts';
import type { ReviewComment } from '../../../src/github/publish/github-writer.ts';
import { suggestChanges } from '../../../src/github/publish/suggestions.ts';
import { unifiedOf } from '../../support/git-apply.ts';

const ANYWHERE: InvestigationSettings['paths'] = { allow: [], block: [] };
const HEAD = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);

/** Zero width, soft hyphen, Hangul fillers, Mongolian selectors, annotations, variation selectors, tags: ends of ranges above all. */
const UNSEEN = [
  ...[0x200b, 0x200d, 0x2060, 0xad, 0x34f, 0x115f, 0x1160, 0x3164, 0xffa0, 0x180b, 0x180e, 0x180f, 0xfff9],
  ...[0xfe00, 0xfe0f, 0xe0000, 0xe0041, 0xe007f, 0xe0100, 0xe01ef],
];

/** The patch of a pull request that wrote those lines (1-based, both ends) new, with three lines around them. */
function patchOf(head: readonly string[], ...written: readonly (readonly [number, number])[]): string {
  const before = head.filter((_, index) => !written.some(([from, to]) => index + 1 >= from && index + 1 <= to));
  return unifiedOf('a.js', textOf(before), textOf(head));
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

function diffOf(before: string, after: string, path = 'a.js'): Diff {
  return toDiff({ base: '', files: [{ kind: 'modified', path, before, after }] });
}

function edited(change: (lines: string[]) => void): Diff {
  const lines = [...HEAD];
  change(lines);
  return diffOf(textOf(HEAD), textOf(lines));
}

/** What the file is once somebody has committed all of them. */
function committed(head: string, comments: readonly ReviewComment[]): string {
  const lines = head.split('\n');
  for (const { from, to, body } of [...comments].reverse()) {
    const found = readSuggestion(body);
    if (found === null) throw new Error(`no suggestion: ${body}`);
    lines.splice(from - 1, to - from + 1, ...found.lines);
  }
  return lines.join('\n');
}

function suggested(diff: Diff, patch = patchOf(HEAD, [10, 12], [30, 30]), paths = ANYWHERE) {
  return suggestChanges(diff, [{ path: 'a.js', patch }], paths);
}

describe('suggestions', () => {
  it('replace lines, one after the other', () => {
    const diff = edited((lines) => void lines.splice(10, 2, 'new 11', 'new 12', 'new 13'));
    expect(suggested(diff)).toEqual([
      { path: 'a.js', from: 11, to: 12, body: '```suggestion\nnew 11\nnew 12\nnew 13\n```' },
    ]);
  });

  it('add lines by taking the line beside them along: the one above, else the one below', () => {
    expect(suggested(edited((lines) => void lines.splice(10, 0, 'new')))).toEqual([
      { path: 'a.js', from: 10, to: 10, body: '```suggestion\nline 10\nnew\n```' },
    ]);
    // The patch shows line 7 as the first one.
    expect(suggested(edited((lines) => void lines.splice(6, 0, 'new')))).toEqual([
      { path: 'a.js', from: 7, to: 7, body: '```suggestion\nnew\nline 7\n```' },
    ]);
  });

  it('take lines out, which is another thing than leaving an empty one', () => {
    expect(suggested(edited((lines) => void lines.splice(10, 2)))[0]?.body).toBe('```suggestion\n```');
    expect(suggested(edited((lines) => void lines.splice(10, 2, '')))[0]?.body).toBe('```suggestion\n\n```');
  });

  it('survive code that has fences of its own', () => {
    const diff = edited((lines) => void lines.splice(10, 1, '```js', '````', '~~~'));
    const [one] = suggested(diff);
    expect(one?.body.split('\n')[0]).toBe('`````suggestion');
    expect(readSuggestion(one?.body ?? '')?.lines).toEqual(['```js', '````', '~~~']);
  });

  it.each<[string, Diff]>([
    ['a line that the pull request does not show', edited((lines) => void lines.splice(20, 1, 'new'))],
    ['lines that reach out of what it shows', edited((lines) => void lines.splice(13, 4, 'new'))],
    [
      'one part that can be suggested and one that cannot',
      edited((lines) => {
        lines[10] = 'new';
        lines[20] = 'new';
      }),
    ],
    ['another file', diffOf(textOf(HEAD), `${textOf(HEAD)}x\n`, 'b.js')],
    ['the end of the file without its newline', diffOf('line 10\n', 'line 10')],
    ['a file that goes', toDiff({ base: '', files: [{ kind: 'deleted', path: 'a.js', before: textOf(HEAD) }] })],
    [
      'a file that may be run now',
      toDiff({
        base: '',
        files: [
          { kind: 'modified', path: 'a.js', before: textOf(HEAD), after: textOf(HEAD.with(10, 'new')), mode: '100755' },
        ],
      }),
    ],
    ['a line that is another at the head', diffOf(textOf(HEAD.with(10, 'other')), textOf(HEAD.with(10, 'new')))],
    ['two parts that stand on the same line', edited((lines) => void lines.splice(6, 1, 'new', 'line 7', 'new'))],
    ['what was taken out as a secret', edited((lines) => void lines.splice(10, 1, 'key = [redacted]'))],
    ['what turns the order of reading', edited((lines) => void lines.splice(10, 1, 'if (ok) \u202e{'))],
    ...UNSEEN.map((one): [string, Diff] => [
      `what is not seen (U+${one.toString(16).toUpperCase()})`,
      edited((lines) => void lines.splice(10, 1, `ne${String.fromCodePoint(one)}w`)),
    ]),
    ['a carriage return', edited((lines) => void lines.splice(10, 1, 'new\r'))],
  ])('are none for %s', (_, diff) => {
    expect(suggested(diff)).toEqual([]);
  });

  it('are none for a path that the configuration closes', () => {
    const diff = edited((lines) => void lines.splice(10, 1, 'new'));
    expect(suggested(diff)).toHaveLength(1);
    expect(suggested(diff, undefined, { allow: [], block: ['*.js'] })).toEqual([]);
    expect(suggested(diff, undefined, { allow: ['src/**'], block: [] })).toEqual([]);
    expect(suggested(diff, undefined, { allow: ['a.*'], block: [] })).toHaveLength(1);
  });

  it('are ten at most', () => {
    const whole = patchOf(HEAD, [1, 40]);
    const every = (count: number) =>
      edited((lines) => {
        for (let at = 0; at < count; at += 1) lines[at * 2] = 'new';
      });
    expect(suggested(every(10), whole)).toHaveLength(10);
    expect(suggested(every(11), whole)).toEqual([]);
  });

  it('committed together make of the head what the change makes of it, whatever the pull request shows', () => {
    let made = 0;
    fc.assert(
      fc.property(randomEdit, randomEdit, fc.boolean(), ({ before: head, after }, other, isNew) => {
        const patch = unifiedOf('a.js', isNew ? '' : other.before, head);
        const comments = suggestChanges(diffOf(head, after), [{ path: 'a.js', patch }], ANYWHERE);
        if (comments.length === 0) return;
        made += 1;
        expect(committed(head, comments)).toBe(after);
      }),
      { numRuns: 2_000 },
    );
    expect(made).toBeGreaterThan(100);
  });
});
