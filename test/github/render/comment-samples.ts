// What comments are rendered from in tests: a shop whose checkout fails for some coupons.
import { type ChangeSet, toDiff } from 'causeway-diff';
import type { Analysis, Issue } from '../../../src/core/issue/issue.ts';
import { addSources, type SourcedIssue } from '../../../src/core/issue/shown-issue.ts';
import type { StepSource } from '../../../src/core/report/evidence.ts';
import type { PostPlace } from '../../../src/github/render/comment.ts';
import { sampleIssue } from '../../support/sample-issue.ts';

export const PLACE: PostPlace = {
  repository: 'octo/shop',
  webUrl: 'https://github.com',
  isPublic: true,
  subject: { kind: 'issue', number: 7 },
  marker: '<!-- causeway thread=thr_1 investigation=inv_1 kind=result -->',
  askedBy: 'mona',
};

export const CHANGE: ChangeSet = {
  base: '484f10e70a3914051ff7d7630554df508f846450',
  files: [
    {
      kind: 'modified',
      path: 'src/coupons.js',
      before: 'export function discountFor(code, cents) {\n  const { percent } = COUPONS.get(code);\n}\n',
      after: 'export function discountFor(code, cents) {\n  const { percent } = COUPONS.get(code) ?? NONE;\n}\n',
    },
  ],
};

/** As the tools say it: a monitoring tool is called `server__tool`. */
export function sourced(issue: Issue): SourcedIssue {
  const sources = issue.investigationSteps.map(({ action }): StepSource => {
    if (action.startsWith('ci_log')) return 'log';
    return action.includes('__') ? 'monitoring' : 'repository';
  });
  return addSources(issue, sources);
}

/** A model found the cause and mended it. */
export function fixedIssue(over: Partial<Issue> = {}, analysis: Partial<Analysis> = {}): SourcedIssue {
  return sourced(
    sampleIssue(
      {
        rootCause:
          '`COUPONS.get` gives `undefined` for a code that is not in the map (src/coupons.js:14) [step 2]. The checkout hands on what the customer typed [step 3]. Assumption: nobody tried an unknown code.',
        stepsToReproduce: [{ stepNumber: 1, description: 'Check out with the coupon `NOPE`.' }],
        solutionSteps: [{ stepNumber: 1, description: 'Fall back to no discount for a code that is not known.' }],
        diff: toDiff(CHANGE),
        investigationSteps: [
          // People are not shown the expressions that a search by form was made with.
          ...sampleIssue().investigationSteps.map((step) => ({
            ...step,
            result: `${step.result}\nexpression: /percent/`,
          })),
          {
            action: 'ci_log: find "TypeError"',
            result: "12: TypeError: Cannot destructure property 'percent'\n[3 more hits]",
            analysis: 'Found and read.',
          },
        ],
        ...over,
      },
      {
        outcome: 'code_fix',
        confidence: 0.92,
        model: 'gpt-test',
        reason: 'Every claim is proven.',
        usage: {
          turns: 5,
          promptTokens: 14_000,
          cachedTokens: 9_000,
          completionTokens: 512,
          costUsd: 0.043,
          seconds: 41.6,
        },
        ...analysis,
      },
    ),
  );
}
