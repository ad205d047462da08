// The event stream: what it tells, how it is resumed, and when it ends.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Run } from '../../src/db/runs.ts';
import { conclusion } from '../support/store-samples.ts';
import { type ApiGround, apiGround, requestOf } from './api-ground.ts';

let ground: ApiGround;
beforeEach(async () => {
  ground = await apiGround();
});
afterEach(async () => {
  vi.useRealTimers();
  await ground[Symbol.asyncDispose]();
});

interface Event {
  readonly id: string;
  readonly event: string;
  readonly data: { readonly number?: number; readonly action?: string; readonly state?: string };
}

const open = (id: string, lastEventId = '', how: { stopping?: AbortSignal; signal?: AbortSignal } = {}) => {
  const headers: Record<string, string> = lastEventId === '' ? {} : { 'Last-Event-ID': lastEventId };
  const path = `/api/v1/investigations/${id}/events/`;
  const { stopping, ...more } = how;
  return ground.api.fetch(requestOf('GET', path, { token: ground.token, headers, ...more }), stopping);
};

function parse(text: string): Event[] {
  return text
    .split('\n\n')
    .filter((block) => block.startsWith('id: '))
    .map((block) => {
      const [, id = '', event = '', data = ''] = /^id: ([^\n]*)\nevent: ([^\n]*)\ndata: ([^\n]*)$/.exec(block) ?? [];
      return { id, event, data: JSON.parse(data) };
    });
}

/** Reads until `count` events have come. */
async function take(answer: Response, count: number): Promise<Event[]> {
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (parse(text.slice(0, text.lastIndexOf('\n\n') + 2)).length < count) {
    const { done, value } = await reader.read();
    if (done) break;
    text += value;
  }
  await reader.cancel();
  return parse(text.slice(0, text.lastIndexOf('\n\n') + 2));
}

async function step(run: Run, action: string): Promise<void> {
  await ground.store.recordStep(run, { action, result: 'a\r\nb\u2028', analysis: '' }, run.startedAt);
  ground.changes.notify(run.id);
}

const told = (events: readonly Event[]) =>
  events.map(({ event, data }) => `${event} ${event === 'step' ? `${data.number} ${data.action}` : data.state}`);

describe('GET /api/v1/investigations/{investigationId}/events/', () => {
  it('sends states and steps as they come, and ends', async () => {
    const id = await ground.report();
    const answer = await open(id);
    expect(answer.headers.get('Content-Type')).toBe('text/event-stream');
    const text = answer.text();
    await ground.following(1);
    const run = await ground.start(id);
    await step(run, 'look');
    await step(run, 'think');
    await ground.store.giveUp(run, { code: 'internal', detail: 'x' }, run.startedAt);
    ground.changes.notify(run.id);
    const events = told(parse(await text));
    expect(events).toEqual(
      ['state queued', 'state running', 'step 1 look', 'step 2 think', 'state gave_up', 'end gave_up'].filter(
        // The stream may have looked only after the run had started.
        (line) => line !== 'state running' || events.includes(line),
      ),
    );
  });

  it('goes on after the last event that the client has read', async () => {
    const id = await ground.report();
    const run = await ground.start(id);
    for (const action of ['one', 'two', 'three']) await step(run, action);
    const all = await take(await open(id), 4);
    expect(told(all)).toEqual(['state running', 'step 1 one', 'step 2 two', 'step 3 three']);
    expect(new Set(all.map((event) => event.id)).size).toBe(4);
    const rest = await take(await open(id, all[2]!.id), 1);
    expect(told(rest)).toEqual(['step 3 three']);
    expect(rest[0]!.id).toBe(all[3]!.id);
  });

  it('begins again at the first step where the run was restarted', async () => {
    const id = await ground.report();
    const before = await ground.start(id);
    await step(before, 'one');
    await step(before, 'two');
    const read = await take(await open(id), 3);
    const after = await ground.start(id);
    for (const action of ['other one', 'other two', 'other three']) await step(after, action);
    const rest = await take(await open(id, read[2]!.id), 3);
    expect(told(rest)).toEqual(['step 1 other one', 'step 2 other two', 'step 3 other three']);
  });

  it('sends a client away that has read the end', async () => {
    const id = await ground.report();
    await ground.conclude(id);
    const events = parse(await (await open(id)).text());
    expect(told(events)).toEqual(['state concluded', 'end concluded']);
    expect((await open(id, events[1]!.id)).status).toBe(204);
    expect(told(parse(await (await open(id, events[0]!.id)).text()))).toEqual(['end concluded']);
  });

  it.each(['nonsense', '9'.repeat(30), '5.abc.running', '1.0.queued\u00e9', '__proto__'])(
    'takes the last event id %j for the start',
    async (lastEventId) => {
      const id = await ground.report();
      await step(await ground.start(id), 'one');
      const events = await take(await open(id, lastEventId), 1);
      expect(['state running', 'step 1 one']).toContain(told(events)[0]);
    },
  );

  it('ends when the server stops, and when the client goes', async () => {
    const id = await ground.report();
    const [stopping, gone] = [new AbortController(), new AbortController()];
    const stopped = (await open(id, '', { stopping: stopping.signal })).text();
    const left = (await open(id, '', { signal: gone.signal })).text();
    stopping.abort();
    gone.abort();
    expect(told(parse(await stopped))).toEqual(['state queued']);
    await left;
  });

  it('answers HEAD with headers only', async () => {
    const answer = await ground.call('HEAD', `/api/v1/investigations/${await ground.report()}/events/`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('Content-Type')).toBe('text/event-stream');
  });

  /** From now on, in time that is played. */
  async function revoke(): Promise<void> {
    const [record] = await ground.store.listTokens(ground.account.id);
    await ground.store.revokeToken(record!.id, ground.account.id, ground.clock.now.toISOString());
  }

  it('sends a comment every 15 seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const text = (await open(await ground.report())).text();
    await vi.advanceTimersByTimeAsync(121_000);
    await revoke();
    await vi.advanceTimersByTimeAsync(15_000);
    expect((await text).split('\n\n').filter((block) => block.startsWith(':'))).toHaveLength(8);
  });

  // Just after one look whether it may go on, and just before another.
  it.each([1, 61])('ends within a minute of the revocation after %i seconds', async (after) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const text = (await open(await ground.report())).text();
    let isOver = false;
    void text.finally(() => (isOver = true));
    await vi.advanceTimersByTimeAsync(after * 1_000);
    expect(isOver).toBe(false);
    await revoke();
    await vi.advanceTimersByTimeAsync(50_000);
    expect(isOver).toBe(true);
  });

  it('is cut off within a minute of the revocation for a client that stops reading', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const reader = (await open(await ground.report())).body!.getReader();
    await reader.read();
    await revoke();
    await vi.advanceTimersByTimeAsync(16_000);
    await reader.read();
    // The next comment waits for it.
    await vi.advanceTimersByTimeAsync(44_000);
    await expect(reader.read()).rejects.toThrow('does not read');
  });

  it('ends without a word where the investigation is erased', async () => {
    const id = await ground.report();
    const { runId } = (await ground.store.findInvestigation(id))!;
    const text = (await open(id)).text();
    await ground.following(1);
    const now = ground.clock.now.toISOString();
    const run = await ground.store.startRun(runId, now);
    const [issueId] = await ground.store.conclude(run!, conclusion(), now);
    await ground.store.eraseIssue(issueId!, now);
    ground.changes.notify(runId);
    expect(told(parse(await text))).toEqual(['state queued']);
  });
});
