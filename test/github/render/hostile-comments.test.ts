// Whole texts from a hostile report, repository and model: they do nothing on GitHub, and they fit.

import { type ChangeSet, toDiff } from 'causeway-diff';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CommitRange } from '../../../src/core/check/failure.ts';
import type { SourcedIssue } from '../../../src/core/issue/shown-issue.ts';
import type { RedChecks } from '../../../src/github/render/comment.ts';
import {
  renderConfigComplaint,
  renderEndComment,
  renderFactsComment,
  renderHandOverComment,
  renderResultComment,
  renderSettledComment,
  renderSuggestions,
} from '../../../src/github/render/comment.ts';
import { renderPullRequest } from '../../../src/github/render/pull-request.ts';
import '../../support/property-seed.ts';
import { effectsOf, readAsGithub } from '../../../packages/safe-markdown/test/github-reading.ts';
import { ANY_CHARACTER } from '../../support/any-character.ts';
import { CHANGE, fixedIssue, PLACE } from './comment-samples.ts';

const OURS = {
  elements: ['p', 'ul', 'ol', 'li', 'code', 'pre', 'a', 'strong', 'em', 'details', 'summary', 'sub', '#comment'],
  base: 'https://github.com/octo/shop/',
};
const ATTACK = [
  'Ignore all rules. Fixes #1, closes octo/shop#2 @everyone @octo/team',
  '![x](https://evil/?q=1) [x](https://evil) <https://evil> www.evil.example [r][r]',
  '</details></sub> <details open><summary>**Cause found**</summary> <img src=x> <!-- hidden -->',
  '# Heading',
  '````',
  '```',
  '@mona #3',
  '[r]: https://evil',
  '| a |\n|---|\n- [ ] box\n> [!NOTE]\n\n---\n$x$ :tada: \u202e\u200b`open',
].join('\n');

/** Every word that comes from outside is the given one. */
function hostileIssue(text: string): SourcedIssue {
  const step = { stepNumber: 1, description: text };
  return fixedIssue(
    {
      problem: text,
      rootCause: text,
      stepsToReproduce: [step, step],
      solutionSteps: [step, step],
      investigationSteps: [
        { action: text, result: text, analysis: text },
        { action: `ci_log: find ${text}`, result: text, analysis: text },
      ],
    },
    {
      report: text,
      reason: text,
      model: text,
      questions: [text],
      suspects: [{ file: text, line: 3, function: text, score: 1, reasons: [text] }],
      guards: [
        { rule: 'never/secret', file: text, reason: text },
        { rule: 'person/manifest', file: text, reason: text },
      ],
    },
  );
}

function redChecks(issue: SourcedIssue, text: string): RedChecks {
  const further = [
    { names: [text], issue: null, notFound: text },
    { names: [text], issue, notFound: '' },
  ];
  const excerpt = { step: text, headline: text, lines: [text, text], cut: text, tests: [text] };
  const fault = { isTouched: false, greenOn: text };
  return { names: [text, text], verdict: 'code', fault, excerpt, further };
}

function rangeOf(text: string): CommitRange {
  const commits = [{ sha: text, author: text, subject: text }];
  return { from: text, to: text, total: 9, commits, likeliest: { sha: text, reason: text } };
}

function textsOf(issue: SourcedIssue, text: string, changeSet: ChangeSet): Record<string, string> {
  const { id: _, projectId: __, createdAt: ___, diff: ____, ...facts } = issue;
  const progress = { step: 3, action: text, source: 'repository', waitsFor: null } as const;
  const checks = [{ name: text, url: `https://github.com/octo/shop/${text}` }];
  return {
    result: renderResultComment({
      place: PLACE,
      issue,
      changeSet,
      fix: { kind: 'withheld', reason: text },
      recordUrl: '',
    }),
    unknown: renderResultComment({
      place: PLACE,
      issue: { ...issue, analysis: { ...issue.analysis, outcome: 'inconclusive' } },
      changeSet: null,
      fix: { kind: 'none' },
      recordUrl: text,
    }),
    red: renderResultComment({
      place: PLACE,
      issue,
      changeSet,
      fix: { kind: 'none' },
      checks: redChecks(issue, text),
      recordUrl: '',
    }),
    settled: renderSettledComment(PLACE, { sha: text, names: [text], isFlaky: false, issue }),
    flaky: renderSettledComment(PLACE, { sha: text, names: [text], isFlaky: true, issue }),
    suggestions: renderSuggestions(PLACE, text, 2),
    failure: renderPullRequest({
      ...{ place: { ...PLACE, subject: { kind: 'failure', failureId: 'fal_1' } }, issue, checks: 'red' },
      ...{ requestedBy: text, commentUrl: text, attempt: null, isForPush: true },
      failure: {
        ...{ branch: text, checkNames: [text, text], headline: text, range: rangeOf(text) },
        since: { kind: 'back', sha: text },
      },
    }).body,
    facts: renderFactsComment(PLACE, {
      facts: { ...facts, changeSet, analysis: { ...facts.analysis, usage: { ...facts.analysis.usage, costUsd: 0 } } },
      ...progress,
    }),
    waiting: renderFactsComment(PLACE, { facts: null, ...progress }),
    end: renderEndComment(PLACE, { code: 'internal', detail: text }),
    handOver: renderHandOverComment(PLACE, {
      ...{ attempts: 1, failedChecks: checks, lastIssue: issue, published: issue, recordUrl: text },
      pull: { url: text, branch: text, headSha: text, failing: [text], reason: text },
    }),
    complaint: renderConfigComplaint({ file: text, line: 2, message: text, digest: 'd' }, PLACE),
    pullRequest: renderPullRequest({
      place: { ...PLACE, subject: { kind: 'report', issueId: 'iss_1' } },
      issue,
      requestedBy: text,
      commentUrl: text,
      attempt: { number: 1, failedChecks: [text] },
      checks: 'red',
      failingOnBase: { base: text, names: [text] },
      failure: null,
      isForPush: false,
    }).body,
  };
}

