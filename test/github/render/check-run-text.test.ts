// What people read in our check run: whose it is, in one line; why, since when and what to do; and nothing in it does anything.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CommitRange, Failure } from '../../../src/core/check/failure.ts';
import { EMPTY_EXCERPT, type Finding, type HeadPlace } from '../../../src/core/check/head.ts';
import type { Reason, Verdict } from '../../../src/core/check/verdict.ts';
import { TOUCHED_BY_CHANGE } from '../../../src/core/issue/issue.ts';
import { listAnnotations, renderDetails, renderSummary } from '../../../src/github/render/check-run.ts';
import { type CheckRunContent, renderTitle, type ShownCause } from '../../../src/github/render/check-run-title.ts';
import '../../support/property-seed.ts';
import { effectsOf } from '../../../packages/safe-markdown/test/github-reading.ts';
import { ANY_CHARACTER } from '../../support/any-character.ts';
import {
  CHECK_URL,
  cause,
  DEFAULT,
  failure,
  finding,
  foundInquiry,
  ground,
  HEAD,
  knownFailure,
  PULL,
} from './check-run-samples.ts';
import { fixedIssue } from './comment-samples.ts';

function judged(verdict: Verdict, reason: Reason, over: Partial<ShownCause> = {}): CheckRunContent {
  return ground({ causes: [cause({ finding: finding({ verdict, reasons: [reason] }), ...over })] });
}

const PERCENT = "TypeError: Cannot destructure property 'percent'";
const TWO = ['test (22)', 'test (18)'].map((name) => ({ ...finding().checks[0]!, name }));
const LONG =
  'No element with the text 1 1 1 was found in the page that was rendered. This could be because the text is broken up by several elements, or has not been rendered yet.';

const ON_BASE: Reason = { code: 'red_on_base', check: 'test', cause: 'same' };
const PASSED: Reason = { code: 'passed_at_same_commit' };
const SEEN: Reason = { code: 'seen_before', hits: 1, flakyHits: 0, pullRequests: 1, branches: 0 };
const OPEN: readonly Reason[] = [
  { code: 'says', headline: 'x', isAll: false },
  { code: 'untied', check: 'test' },
];
const LEANING = { to: 'code', path: ['test/shop.test.js', 'src/shop.js'] } as const;
const NAMED_FIRST = ['✖ takes a coupon (1.24ms)', '…', `  ${PERCENT}`];
const KNOWN = finding({ standing: 'known', isOwnThread: true });
const OF_ANOTHER = failure({ hits: 2, firstSeen: { ...failure().firstSeen, pullRequest: 1, sha: 'e'.repeat(40) } });

function judgedHere(over: Partial<Finding>, rest: Partial<ShownCause> = {}): CheckRunContent {
  return ground({ causes: [cause({ finding: finding(over), ...rest })] });
}

function cameWith(to: string, total: number): Failure {
  return knownFailure({ range: { from: 'd'.repeat(40), to, total, commits: [] } });
}

