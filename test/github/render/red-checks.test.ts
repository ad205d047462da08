// What is said of red checks: names, verdict, log, further causes, and the line that is left of it.
import { describe, expect, it } from 'vitest';
import { EMPTY_EXCERPT } from '../../../src/core/check/head.ts';
import type { FurtherCause, RedChecks, Settled } from '../../../src/github/render/comment.ts';
import { renderResultComment, renderSettledComment, renderSuggestions } from '../../../src/github/render/comment.ts';
import { CHANGE, fixedIssue, PLACE } from './comment-samples.ts';

const _HOSTILE = '@mona` closes #1 </details>';

function comment(checks: Partial<RedChecks> = {}): string {
  const issue = fixedIssue({}, { origin: 'check-run', report: 'the whole report' });
  const fault = { isTouched: true, greenOn: '' };
  const red: RedChecks = {
    ...{ names: ['test'], verdict: 'code', fault, excerpt: EMPTY_EXCERPT, further: [] },
    ...checks,
  };
  return renderResultComment({
    place: PLACE,
    issue,
    changeSet: CHANGE,
    fix: { kind: 'none' },
    checks: red,
    recordUrl: '',
  });
}

function cause(over: Partial<FurtherCause> = {}): FurtherCause {
  return { names: ['lint'], issue: null, notFound: 'too many causes at once', ...over };
}

describe('a comment on red checks', () => {
  it.each([
    [{ names: ['test'], verdict: 'code' }, '`test` fails because of this change · '],
    [{ names: ['a', 'b'], verdict: 'inconclusive' }, '`a`, `b` fail · '],
    [{ fault: { isTouched: false, greenOn: 'main' } }, '`test` fails here, passing on `main` · '],
    [{ fault: { isTouched: false, greenOn: '' } }, '`test` fails · '],
    [{ names: ['test (22)', 'test (8)'] }, '`test (8)`, `test (22)` fail because'],
    [
      { names: ['a', 'b', 'c', 'd', 'e'], verdict: 'base_broken' },
      '`a`, `b`, `c` and 2 more fail already before this change · ',
    ],
  ] as const)('begins with names and verdict', (checks, words) => {
    expect(comment(checks).split('\n')[0]).toContain(`**${words}`);
  });

  it('shows the cut log in place of the whole one, and the report’s where nothing was cut out', () => {
    const excerpt = { ...EMPTY_EXCERPT, step: 'Run tests', lines: ['Error: no', '  at x'], cut: '9 lines before.' };
    const text = comment({ excerpt });
    expect(text).toContain('Step `Run tests`. 9 lines before.\n\n```\nError: no\n  at x\n```');
    expect(text).not.toContain('the whole report');
  });

  it('tells three more causes in a few lines, and names the rest', () => {
    const known = cause({ names: ['e2e'], issue: fixedIssue({ rootCause: 'One. Two. Three. Four.' }), notFound: '' });
    const rest = ['build', 'docs', 'site'].map((name) => cause({ names: [name] }));
    const text = comment({ further: [known, ...rest] });
    expect(text).toContain('**`e2e`**\n\nOne. Two. Three.\n\n**`build`**\n\nNot investigated: too many causes at once');
    expect(text).toContain('**`docs`**');
    expect(text).toContain('Also failing: `site`.');
    expect(text.indexOf('Also failing')).toBeLessThan(text.indexOf('<details>'));
  });
});

describe('the line that is left', () => {
  const settled = (over: Partial<Settled> = {}) =>
    renderSettledComment(PLACE, {
      ...{ sha: 'abc1234def', names: ['test'], isFlaky: false, issue: fixedIssue() },
      ...over,
    });

  it('says where it is green, what passed, and what the cause was', () => {
    expect(settled().split('\n\n')).toEqual([
      expect.stringMatching(/^Green again at `abc1234`: `test` passed\. The cause was: `COUPONS\.get` gives/),
      PLACE.marker,
    ]);
  });

  it('says no cause that is not known', () => {
    const line = 'Green again at `abc1234`: the checks passed.';
    expect(settled({ names: [], issue: null }).split('\n')[0]).toBe(line);
    expect(settled({ names: [], issue: fixedIssue({}, { outcome: 'inconclusive' }) }).split('\n')[0]).toBe(line);
  });

  it('calls flaky what passed without a change', () => {
    expect(settled({ isFlaky: true }).split('\n')[0]).toBe(
      'Green again at the same commit `abc1234`: `test` passed without a change, so this was flaky.',
    );
  });
});

describe('the words above suggestions', () => {
  it('say how many they are, and for which commit', () => {
    const text = (count: number) => renderSuggestions(PLACE, 'abc1234def', count).split('\n')[0];
    expect(text(1)).toBe('1 suggestion to fix the failing checks at `abc1234`. The evidence is in the conversation.');
    expect(text(3)).toContain('3 suggestions to fix the failing checks at `abc1234`. Commit them together.');
  });
});
