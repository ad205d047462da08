// Every kind of fake secret of the corpus in every wrapping; the long count is `npm run bench -- redaction`.
import { afterAll, describe, expect, it } from 'vitest';
import { createRedactor } from '../src/redactor.ts';
import { COOKIES } from './corpus/cookies.ts';
import { FORMS } from './corpus/forms.ts';
import { everyLine, KINDS, leaks, sample, seeded, WRAPPINGS } from './corpus/kinds.ts';
import { FOREIGN_NAMES } from './corpus/languages.ts';

const redactor = createRedactor({ exactValues: () => [] });
afterAll(() => redactor[Symbol.asyncDispose]());

/** Per cent. Line breaks hide some: a first half may look like a word, and the second like the next line. */
const LEAST = { split: 92, others: 99 };

/** On Windows, in colour as terminals show JSON, at the end of the text. */
function asCrlf({ before, secret, after }: { before: string; secret: string; after: string }): string {
  return `npm test\r\n${before}\x1b[32m${secret}\x1b[39m${after}`.replaceAll(/\r?\n/g, '\r\n');
}

describe.each(WRAPPINGS)('of the kinds in the corpus, $name', ({ name, wrap }) => {
  it('as good as none can be read', async () => {
    const read: string[] = [];
    for (const [turn, kind] of KINDS.entries()) {
      const random = seeded(turn + 1);
      const { secret, placed } = sample(kind, turn, random);
      if (leaks(await redactor.redact(wrap(placed, random)), secret)) read.push(kind.name);
    }
    const allowed = KINDS.length * (1 - (name.startsWith('split') ? LEAST.split : LEAST.others) / 100);
    expect(read.length, read.join(', ')).toBeLessThanOrEqual(allowed);
  });

  it('hides nothing from the measurement itself', () => {
    const missed = KINDS.filter((kind, turn) => {
      const random = seeded(turn + 1);
      const { secret, placed } = sample(kind, turn, random);
      return !leaks(wrap(placed, random), secret);
    });
    expect(missed.map((kind) => kind.name)).toEqual([]);
  });
});

/** Those whose form is published; each in every line in which it is usual. */
it.each([
  ['tokens known by their form', FORMS.map(([name]) => name)],
  ['spellings of a cookie', COOKIES.map(([name]) => `cookie: ${name}`)],
  ['names in other languages', FOREIGN_NAMES.map(([language]) => `in ${language}`)],
])('of %s not one is left, in any line', async (_, names) => {
  const left: string[] = [];
  for (const kind of KINDS.filter(({ name }) => names.includes(name))) {
    for (const [at, line] of everyLine(kind).entries()) {
      const { secret, placed } = sample(line, 0, seeded(at + 1));
      for (const shown of [placed.before + placed.secret + placed.after, asCrlf(placed)]) {
        if (leaks(await redactor.redact(shown), secret)) left.push(`${kind.name}: ${line.line}`);
      }
    }
  }
  expect([...new Set(left)]).toEqual([]);
});
