// Syntax colours by a thread of their own: what they say of a text, and how little a hostile one can do.
import { describe, expect, it } from 'vitest';
import { createHighlighter } from '../../src/web/highlight.ts';

const CODE = '/** Why. */\nexport const due = total("a", 12);\n';
/** Grammars take a minute and a half for it. */
const HOSTILE = 'a'.repeat(99_999);

describe('syntax colours', () => {
  it('are the parts of each line, which add up to it', async () => {
    await using highlighter = createHighlighter();
    const [lines] = await highlighter.highlight([{ path: 'src/due.ts', text: CODE }]);
    expect(lines).toEqual([
      [[11, 'comment']],
      [
        ...[
          [6, 'keyword'],
          [1, ''],
          [5, 'keyword'],
          [7, ''],
        ],
        ...[
          [5, 'name'],
          [1, ''],
          [3, 'string'],
          [2, ''],
          [2, 'number'],
          [2, ''],
        ],
      ],
      [],
    ]);
  });

  it('are not there for what has no grammar, or is too long', async () => {
    await using highlighter = createHighlighter();
    const texts = [
      { path: 'notes.unknown', text: CODE },
      { path: 'long.ts', text: CODE.repeat(3_000) },
      { path: 'Due.PY', text: 'x = 1' },
    ];
    expect((await highlighter.highlight(texts)).map((lines) => lines?.length ?? null)).toEqual([null, null, 1]);
    expect(await highlighter.highlight([])).toEqual([]);
  });

  it('of a hostile text are given up in time, not tried again, and cost others nothing', async () => {
    await using highlighter = createHighlighter({ limitMs: 2_000 });
    const hostile = [{ path: 'a.ts', text: HOSTILE }];
    expect(await highlighter.highlight(hostile)).toEqual([null]);
    const answered: (readonly unknown[] | null | undefined)[] = [];
    const ask = async (texts: typeof hostile) => answered.push((await highlighter.highlight(texts))[0]);
    await Promise.all([ask([{ path: 'due.ts', text: CODE }]), ask(hostile)]);
    expect(answered).toEqual([null, [expect.anything(), expect.anything(), []]]);
  });

  it('of many pages at once leave out those who would wait for long', async () => {
    await using highlighter = createHighlighter({ limitMs: 300 });
    const asked = Array.from({ length: 9 }, (_, at) => [{ path: 'a.ts', text: `${HOSTILE.slice(9)}${at}` }]);
    const tried = asked.map(async (texts, at) => ({ at, lines: await highlighter.highlight(texts) }));
    // Before the one that is tried first is given up.
    expect(await Promise.race(tried)).toEqual({ at: expect.not.closeTo(0), lines: [null] });
  });

  it('of a text that nests as deeply as it is long, or after the end, are none', async () => {
    const highlighter = createHighlighter();
    const deep = [{ path: 'a.ts', text: '`${'.repeat(20_000) }];
    expect((await highlighter.highlight(deep)).length).toBe(1);
    await highlighter[Symbol.asyncDispose]();
    expect(await highlighter.highlight([{ path: 'due.ts', text: CODE }])).toEqual([null]);
  });
});
