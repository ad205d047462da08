// GitHub's published example payloads, signed: each is taken under its own name, and under no other.
import { publishedExamples } from 'causeway-github-double';
import type { Probot } from 'probot';
import { describe, expect, it } from 'vitest';
import { createCausewayApp } from '../../../src/github/app.ts';
import type { CausewayAppDeps } from '../../../src/github/events/app-deps.ts';
import { classifyDelivery, USED_EVENTS } from '../../../src/github/intake/delivery.ts';
import { delivery, reception } from './signed-delivery.ts';

const ALL = publishedExamples().map(({ name, event, payload }, at) => {
  return { name, event, id: `example-${at}`, payload: payload as Record<string, unknown> };
});
const EVENTS = [...new Set(ALL.map(({ event }) => event))];

describe('the published examples', () => {
  it.each(EVENTS)('of %s are all acknowledged, and stored where they are of use', async (event) => {
    await using house = await reception();
    const examples = ALL.filter((example) => example.event === event);
    for (const { name, id, payload } of examples) {
      const answer = await house.receive(delivery(payload, { event, id }));
      expect([name, answer.status]).toEqual([name, 202]);
    }
    const used = examples.filter(({ payload }) => classifyDelivery(event, payload).kind === 'used');
    const different = new Set(used.map(({ payload }) => JSON.stringify(payload)));
    expect(await house.jobs()).toHaveLength(different.size);
  });

  it.each(Object.keys(USED_EVENTS))('are not taken for %s where they are something else', (event) => {
    const taken = ALL.filter(
      (example) => example.event !== event && classifyDelivery(event, example.payload).kind === 'used',
    );
    expect(taken.map(({ name }) => name)).toEqual([]);
  });
});

it('stores exactly the events that have a handler', () => {
  const handled: string[] = [];
  createCausewayApp({} as CausewayAppDeps)({ on: (names: string[]) => handled.push(...names) } as unknown as Probot);
  const stored = Object.entries(USED_EVENTS).flatMap(([event, { actions }]) =>
    actions === null || handled.includes(event) ? [event] : actions.map((action) => `${event}.${action}`),
  );
  expect(handled.toSorted()).toEqual(stored.toSorted());
});
