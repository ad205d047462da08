// What a pull request and the comment about it say of its checks: one thing, from one state.
import { describe, expect, it } from 'vitest';
import type { ProofProgress, ProofVerdict } from '../../../src/core/proof/proof.ts';
import { toProof } from '../../../src/core/proof/proof-view.ts';
import type { ChecksState } from '../../../src/core/thread/thread.ts';
import { renderPullRequest } from '../../../src/github/render/pull-request.ts';
import { fixedIssue, PLACE } from './comment-samples.ts';

const SAID = {
  waiting: "CI hasn't finished on this commit.",
  green: 'CI passes on this commit.',
  red: 'CI is failing on this commit.',
  none: 'There is no CI result on this commit.',
  moved: 'Others have pushed since, so CI is no longer tracked here.',
} as const satisfies Record<ChecksState, string>;
const STATES = Object.keys(SAID) as ChecksState[];

const commits = { base: 'b'.repeat(40), testCommit: 't'.repeat(40) };
const ended = (verdict: ProofVerdict): ProofProgress => ({
  ...{ ...commits, phase: 'ended', fixCommit: 'f'.repeat(40), verdict, diffHash: '' },
});
const NO_CI = ended({ state: 'not_run', because: 'no_ci', tests: ['test/cart.test.js'] });
const SEEN = { kind: 'with_fix', because: 'no_ci', checks: ['CI'] } as const;
const WITH_FIX = ended({ state: 'not_covered', seen: SEEN });
const STILL_RED = ended({ state: 'fails_otherwise', because: { code: 'still_red', checks: ['CI'] } });

function render(proof: ProofProgress | null, checks: ChecksState, state: 'open' | 'merged' | 'closed' = 'open') {
  const issue = fixedIssue({}, { confidence: 0.79 });
  const { title, body } = renderPullRequest({
    ...{ place: PLACE, issue, requestedBy: 'mona', commentUrl: '', attempt: null, failure: null, isForPush: false },
    ...{ checks, proof, posted: { number: 12, url: 'https://github.com/octo/shop/pull/12', state } },
  });
  return { title, body, open: body.split('<details>')[0] ?? '' };
}

function listSaid(text: string): readonly string[] {
  return Object.values(SAID).filter((sentence) => text.includes(sentence));
}

describe('a pull request', () => {
  it.each(STATES)('without a proof says what its checks are: %s', (checks) => {
    expect(listSaid(render(null, checks).open)).toEqual([SAID[checks]]);
  });

  it.each(STATES)('of a repository without CI says that alone: %s', (checks) => {
    const { open } = render(NO_CI, checks);
    expect(open).toContain('**Not verified:** this repository has no CI.');
    expect([listSaid(open), open.includes('not_run')]).toEqual([[], false]);
  });

  it('where CI was not run says nothing else of checks, whatever the reason', () => {
    for (const because of ['no_checks', 'unseen', 'too_long', 'no_drafts', 'drafts_off', 'closed', 'pushed'] as const) {
      for (const checks of STATES) {
        expect(listSaid(render(ended({ state: 'not_run', because }), checks).open)).toEqual([]);
      }
    }
  });

  it.each([
    ['green', [SAID.green]],
    ['red', [SAID.red]],
    ['waiting', [SAID.waiting]],
    ['none', []],
  ] as const)('whose CI ran only with the fix says so, and how it ended: %s', (checks, said) => {
    const { open } = render(WITH_FIX, checks);
    expect(open).toContain('no CI was found when this was opened; CI was only seen with the fix');
    expect(listSaid(open)).toEqual(said);
  });

  it('says while it is being proven only that', () => {
    const proving: ProofProgress = { ...commits, phase: 'red', since: '2026-11-26T12:00:00Z', hasRepeated: false };
    for (const checks of STATES) expect(listSaid(render(proving, checks).open)).toEqual([]);
  });

  it.each(['merged', 'closed'] as const)('that was %s while its checks ran does not wait for them', (state) => {
    const { open } = render(null, 'waiting', state);
    expect(open).toContain(`CI hadn't finished when this was ${state}.`);
    expect(listSaid(open)).toEqual([]);
  });
});

describe('a pull request whose checks still fail after the last attempt', () => {
  const { title, open } = render(STILL_RED, 'red');

  it('is not titled, headed or closing as a fix, and is no surer than its checks', () => {
    expect(title).toBe('Unfinished fix: Checkout crashes for some coupons');
    expect(open).toContain('**Possible cause, and a change with which CI still fails · confidence 40 %');
    expect(open).toContain('Related to #7; this may not fix it completely.');
    expect(open).not.toMatch(/^Fixes #|Cause found|79 %/m);
  });

  it('names the checks once', () => {
    expect(open).toContain('**Not proven:** with the fix, checks still fail: “CI”.');
    expect(listSaid(open)).toEqual([]);
    expect(toProof(STILL_RED)).toMatchObject({ failing: ['CI'] });
  });
});

it('says how the test can be run with what GitHub has of the pull request', () => {
  const { body } = render(NO_CI, 'none');
  expect(body).toContain(
    "git fetch origin pull/12/head\ngit switch --detach bbbbbbbbbbbb\ngit checkout FETCH_HEAD -- 'test/cart.test.js'",
  );
  expect(body).not.toContain('fix.patch');
});
