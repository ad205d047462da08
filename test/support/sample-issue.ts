// An Issue as an investigation without a model gives it, to be changed by each test.
import type { Analysis, Issue } from '../../src/core/issue/issue.ts';

const REVISION = '484f10e70a3914051ff7d7630554df508f846450';

const ANALYSIS: Analysis = {
  investigationId: 'inv_1',
  reference: '',
  origin: 'cli',
  report: 'It crashes',
  revision: REVISION,
  outcome: 'facts_only',
  partial: false,
  reason: 'No model was asked.',
  verdict: null,
  confidence: null,
  ownership: null,
  suspects: [
    {
      file: 'src/coupons.js',
      line: 14,
      function: 'discountFor',
      score: 0.9,
      reasons: ['top frame of the trace in this repository', 'defines `coupon`, mentioned in the report'],
    },
    { file: 'src/checkout.js', line: 0, function: '', score: 0.4, reasons: ['further out in the stack trace'] },
  ],
  citations: [],
  guards: [],
  questions: [],
  claims: [],
  sameAs: null,
  model: null,
  usage: { turns: 0, promptTokens: 0, cachedTokens: 0, completionTokens: 0, costUsd: 0, seconds: 1 },
  links: { comment: null, checkRun: null, pullRequest: null },
  proof: null,
  outcomes: null,
  context: [],
  secondLook: null,
};

const ISSUE: Issue = {
  id: 'iss_1',
  projectId: 'prj_1',
  problem: "Checkout crashes for some coupons\n\nTypeError: Cannot destructure property 'percent'",
  rootCause: 'Most likely place: `src/coupons.js:14` in `discountFor()` (top frame of the trace in this repository).',
  stepsToReproduce: [
    { stepNumber: 1, description: 'Start the shop' },
    { stepNumber: 2, description: 'Check out:\n```sh\ncurl localhost:8080/checkout -d @basket.json\n```' },
  ],
  solutionSteps: [
    { stepNumber: 1, description: 'Read `src/coupons.js:14`. Ask which value there leads to the error.' },
    {
      stepNumber: 2,
      description: 'Send the report again with a model configured (OPENAI_API_KEY or OPENAI_BASE_URL).',
    },
  ],
  diff: { files: [] },
  investigationSteps: [
    { action: 'read the report', result: 'errors: TypeError', analysis: 'It holds 7 stack frames.' },
    {
      action: 'read src/coupons.js:9-17 at 484f10e',
      result: [
        '  12 | ',
        '  13 | export function discountFor(code, cents) {',
        '> 14 |   const { percent, minimum } = COUPONS.get(code);',
        '  15 |   if (cents < minimum) return 0;',
        '  16 |   return percentOf(cents, percent);',
        '  17 | }',
      ].join('\n'),
      analysis: 'Line 14 is the place that the facts name.',
    },
  ],
  createdAt: '2025-03-01T12:00:00.000Z',
  analysis: ANALYSIS,
};

export function sampleIssue(over: Partial<Issue> = {}, analysis: Partial<Analysis> = {}): Issue {
  return { ...ISSUE, ...over, analysis: { ...ANALYSIS, ...analysis } };
}
