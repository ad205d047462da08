// Every kind of fake secret of the corpus in every wrapping; the long count is `npm run bench -- redaction`.
import { afterAll, describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/redact/redactor.ts';
import { KINDS, leaks, sample, seeded, WRAPPINGS } from './corpus/kinds.ts';

const redactor = createRedactor({ exactValues: () => [] });
afterAll(() => redactor[Symbol.asyncDispose]());

/** Per cent. Line breaks hide some: a first half may look like a word, and the second like the next line. */
const LEAST = { split: 92, others: 99 };

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
