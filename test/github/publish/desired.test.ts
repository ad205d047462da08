// What the publisher does next, told by what is known and what is recorded.
import { describe, expect, it } from 'vitest';
import type { Investigation } from '../../../src/core/report/report.ts';
import { EMPTY_RECORD, type PostedComment, type ThreadRecord } from '../../../src/core/thread/thread.ts';
import { decideComment, decideStep, type PublishStep } from '../../../src/github/publish/decide.ts';
import { digestOf, readMarker } from '../../../src/github/publish/marker.ts';
import type { Result, View } from '../../../src/github/publish/view.ts';

import {
  at,
  comment,
  concluded,
  facts,
  fixResult,
  investigation,
  NOW,
  pullRequest,
  sampleView,
} from './sample-view.ts';

const FRESH = { hasFollowed: false, followAt: null };
const SEEN: ThreadRecord = { ...EMPTY_RECORD, seen: NOW };
const OTHER = 'inv_2';

function next(view: View): PublishStep {
  return decideStep(view, FRESH);
}

const removed = (over: Partial<PostedComment> = {}) => ({ ...comment(over), digest: '', url: '' });

/** The record of a comment that says what the view wants to be said. */
function upToDate(view: View, shows: 'facts' | 'result') {
  return comment({ shows, digest: digestOf(decideComment(view)?.text ?? '') });
}

describe('the answer to a request', () => {
  it('is 👀 before anything else, once for each trigger', () => {
    expect(next(sampleView({ record: EMPTY_RECORD }))).toEqual({ kind: 'react', number: 12 });
    expect(next(sampleView({ record: { ...SEEN, seen: at(-60) } })).kind).toBe('react');
    expect(next(sampleView()).kind).toBe('later');
  });

  it('is nothing on GitHub where an API call asked', () => {
    const view = sampleView(
      { record: EMPTY_RECORD, facts: facts() },
      { subject: { kind: 'report', issueId: 'iss_1' } },
    );
    expect(next(view).kind).toBe('later');
  });
});

describe('while an investigation runs', () => {
  it('says nothing before there are facts, and looks again in case the run dies', () => {
    expect(next(sampleView())).toEqual({ kind: 'later', runAt: at(60), isSilenced: false });
  });

  it('posts the facts', () => {
    const step = next(sampleView({ facts: facts() }));
    expect(step).toMatchObject({ kind: 'post', number: 12, comment: { shows: 'facts' } });
  });

  it('edits its progress only when 20 s have passed, and then only a text that has changed', () => {
    const record = (seconds: number) => ({ ...SEEN, comment: comment({ at: at(seconds) }) });
    expect(next(sampleView({ facts: facts(), record: record(-19) }))).toMatchObject({ kind: 'later', runAt: at(1) });
    expect(next(sampleView({ facts: facts(), record: record(-20) })).kind).toBe('edit');
    const view = sampleView({ facts: facts() });
    const same = { ...SEEN, comment: { ...upToDate(view, 'facts'), at: at(-60) } };
    expect(next({ ...view, record: same })).toMatchObject({ kind: 'later', runAt: at(20) });
  });

  it('takes over the facts comment of a run that a newer request has replaced', () => {
    const record = { ...SEEN, comment: comment({ investigationId: OTHER, at: at(-60) }) };
    expect(next(sampleView({ facts: facts(), record }))).toMatchObject({ kind: 'edit', posted: { id: 5 } });
  });

  it('does not write a comment again that somebody has deleted', () => {
    const record = { ...SEEN, comment: removed() };
    expect(next(sampleView({ facts: facts(), record })).kind).toBe('later');
  });
});

describe('a result', () => {
  const onRequest = fixResult();

  it('is a new comment in place of the facts, so that those who wait hear of it', () => {
    expect(next(concluded(onRequest, { comment: comment() }))).toMatchObject({
      kind: 'post',
      comment: { shows: 'result' },
    });
  });

  it('removes the facts that it has replaced before anything else', () => {
    const view = concluded(onRequest, { replaced: [5], comment: comment({ id: 6, shows: 'result' }) });
    expect(next(view)).toEqual({ kind: 'delete', commentId: 5 });
  });

  it('is edited where it says the same as the one before', () => {
    const record = { comment: comment({ shows: 'result' as const, investigationId: OTHER }) };
    const same = concluded(onRequest, record, { earlier: fixResult() });
    expect(next(same).kind).toBe('edit');
    const other = concluded(onRequest, record, { earlier: fixResult({}, { rootCause: 'Something else.' }) });
    expect(next(other).kind).toBe('post');
  });

  it('is nothing more to do once it stands and no pull request is wanted', () => {
    const view = concluded(onRequest, {}, { thread: { ...sampleView().thread, fixRequest: null } });
    expect(next({ ...view, record: { ...SEEN, comment: upToDate(view, 'result') } })).toEqual({ kind: 'done' });
  });

  it('comes even where the comment of an earlier analysis was deleted, but not where its own was', () => {
    const earlier = removed({ investigationId: OTHER });
    expect(next(concluded(onRequest, { comment: earlier })).kind).toBe('post');
    expect(next(concluded(onRequest, { comment: removed() })).kind).toBe('open');
  });
});

