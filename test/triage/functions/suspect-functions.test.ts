// Suspects get their function and line; what a frame or the report itself names is left as it is.
import { describe, expect, it } from 'vitest';
import type { InvestigationStep } from '../../../src/core/report/evidence.ts';
import { addFunctions, findSuspectFunctions } from '../../../src/triage/functions/rank-functions.ts';
import { createNotebook } from '../../../src/triage/lookups.ts';
import { createPathIndex } from '../../../src/triage/paths.ts';
import type { RankedSuspect } from '../../../src/triage/ranked.ts';
import { createMemoryRepository, type MemoryOptions } from '../../support/memory-source.ts';

const SHA = 'a'.repeat(40);
const FILES = {
  'cart.py':
    'def add(thing):\n    keep(thing)\n\n\ndef total(coupon):\n    all = 1\n    return all - coupon.discount\n',
  'mail.py': 'def send(coupon):\n    connect(coupon)\n',
};
const REPORT = { report: 'The discount of a coupon', title: 'The discount of a coupon', traces: [], mapped: [] };

function suspect(file: string, more: Partial<RankedSuspect> = {}): RankedSuspect {
  const known = { evidence: 'words', isFramed: false, isNamed: false, lineFrom: '' } as const;
  return { file, line: 0, function: '', score: 0.5, reasons: [], told: [], ...known, ...more };
}

async function look(
  suspects: readonly RankedSuspect[],
  before?: MemoryOptions['before'],
  files: Readonly<Record<string, string>> = FILES,
) {
  const steps: InvestigationStep[] = [];
  const options = { commits: [{ sha: SHA, subject: 'all', files }] };
  const repository = createMemoryRepository(before ? { ...options, before } : options);
  const tree = repository.tree(SHA);
  const signal = new AbortController().signal;
  const ground = { index: createPathIndex(await tree.files(signal)), packages: [] };
  const notebook = createNotebook(async (step) => void steps.push(step));
  const ranked = await findSuspectFunctions({
    lookups: { repository, tree, ground, notebook, signal },
    report: REPORT,
    suspects,
    linesHold: true,
  });
  return { ranked, steps };
}

describe('functions of suspects', () => {
  it('are ranked over all their files, in one step that says which', async () => {
    const { ranked, steps } = await look([suspect('cart.py'), suspect('mail.py')]);
    expect(ranked.map(({ name }) => name)).toEqual(['total', 'send', 'add']);
    expect(steps).toHaveLength(1);
    expect(steps[0]?.action).toBe('rank functions of the first 2 suspects at aaaaaaa');
    expect(steps[0]?.result).toContain('1. total (cart.py:5-7, 1.00): ');
  });

  it('give suspects their function and line, but leave a firm place', async () => {
    const suspects = [
      suspect('cart.py', { line: 1, function: 'add' }),
      suspect('mail.py', { line: 9, function: '' }),
      suspect('gone.py', { line: 3 }),
    ];
    const { ranked } = await look(suspects);
    expect(addFunctions(suspects, ranked)).toEqual([
      { ...suspects[0], line: 7, function: 'total' },
      { ...suspects[1], line: 1, function: 'send' },
      suspects[2],
    ]);
    const firm = suspect('cart.py', { line: 1, function: 'add', evidence: 'firm' });
    expect(addFunctions([firm], ranked)).toEqual([firm]);
    const inside = suspect('cart.py', { line: 6, function: '' });
    expect(addFunctions([inside], ranked)[0]).toMatchObject({ line: 6, function: 'total' });
    expect(addFunctions([suspect('cart.py', { evidence: 'firm' })], ranked)[0]).toMatchObject({ line: 7 });
    const compiled = suspect('cart.py', { function: 'add', evidence: 'firm', isFramed: true });
    expect(addFunctions([compiled], ranked)).toEqual([compiled]);
  });

  it('are not named where words alone choose between some that are as likely', async () => {
    const files = {
      'cart.py': 'def first(coupon):\n    keep(coupon)\n\n\ndef other(coupon):\n    save(coupon)\n',
      'mail.py': FILES['mail.py'],
    };
    const suspects = [suspect('cart.py', { line: 6 }), suspect('mail.py')];
    const { ranked } = await look(suspects, undefined, files);
    expect(addFunctions(suspects, ranked)).toMatchObject([
      { file: 'cart.py', line: 0, function: '' },
      { file: 'mail.py', line: 1, function: 'send' },
    ]);
    const inside = suspect('cart.py', { line: 2 });
    expect(addFunctions([inside], ranked)).toMatchObject([{ line: 2, function: 'first' }]);
    const defined = suspect('cart.py', { line: 5, function: 'other', evidence: 'names', lineFrom: 'definition' });
    expect(addFunctions([defined], ranked)).toEqual([defined]);
  });

  it('are those of the other files where one cannot be read', async () => {
    const { ranked, steps } = await look([suspect('cart.py'), suspect('mail.py')], (lookup) => {
      if (lookup === 'read cart.py') throw new Error('damaged');
    });
    expect(ranked.map(({ name }) => name)).toEqual(['send']);
    expect(steps.map(({ action }) => action)).toEqual(['outline cart.py', expect.stringContaining('first 1 suspects')]);
  });
});
