// A run over a small shop, concluded well; each test spoils what it is about.

import type { FileChange } from 'causeway-diff';
import type { Conclusion } from '../../src/core/issue/issue.ts';
import type { FinishedRun } from '../../src/investigate/conclude.ts';
import { type ConclusionDraft, parseDraft } from '../../src/investigate/conclusion-draft.ts';
import { type GuardGround, guardChange } from '../../src/investigate/guard-change.ts';

export const BASE = '484f10e70a3914051ff7d7630554df508f846450';
const FIX = 'b1946ac92492d2347c6235b4d2611184b1946ac9';

export const STEPS: FinishedRun['steps'] = [
  {
    number: 1,
    action: 'read src/coupons.js:12-15 at 484f10e',
    result: [
      '  12 | ',
      '  13 | export function discountFor(code, cents) {',
      '> 14 |   const { percent, minimum } = COUPONS.get(code);',
      '  15 |   if (cents < minimum) return 0;',
    ].join('\n'),
    analysis: 'An unknown code gives undefined.',
  },
  {
    number: 2,
    action: 'search "discountFor" at 484f10e',
    result: 'src/checkout.js:30: const off = discountFor(basket.coupon, total);',
    analysis: 'One caller.',
  },
  {
    number: 3,
    kind: 'nothing',
    action: 'search "normaliseCoupon(basket)" at 484f10e',
    result: 'Nothing matches "normaliseCoupon(basket)".',
    analysis: '',
  },
  {
    number: 4,
    lookup: 'history',
    action: 'history of src/coupons.js',
    result: `${FIX.slice(0, 10)} 2025-01-01 guard against unknown coupons`,
    analysis: '',
  },
  {
    number: 5,
    kind: 'edit',
    action: 'replace in src/coupons.js',
    result: 'placed:\n  14 |   const coupon = COUPONS.get(code) ?? NO_COUPON;',
    analysis: '',
  },
  {
    number: 6,
    action: 'read src/coupons.js:14 with the edits',
    result: '  14 |   const coupon = COUPONS.get(code) ?? NO_COUPON;',
    analysis: '',
  },
];

export const CLAIM = {
  text: 'An unknown code makes the lookup give undefined, which cannot be taken apart',
  citations: [{ step: 1, quote: 'const { percent, minimum } = COUPONS.get(code);' }],
  places: [{ file: 'src/coupons.js', line: 14 }],
};

const DRAFT = {
  outcome: 'code_fix',
  problem: 'Checkout crashes for an unknown coupon.',
  rootCause: [CLAIM],
  stepsToReproduce: ['Check out with the coupon NOPE.'],
  solutionSteps: ['Treat an unknown coupon as none.'],
  questions: [],
  suspects: [{ file: 'src/coupons.js', line: 14, function: 'discountFor', why: 'takes apart what may be undefined' }],
  ruledOut: [],
  fixedBy: [],
};

export function draftJson(over: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ ...DRAFT, ...over });
}

export function sampleDraft(over: Readonly<Record<string, unknown>> = {}): ConclusionDraft {
  const parsed = parseDraft(draftJson(over));
  if (parsed.kind === 'fault') throw new Error(parsed.fault);
  return parsed.draft;
}

export const FACTS: Conclusion = {
  problem: 'It crashes',
  rootCause: 'The facts point at `src/coupons.js:14`. No model was asked.',
  stepsToReproduce: [{ stepNumber: 1, description: 'Check out' }],
  solutionSteps: [{ stepNumber: 1, description: 'Read `src/coupons.js:14`.' }],
  changeSet: { base: BASE, files: [] },
  investigationSteps: [],
  analysis: {
    revision: BASE,
    outcome: 'facts_only',
    partial: false,
    reason: 'No model was asked.',
    verdict: null,
    confidence: null,
    suspects: [
      {
        file: 'src/coupons.js',
        line: 14,
        function: 'discountFor',
        score: 0.9,
        reasons: ['top frame of the trace in this repository'],
      },
      { file: 'src/money.js', line: 0, function: '', score: 0.2, reasons: ['shares words with the report'] },
    ],
    citations: [],
    claims: [],
    guards: [],
    questions: ['Which coupon was it?'],
    model: null,
    usage: { turns: 0, promptTokens: 0, cachedTokens: 0, completionTokens: 0, costUsd: 0, seconds: 1 },
    links: { comment: null, checkRun: null, pullRequest: null },
  },
};

export const FIXED: FileChange = {
  kind: 'modified',
  path: 'src/coupons.js',
  before: 'a\n  const { percent, minimum } = COUPONS.get(code);\n',
  after: 'a\n  const coupon = COUPONS.get(code) ?? NO_COUPON;\n',
};

export const OPEN_GROUND: GuardGround = {
  entries: [
    { path: 'src/coupons.js', kind: 'file' },
    { path: 'src/link', kind: 'symlink' },
    { path: 'vendor/lib', kind: 'submodule' },
  ],
  mayTouch: () => true,
  isParsable: async () => true,
  redact: async (text) => text,
};

const LINES: Readonly<Record<string, number>> = { 'src/coupons.js': 40, 'src/checkout.js': 60, 'src/money.js': 10 };

/** A finished run whose change has passed the guards. */
export async function sampleRun(
  draft: Readonly<Record<string, unknown>> | null = {},
  over: Partial<FinishedRun> = {},
  files: readonly FileChange[] = [FIXED],
): Promise<FinishedRun> {
  const changeSet = { base: BASE, files };
  return {
    draft: draft === null ? null : sampleDraft(draft),
    facts: FACTS,
    framed: ['src/coupons.js'],
    steps: STEPS,
    changeSet,
    guarded: await guardChange(changeSet, OPEN_GROUND),
    exists: async (file, line) => line <= (LINES[file] ?? -1),
    commitExists: async (sha) => FIX.startsWith(sha) || BASE.startsWith(sha),
    usage: { turns: 3, promptTokens: 10, cachedTokens: 5, completionTokens: 2, costUsd: 0.01, seconds: 4 },
    model: 'scripted',
    partial: false,
    reason: null,
    ...over,
  };
}
