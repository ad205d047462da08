// The message of a commit of ours: what it says, and that foreign words in it do nothing.
import { describe, expect, it } from 'vitest';
import { renderCommitMessage, renderTestCommitMessage } from '../../../src/github/render/pull-request.ts';
import { sampleIssue } from '../../support/sample-issue.ts';
import { sourced } from './comment-samples.ts';

describe('a commit message', () => {
  it('says the problem and the cause, without step marks', () => {
    const issue = sampleIssue({
      rootCause: 'A coupon that is not in the map gives `undefined` [step 2]. It is destructured [step 3][step 4].',
    });
    expect(renderCommitMessage(sourced(issue), { kind: 'issue', number: 7 })).toMatchInlineSnapshot(`
      {
        "body": "A coupon that is not in the map gives undefined. It is destructured.

      Proposed by Causeway from an issue; see the pull request for the evidence.",
        "headline": "Fix: Checkout crashes for some coupons",
      }
    `);
  });

  it('says what changes where the model gave a title, in at most 72 characters', () => {
    const of = (changeTitle: string) => {
      const issue = { ...sourced(sampleIssue({})), changeTitle };
      const subject = { kind: 'issue', number: 7 } as const;
      return [renderCommitMessage(issue, subject), renderTestCommitMessage(issue)].map(({ headline }) => headline);
    };
    expect(of('Accept coupon codes in any case')).toEqual([
      'Accept coupon codes in any case',
      'Test: Accept coupon codes in any case',
    ]);
    expect(of('x'.repeat(72))).toEqual(['x'.repeat(72), 'Test: Checkout crashes for some coupons']);
    expect(of('`*`')).toEqual(['Fix: Checkout crashes for some coupons', 'Test: Checkout crashes for some coupons']);
  });

  it('takes no orders from the report', () => {
    const problem = 'Fixes #12 @octo/team [skip ci] https://github.com/octo/shop/issues/1';
    const rootCause = 'Bad.\n\nCo-authored-by: Eve <eve@evil.example>\nskip-checks: true';
    const { headline, body } = renderCommitMessage(sourced(sampleIssue({ problem, rootCause })), {
      kind: 'report',
      issueId: 'iss_1',
    });
    expect(headline).not.toMatch(/@|#\d|:\/\/|\[|\]|[\w-]+-by\s*:|skip-checks/);
    expect(headline.length).toBeLessThanOrEqual(72);
    expect(body).not.toMatch(/@|#\d|\[|-by:|skip-checks/);
    expect(body.split('\n')).toHaveLength(3);
  });
});
