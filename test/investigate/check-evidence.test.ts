// What of a conclusion is proven, against a model that invents.
import { describe, expect, it } from 'vitest';
import { isInformative, prepareText } from '../../src/investigate/quotation.ts';
import { checkEvidence } from '../../src/investigate/review.ts';
import { CLAIM, sampleRun } from './conclusion-samples.ts';

async function checked(over: Readonly<Record<string, unknown>>) {
  const run = await sampleRun(over);
  return checkEvidence(run.draft!, run);
}

function cites(step: number, quote: string) {
  return { rootCause: [{ ...CLAIM, places: [], citations: [{ step, quote }] }] };
}

describe('a quotation proves its claim', () => {
  it.each([
    ['copied exactly', 1, 'const { percent, minimum } = COUPONS.get(code);'],
    [
      'with the line numbers of the tool',
      1,
      '> 14 |   const { percent, minimum } = COUPONS.get(code);\n  15 |   if (cents < minimum) return 0;',
    ],
    [
      'over lines, without the line numbers',
      1,
      'export function discountFor(code, cents) {\n const { percent, minimum }',
    ],
    ['with other white space', 1, 'const  {\tpercent,\n minimum }   = COUPONS.get(code);'],
    ['of a search hit, without its place', 2, 'const off = discountFor(basket.coupon, total);'],
    ['that nothing was found', 3, 'Nothing matches'],
  ])('%s', async (_, step, quote) => {
    const { claims, faults } = await checked(cites(step, quote));
    expect(claims).toMatchObject([{ support: 'proven', citations: [{ step, quote }] }]);
    expect(faults).toEqual([]);
  });
});

describe('a quotation under the number of another step', () => {
  const quote = 'const { percent, minimum } = COUPONS.get(code);';
  const reported = { number: 1, source: 'report', action: 'read the report', result: quote, analysis: '' } as const;

  it('proves its claim by the step that shows it', async () => {
    const { claims, faults, quotations } = await checked(cites(2, quote));
    expect(claims).toMatchObject([{ support: 'proven', seenInSource: true, citations: [{ step: 1, quote }] }]);
    expect([faults, quotations]).toEqual([[], { given: 1, false: 0 }]);
  });

  it('is the repository where the report has the same words, and the report where nothing else has them', async () => {
    const run = await sampleRun(cites(2, quote));
    const [read, ...rest] = run.steps;
    const both = { ...run, steps: [reported, ...rest, { ...read!, number: 8 }] };
    expect((await checkEvidence(run.draft!, both)).claims[0]?.citations).toEqual([{ step: 8, quote }]);
    const told = await checkEvidence(run.draft!, { ...run, steps: [reported, ...rest] });
    expect(told.claims).toMatchObject([{ citations: [{ step: 1 }], seenInSource: false }]);
  });
});

it('proves something by its length where each of its words is common', () => {
  const long = prepareText('return a != a ? b == b : a !== b || (a && typeof a === 1 && b !== 1);');
  expect([isInformative(long), isInformative(prepareText('return a != a ? b == b : a'))]).toEqual([true, false]);
});

describe('a quotation proves nothing', () => {
  it.each([
    ['invented', 1, 'const coupon = undefined as never;', 'is in no result'],
    ['of a step that does not exist', 99, 'const { percent, minimum } = COUPONS.get(code);', 'there is no such step'],
    ['with words left out', 1, 'const { percent } = COUPONS.get(code);', 'is in no result'],
    ['too short', 1, 'percent', 'too short or too common'],
    ['empty', 1, '', 'too short or too common'],
    ['of common words alone', 1, ') return 0; export function', 'too short or too common'],
    ['of line numbers alone', 1, '12 | \n  13 |', 'too short or too common'],
    ['of the own query that found nothing', 3, 'normaliseCoupon(basket)', 'repeats your query'],
    ['of the own edit', 5, 'const coupon = COUPONS.get(code) ?? NO_COUPON;', 'your own'],
    ['of the own edit, read back', 6, 'const coupon = COUPONS.get(code) ?? NO_COUPON;', 'your own edit wrote it'],
  ])('%s', async (_, step, quote, fault) => {
    const { claims, dropped, faults, quotations } = await checked(cites(step, quote));
    expect(claims).toEqual([]);
    expect(dropped).toEqual([CLAIM.text]);
    expect(quotations).toEqual({ given: 1, false: 1 });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(fault);
  });

  it('of a step that failed', async () => {
    const run = await sampleRun(cites(7, 'the index of commits is broken'));
    const steps = [
      ...run.steps,
      { number: 7, kind: 'failed' as const, action: 'x', result: 'the index of commits is broken', analysis: '' },
    ];
    expect((await checkEvidence(run.draft!, { ...run, steps })).claims).toEqual([]);
  });
});

describe('without a quotation that holds', () => {
  it('a claim with an existing place is an assumption', async () => {
    const { claims } = await checked({ rootCause: [{ ...CLAIM, citations: [] }] });
    expect(claims).toMatchObject([{ support: 'assumed', citations: [] }]);
  });

  it('a claim that only links proven ones is an assumption', async () => {
    const { claims } = await checked({ rootCause: [CLAIM, { text: 'Hence the crash' }] });
    expect(claims.map(({ support }) => support)).toEqual(['proven', 'assumed']);
  });

  it('a claim with only an invented quotation is dropped, though others are proven', async () => {
    const invented = { text: 'The moon did it', citations: [{ step: 1, quote: 'moon.phase(full)' }] };
    const { claims, dropped } = await checked({ rootCause: [CLAIM, invented] });
    expect(claims).toHaveLength(1);
    expect(dropped).toEqual(['The moon did it']);
  });
});

describe('places and commits', () => {
  it('stay where the commit has them', async () => {
    const { claims, draft } = await checked({});
    expect(claims[0]?.places).toEqual([{ file: 'src/coupons.js', line: 14, seen: true }]);
    expect(draft.suspects).toHaveLength(1);
  });

  it.each([
    ['a file that is not there', 'src/invented.js', 3],
    ['a line beyond the end', 'src/coupons.js', 4_000],
    ['a path that climbs', '../../etc/passwd', 1],
    ['an absolute path', '/etc/passwd', 1],
    ['the git folder', '.git/config', 1],
  ])('%s is dropped', async (_, file, line) => {
    const asked: string[] = [];
    const run = await sampleRun({
      rootCause: [{ ...CLAIM, places: [{ file, line }] }],
      suspects: [{ file, line, function: '', why: 'x' }],
    });
    const exists = (path: string, at: number): Promise<boolean> => {
      asked.push(path);
      return run.exists(path, at);
    };
    const { claims, draft, faults } = await checkEvidence(run.draft!, { ...run, exists });
    expect(claims[0]?.places).toEqual([]);
    expect(draft.suspects).toEqual([]);
    expect(faults).toHaveLength(1);
    expect(asked).toEqual(file.startsWith('src/') ? [file] : []);
  });

  it('a commit counts only where it exists and a step showed it', async () => {
    const { draft } = await checked({
      outcome: 'already_fixed',
      fixedBy: ['B1946AC924', '484f10e70a', 'deadbeef00', 'HEAD', '--help'],
    });
    expect(draft.fixedBy).toEqual(['b1946ac924']);
  });
});
