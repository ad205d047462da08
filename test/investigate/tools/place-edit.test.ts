// Where old text is found, rule by rule; what is not certain is not placed.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeEdit } from '../../../src/investigate/tools/place-edit.ts';

function place(file: string, oldText: string, newText: string, line?: number) {
  return placeEdit(file, { oldText, newText, ...(line === undefined ? {} : { line }) });
}

/** The new text of the file, and what was overlooked. */
function placed(file: string, oldText: string, newText: string, line?: number): { text: string; note: string } {
  const placement = place(file, oldText, newText, line);
  if (placement.kind !== 'placed') throw new Error(`not placed: ${JSON.stringify(placement)}`);
  return { text: placement.text, note: placement.note };
}

const CODE = `class Shop:
    def total(self, items):
        sum = 0
        for item in items:
            sum += item.price

        return sum

    def count(self, items):
        return len(items)
`;

describe('text that is found exactly', () => {
  it('is replaced, and nothing is said', () => {
    expect(placed('a\nb\nc\n', 'b', 'B')).toEqual({ text: 'a\nB\nc\n', note: '' });
  });

  it('may be a part of a line, but never a part of a word', () => {
    expect(placed('const count = recount(1);\n', 'count', 'total').text).toBe('const total = recount(1);\n');
    expect(placed('été = é\n', 'é', 'e').text).toBe('été = e\n');
  });

  it('is any text, replaced letter for letter where it occurs once', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '(', 'é', '.'), maxLength: 15 });
    fc.assert(
      fc.property(word, word, word, (before, after, fresh) => {
        const file = `${before}x <<OLD>>${after}`;
        expect(placed(file, '<<OLD>>', `[${fresh}]`).text).toBe(`${before}x [${fresh}]${after}`);
      }),
    );
  });

  it('takes its line away with it when nothing comes in its place', () => {
    expect(placed('a\nb\nc\n', 'b', '').text).toBe('a\nc\n');
    expect(placed('a\nb\nc\n', 'b\n', '').text).toBe('a\nc\n');
    expect(placed('a\nb', 'b', '').text).toBe('a');
    expect(placed('a\n', 'a', '').text).toBe('');
  });

  it('never joins two lines because the new text has no newline at its end', () => {
    expect(placed('a\nb\nc\n', 'b\n', 'B').text).toBe('a\nB\nc\n');
  });

  it('is not placed where it occurs twice, unless a line says which', () => {
    expect(place('x = 1\ny\nx = 1\n', 'x = 1', 'x = 2')).toEqual({ kind: 'ambiguous', lines: [1, 3] });
    expect(placed('x = 1\ny\nx = 1\n', 'x = 1', 'x = 2', 3).text).toBe('x = 1\ny\nx = 2\n');
    expect(place('x = 1\ny\nx = 1\n', 'x = 1', 'x = 2', 2).kind).toBe('ambiguous');
  });

  it('counts places that overlap', () => {
    expect(place('(\n(\n(\n', '(\n(', '[').kind).toBe('ambiguous');
  });

  it('is placed where it occurs once, whichever line is given', () => {
    expect(placed('a\nb\n', 'b', 'B', 1).text).toBe('a\nB\n');
  });

  it('is the whole line where longer ones contain it as well', () => {
    expect(placed('import numpy\n"""\n>>> import numpy\n"""\n', 'import numpy', 'import pandas')).toEqual({
      text: 'import pandas\n"""\n>>> import numpy\n"""\n',
      note: '',
    });
    expect(place('x\ny x\nx\n', 'x', 'z').kind).toBe('ambiguous');
  });
});

describe('one line without its indentation', () => {
  it('lends its indentation to the new lines after it', () => {
    expect(placed(CODE, 'sum += item.price', 'if item:\n    sum += item.price')).toEqual({
      text: CODE.replace('sum += item.price', 'if item:\n                sum += item.price'),
      note: 'up to white space; the indentation of the new text was adjusted',
    });
  });

  it('does not where these are indented already', () => {
    expect(placed(CODE, 'sum += item.price', 'sum += item.price\n            sum += 1').text).toBe(
      CODE.replace('sum += item.price', 'sum += item.price\n            sum += 1'),
    );
  });
});

