// A rate limit that one question has met holds for all others until it ends.
import { expect, it } from 'vitest';
import { ModelUnavailable } from '../src/model.ts';
import { ask, failureOf, modelAt, NOW } from './ask.ts';
import { fails, modelEndpoint, says } from './model-endpoint.ts';
import { sharedHolds } from './shared-holds.ts';

/** Models of two processes that know the same, with a clock that waits move on. */
function ground(url: string) {
  const clock = { now: NOW };
  const now = () => clock.now;
  const holds = sharedHolds(now);
  const waits: number[] = [];
  const later = (ms: number) => {
    clock.now = new Date(clock.now.getTime() + ms);
  };
  const wait = async (ms: number) => {
    waits.push(ms);
    later(ms);
  };
  const own = { now, holds, wait };
  return { one: modelAt(url, own).model, other: modelAt(url, own).model, holds, now, later, waits, own };
}

it('one that is long gives every job back until then, without another request', async () => {
  await using endpoint = await modelEndpoint(fails(429, 'slow down', { 'retry-after': '120' }), says('whole'));
  const { one, other, now, later } = ground(endpoint.url);
  const first = (await failureOf(ask(one))) as ModelUnavailable;
  const second = (await failureOf(ask(other))) as ModelUnavailable;
  expect(second).toBeInstanceOf(ModelUnavailable);
  expect(second.retryAt).toEqual(first.retryAt);
  expect(second.retryAt.getTime() - now().getTime()).toBe(120_000);
  expect(second.spent).toMatchObject({ promptTokens: 0, completionTokens: 0 });
  expect(endpoint.requests).toHaveLength(1);
  later(120_000);
  expect((await ask(other)).content).toBe('whole');
});

it('one that is short is waited for by other questions, too', async () => {
  await using endpoint = await modelEndpoint(fails(429, 'slow down', { 'retry-after': '7' }), says('b'), says('a'));
  const { other, own, waits } = ground(endpoint.url);
  let second: ReturnType<typeof ask> | null = null;
  // The other question comes while the first one waits, which is over when the other's wait is.
  const wait = async () => {
    second = ask(other);
    await second;
  };
  const { model } = modelAt(endpoint.url, { ...own, wait });
  expect((await ask(model)).content).toBe('a');
  expect(await second).toMatchObject({ content: 'b' });
  expect(waits).toEqual([7_000]);
  expect(endpoint.requests).toHaveLength(3);
});

it('a fault of the endpoint that names no time is none', async () => {
  await using endpoint = await modelEndpoint(fails(500, 'down'));
  const { one, holds } = ground(endpoint.url);
  await failureOf(ask(one));
  expect(holds.names()).toEqual([]);
});

it('one of a day is looked at again after ten minutes', async () => {
  await using endpoint = await modelEndpoint(fails(429, 'slow down', { 'retry-after': '86400' }), says('whole'));
  const { one, other, later } = ground(endpoint.url);
  await failureOf(ask(one));
  later(500_000);
  expect(await failureOf(ask(other))).toBeInstanceOf(ModelUnavailable);
  later(100_000);
  expect((await ask(other)).content).toBe('whole');
});

it('names no address with its credentials', async () => {
  await using endpoint = await modelEndpoint(fails(429, 'slow down', { 'retry-after': '60' }));
  const { host } = new URL(endpoint.url);
  const { one, holds } = ground(endpoint.url.replace('http://', 'http://user:secret@'));
  await failureOf(ask(one));
  expect(holds.names()).toEqual([`model test-model at ${host}`]);
});
