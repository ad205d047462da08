// What is said on a pull request where nobody asked but red checks, and when it is over again.
import { describe, expect, it } from 'vitest';
import { EMPTY_RECORD, type PostedComment, type ThreadRecord } from '../../../src/core/thread/thread.ts';
import { DEFAULT_CONFIG } from '../../../src/github/configuration/repository-config.ts';
import { decideComment, decideStep, type PublishStep } from '../../../src/github/publish/decide.ts';
import { digestOf } from '../../../src/github/publish/marker.ts';
import type { HeadCause, View } from '../../../src/github/publish/view.ts';
import { at, cause, comment, facts, fixResult, livePull, NOW, sampleHead, sampleView, unasked } from './sample-view.ts';

const FRESH = { hasFollowed: false, followAt: null };
/** To be done by people: without suggestions. */
const TOLD = fixResult({ outcome: 'action_recommended', confidence: 0.6 });
const FIX = fixResult({ confidence: 0.9, revision: 'a'.repeat(40) });

function next(view: View): PublishStep {
  return decideStep(view, FRESH);
}

function withComment(view: View, over: Partial<PostedComment> = {}, record: Partial<ThreadRecord> = {}): View {
  return { ...view, record: { ...view.record, comment: comment({ shows: 'result', ...over }), ...record } };
}

function stillWaiting(view: View): View {
  const { checks } = view;
  return { ...view, checks: checks && { ...checks, head: { ...checks.head, stillWaiting: ['tide'] } } };
}

function green(view: View, causes: readonly HeadCause[] = [], over: Parameters<typeof sampleHead>[0] = {}): View {
  const head = sampleHead({ state: 'green', sha: 'c'.repeat(40), findings: causes.map((one) => one.finding), ...over });
  return { ...view, checks: { head, causes, namesBefore: ['test (20)', 'lint'] } };
}

describe('red checks that nobody asked about', () => {
  it('get no 👀, and one comment once all of them were looked into', () => {
    expect(next(unasked([cause(TOLD)]))).toMatchObject({ kind: 'post', number: 12, comment: { shows: 'result' } });
    const running = unasked([cause(TOLD), cause(null)]);
    expect(next(running)).toEqual({ kind: 'later', runAt: at(60), isSilenced: false });
    expect(next(unasked([cause(null)], { facts: facts() })).kind).toBe('later');
  });

  it('are looked at on GitHub right before anything is said', () => {
    expect(next(unasked([cause(TOLD)], { pull: null }))).toEqual({ kind: 'look', number: 12 });
  });

  it.each<[string, View]>([
    ['a draft', unasked([cause(TOLD)], { pull: livePull({ isDraft: true }) })],
    ['closed', unasked([cause(TOLD)], { pull: livePull({ state: 'closed' }) })],
    ['at another head by now', unasked([cause(TOLD)], { pull: livePull({ headSha: 'd'.repeat(40) }) })],
    ['of a repository that wants none', unasked([cause(TOLD)], { config: { ...DEFAULT_CONFIG, comments: 'asked' } })],
    ['of a commit of which not all checks have ended', stillWaiting(unasked([cause(TOLD)]))],
    ['red by chance', unasked([cause(TOLD, { verdict: 'flaky' })])],
    ['red by the machine', unasked([cause(TOLD, { verdict: 'infrastructure' })])],
    ['red as its base', unasked([cause(TOLD, { verdict: 'base_broken' })])],
    ['red for reasons that cannot be told', unasked([cause(TOLD, { verdict: 'inconclusive' })])],
    ['tied to the change by a mere use, with a base that nobody knows', unasked([cause(TOLD, { isTouched: false })])],
    ['not understood well enough', unasked([cause(fixResult({ outcome: 'action_recommended', confidence: 0.59 }))])],
    ['known by facts alone', unasked([cause(fixResult({ outcome: 'facts_only', confidence: 0.9 }))])],
    ['not judged', unasked([cause(TOLD)], { checks: null })],
    [
      'where people took our comment away',
      withComment(unasked([cause(TOLD)]), { digest: '', investigationId: 'inv_0' }),
    ],
  ])('get none where the pull request is %s', (_, view) => {
    expect(next(view)).toEqual({ kind: 'done' });
  });

  it('get none on the default branch, which has no place for it', () => {
    const view = unasked([cause(TOLD)], {}, { subject: { kind: 'failure', failureId: 'fal_1' } });
    expect(next(view)).toEqual({ kind: 'done' });
  });

  it('of a commit of the merge queue count for the pull request’s own head', () => {
    const view = unasked([cause(TOLD)]);
    const place = { ...view.checks!.head.place!, isQueue: true, sha: 'a'.repeat(40) };
    const head = sampleHead({ sha: 'e'.repeat(40), place });
    expect(next({ ...view, checks: { ...view.checks!, head } }).kind).toBe('post');
  });

  it('of a newer head are told in the comment that stands, never in a second one', () => {
    const view = withComment(unasked([cause(TOLD)]), { investigationId: 'inv_0' });
    expect(next(view)).toMatchObject({ kind: 'edit', posted: { id: 5 }, comment: { shows: 'result' } });
    const same = { digest: digestOf(decideComment(view)?.text ?? '') };
    expect(next(withComment(view, same))).toEqual({ kind: 'done' });
  });

  it('leave a comment of before as it is where they give nothing to say', () => {
    expect(next(withComment(unasked([cause(TOLD, { verdict: 'flaky' })]))).kind).toBe('done');
  });

  it('do not keep those waiting who asked before: the facts become a result, whatever it is', () => {
    const view = withComment(unasked([cause(fixResult({ outcome: 'inconclusive', confidence: 0.1 }))]), {
      shows: 'facts',
    });
    expect(next(view)).toMatchObject({ kind: 'post', comment: { shows: 'result' } });
  });

  it('are named with their verdict in the first line, and other causes below', () => {
    const other = cause(null, {
      checks: [{ name: 'lint', runId: 2, url: '', isRed: true }],
      notBegun: { code: 'uninformative' },
    });
    const view = unasked([cause(TOLD), { ...other, investigation: null }]);
    const { text } = decideComment(view)!;
    expect(text.split('\n')[0]).toContain('`test (20)` fails because of this change');
    expect(text).toContain("**`lint`**\n\nNot investigated: The output of the check doesn't say enough");
  });
});

