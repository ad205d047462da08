import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { renderIssue } from '../../src/cli/render.ts';
import type { Outcome } from '../../src/core/issue.ts';
import { sampleIssue } from '../support/sample-issue.ts';

const PLAIN = { columns: 80, colour: false };

describe('an Issue in the terminal', () => {
  it('without a model says what, where and why, shows the code, and what to do next', () => {
    expect(renderIssue(sampleIssue(), PLAIN)).toMatchInlineSnapshot(`
      "Facts only: no model was asked

      Problem
        Checkout crashes for some coupons

        TypeError: Cannot destructure property 'percent'

      Where it points
        Most likely place: \`src/coupons.js:14\` in \`discountFor()\` (top frame of the
        trace in this repository). This is where to look; no model was used to find
        out why.

      src/coupons.js at 484f10e70a39
          12 |
          13 | export function discountFor(code, cents) {
        > 14 |   const { percent, minimum } = COUPONS.get(code);
          15 |   if (cents < minimum) return 0;
          16 |   return percentOf(cents, percent);
          17 | }

      Suspects (most likely first)
        1. src/coupons.js:14 in discountFor
           - top frame of the trace in this repository
           - defines \`coupon\`, named in the report
        2. src/checkout.js
           - 2nd project frame in the stack trace

      How to reproduce
        1. Start the shop
        2. Check out:
               curl localhost:8080/checkout -d @basket.json

      What next
        1. Read \`src/coupons.js:14\`. Ask which value there leads to the error.
        2. Send the report again with a model configured (OPENAI_API_KEY or
           OPENAI_BASE_URL).

      2 steps (all in --json) · commit 484f10e70a39
      "
    `);
  });

  it('in colour is the same text', () => {
    const coloured = renderIssue(sampleIssue(), { columns: 80, colour: true });
    expect(coloured.split('\n').slice(0, 4)).toMatchInlineSnapshot(`
      [
        "[1m[33mFacts only: no model was asked[39m[22m",
        "",
        "[1mProblem[22m",
        "  Checkout crashes for some coupons",
      ]
    `);
    expect(stripVTControlCharacters(coloured)).toBe(renderIssue(sampleIssue(), PLAIN));
  });

  it('fits a narrow terminal, but for code, paths and addresses', () => {
    const lines = renderIssue(sampleIssue(), { columns: 48, colour: false }).split('\n');
    expect(lines.filter((line) => line.length > 48)).toEqual(['         curl localhost:8080/checkout -d @basket.json']);
  });

  it('with a fix says how sure it is, and what is changed', () => {
    const changes = [
      { type: 'modify', lines: [{ lineNumber: 14, oldCode: 'a', newCode: 'b\nc' }] },
      { type: 'delete', lines: [{ lineNumber: 20, oldCode: 'd', newCode: '' }] },
      { type: 'add', lines: [{ lineNumber: 30, oldCode: '', newCode: 'e' }] },
    ] as const;
    const issue = sampleIssue(
      { diff: { files: [{ fileName: 'src/coupons.js', changes, status: 'modified' }] } },
      { outcome: 'code_fix', confidence: 0.86, model: 'some-model', partial: true },
    );
    const text = renderIssue(issue, PLAIN);
    expect(text).toMatch(/^Cause found, with a fix · partial · confidence 86 %\n/);
    expect(text).toContain('\nRoot cause\n');
    expect(text).toContain(
      '\nChange (--patch FILE writes it)\n  src/coupons.js +3 -2\n    line 14\n    - a\n    + b\n    + c\n',
    );
    expect(text).toContain('\nRemarks\n  No model was asked.\n');
    expect(text).toContain('some-model · 0 turns, 0 tokens,');
  });

  it('that knows little holds no empty section', () => {
    const empty = { stepsToReproduce: [], solutionSteps: [], investigationSteps: [], problem: '' };
    const issue = sampleIssue(empty, { suspects: [], questions: ['Which version is it?'] });
    expect(renderIssue(issue, PLAIN)).toMatchInlineSnapshot(`
      "Facts only: no model was asked

      Where it points
        Most likely place: \`src/coupons.js:14\` in \`discountFor()\` (top frame of the
        trace in this repository). This is where to look; no model was used to find
        out why.

      Questions
        - Which version is it?

      0 steps (all in --json) · commit 484f10e70a39
      "
    `);
  });

  it('names at most five suspects, and how many more there are', () => {
    const suspects = Array.from({ length: 8 }, (_, at) => ({
      file: `src/${at}.js`,
      line: at,
      function: '',
      score: 0.5,
      reasons: [],
    }));
    const text = renderIssue(sampleIssue({}, { suspects }), PLAIN);
    expect(text).toContain('5. src/4.js:4\n  and 3 more (--json lists all)');
  });

  it('cannot be used to drive the terminal, wherever the text stands', () => {
    const evil = '\u001b]0;x\u0007\u001b[2J\u009b2J\u202e';
    const issue = sampleIssue(
      {
        problem: evil,
        rootCause: evil,
        stepsToReproduce: [{ stepNumber: 1, description: `\`\`\`\n${evil}\n\`\`\`` }],
        solutionSteps: [{ stepNumber: 1, description: evil }],
        diff: { files: [{ fileName: evil, changes: [] }] },
        investigationSteps: [{ action: `read ${evil}`, result: `> 14 | ${evil}`, analysis: '' }],
      },
      {
        suspects: [{ file: evil, line: 14, function: evil, score: 1, reasons: [evil] }],
        questions: [evil],
        model: evil,
      },
    );
    const text = renderIssue(issue, PLAIN);
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(text).toContain('> 14 | ␛]0;x␇␛[2J');
  });

  it.each<[Outcome, string]>([
    ['action_recommended', 'Cause found, with something to do'],
    ['needs_information', 'More information is needed'],
    ['already_fixed', 'Already fixed'],
    ['not_a_bug', 'Not a bug'],
    ['inconclusive', 'Inconclusive'],
  ])('of outcome %s begins with it', (outcome, headline) => {
    expect(renderIssue(sampleIssue({}, { outcome }), PLAIN).split('\n')[0]).toBe(headline);
  });
});
