// What check runs are rendered from in tests: a pull request whose checks are red since the checkout fails for some coupons.
import type { Failure, Sighting } from '../../../src/core/check/failure.ts';
import type { Finding, HeadPlace } from '../../../src/core/check/head.ts';
import type { CheckRunContent, ShownCause } from '../../../src/github/render/check-run-title.ts';
import { CHANGE, fixedIssue } from './comment-samples.ts';

export const HEAD = CHANGE.base;
export const CHECK_URL = 'https://github.com/octo/shop/actions/runs/1/job/2';

const ADA = { id: 7, login: 'ada' };

export const PULL: HeadPlace & { readonly kind: 'pull_request' } = {
  ...{ kind: 'pull_request', number: 5, branch: 'topic', base: { branch: 'main', sha: 'b'.repeat(40) }, sha: HEAD },
  ...{ isQueue: false, isFork: false, isDraft: false, author: ADA, isTrusted: true },
};
export const DEFAULT: HeadPlace = { kind: 'default', branch: 'main', pushedBy: ADA };

export function finding(over: Partial<Finding> = {}): Finding {
  return {
    ...{ failureId: 'fal_1', investigationId: null, threadId: null, isOwnThread: false, notBegun: null },
    checks: [{ name: 'test (20)', runId: 2, url: CHECK_URL, isRed: true }],
    ...{ verdict: 'code', isTouched: true },
    reasons: [
      { code: 'touched', paths: ['src/coupons.js'] },
      { code: 'green_on_base', check: '' },
    ],
    standing: 'new',
    excerpt: {
      step: 'npm test',
      headline: "TypeError: Cannot destructure property 'percent'",
      lines: ['> node --test', "TypeError: Cannot destructure property 'percent'", '    at src/coupons.js:2:11'],
      cut: '812 lines before',
      tests: ['checkout › takes a coupon'],
    },
    places: [{ path: 'src/coupons.js', line: 2, message: "Cannot destructure property 'percent'" }],
    ...over,
  };
}

function sighting(over: Partial<Sighting> = {}): Sighting {
  return {
    ...{
      key: 'k',
      sha: HEAD,
      branch: 'topic',
      pullRequest: 5,
      isOnDefault: false,
      isTrusted: true,
      checkName: 'test (20)',
    },
    app: 'github-actions',
    ...{ verdict: 'code', at: '2026-11-18T10:00:00.000Z', ...over },
  };
}

export function failure(over: Partial<Failure> = {}): Failure {
  return {
    ...{ id: 'fal_1', projectId: 'prj_1', fingerprint: 'f', headline: 'TypeError', state: 'open', opening: 1 },
    ...{ isOnDefault: false, hits: 1, flakyHits: 0, firstSeen: sighting(), lastSeen: sighting() },
    ...{ checkNames: ['test (20)'], branches: ['topic'], pullRequests: [5], investigationId: null, threadId: null },
    ...{ closed: null, range: null, ...over },
  };
}

/** Seen first at a push to the default branch, with the commits that it came with. */
export function knownFailure(over: Partial<Failure> = {}): Failure {
  return failure({
    firstSeen: sighting({ sha: 'c'.repeat(40), branch: 'main', pullRequest: null, isOnDefault: true }),
    hits: 12,
    isOnDefault: true,
    range: {
      ...{ from: 'd'.repeat(40), to: 'c'.repeat(40), total: 7 },
      commits: [{ sha: 'c'.repeat(40), author: 'wren', subject: 'Take coupons in any case' }],
    },
    ...over,
  });
}

export function cause(over: Partial<ShownCause> = {}): ShownCause {
  return {
    ...{ finding: finding(), failure: failure(), inquiry: { kind: 'none' }, reportUrl: '', fix: { kind: 'none' } },
    ...over,
  };
}

export function foundInquiry(...issue: Parameters<typeof fixedIssue>): ShownCause['inquiry'] {
  return { kind: 'concluded', issue: fixedIssue(...issue), changeSet: CHANGE, recordUrl: '' };
}

export function ground(
  over: Partial<CheckRunContent> = {},
  head: Partial<CheckRunContent['head']> = {},
): CheckRunContent {
  return {
    ...{ repository: 'octo/shop', webUrl: 'https://github.com', isPublic: true, defaultBranch: 'main' },
    head: { sha: HEAD, state: 'red', place: PULL, leftOut: [], stillWaiting: [], ...head },
    causes: [cause()],
    ...over,
  };
}