describe('suggestions', () => {
  it('come before the comment, once for each result, at the head that was analysed', () => {
    const view = unasked([cause(FIX)]);
    expect(next(view)).toEqual({ kind: 'suggest', number: 12 });
    const none = { reviewId: 0, nodeId: '', investigationId: 'inv_1', headSha: 'a'.repeat(40) };
    expect(next({ ...view, record: { ...view.record, suggested: none } }).kind).toBe('post');
    const before = { ...none, investigationId: 'inv_0' };
    expect(next({ ...view, record: { ...view.record, suggested: before } }).kind).toBe('suggest');
    expect(next(unasked([cause(fixResult({ confidence: 0.9, revision: 'd'.repeat(40) }))])).kind).toBe('post');
  });

  it('are never those that a person must look at first', () => {
    const guards = [{ rule: 'person/manifest', file: 'package.json', reason: 'sets what is installed' }];
    expect(next(unasked([cause(fixResult({ confidence: 0.9, revision: 'a'.repeat(40), guards }))])).kind).toBe('post');
  });

  it('come unasked only where a comment may come', () => {
    expect(next(unasked([cause(FIX)], { pull: livePull({ isDraft: true }) })).kind).toBe('done');
  });

  it('are told of in the first line', () => {
    const suggested = { reviewId: 3, nodeId: 'n', investigationId: 'inv_1', headSha: 'a'.repeat(40) };
    const view = unasked([cause(FIX)], { record: { ...EMPTY_RECORD, suggested } });
    expect(decideComment(view)?.text.split('\n')[0]).toContain('commit the suggestions in the changed files, or');
    const fork = { ...view, pull: livePull({ isFork: true }) };
    expect(decideComment(fork)?.text.split('\n')[0]).toMatch(/commit the suggestions in the changed files\*\*$/);
  });

  it('that somebody asked for come on drafts and forks as well', () => {
    const record = { ...EMPTY_RECORD, seen: NOW };
    const asked = { trigger: sampleView().thread.trigger };
    const pull = livePull({ isDraft: true, isFork: true });
    const view = unasked([cause(FIX)], { record, pull }, asked);
    expect(next({ ...view, checks: null })).toEqual({ kind: 'suggest', number: 12 });
  });
});

