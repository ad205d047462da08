// How far this clock is from GitHub's: by the last answer, and in between by the clock that never jumps.
import { expect, it } from 'vitest';
import { createClock, describeApart } from '../../src/app/clock.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const BEGUN = Date.parse('2026-11-24T12:00:00.000Z');

function ground(hasGithub = true) {
  const time = { wall: BEGUN, elapsed: 5_000 };
  const clock = createClock({ now: () => new Date(time.wall), hasGithub, elapsed: () => time.elapsed });
  return {
    clock,
    answer: (date: number, headers: Record<string, string> = { 'x-github-request-id': '1' }) =>
      clock.compare({ headers: new Headers({ ...headers, date: new Date(date).toUTCString() }) }),
    /** Time that passes for both. */
    pass: (ms: number) => {
      time.wall += ms;
      time.elapsed += ms;
    },
    jump: (ms: number) => {
      time.wall += ms;
    },
  };
}

it('knows nothing before an answer of GitHub itself, and is right within a day of it', () => {
  const { clock, answer } = ground();
  expect(clock.judge()).toEqual({ kind: 'unknown', hasJumped: false });
  answer(BEGUN, { via: 'a proxy on this machine' });
  expect(clock.judge()).toEqual({ kind: 'unknown', hasJumped: false });
  answer(BEGUN + DAY_MS - 1_000);
  expect(clock.judge()).toEqual({ kind: 'right' });
});

it.each([
  [400, 'ahead of'],
  [-2, 'behind'],
])('notices without another answer that it jumped by %i days, and when it is set back', (days, word) => {
  const { clock, answer, pass, jump } = ground();
  answer(BEGUN);
  pass(40 * DAY_MS);
  expect(clock.judge()).toEqual({ kind: 'right' });
  jump(days * DAY_MS);
  expect(clock.judge()).toEqual({ kind: 'wrong', aheadMs: days * DAY_MS });
  expect(describeApart(days * DAY_MS)).toBe(`${Math.abs(days)} days ${word} GitHub`);
  jump(-days * DAY_MS);
  expect(clock.judge()).toEqual({ kind: 'right' });
});

it('erases nothing after a machine slept for days, until GitHub has answered again', () => {
  const { clock, answer, jump } = ground();
  answer(BEGUN);
  jump(3 * DAY_MS);
  expect(clock.judge().kind).toBe('wrong');
  answer(BEGUN + 3 * DAY_MS);
  expect(clock.judge()).toEqual({ kind: 'right' });
});

it('knows in local mode whether it jumped, and waits for no answer there', async () => {
  const { clock, pass, jump } = ground(false);
  await clock.known(new AbortController().signal);
  pass(40 * DAY_MS);
  expect(clock.judge()).toEqual({ kind: 'unknown', hasJumped: false });
  jump(2 * DAY_MS);
  expect(clock.judge()).toEqual({ kind: 'unknown', hasJumped: true });
});

it('stops waiting for an answer with the signal', async () => {
  const stop = new AbortController();
  const waiting = ground().clock.known(stop.signal);
  stop.abort(new Error('stopped'));
  await expect(waiting).rejects.toThrow('stopped');
});