describe('the title', () => {
  it.each<[string, CheckRunContent]>([
    ["Your change: TypeError: Cannot destructure property 'percent'", ground()],
    [
      'Your change: COUPONS.get gives undefined for a code that is not in the map (src/coupons.js:14)',
      ground({ causes: [cause({ inquiry: foundInquiry() })] }),
    ],
    ['Broken on main, not your change', judged('base_broken', ON_BASE)],
    ['Flaky: it also passed on this commit: checkout › takes a coupon', judged('flaky', PASSED)],
    [
      'CI machine: the disk of the machine was full',
      judged('infrastructure', { code: 'infrastructure', what: 'the disk of the machine was full', line: 'ENOSPC' }),
    ],
    [
      "Unclear: it failed, but its log, annotations and summary don't say why",
      judged('inconclusive', { code: 'says_nothing' }),
    ],
    [
      'Cause found: COUPONS.get gives undefined for a code that is not in the map (src/coupons.js:14)',
      judged('inconclusive', { code: 'out_of_time' }, { inquiry: foundInquiry() }),
    ],
    [`test (20) fails here, passing on main: ${PERCENT}`, judgedHere({ isTouched: false, base: 'green' })],
    [
      `test (20) fails here, for a different reason than on main: ${PERCENT}`,
      judgedHere({ isTouched: false, base: 'red' }),
    ],
    [`test (20) fails here: ${PERCENT}`, judgedHere({ isTouched: false })],
    [`test (18) and 1 more fail here: ${PERCENT}`, judgedHere({ isTouched: false, checks: TWO })],
    [`Your change, the same failure as #1: ${PERCENT}`, judgedHere({ standing: 'known' }, { failure: OF_ANOTHER })],
    [
      `Same failure as #4: ${PERCENT}`,
      judgedHere({ standing: 'known', sharedFrom: 4, isTouched: false }, { failure: OF_ANOTHER }),
    ],
    [`Your change: ${PERCENT}`, judgedHere({ standing: 'known', sharedFrom: null }, { failure: OF_ANOTHER })],
    [`Your change: ${PERCENT}`, judgedHere({ standing: 'known', isOwnThread: true }, { failure: OF_ANOTHER })],
    [`Your change: ${PERCENT}`, judgedHere({ standing: 'known' }, { failure: failure({ hits: 2 }) })],
    [`Unclear: ${PERCENT}`, judgedHere({ verdict: 'inconclusive', reasons: OPEN })],
    [`Probably your change: ${PERCENT}`, judgedHere({ verdict: 'inconclusive', reasons: OPEN, leaning: LEANING })],
    [
      'Cause found: COUPONS.get gives undefined for a code that is not in the map (src/coupons.js:14)',
      judgedHere({ verdict: 'inconclusive', leaning: LEANING }, { inquiry: foundInquiry() }),
    ],
    [
      'Unclear: test (20) says “71 % of diff hit”',
      judgedHere({ verdict: 'inconclusive', excerpt: { ...EMPTY_EXCERPT, headline: '71 % of diff hit' } }),
    ],
    [
      `Your change: ${PERCENT}`,
      judgedHere({ excerpt: { ...finding().excerpt, headline: '✖ takes a coupon (1.24ms)', lines: NAMED_FIRST } }),
    ],
    [
      'Your change: checkout › takes a coupon: expect(received).toBe(expected)',
      judgedHere({ excerpt: { ...finding().excerpt, headline: 'expect(received).toBe(expected)' } }),
    ],
    [
      "Your change: [ERR_ASSERTION] Argument of type 'string[]' is no '{ a: 1 }'",
      judgedHere({
        excerpt: { ...EMPTY_EXCERPT, headline: "[ERR_ASSERTION] Argument of type 'string[]' is no '{ a: 1 }'" },
      }),
    ],
    [
      `Your change: No element with the text 1 1 1 was found in the page that was rendered.`,
      judgedHere({ excerpt: { ...EMPTY_EXCERPT, headline: LONG } }),
    ],
    ['All checks pass now', ground({ causes: [] }, { state: 'green' })],
  ])('is “%s”', (title, of) => {
    expect(renderTitle(of)).toBe(title);
  });

  it.each<[string, Partial<ShownCause>]>([
    [`Broken on main: ${PERCENT}`, {}],
    [`This push: ${PERCENT}`, { failure: cameWith(HEAD, 1) }],
    [`Broken on main by one of 3 commits: ${PERCENT}`, { failure: cameWith(HEAD, 3) }],
    [`Broken on main since eeeeeee: ${PERCENT}`, { failure: cameWith('e'.repeat(40), 1), finding: KNOWN }],
    [`Broken on main since ccccccc: ${PERCENT}`, { failure: knownFailure({ range: null }), finding: KNOWN }],
    [`Broken on main since before this push: ${PERCENT}`, { failure: OF_ANOTHER, finding: KNOWN }],
  ])('says of the default branch “%s”', (title, over) => {
    expect(renderTitle(ground({ causes: [cause(over)] }, { place: DEFAULT }))).toBe(title);
  });

  it.each([1, 2, 3])('tells of the time of its finding, opening %s of the failure, whatever came later', (opening) => {
    const range = { from: 'd'.repeat(40), to: HEAD, total: 1, commits: [] };
    const later = { opening: 4, range: { ...range, to: 'e'.repeat(40) } };
    const titleOf = (over: Partial<Finding>) => {
      const of = cause({ finding: finding({ opening, ...over }), failure: knownFailure(later) });
      return renderTitle(ground({ causes: [of] }, { place: DEFAULT }));
    };
    expect(titleOf({ range })).toBe(`This push: ${PERCENT}`);
    expect(titleOf({ range: { ...range, to: 'f'.repeat(40) }, standing: 'known' })).toBe(
      `Broken on main since fffffff: ${PERCENT}`,
    );
    expect(titleOf({})).toBe(`Broken on main: ${PERCENT}`);
  });

  it('says that it is back on the default branch', () => {
    const back = cause({ finding: finding({ standing: 'regression' }) });
    expect(renderTitle(ground({ causes: [back] }, { place: DEFAULT }))).toMatch(/^Broken again on main: TypeError/);
  });

  it('says of checks that passed since that they are flaky, whatever was believed first', () => {
    const [check] = finding().checks;
    const passed = finding({
      verdict: 'flaky',
      checks: [{ ...check!, isRed: false }],
      reasons: [SEEN],
    });
    expect(renderTitle(ground({ causes: [cause({ finding: passed })] }, { state: 'green' }))).toBe(
      'Flaky: checkout › takes a coupon passed on a re-run of this commit',
    );
  });

  it('names several causes, and says while the cause is being looked for', () => {
    const running = cause({ inquiry: { kind: 'running', waitsFor: null } });
    const disk = cause({
      finding: finding({
        verdict: 'infrastructure',
        reasons: [{ code: 'infrastructure', what: 'the disk was full', line: '' }],
      }),
    });
    expect(renderTitle(ground({ causes: [running, disk] }))).toBe(
      '1 check failed because of this change · test (20): your change; test (20): the disk was full · looking for the cause',
    );
  });

  it('counts the causes that there is no room for, and cuts none', () => {
    const causes = Array.from({ length: 12 }, (_, index) => {
      const checks = [{ ...finding().checks[0]!, name: `a check with a long name (${index})` }];
      return cause({ finding: finding({ checks, isTouched: false, base: 'green' }) });
    });
    const title = renderTitle(ground({ causes }));
    expect(title).toMatch(
      /^12 checks failed, probably because of this change · a check with a long name \(0\): passes on main; .*: passes on main; and \d more$/,
    );
    expect(title.length).toBeLessThanOrEqual(255);
  });

  it('keeps to 255 characters and plain words, whatever is in it', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 400 }), fc.integer({ min: 1, max: 12 }), (words, count) => {
        const bad = finding({ excerpt: { ...finding().excerpt, headline: `${words} @mona #1 https://x.example` } });
        const title = renderTitle(ground({ causes: Array.from({ length: count }, () => cause({ finding: bad })) }));
        expect(title.length).toBeLessThanOrEqual(255);
        expect(title).not.toMatch(/@|#\d|:\/\/|[`<>]|\n/);
      }),
    );
  });
});

