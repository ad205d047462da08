// What is kept for a moment: never more than so many bytes, and nothing when the moment is over.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { keptForAMoment } from '../../src/db/kept-for-a-moment.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const opened = () => keptForAMoment<string>({ mostBytes: 100, lastsMs: 1_000 });

describe('what is kept for a moment', () => {
  it('is never more than its bytes', () => {
    const kept = opened();
    for (let number = 0; number < 50; number++) {
      kept.keep(`${number}`, 'value', 30);
      const there = Array.from({ length: 50 }, (_, at) => kept.get(`${at}`)).filter((value) => value !== undefined);
      expect(there.length).toBeLessThanOrEqual(3);
      expect(kept.get(`${number}`)).toBe('value');
    }
    kept.keep('large', 'value', 101);
    expect(kept.get('large')).toBeUndefined();
  });

  it('is the last under each key, which alone counts', () => {
    const kept = opened();
    kept.keep('other', 'value', 40);
    for (const value of ['a', 'b', 'c']) kept.keep('same', value, 60);
    expect([kept.get('other'), kept.get('same')]).toEqual(['value', 'c']);
    kept.keep('same', 'too large', 101);
    expect([kept.get('other'), kept.get('same')]).toEqual(['value', undefined]);
  });

  it('is gone when its time is over, however often it was asked for', () => {
    const kept = opened();
    kept.keep('a', 'value', 1);
    vi.advanceTimersByTime(600);
    kept.keep('b', 'value', 1);
    expect([kept.get('a'), kept.get('b')]).toEqual(['value', 'value']);
    vi.advanceTimersByTime(400);
    expect([kept.get('a'), kept.get('b')]).toEqual([undefined, undefined]);
    kept.keep('c', 'value', 1);
    vi.advanceTimersByTime(999);
    expect(kept.get('c')).toBe('value');
  });

  it('is gone at once where something was erased', () => {
    const kept = opened();
    kept.keep('a', 'value', 100);
    kept.clear();
    expect(kept.get('a')).toBeUndefined();
    kept.keep('b', 'value', 100);
    expect(kept.get('b')).toBe('value');
  });
});
