// Each reason of a suspect is worth reading, and says nothing twice.
import { describe, expect, it } from 'vitest';
import { formatOrdinal } from '../../src/core/counted.ts';
import type { Clue } from '../../src/triage/clues.ts';
import { describeReasons } from '../../src/triage/rank-suspects.ts';
import { FIRST, factsOf } from './shop.ts';

function clue(kind: Clue['kind'], reason: string, more: Partial<Clue> = {}): Clue {
  return { kind, path: 'a.ts', line: 0, function: '', strength: 0.5, reason, ...more };
}

const said = (clues: readonly Clue[]) => describeReasons(clues).map(({ reason }) => reason);

describe('the reasons', () => {
  it('are at most three, the firmest first, however strong the others are', () => {
    const reasons = said([
      clue('use', 'holds `readLine`', { names: ['readLine'], strength: 0.9 }),
      clue('definition', 'defines `Header`', { names: ['Header'], strength: 0.8 }),
      clue('message', 'the message stands here', { strength: 0.2 }),
      clue('frame', 'innermost own frame', { strength: 0.1 }),
    ]);
    expect(reasons).toEqual(['innermost own frame', 'the message stands here', 'defines `Header`']);
  });

  it('rest on everyday words only where nothing firmer stands', () => {
    const words = clue('use', 'holds the words “case”, “perhaps”', { names: [] });
    expect(said([words, clue('frame', 'innermost own frame')])).toEqual(['innermost own frame']);
    expect(said([words])).toEqual(['holds the words “case”, “perhaps”']);
  });

  it('do not name a place twice, nor the use of what the file defines', () => {
    expect(
      said([
        clue('frame', 'frame', { line: 4 }),
        clue('place', 'same place', { line: 4 }),
        clue('place', 'other place', { line: 9 }),
      ]),
    ).toEqual(['frame', 'other place']);
    expect(
      said([
        clue('definition', 'defines `Header`', { names: ['Header'] }),
        clue('use', 'holds `Header`', { names: ['Header'] }),
      ]),
    ).toEqual(['defines `Header`']);
  });

  it('say once that traces, lines or paths of the report name the file', () => {
    expect(
      said([
        clue('frame', 'top frame of the first stack trace', { line: 4 }),
        clue('frame', 'top frame of the second stack trace', { line: 4, strength: 0.4 }),
        clue('path', 'mentioned in the report'),
      ]),
    ).toEqual(['top frame of the first stack trace']);
    expect(
      said([
        clue('place', '`a.h:12` is mentioned in the report', { line: 12 }),
        clue('place', '`a.h:5` is mentioned in the report', { line: 5, strength: 0.4 }),
        clue('definition', 'defines `Header`', { names: ['Header'] }),
      ]),
    ).toEqual(['`a.h:12` is mentioned in the report', 'defines `Header`']);
  });

  it('number frames as English does', () => {
    expect([1, 2, 3, 4, 11, 12, 13, 21, 22, 23].map(formatOrdinal).join(' ')).toBe(
      '1st 2nd 3rd 4th 11th 12th 13th 21st 22nd 23rd',
    );
  });

  it('of a crash that Node printed with its excerpt are the frame alone', async () => {
    const { suspects } = await factsOf(`The shop stops in case of a coupon, perhaps

file:///srv/shop/src/discount.ts:2
  return cart.total;
              ^

TypeError: Cannot read properties of undefined (reading 'total')
    at applyDiscount (file:///srv/shop/src/discount.ts:2:15)
`);
    expect(suspects[0]).toMatchObject({
      file: 'src/discount.ts',
      reasons: ['top frame of the stack trace in this repository'],
    });
  });
});

describe('a trace through a vendored package', () => {
  it('leads to the own frames first; the vendored one says what it is', async () => {
    const files = {
      'shop/__init__.py': '',
      'shop/models.py': 'def load(url):\n    return get(url)\n',
      'shop/packages/urllib3/response.py': 'def read(amount):\n    return fetch(amount)\n',
    };
    const { suspects } = await factsOf(
      `Traceback (most recent call last):
  File "/srv/shop/models.py", line 2, in load
    return get(url)
  File "/srv/shop/packages/urllib3/response.py", line 2, in read
    return fetch(amount)
OSError: gone
`,
      { commits: [{ sha: FIRST, subject: 'a', files }] },
    );
    expect(suspects.map(({ file, reasons }) => [file, reasons[0]])).toEqual([
      ['shop/models.py', 'top frame of the stack trace in this repository'],
      ['shop/packages/urllib3/response.py', 'frame of the stack trace, but the file is vendored'],
    ]);
  });
});

describe('a command that the reporter typed', () => {
  it('is not searched as the text of a message', async () => {
    const files = { 'src/hint.ts': "say('run shopctl auth refresh first');\n", 'src/main.ts': 'start();\n' };
    const { told } = await factsOf(
      '# panic: runtime error when trying to run `shopctl auth refresh`\n\n`shopctl auth refresh`\n',
      { commits: [{ sha: FIRST, subject: 'a', files }] },
    );
    expect(told.filter(({ action }) => action.startsWith('search "') && action.includes('auth refresh'))).toEqual([]);
  });
});
