// Which cause of red checks leads, and what is said of the others.
import { describe, expect, it } from 'vitest';
import { findLead } from '../../../src/github/publish/view.ts';
import { describeRedChecks, isFlaky } from '../../../src/github/publish/wanted-comment.ts';
import { cause, fixResult, sampleHead } from './sample-view.ts';

const FIX = cause(fixResult());
const ADVICE = cause(fixResult({ outcome: 'action_recommended' }));
const FACTS = cause(fixResult({ outcome: 'facts_only' }));
const EMPTY_FIX = cause(fixResult({}, { diff: { files: [] } }));

describe('the cause that leads', () => {
  it('is the first with a fix, else the first that a model was asked about, else the first with anything', () => {
    expect(findLead([ADVICE, EMPTY_FIX, FIX, cause(fixResult())])).toBe(FIX);
    expect(findLead([FACTS, ADVICE, EMPTY_FIX])).toBe(ADVICE);
    expect(findLead([cause(null), FACTS])).toBe(FACTS);
    expect(findLead([cause(null)])).toBeNull();
  });

  it('stands before the others that are still red, each with what was found or why nothing was', () => {
    const passed = cause(null, { checks: [{ name: 'passed', runId: 1, url: '', isRed: false }] });
    const none = { ...cause(null, { reasons: ['The machine was lost.'] }), investigation: null };
    const ended = cause(null);
    const { names, verdict, further } = describeRedChecks([passed, none, ended, ADVICE, FIX], FIX, 'main');
    expect([names, verdict]).toEqual([['test (20)'], 'code']);
    expect(further.map(({ issue, notFound }) => [issue?.analysis.outcome, notFound])).toEqual([
      [undefined, 'The machine was lost.'],
      [undefined, 'its analysis ended without a result'],
      ['action_recommended', ''],
    ]);
  });
});

describe('a green head', () => {
  it('was flaky where all that was red on it passed without a change', () => {
    const head = sampleHead({ state: 'green' });
    const flaky = cause(null, { verdict: 'flaky' });
    expect(isFlaky({ head, causes: [flaky], namesBefore: [] })).toBe(true);
    expect(isFlaky({ head, causes: [flaky, FIX], namesBefore: [] })).toBe(false);
    expect(isFlaky({ head, causes: [], namesBefore: [] })).toBe(false);
  });
});