describe('what the file is like', () => {
  it('keeps CRLF, for new lines too, however the texts are written', () => {
    expect(placed('a\r\nb\r\nc\r\n', 'b\nc', 'B\nnew\nc').text).toBe('a\r\nB\r\nnew\r\nc\r\n');
    expect(placed('a\r\nb\r\n', 'b\r\n', 'B\r\n').text).toBe('a\r\nB\r\n');
  });

  it('keeps each line end of a file that mixes them', () => {
    expect(placed('a\r\nb\nc\r\nd\n', 'b\nc', 'b\nnew\nc').text).toBe('a\r\nb\nnew\nc\r\nd\n');
  });

  it('keeps a missing newline at the end', () => {
    expect(placed('a\nb', 'b', 'B').text).toBe('a\nB');
    expect(placed('a\r\nb', 'a', 'A\nB').text).toBe('A\r\nB\r\nb');
    expect(placed('a\nb', 'b\n', 'B\nC\n').text).toBe('a\nB\nC');
  });

  it('keeps a byte order mark, which is no indentation', () => {
    expect(placed('\ufeffa = 1\nb\n', 'a = 1', 'a = 2\nc = 3').text).toBe('\ufeffa = 2\nc = 3\nb\n');
    expect(placed('\ufeffa = 1\nb\n', '\ufeffa = 1', 'a = 2').text).toBe('\ufeffa = 2\nb\n');
    expect(placed('\ufeffif a:\n    bcdefg\n', 'if a:\n  bcdefg', 'if b:\n  bcdefg\n  c').text).toBe(
      '\ufeffif b:\n    bcdefg\n    c\n',
    );
  });

  it('keeps every byte outside of the place', () => {
    const row = fc.tuple(fc.constantFrom('', 'x', '  y', '\tz ', 'w\r'), fc.constantFrom('\n', '\r\n'));
    fc.assert(
      fc.property(fc.array(row), fc.array(row), fc.boolean(), (above, below, loose) => {
        const before = above.map((each) => each.join('')).join('');
        const after = below.map((each) => each.join('')).join('');
        const file = `${before}    needle(one)\n    needle(two)\n${after}`;
        const old = loose ? 'needle(one)\nneedle(two)' : '    needle(one)\n    needle(two)';
        const { text } = placed(file, old, old.replace('two', 'three'));
        expect(text.startsWith(before)).toBe(true);
        expect(text.endsWith(after)).toBe(true);
        expect(text.slice(before.length, text.length - after.length)).toBe('    needle(one)\n    needle(three)\n');
      }),
    );
  });
});

describe('text that is found up to white space', () => {
  it('may have lost its blanks at line ends', () => {
    expect(placed('a = 1  \nb = 2\n', 'a = 1\nb = 2', 'a = 1\nb = 3')).toEqual({
      text: 'a = 1  \nb = 3\n',
      note: expect.stringContaining('white space'),
    });
  });

  it('may have lost its indentation, which the new text then gets', () => {
    const old = 'for item in items:\n    sum += item.price';
    expect(placed(CODE, old, `${old}\n    if sum > 9:\n        break`)).toMatchObject({
      text: expect.stringContaining(
        '        for item in items:\n            sum += item.price\n            if sum > 9:\n                break\n\n',
      ),
      note: expect.stringContaining('indentation'),
    });
  });

  it('may have lost only the indentation of its first line', () => {
    const { text } = placed(
      CODE,
      'def count(self, items):\n        return len(items)',
      'def count(self, items):\n        return 0',
    );
    expect(text).toContain('    def count(self, items):\n        return 0\n');
  });

  it('may be indented by tabs where the file has blanks, and the other way round', () => {
    expect(
      placed('    if (a) {\n        call();\n    }\n', '\tif (a) {\n\t\tcall();\n\t}', '\tif (b) {\n\t\tcall();\n\t}')
        .text,
    ).toBe('    if (b) {\n        call();\n    }\n');
    expect(
      placed(
        '\tif (a) {\n\t\tcall();\n\t}\n',
        '    if (a) {\n        call();\n    }',
        '    if (b) {\n        call();\n    }',
      ).text,
    ).toBe('\tif (b) {\n\t\tcall();\n\t}\n');
  });

  it('may be broken into lines differently', () => {
    expect(placed('call(first,\n     second)\n', 'call(first, second)', 'call(second)')).toMatchObject({
      text: 'call(second)\n',
      note: expect.stringContaining('white space'),
    });
  });

  it('is not placed where it occurs twice so', () => {
    const file = 'if a:\n    return total\nif b:\n    return total\n';
    expect(place(file, '  return total', '  return 0')).toMatchObject({ kind: 'ambiguous', lines: [2, 4] });
  });

  it('is framed by empty lines that do not count', () => {
    expect(placed('a = one\nb = two\n', '\n\nb = two  \n\n', '\nb = three\n').text).toBe('a = one\nb = three\n');
  });
});

describe('text that is not found', () => {
  it('is looked for in a file that repeats itself without end, in time that does not grow with the product', () => {
    // A plain search compares these two thousand million times.
    const file = 'same line\n'.repeat(90_000);
    expect(place(file, `${'same line\n'.repeat(45_000)}other`, 'x').kind).toBe('absent');
    expect(place(file, ' same line\n'.repeat(45_000), 'x').kind).toBe('ambiguous');
  });

  it('is answered with the nearest lines and their numbers', () => {
    expect(place(CODE, 'def count(self, things):\n        return len(things)', 'x')).toMatchInlineSnapshot(`
      {
        "kind": "absent",
        "nearest": "   7 |         return sum
         8 | 
         9 |     def count(self, items):
        10 |         return len(items)",
      }
    `);
  });

  it('is answered with nothing where nothing is like it', () => {
    expect(place('a\nb\n', 'entirely different', 'x')).toEqual({ kind: 'absent', nearest: '' });
  });

  it('is no edit where it is empty or nothing changes', () => {
    expect(place('a\n', ' \n', 'x')).toMatchObject({ kind: 'refused' });
    expect(place('a\n', 'a', 'a')).toMatchObject({ kind: 'refused' });
  });
});