describe('an end without a result', () => {
  const reason = { code: 'internal', detail: 'It broke.' } as const;
  const gaveUp = investigation({ state: 'gave_up', reason });
  const cancelled = investigation({ state: 'cancelled', reason: { code: 'cancelled', detail: 'Stopped.' } });

  it('is edited into the facts', () => {
    const record = { ...SEEN, comment: comment() };
    expect(next(sampleView({ investigation: gaveUp, record }))).toMatchObject({ kind: 'edit' });
    expect(next(sampleView({ investigation: cancelled, record }))).toMatchObject({ kind: 'edit' });
  });

  it('is told where nothing was said, unless a person wanted it so', () => {
    expect(next(sampleView({ investigation: gaveUp }))).toMatchObject({ kind: 'post', comment: { shows: 'result' } });
    expect(next(sampleView({ investigation: cancelled }))).toEqual({ kind: 'done' });
  });

  /** The thread's own analysis is the earlier one again. */
  function endedAfter(result: Result, ended: Investigation): View {
    const latest = { investigation: ended, result: null };
    return concluded(result, { comment: comment({ shows: 'result' }) }, { latest });
  }

  it('keeps the result of an earlier analysis below it', () => {
    const step = next(endedAfter(fixResult(), gaveUp));
    expect(step.kind).toBe('edit');
    expect(step.kind === 'edit' && step.comment.text).toMatch(/No result.*---.*Cause found/s);
  });

  it('leaves room for itself, however long the earlier result is', () => {
    const reason = { code: 'internal', detail: 'It broke. '.repeat(190) } as const;
    const sizes = Array.from({ length: 30 }, (_, step) => 3_500 + step * 100);
    const texts = sizes.map((size) => {
      const after = Array.from({ length: size }, (_, line) => `line ${line}\n`).join('');
      const files = [{ kind: 'added', path: 'x.js', mode: '100644', after }] as const;
      const earlier = { ...fixResult(), changeSet: { base: 'a'.repeat(40), files } };
      return decideComment(endedAfter(earlier, investigation({ state: 'gave_up', reason })))?.text ?? '';
    });
    expect(Math.max(...texts.map(({ length }) => length))).toBeLessThanOrEqual(60_000);
    expect(Math.max(...texts.map(({ length }) => length))).toBeGreaterThan(55_000);
    expect(texts.map((text) => readMarker(text)?.kind)).toEqual(sizes.map(() => 'result'));
  });
});

describe('a later answer to the same report that is worse', () => {
  const later = fixResult({ outcome: 'inconclusive', confidence: null, suspects: [] }, { rootCause: 'Unknown.' });
  const latest = {
    investigation: { ...investigation({ state: 'concluded', issueId: 'iss_2' }), id: OTHER },
    result: later,
  };
  const shown = { comment: comment({ shows: 'result' }) };

  it('is named below the first line of the kept one, without notifying anybody', () => {
    const step = next(concluded(fixResult(), shown, { latest }));
    expect(step.kind === 'edit' && step.comment.text).toContain(
      'Analysed again for `ada`: “Cause not found”. The answer here was kept.',
    );
    expect(step.kind === 'edit' && step.comment.text).not.toContain('<summary>The new answer');
  });

  it('is folded whole below it, in a comment that notifies, once, where a person gave guidance', () => {
    const { thread } = sampleView();
    const guided = { latest, thread: { ...thread, trigger: { ...thread.trigger, guidance: 'Look elsewhere.' } } };
    const step = next(concluded(fixResult(), shown, guided));
    expect(step.kind).toBe('post');
    const text = step.kind === 'post' ? step.comment.text : '';
    expect(text).toMatch(/^\*\*Cause found, with a fix.*The answer here was kept; the new one is folded below\./s);
    expect(text).toMatch(/<summary>The new answer<\/summary>\n\n\*\*Cause not found\*\*\n\nUnknown\./);
    const posted = { comment: comment({ shows: 'result', also: OTHER }) };
    expect(next(concluded(fixResult(), posted, guided)).kind).toBe('edit');
  });

  it('takes the place of the kept one, and gives it back, by an edit where a vote decides so', () => {
    const { thread } = sampleView();
    const trigger = { ...thread.trigger, guidance: 'Look elsewhere.', investigationId: OTHER };
    const before = { comment: comment({ shows: 'result', also: OTHER }) };
    const displaced = { ...fixResult(), votes: [{ login: 'ada', vote: 'wrong', at: NOW }] } as const;
    const now = { thread: { ...thread, investigationId: OTHER, trigger }, displaced, earlier: fixResult() };
    const step = next(concluded(later, before, now));
    expect(step.kind === 'edit' && step.comment.text).toMatch(
      /^\*\*Cause not found.*Another answer was rated wrong by `@ada` and is folded below/s,
    );
    const after = { comment: comment({ shows: 'result', investigationId: OTHER }) };
    expect(next(concluded(fixResult(), after, { latest, thread: { ...thread, trigger }, earlier: later })).kind).toBe(
      'edit',
    );
  });
});

