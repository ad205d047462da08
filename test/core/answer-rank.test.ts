// Which of two answers to the same report is shown.
import { expect, it } from 'vitest';
import { chooseAnswer, keepRivals, type RankedAnswer } from '../../src/core/outcome/answer-rank.ts';
import type { Vote } from '../../src/core/outcome/outcome.ts';

type Named = RankedAnswer & { readonly name: string };

function answer(name: string, over: Partial<RankedAnswer> = {}): Named {
  return {
    name,
    outcome: 'code_fix',
    confidence: 0.9,
    fate: 'pending',
    votes: [],
    partial: false,
    isEarlier: false,
    ...over,
  };
}

function votes(vote: Vote['vote'], source: Vote['source'] = 'command'): Pick<RankedAnswer, 'votes'> {
  return { votes: [{ personId: 1, source, vote, why: '', at: '2026-11-20T10:00:00Z' }] };
}

it.each<[string, Partial<RankedAnswer>, Partial<RankedAnswer>, 'older' | 'newer']>([
  ['equal answers', {}, {}, 'newer'],
  ['a newer one that is little less sure', { confidence: 0.9 }, { confidence: 0.85 }, 'newer'],
  ['a newer one that is less sure', { confidence: 0.9 }, { confidence: 0.84 }, 'older'],
  ['a cause and none', {}, { outcome: 'inconclusive', confidence: null }, 'older'],
  ['none and a cause', { outcome: 'inconclusive', confidence: null }, { outcome: 'action_recommended' }, 'newer'],
  ['a fix and an action', { confidence: 0.5 }, { outcome: 'action_recommended', confidence: 0.9 }, 'older'],
  ['a fix and no bug', {}, { outcome: 'not_a_bug' }, 'newer'],
  ['one rated wrong and none', votes('wrong'), { outcome: 'facts_only', confidence: null }, 'newer'],
  ['one with 👎 and none', votes('wrong', 'reaction'), { outcome: 'inconclusive' }, 'newer'],
  ['one rated right and a surer one', { confidence: 0.6, ...votes('right') }, { confidence: 0.95 }, 'older'],
  ['one that was merged and a surer one', { fate: 'merged', confidence: 0.6 }, { confidence: 0.95 }, 'older'],
  ['one that was closed unmerged and none', { fate: 'closed' }, { outcome: 'inconclusive', confidence: null }, 'newer'],
  [
    'one that was reverted though rated right',
    { fate: 'reverted', ...votes('right') },
    { outcome: 'inconclusive' },
    'newer',
  ],
  ['one merged though rated wrong', { fate: 'merged', ...votes('wrong') }, { outcome: 'inconclusive' }, 'newer'],
  ['both rated wrong', votes('wrong'), { outcome: 'inconclusive', confidence: null, ...votes('wrong') }, 'older'],
])('of %s', (_, older, newer, shown) => {
  expect(chooseAnswer([answer('older', older), answer('newer', newer)])?.name).toBe(shown);
});

it('compares each with the one kept so far: small losses do not add up to a new answer', () => {
  const falling = [0.9, 0.86, 0.82, 0.7].map((confidence) => answer(String(confidence), { confidence }));
  expect(chooseAnswer(falling)?.name).toBe('0.82');
  expect(chooseAnswer([])).toBeNull();
});

it.each<[string, Partial<RankedAnswer>, Partial<RankedAnswer>, 'earlier' | 'newer']>([
  ['a fix and none', {}, { outcome: 'inconclusive' }, 'newer'],
  ['one that was merged and none', { fate: 'merged' }, { outcome: 'inconclusive', confidence: null }, 'earlier'],
  ['one that was merged with edits and facts', { fate: 'merged_edited' }, { outcome: 'facts_only' }, 'earlier'],
  ['one rated right and a question', votes('right'), { outcome: 'needs_information' }, 'earlier'],
  ['one with 👍 and one cut short', votes('right', 'reaction'), { partial: true }, 'earlier'],
  ['one that was merged and another fix', { fate: 'merged' }, { confidence: 0.3 }, 'newer'],
  ['one that was merged and a fix rated wrong', { fate: 'merged' }, votes('wrong'), 'earlier'],
  [
    'one that was merged and none, rated right',
    { fate: 'merged' },
    { outcome: 'inconclusive', ...votes('right') },
    'newer',
  ],
  ['one merged though rated wrong', { fate: 'merged', ...votes('wrong') }, { outcome: 'inconclusive' }, 'newer'],
  ['one that was reverted', { fate: 'reverted' }, { outcome: 'inconclusive' }, 'newer'],
])('of an earlier revision, %s', (_, earlier, newer, shown) => {
  const answers = [answer('earlier', { ...earlier, isEarlier: true }), answer('newer', newer)];
  expect(chooseAnswer(answers)?.name).toBe(shown);
});

it('keeps the latest that was accepted, and a cause of this revision before it', () => {
  const lost = { outcome: 'inconclusive', confidence: null } as const;
  const before = [
    answer('first', { fate: 'merged', isEarlier: true }),
    answer('second', { fate: 'merged', isEarlier: true }),
    answer('lost before', { ...lost, isEarlier: true }),
  ];
  expect(chooseAnswer([...before, answer('lost', lost)])?.name).toBe('second');
  const found = [...before, answer('found'), answer('lost again', lost)];
  expect(chooseAnswer(found)?.name).toBe('found');
  expect(keepRivals(found).map(({ name }) => name)).toEqual(['found', 'lost again']);
});