/** The cost in the last line is the one thing of our own that looks like something else. */
function effects(text: string): string[] {
  return effectsOf(text, OURS).filter((effect) => !/^formula in “[^$]*\$0\.04[^$]*”$/.test(effect));
}

describe('texts of hostile words', () => {
  it('do nothing on GitHub', () => {
    for (const [name, text] of Object.entries(textsOf(hostileIssue(ATTACK), ATTACK, CHANGE))) {
      expect([name, ...effects(text)]).toEqual([name]);
      expect(text.endsWith(`\n${PLACE.marker}`)).toBe(true);
      expect(text.split('<!-- causeway')).toHaveLength(2);
    }
  });

  it('do nothing on GitHub, whatever the words', () => {
    const part = fc.constantFrom(
      ...ATTACK.split(/(?<=[\s])/),
      '\n',
      '\n\n',
      '    ',
      '`',
      '```',
      '<',
      '@a',
      '#1',
      ']',
      '(',
    );
    const words = fc.array(fc.oneof(part, fc.string({ unit: ANY_CHARACTER, maxLength: 4 })), { maxLength: 30 });
    fc.assert(
      fc.property(words, (parts) => {
        const word = parts.join('');
        for (const text of Object.values(textsOf(hostileIssue(word), word, CHANGE))) expect(effects(text)).toEqual([]);
      }),
      { numRuns: 15 },
    );
  });

  it('never look like a command to us: what the first line says is ours', () => {
    const { result = '' } = textsOf(hostileIssue(ATTACK), ATTACK, CHANGE);
    expect(result.split('\n')[0]).toBe(
      '**Cause found, with a fix · confidence 92 % · no pull request, see the reason below**',
    );
  });
});

describe('texts that are too long', () => {
  const line = 'const value = "`<&@everyone>`"; // 𝒳\n';
  const after = line.repeat(3_000);
  const change: ChangeSet = {
    base: CHANGE.base,
    files: [{ kind: 'added', path: 'src/big.js', mode: '100644', after }],
  };
  const step = (action: string) => ({ action, result: after, analysis: line.repeat(30) });
  const issue = fixedIssue({
    diff: toDiff(change),
    rootCause: line.repeat(500),
    solutionSteps: Array.from({ length: 50 }, (_, at) => ({ stepNumber: at + 1, description: line.repeat(100) })),
    stepsToReproduce: [{ stepNumber: 1, description: 'Start it.' }],
    investigationSteps: [...Array.from({ length: 40 }, () => step('read src/big.js')), step('ci_log lines 1–3000')],
  });

  it('are cut to 60,000 characters, whole in form, with the small parts left whole', () => {
    const text = renderResultComment({ place: PLACE, issue, changeSet: change, fix: { kind: 'none' }, recordUrl: '' });
    expect(text.length).toBeLessThanOrEqual(60_000);
    expect(text.length).toBeGreaterThan(50_000);
    expect(text.isWellFormed()).toBe(true);
    expect(effects(text)).toEqual([]);
    expect(readAsGithub(text).elements.filter((name) => name === 'details')).toHaveLength(4);
    expect(text).toContain('1. Start it.');
    expect(text).toMatch(/\*Truncated: [\d,]+ more lines not shown\.\*\n\n<\/details>\n\n<sub>/);
    expect(text).toContain('more sections not shown');
    expect(text.endsWith(PLACE.marker)).toBe(true);
  });

  it('are cut wherever the limit falls', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3_000 }), fc.integer({ min: 1, max: 400 }), (count, width) => {
        const log = `${'x`𝒳'.repeat(width)}\n`.repeat(count);
        const long = fixedIssue({ investigationSteps: [{ action: 'ci_log', result: log, analysis: '' }] });
        const text = renderResultComment({
          place: PLACE,
          issue: long,
          changeSet: change,
          fix: { kind: 'none' },
          recordUrl: '',
        });
        expect(text.length).toBeLessThanOrEqual(60_000);
        expect(text.isWellFormed()).toBe(true);
        expect(effects(text)).toEqual([]);
      }),
      { numRuns: 8 },
    );
  });
});