/** A finding of one check of that name, judged so. */
function judgedCause(name: string, over: Partial<Finding>): ShownCause {
  return cause({ finding: finding({ checks: [{ ...finding().checks[0]!, name }], ...over }) });
}

describe('the first line', () => {
  const own = judgedCause('unit', {});
  const likely = judgedCause('e2e', { isTouched: false, base: 'green' });
  const onBase = judgedCause('lint', { verdict: 'base_broken', reasons: [ON_BASE] });
  const flaky = judgedCause('slow', { verdict: 'flaky', isTouched: false, reasons: [PASSED] });
  const open = judgedCause('docs', { verdict: 'inconclusive', reasons: OPEN });

  it.each<[string, readonly ShownCause[]]>([
    ['1 check failed because of this change', [own]],
    ['1 check failed, probably because of this change', [likely]],
    ['1 check failed, not because of this change', [onBase]],
    ["1 check failed, can't tell whether because of this change", [open]],
    ['2 checks failed, none because of this change', [onBase, flaky]],
    ['3 checks failed, 1 because of this change', [own, onBase, flaky]],
    ["4 checks failed, 1 because of this change, 1 probably, can't tell for 1", [own, likely, open, flaky]],
    ["2 checks failed, 1 not because of this change, can't tell for 1", [onBase, open]],
    ['2 checks failed, 1 probably because of this change', [likely, onBase]],
  ])('answers “%s”', (line, causes) => {
    expect(renderSummary(ground({ causes })).split('\n\n')[0]).toBe(`**${line}.**`);
    if (causes.length > 1) expect(renderTitle(ground({ causes })).startsWith(`${line} · `)).toBe(true);
  });

  it.each<[string, Partial<Finding>, Partial<Failure>]>([
    ['what failed elsewhere too, and passed there on a re-run', { isTouched: false, base: 'green' }, { flakyHits: 1 }],
    ['what another pull request explains', { isTouched: false, base: 'green', sharedFrom: 4 }, {}],
    ['what is not known of the base', { isTouched: false }, {}],
    ['chance in what the change touches, seen nowhere else', { verdict: 'flaky', reasons: [PASSED] }, {}],
  ])('takes no side of %s', (_, over, ledger) => {
    const of = cause({ finding: finding(over), failure: failure(ledger) });
    expect(renderSummary(ground({ causes: [of] }))).toMatch(/^\*\*1 check failed, can't tell whether/);
  });

  it('counts a check once, for the cause that is most the change’s, and none that passed since', () => {
    const base = judgedCause('unit', { verdict: 'base_broken', reasons: [ON_BASE] });
    const passed = judgedCause('slow', { verdict: 'flaky', checks: [{ ...finding().checks[0]!, isRed: false }] });
    expect(renderSummary(ground({ causes: [base, own, passed] }))).toMatch(
      /^\*\*1 check failed because of this change/,
    );
  });

  it('says people’s word on a known failure without calling that judged, and where it is followed', () => {
    const override = { whose: 'not_mine', reason: 'down', by: { id: 3, login: 'mara' }, at: HEAD } as const;
    const over = { verdict: 'flaky', reasons: [PASSED], known: { code: 'known', issue: 12 }, override } as const;
    const summary = renderSummary(judgedHere(over));
    expect(summary).toContain('**1 check failed, not because of this change.**');
    expect(summary).toMatch(/says `mara`: “down” · nothing to do here, people follow it in \[#12\]/);
    expect(summary).toMatch(/- People tied it to \[#12\]\(\S+\); the checks alone: flaky/);
    expect(summary).not.toContain('Judged automatically');
  });

  it('gives for a cause that was found no reason why it is not the change’s, and marks nothing there', () => {
    const reasons: readonly Reason[] = [{ code: 'only_documentation', paths: ['README.md'] }];
    const of = judgedHere({ verdict: 'inconclusive', reasons }, { inquiry: foundInquiry() });
    const summary = renderSummary(of);
    expect(summary).toMatch(/not because of this change\.\*\*\n\n\*\*Cause found · next/);
    expect(summary).toContain('- The change touches documentation alone (README.md)');
    expect(listAnnotations(of)).toEqual([]);
  });

  it('says what is not in the count, and answers for no push to the default branch', () => {
    const more = { leftOut: [{ name: 'size', reason: 'excluded' }], stillWaiting: ['a', 'b'] };
    expect(renderSummary(ground({ causes: [own] }, more))).toMatch(
      /^\*\*1 check failed because of this change; 1 not examined; 2 still running\.\*\*/,
    );
    expect(renderSummary(ground({ causes: [own, open] }, { place: DEFAULT }))).toMatch(/^1\. `unit`: \*\*Broken on/);
  });

  it('is followed by each cause in a line; those that are not the change’s are folded', () => {
    const summary = renderSummary(ground({ causes: [own, onBase] }));
    const [, lines = '', failing] = summary.split('\n\n');
    expect(lines.split('\n')).toEqual([
      '1. `unit`: **Your change: the change touches src/coupons.js, where the check fails** · next: read the log below',
      '2. `lint`: **Broken on `main`: `test` fails on the base too, for the same reason** · nothing to do here, `main` needs a fix',
    ]);
    expect(failing).toMatch(/^Failing: \[`unit`\]/);
    expect(summary).toMatch(/<summary>More on cause 2<\/summary>\n\nFailing: \[`lint`\]/);
    expect(renderDetails(ground({ causes: [own, onBase] }))).toMatch(/<summary>Log of cause 2<\/summary>/);
  });
});

describe('the summary', () => {
  it('says verdict and next step, then which checks, why, the error and the cause', () => {
    const summary = renderSummary(
      ground({
        causes: [cause({ inquiry: foundInquiry(), fix: { kind: 'on_request', button: 'Open fix', refused: '' } })],
      }),
    );
    expect(summary.split('\n\n')).toEqual([
      '**1 check failed because of this change.**',
      '**Your change: the change touches src/coupons.js, where the check fails · next: click “Open fix” to open a pull request (write access required)**',
      `Failing: [\`test (20)\`](${CHECK_URL}), step \`npm test\``,
      '- The same check passes on the base',
      "```\nTypeError: Cannot destructure property 'percent'\n```",
      'Cause (92 % confidence):',
      expect.stringMatching(/^`COUPONS\.get` gives `undefined` .*Assumption: nobody tried an unknown code\.$/),
    ]);
    expect(summary).not.toContain('[step');
  });

  it('links no page outside of the repository', () => {
    const [check] = finding().checks;
    const checks = [{ ...check!, url: 'https://ci.example/job/1' }];
    const told = cause({
      finding: finding({ checks, standing: 'known' }),
      failure: failure(),
      reportUrl: 'https://evil.example/x',
    });
    expect(renderSummary(ground({ causes: [told] }))).not.toMatch(/example/);
  });

  it('says since when a failure is known, where it is told and which commits it came with', () => {
    const known = cause({
      ...{ finding: finding({ standing: 'regression' }), failure: knownFailure({ flakyHits: 2 }) },
      reportUrl: 'https://github.com/octo/shop/runs/3',
    });
    const summary = renderSummary(ground({ causes: [known] }, { place: DEFAULT }));
    expect(summary).toContain(
      'First seen 2026-11-18 at [`ccccccc`](https://github.com/octo/shop/commit/cccccccccccccccccccccccccccccccccccccccc), 12 times in total, 2 of them flaky. [Details](https://github.com/octo/shop/runs/3)',
    );
    expect(summary).toContain(
      `Introduced by 7 commits, [\`ddddddd\`…\`ccccccc\`](https://github.com/octo/shop/compare/${'d'.repeat(40)}...${'c'.repeat(40)}):`,
    );
    expect(summary).toContain('`Take coupons in any case`, by `wren`\n- and 6 more');
  });

  it('shows the last 30 days as text, for a failure of three days or more', () => {
    const summary = (counts: Readonly<Record<number, number>>) => {
      const days = Array.from({ length: 30 }, (_, day) => counts[day] ?? 0);
      return renderSummary(ground({ causes: [cause({ failure: knownFailure(), days })] }));
    };
    const flat = (length: number) => '▁'.repeat(length);
    expect(summary({ 2: 1, 20: 6, 29: 3 })).toContain(
      `\n\nLast 30 days: \`${flat(2)}▃${flat(17)}█${flat(8)}▅\`, seen on 3 of them, at most 6 times a day.`,
    );
    expect(summary({ 27: 1, 28: 1, 29: 1 })).toContain(`${flat(27)}███\`, seen on 3 of them, once a day.`);
    expect(summary({ 2: 9, 20: 9 })).not.toContain('Last 30 days');
    expect(renderSummary(ground({ causes: [cause({ failure: knownFailure() })] }))).not.toContain('Last 30 days');
  });

  it.each<[Verdict, HeadPlace, string]>([
    ['code', DEFAULT, 'Introduced by 7 commits'],
    ['base_broken', DEFAULT, 'Introduced by 7 commits'],
    ['base_broken', PULL, 'Introduced by 7 commits'],
    ['inconclusive', DEFAULT, '7 commits since it last passed'],
    ['code', PULL, ''],
    ['inconclusive', PULL, ''],
    ...(['flaky', 'infrastructure'] as const).flatMap((verdict) => [
      [verdict, DEFAULT, ''] as [Verdict, HeadPlace, string],
      [verdict, PULL, ''] as [Verdict, HeadPlace, string],
    ]),
  ])('names commits and people as the verdict allows: %s', (verdict, place, lead) => {
    const of = cause({ finding: finding({ verdict, standing: 'known' }), failure: knownFailure() });
    const summary = renderSummary(ground({ causes: [of] }, { place }));
    if (lead === '') expect(summary).not.toMatch(/Introduced|wren|since it last passed/);
    else expect(summary).toContain(`\n${lead}, [\`ddddddd\`…\`ccccccc\`](`);
  });

  it('names the likeliest commit first, with the reason, also where it is not one of the newest', () => {
    const commits = Array.from({ length: 6 }, (_, at) => ({
      sha: `${at}`.repeat(40),
      author: '',
      subject: `No. ${at}`,
    }));
    const likeliest = { sha: '5'.repeat(40), reason: 'touches src/@core/cart.ts, which the failing lines name' };
    const linesOf = (over: Partial<CommitRange>) => {
      const range = { from: 'd'.repeat(40), to: 'c'.repeat(40), total: 7, commits, ...over };
      const causes = [cause({ failure: knownFailure({ range }) })];
      const summary = renderSummary(ground({ causes }, { place: DEFAULT }));
      return summary.slice(summary.indexOf('Introduced by')).split('\n').slice(1, 7);
    };
    const item = (at: number) =>
      `- [\`${`${at}`.repeat(7)}\`](https://github.com/octo/shop/commit/${`${at}`.repeat(40)}) \`No. ${at}\``;
    const first = `${item(5)} · most likely: touches \`src/@core/cart.ts\`, which the failing lines name`;
    expect(linesOf({ likeliest })).toEqual([first, ...[0, 1, 2, 3].map(item), '- and 2 more']);
    const asListed = [...[0, 1, 2, 3, 4].map(item), '- and 2 more'];
    expect(linesOf({})).toEqual(asListed);
    expect(linesOf({ likeliest: { ...likeliest, sha: 'f'.repeat(40) } })).toEqual(asListed);
  });

  it.each<[string, Partial<ShownCause>, string]>([
    ['why nothing was begun', { finding: finding({ notBegun: { code: 'draft' } }) }, 'The pull request is a draft'],
    [
      'that it waits',
      { inquiry: { kind: 'running', waitsFor: 'model_unavailable' } },
      'Waiting for the language model; resumes automatically.',
    ],
    [
      'why there is no result',
      { inquiry: { kind: 'ended', reason: { code: 'internal', detail: 'It broke.' } } },
      'No result: It broke.',
    ],
    ['what was erased', { inquiry: { kind: 'deleted' } }, 'was deleted'],
    [
      'why no pull request came',
      { fix: { kind: 'on_request', button: 'Open fix', refused: 'the base moved' } },
      'the base moved',
    ],
    [
      'the pull request',
      {
        fix: { kind: 'opened', number: 9, url: 'https://github.com/octo/shop/pull/9', state: 'open', isEarlier: false },
      },
      'next: review [#9](https://github.com/octo/shop/pull/9)',
    ],
    ['that one is being opened', { fix: { kind: 'opening' } }, 'opening a pull request'],
  ])('says %s', (_, over, words) => {
    expect(renderSummary(ground({ causes: [cause(over)] }))).toContain(words);
  });

  it('shows of a search without a model only files that the log names or the change touches, and no steps', () => {
    const suspects = ['src/words.js', 'src/coupons.js', 'src/till.js'].map((file) => ({
      ...{ file, line: 3, function: '', score: 0.9, reasons: ['mentions “spaces”'] },
    }));
    const facts = { outcome: 'facts_only', confidence: null, model: null, suspects } as const;
    const inquiry = foundInquiry({ rootCause: 'Most likely place: `src/words.js:3`.' }, facts);
    const changed = ['src/till.js', 'src/coupons.js'];
    const of = ground({ causes: [cause({ inquiry, finding: finding({ changed }) })] });
    const summary = renderSummary(of);
    expect(summary).toContain('next: read the log below');
    expect(summary).toMatch(
      /coupons\.js#L2\): mentioned in the log; touched by the change\n- `src\/till\.js`: touched by/,
    );
    const own = suspects.map((each) => ({ ...each, reasons: [TOUCHED_BY_CHANGE, ...each.reasons] }));
    const touched = foundInquiry({ rootCause: '' }, { ...facts, suspects: own });
    const both = renderSummary(ground({ causes: [cause({ inquiry: touched, finding: finding({ changed }) })] }));
    expect(both).toMatch(/till\.js#L3\): touched by the change/);
    expect(`${summary}${renderDetails(of)}`).not.toMatch(/words\.js|mentions|What to do|Most likely place/);
  });

  it.each([
    ['proven', 'next: review #7, proven in CI: what failed here passes with it'],
    ['not_reproduced', 'next: review #7'],
    ['fails_otherwise', 'next: review #7'],
    ['not_covered', 'next: review #7'],
    ['not_run', 'next: review #7'],
    ['base_red', 'next: review #7'],
    [null, 'next: review #7'],
  ] as const)('calls a fix proven only where it is: %s', (proof, next) => {
    const url = 'https://github.com/octo/shop/pull/7';
    const fix = { kind: 'opened', number: 7, url, state: 'open', isEarlier: false, proof } as const;
    const [, head = ''] = renderSummary(ground({ causes: [cause({ fix })] })).split('\n\n');
    const plain = head
      .replace(/\[#7\]\([^)]*\)/, '#7')
      .replaceAll('`', '')
      .replaceAll('*', '');
    expect(plain.slice(plain.indexOf('next:'))).toBe(next);
  });

  it('says no more of what passed than that there is nothing to do', () => {
    const [check] = finding().checks;
    const passed = finding({ verdict: 'flaky', checks: [{ ...check!, isRed: false }], reasons: [PASSED] });
    const of = ground({ causes: [cause({ finding: passed, inquiry: foundInquiry() })] }, { state: 'green' });
    expect(renderSummary(of)).toContain(
      '**Flaky: it also passed on this commit · nothing to do, it has passed since**',
    );
    expect(renderSummary(of)).not.toMatch(/%|COUPONS/);
    expect(renderDetails(of)).not.toMatch(/What to do[\s\S]*<details>/);
    expect(renderDetails(of)).toMatch(
      /<summary>Findings from when it failed<[\s\S]*92 % confidence[\s\S]*What to do:[\s\S]*diff/,
    );
  });

  it('sends people to where a failure is mended, with no repair here', () => {
    const url = 'https://github.com/octo/shop/runs/3';
    const base = finding({ verdict: 'base_broken', reasons: [ON_BASE], standing: 'known' });
    const of = ground({ causes: [cause({ finding: base, reportUrl: url, inquiry: foundInquiry() })] });
    expect(renderSummary(of)).toContain(
      `**Broken on \`main\`: \`test\` fails on the base too, for the same reason · nothing to do here, follow [\`main\`’s check run](${url})**`,
    );
    expect(renderDetails(of)).not.toMatch(/What to do|Diff/);
    const reportUrl = 'https://github.com/octo/shop/pull/1#issuecomment-2';
    const known = cause({ finding: finding({ standing: 'known' }), failure: OF_ANOTHER, reportUrl });
    const [, head] = renderSummary(ground({ causes: [known] })).split('\n\n');
    expect(head).toBe(
      `**Your change, the same failure as [#1](https://github.com/octo/shop/pull/1): the change touches src/coupons.js, where the check fails · next: see [the analysis there](${reportUrl})**`,
    );
  });

  it('says whose analysis took the time and money where that is not its own', () => {
    const footerOf = (over: Partial<ShownCause>, revision = HEAD) => {
      const inquiry = foundInquiry({}, { revision });
      return (
        renderDetails(ground({ causes: [cause({ inquiry, ...over })] }))
          .split('<sub>')
          .at(-1) ?? ''
      );
    };
    const shared = { finding: finding({ standing: 'known', sharedFrom: 4 }), failure: OF_ANOTHER };
    expect(footerOf({})).toMatch(/^42 s · /);
    expect(footerOf(shared, 'e'.repeat(40))).toMatch(
      /^analysis of \[#4\]\(https:\/\/github\.com\/octo\/shop\/pull\/4\): 42 s · .* · commit `eeeeeeeeeeee` · comment/,
    );
    const onBase = { finding: finding({ verdict: 'base_broken', reasons: [ON_BASE], standing: 'known' }) };
    expect(footerOf(onBase, 'e'.repeat(40))).toMatch(/^analysis of another commit: 42 s · /);
  });

  it('asks nothing of who pushed to a default branch that was red already', () => {
    const fix = { kind: 'opened', number: 9, url: 'https://github.com/octo/shop/pull/9', state: 'open' } as const;
    const since = { finding: KNOWN, failure: cameWith('e'.repeat(40), 1), inquiry: foundInquiry() };
    const headOf = (over: Partial<ShownCause>) =>
      renderSummary(ground({ causes: [cause({ ...since, ...over })] }, { place: DEFAULT })).split('\n')[0];
    expect(headOf({ fix: { ...fix, isEarlier: false } })).toBe(
      '**Broken on `main` since `eeeeeee` · nothing to do here, see [#9](https://github.com/octo/shop/pull/9)**',
    );
    expect(headOf({})).toContain('nothing to do here, see the commits below');
    expect(headOf({ finding: finding({ standing: 'regression' }), fix: { ...fix, isEarlier: true } })).toContain(
      'next: review or close [#9](https://github.com/octo/shop/pull/9), still open from last time',
    );
  });

  it('says nothing twice: neither the error, nor how often it was seen', () => {
    const reasons: readonly Reason[] = [{ code: 'says', headline: PERCENT, isAll: false }, SEEN];
    const twice = cause({ finding: finding({ reasons, standing: 'known' }), failure: failure({ hits: 2 }) });
    const summary = renderSummary(ground({ causes: [twice] }));
    expect(summary).not.toMatch(/reports|Seen once/);
    expect(summary.split(PERCENT)).toHaveLength(2);
  });

  it('shows the failed test with its error, without the time that it took', () => {
    const excerpt = { ...finding().excerpt, headline: '✖ takes a coupon (1.24ms)', lines: NAMED_FIRST };
    expect(renderSummary(judgedHere({ excerpt }))).toContain(`\`\`\`\n✖ takes a coupon\n${PERCENT}\n\`\`\``);
  });

  it('says why nothing could be read, and what a check without a log says of itself', () => {
    const unread = { ...EMPTY_EXCERPT, cut: 'GitHub no longer keeps the log.' };
    expect(renderSummary(judgedHere({ excerpt: unread }))).toContain('- GitHub no longer keeps the log.');
    const own = { ...EMPTY_EXCERPT, headline: '71 % of diff hit', lines: ['71 % of diff hit'] };
    const silent = judgedHere({ verdict: 'inconclusive', excerpt: own });
    expect(renderSummary(silent)).toContain('- The check reports: `71 % of diff hit`');
    expect(renderDetails(silent)).toMatch(/^\*\*Output\*\*/);
  });

  it('says since when it is red within one pull request', () => {
    const first = { ...failure().firstSeen, sha: 'e'.repeat(40) };
    const again = cause({ finding: finding({ standing: 'known' }), failure: failure({ firstSeen: first, hits: 3 }) });
    expect(renderSummary(ground({ causes: [again] }))).toContain(
      `Failing in this pull request since [\`eeeeeee\`](https://github.com/octo/shop/commit/${'e'.repeat(40)}) (3 times).`,
    );
  });

  it('says what has not ended, and that a pull request is closed', () => {
    expect(renderSummary(ground({}, { stillWaiting: ['tide'] }))).toContain('Still waiting for `tide`.');
    expect(renderSummary(ground())).not.toContain('Still waiting');
    const closed = ground({}, { state: 'superseded', place: { ...PULL, isClosed: true } });
    expect(renderSummary(closed)).toMatch(/^The pull request is closed, so nothing more/);
  });

  it('says what was not looked at, and that another commit has taken the place', () => {
    const of = ground({}, { state: 'superseded', leftOut: [{ name: 'lint', reason: 'left out by configuration' }] });
    expect(renderSummary(of)).toMatch(/^A newer commit replaced this one/);
    expect(renderSummary(of)).toContain('- `lint`: left out by configuration');
  });
});

describe('the text', () => {
  it('shows the log with what was cut, the failed tests, the steps and the diff, and how to go on', () => {
    const text = renderDetails(ground({ causes: [cause({ inquiry: foundInquiry() })] }));
    expect(text).toContain("```text\n> node --test\nTypeError: Cannot destructure property 'percent'\n");
    expect(text).toContain('812 lines before.');
    expect(text).toContain('Failed tests:\n- `checkout › takes a coupon`');
    expect(text).toContain('1. Fall back to no discount for a code that is not known.');
    expect(text).toContain('+  const { percent } = COUPONS.get(code) ?? NONE;');
    expect(text.split('\n').at(-1)).toMatch(/^<sub>42 s · `gpt-test` .*`\/analyse retry <hint>`.*<\/sub>$/);
  });

  it('does not repeat the diff of what is a pull request by now', () => {
    const fix = {
      kind: 'opened',
      number: 9,
      url: 'https://github.com/octo/shop/pull/9',
      state: 'open',
      isEarlier: false,
    } as const;
    expect(renderDetails(ground({ causes: [cause({ inquiry: foundInquiry(), fix })] }))).not.toContain('Diff');
  });

  it('opens ten lines of a long log, at the error, and folds the whole', () => {
    const lines = Array.from({ length: 60 }, (_, index) => (index === 40 ? `  ${PERCENT}` : `line ${index}`));
    const long = cause({ finding: finding({ excerpt: { ...finding().excerpt, lines } }) });
    const [open = '', folded = ''] = renderDetails(ground({ causes: [long] })).split('<details>');
    expect(open.match(/^line \d+$/gm)).toEqual(
      ['38', '39', '41', '42', '43', '44', '45', '46', '47'].map((at) => `line ${at}`),
    );
    expect(folded).toMatch(/^<summary>60 lines of the log<\/summary>[\s\S]*line 59\n```\n\n812 lines before\.\n/);
    const four = renderDetails(ground({ causes: [long, long, long, long] }));
    expect(four.match(/line 29$/gm)).toHaveLength(4);
    expect(four).not.toContain('line 30\n');
    expect(four).toContain('30 more lines not shown');
  });
});

const OURS = {
  elements: ['p', 'ul', 'ol', 'li', 'code', 'pre', 'a', 'strong', 'em', 'details', 'summary', 'sub'],
  base: 'https://github.com/octo/shop/',
};
const ATTACK = [
  'Fixes #1, closes octo/shop#2 @everyone ![x](https://evil/?q=1) <https://evil> www.evil.example',
  '</details></sub> <details open><summary>**Cause**</summary> <img src=x> <!-- causeway -->',
  '````',
  '```',
  '# @mona #3',
  '| a |\n|---|\n- [ ] box\n> [!NOTE]\n$x$ :tada: \u202e`open',
].join('\n');

/** Every word that comes from outside is the given one. */
function hostile(text: string): CheckRunContent {
  const step = { stepNumber: 1, description: text };
  const bad = cause({
    finding: finding({
      ...{ isTouched: false, base: 'green' },
      checks: [{ name: text, runId: 1, url: `https://github.com/octo/shop/${text}`, isRed: true }],
      reasons: [
        { code: 'says', headline: text, isAll: true },
        { code: 'test_failed', test: text, others: 1 },
        { code: 'infrastructure', what: text, line: text },
        { code: 'touched_by_test', path: text, test: text, how: 'uses', via: text },
        { code: 'untied', check: text },
      ],
      standing: 'known',
      excerpt: { step: text, headline: text, lines: text.split('\n'), cut: text, tests: [text] },
      notBegun: { code: 'checks_running', names: [text] },
    }),
    failure: knownFailure({
      range: {
        ...{ from: 'd'.repeat(40), to: 'c'.repeat(40), total: 2 },
        commits: [{ sha: text, author: text, subject: text }],
        likeliest: { sha: text, reason: text },
      },
    }),
    reportUrl: `https://github.com/octo/shop/${text}`,
    fix: { kind: 'on_request', button: 'Open fix', refused: text },
  });
  const found = foundInquiry(
    { rootCause: text, solutionSteps: [step] },
    {
      reason: text,
      outcome: 'inconclusive',
      suspects: [{ file: text, line: 3, function: text, score: 1, reasons: [text] }],
      guards: [{ rule: 'person/x', file: text, reason: text }],
      usage: { ...fixedIssue().analysis.usage, costUsd: null },
    },
  );
  const ended = { kind: 'ended', reason: { code: 'internal', detail: text } } as const;
  const inquiries: readonly ShownCause['inquiry'][] = [bad.inquiry, found, ended, { kind: 'running', waitsFor: null }];
  const place = { ...ground().head.place!, base: { branch: text, sha: '' } } as CheckRunContent['head']['place'];
  return ground(
    { causes: inquiries.map((inquiry) => ({ ...bad, inquiry })) },
    { leftOut: [{ name: text, reason: text }], place },
  );
}

describe('words from outside', () => {
  it('do nothing', () => {
    fc.assert(
      fc.property(fc.oneof(fc.constant(ATTACK), fc.string({ unit: ANY_CHARACTER, maxLength: 60 })), (text) => {
        const of = hostile(text);
        expect(effectsOf(renderSummary(of), OURS)).toEqual([]);
        expect(effectsOf(renderDetails(of), OURS)).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });

  it.each(['\u6f22', 'a', '\u{1f600}', '`'])('never grow beyond what GitHub takes: %s', (letter) => {
    const of = hostile(letter.repeat(8_000));
    const many = { ...of, causes: Array.from({ length: 30 }, (_, index) => of.causes[index % 4]!) };
    expect(Buffer.byteLength(renderSummary(many))).toBeLessThanOrEqual(65_535);
    expect(Buffer.byteLength(renderDetails(many))).toBeLessThanOrEqual(65_535);
    expect(renderSummary(many)).not.toBe('');
    expect(renderDetails(many)).not.toBe('');
  });
});