describe('the pull request', () => {
  /** With a comment that is up to date. */
  function settled(view: View): View {
    return { ...view, record: { ...view.record, comment: upToDate(view, 'result') } };
  }
  const thread = sampleView().thread;

  it('is opened once the result stands, where a person with write has asked', () => {
    expect(next(settled(concluded(fixResult())))).toEqual({ kind: 'open' });
    expect(next(settled(concluded(fixResult(), {}, { thread: { ...thread, fixRequest: null } }))).kind).toBe('done');
  });

  it.each([
    ['in mode comment', concluded(fixResult(), {}, { opens: false })],
    ['for what a guard forbids', concluded(fixResult({ guards: [{ rule: 'never/path', file: 'x', reason: 'no' }] }))],
    ['for another outcome', concluded(fixResult({ outcome: 'not_a_bug' }))],
    ['without a change', concluded(fixResult({}, { diff: { files: [] } }))],
    [
      'once it was withheld',
      concluded(fixResult(), {
        withheld: { investigationId: 'inv_1', reason: { code: 'archived' }, request: `7 ${NOW}` },
      }),
    ],
    ['twice for one result', concluded(fixResult(), { pullRequest: pullRequest({ state: 'closed' }) })],
  ])('is not opened %s', (_, view) => {
    expect(next(settled(view))).toEqual({ kind: 'done' });
  });

  it('is opened again for a later analysis than the one that was withheld', () => {
    const view = concluded(fixResult(), {
      withheld: { investigationId: OTHER, reason: { code: 'archived' }, request: `7 ${NOW}` },
    });
    expect(next(settled(view))).toEqual({ kind: 'open' });
  });

  it('waits, where a guard wants a person to read the change, for one who asks after the result', () => {
    const guarded = fixResult({ guards: [{ rule: 'person/manifest', file: 'package.json', reason: 'installs' }] });
    expect(next(settled(concluded(guarded))).kind).toBe('done');
    const later = { ...thread, fixRequest: { id: 8, login: 'eve', at: at(60) } };
    expect(next(settled(concluded(guarded, {}, { thread: later })))).toEqual({ kind: 'open' });
    const tooEarly = { ...thread, fixRequest: { id: 8, login: 'eve', at: at(-60) } };
    expect(next(settled(concluded(guarded, {}, { thread: tooEarly }))).kind).toBe('done');
  });

  it('of an earlier analysis with the same change stays the one', () => {
    const result = fixResult({}, { id: 'iss_2' });
    const view = concluded(result, { pullRequest: pullRequest() }, { published: fixResult().issue });
    expect(decideStep(settled(view), { hasFollowed: true, followAt: null })).toEqual({ kind: 'done' });
  });

  it('that is open is looked at once in each try, and again when that said so', () => {
    const view = settled(concluded(fixResult(), { pullRequest: pullRequest() }));
    expect(next(view)).toEqual({ kind: 'follow' });
    const progress = { hasFollowed: true, followAt: at(600) };
    expect(decideStep(view, progress)).toEqual({ kind: 'later', runAt: at(600), isSilenced: false });
    const running = sampleView({ record: { ...SEEN, pullRequest: pullRequest() } });
    expect(next(running).kind).toBe('later');
  });
});

describe('five posts within an hour', () => {
  const posts = [-3000, -2000, -1000, -500, -100].map(at);

  it('are followed by silence until the first is an hour old', () => {
    const view = sampleView({ facts: facts(), record: { ...SEEN, posts } });
    expect(next({ ...view, investigation: investigation({ state: 'running' }) })).toMatchObject({ isSilenced: true });
    const ended = concluded(fixResult(), { posts });
    expect(next(ended)).toEqual({ kind: 'later', runAt: at(600), isSilenced: true });
  });

  it('do not silence edits', () => {
    const record = { ...SEEN, posts, comment: comment({ at: at(-60) }) };
    expect(next(sampleView({ facts: facts(), record })).kind).toBe('edit');
  });
});