describe('green again', () => {
  const red = withComment(unasked([cause(TOLD)]), { nodeId: 'C_1' });

  it('leaves one line of the comment', () => {
    const step = next(green(red));
    expect(step).toMatchObject({ kind: 'edit', comment: { shows: 'settled', how: 'edit' } });
    const lines = step.kind === 'edit' ? step.comment.text.split('\n').filter(Boolean) : [];
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^Green again at `ccccccc`: `lint`, `test \(20\)` passed\. The cause was: /);
    expect(lines[1]).toMatch(/^<!-- causeway thread=thr_1 investigation=inv_1 kind=result -->$/);
  });

  it('says that it was flaky where the same commit passed', () => {
    const passed = cause(TOLD, { verdict: 'flaky' });
    const step = next(green(red, [passed], { sha: 'a'.repeat(40) }));
    expect(step.kind === 'edit' && step.comment.text).toContain('without a change, so this was flaky.');
  });

  it('says nothing where nothing was said before, and nothing twice', () => {
    expect(next(green(unasked([cause(TOLD)])))).toEqual({ kind: 'done' });
    expect(next(green(withComment(red, { shows: 'settled', isMinimized: true })))).toEqual({ kind: 'done' });
  });

  it('also tells of it when the pull request was merged at once', () => {
    expect(next({ ...green(red), pull: livePull({ state: 'closed' }) }).kind).toBe('edit');
  });

  it('folds the suggestions away after the comment, and once', () => {
    const suggested = { reviewId: 3, nodeId: 'R_1', investigationId: 'inv_1', headSha: 'a'.repeat(40) };
    const view = green(withComment(red, { shows: 'settled' }, { suggested }));
    expect(next(view)).toEqual({ kind: 'fold' });
    expect(next(green(withComment(red, {}, { suggested }))).kind).toBe('edit');
    const folded = { ...suggested, isMinimized: true };
    expect(next(green(withComment(red, { shows: 'settled' }, { suggested: folded }))).kind).toBe('done');
    expect(next(green(withComment(red, { digest: '' }, { suggested })))).toEqual({ kind: 'fold' });
  });

  it('and red later brings the same comment back', () => {
    const settled = withComment(unasked([cause(TOLD)]), {
      ...{ shows: 'settled', isMinimized: true, investigationId: 'inv_0' },
    });
    expect(next(settled)).toMatchObject({ kind: 'edit', posted: { id: 5 }, comment: { shows: 'result' } });
    const silent = withComment(unasked([cause(TOLD, { verdict: 'flaky' })]), { shows: 'settled', isMinimized: true });
    expect(next(silent)).toEqual({ kind: 'done' });
  });

  it('ends what a person asked for only where it came after they were told', () => {
    const asked = unasked([], { record: { ...EMPTY_RECORD, seen: NOW } }, { trigger: sampleView().thread.trigger });
    const told = { ...asked, result: TOLD, investigation: cause(TOLD).investigation! };
    const text = digestOf(decideComment(told)?.text ?? '');
    const standing = withComment(told, { digest: text });
    expect(next(standing)).toEqual({ kind: 'done' });
    expect(next(green(standing, [], { endedAt: at(-1) }))).toEqual({ kind: 'done' });
    expect(next(green(standing, [], { endedAt: at(1) })).kind).toBe('edit');
    const suggested = { reviewId: 3, nodeId: 'R_1', investigationId: 'inv_0', headSha: 'a'.repeat(40) };
    const withReview = { ...standing, record: { ...standing.record, suggested } };
    expect(next(green(withReview, [], { endedAt: at(-1) })).kind).toBe('done');
    expect(next(green(told, [], { endedAt: at(1) })).kind).toBe('post');
    expect(next(green(withComment(told, { shows: 'settled' }), [], { endedAt: at(1) })).kind).toBe('done');
  });

  it('makes room for a new comment where a person asks anew', () => {
    const record = { ...EMPTY_RECORD, seen: NOW };
    const asked = unasked([], { record, facts: facts() }, { trigger: sampleView().thread.trigger });
    const view = green(withComment(asked, { shows: 'settled', isMinimized: true, investigationId: 'inv_0' }));
    expect(next(view)).toMatchObject({ kind: 'post', comment: { shows: 'facts' } });
  });
});
