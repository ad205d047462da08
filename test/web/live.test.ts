// A live page: notified of changes, for as long as the person may look, and never more than 200 for an account.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { until } from '../support/patience.ts';
import { conclusion } from '../support/store-samples.ts';
import { BASE, repository, type Visitor, type WebGround, webGround } from './web-ground.ts';

let ground: WebGround;
beforeEach(async () => {
  ground = await webGround({ repositories: [repository('octo/shop')] });
});
afterEach(async () => {
  vi.useRealTimers();
  await ground[Symbol.asyncDispose]();
});

async function running() {
  const { investigationId, runId } = await ground.accepted();
  const run = await ground.store.startRun(runId, ground.clock.now.toISOString());
  return { path: `/investigations/${investigationId}/live`, run: run! };
}

type Running = Awaited<ReturnType<typeof running>>;

async function takeStep({ run }: Running): Promise<void> {
  await ground.store.recordStep(run, { action: 'look', result: '', analysis: '' }, run.startedAt);
  ground.deps.changes.notify(run.id);
}

async function end({ run }: Running): Promise<void> {
  await ground.store.giveUp(run, { code: 'internal', detail: 'x' }, run.startedAt);
  ground.deps.changes.notify(run.id);
}

/** What was told, in order: names of events, `comment` for a comment. */
function told(text: string): readonly string[] {
  return text
    .split('\n\n')
    .filter((frame) => frame !== '')
    .map((frame) => (frame.startsWith(':') ? 'comment' : (/^event: (\w+)\ndata: \{\}$/.exec(frame)?.[1] ?? frame)));
}

/** The same while they come; `last` once the stream has ended. */
function toldLive(answer: Response): { readonly frames: readonly string[]; readonly last: Promise<void> } {
  const frames: string[] = [];
  const reading = async () => {
    for await (const chunk of answer.body ?? []) frames.push(...told(Buffer.from(chunk).toString()));
  };
  return { frames, last: reading() };
}

/** A quarter of a minute of faked time, and real time for what the store is asked then. */
async function quarter(): Promise<void> {
  await vi.advanceTimersByTimeAsync(15_000);
  for (let at = 0; at < 50; at++) await new Promise((resolve) => setImmediate(resolve));
}

describe('the stream behind a live page', () => {
  it('notifies of changes, and of the end', async () => {
    const made = await running();
    const answer = await ground.visitor.get(made.path);
    expect(answer.headers.get('Content-Type')).toBe('text/event-stream');
    expect(answer.headers.get('Cache-Control')).toBe('no-store');
    const { frames, last } = toldLive(answer);
    await until(() => frames.length === 1);
    await takeStep(made);
    await until(() => frames.length === 2);
    await end(made);
    await last;
    expect(frames).toEqual(['changed', 'changed', 'end']);
  });

  it('ends at once where the investigation has ended, and where it is erased meanwhile', async () => {
    const { investigationId } = await ground.concluded();
    expect(told(await (await ground.visitor.get(`/investigations/${investigationId}/live`)).text()).at(-1)).toBe('end');
    const made = await running();
    const { frames, last } = toldLive(await ground.visitor.get(made.path));
    await until(() => frames.length === 1);
    const [issueId = ''] = await ground.store.conclude(made.run, conclusion(), made.run.startedAt);
    await ground.store.eraseIssue(issueId, made.run.startedAt);
    ground.deps.changes.notify(made.run.id);
    await last;
    expect(frames).toEqual(['changed', 'end']);
  });

  it.each<[string, (visitor: Visitor) => Promise<unknown>]>([
    ['the session', (visitor) => visitor.post('/sign-out')],
    ['the access', async ({ account }) => ground.roles.set(account.id, 'none')],
  ])('sends a comment every 15 seconds, and ends within a minute of the end of %s', async (_, lose) => {
    const visitor = await ground.signIn('mona', 7, 'triage');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { frames } = toldLive(await visitor.get((await running()).path));
    for (let at = 0; at < 5; at++) await quarter();
    expect(frames).toEqual(['changed', ...Array(5).fill('comment')]);
    await lose(visitor);
    for (let at = 0; at < 4; at++) await quarter();
    expect(frames.at(-1)).toBe('end');
  });

  it('ends without a word when the server stops, so that the page comes back', async () => {
    const made = await running();
    const stopping = new AbortController();
    const request = new Request(`${BASE}${made.path}`, { headers: { cookie: ground.visitor.cookie() } });
    const answer = await ground.web.fetch(request, stopping.signal);
    const { frames, last } = toldLive(answer);
    await until(() => frames.length === 1);
    stopping.abort();
    await last;
    expect(frames).toEqual(['changed']);
  });

  it('is broken off where the client takes nothing for a minute', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const answer = await ground.visitor.get((await running()).path);
    await vi.advanceTimersByTimeAsync(61_000);
    await expect(answer.text()).rejects.toThrow('does not read');
  });

  it('answers HEAD with headers only', async () => {
    const { path } = await running();
    const request = new Request(`${BASE}${path}`, { method: 'HEAD', headers: { cookie: ground.visitor.cookie() } });
    const answer = await ground.web.fetch(request);
    expect([answer.status, answer.headers.get('Content-Type'), await answer.text()]).toEqual([
      200,
      'text/event-stream',
      '',
    ]);
  });

  it('is for people who are signed in', async () => {
    const answer = await ground.stranger().get((await running()).path);
    expect([answer.status, answer.headers.get('Location')?.startsWith('/sign-in')]).toEqual([303, true]);
  });
});

it('a live page beyond the 200 of an account is 429 in words, and is there again once one of them ends', async () => {
  await using ground = await webGround();
  const { investigationId } = await ground.accepted();
  const path = `/investigations/${investigationId}/live`;
  const open = await Promise.all(Array.from({ length: 200 }, () => ground.visitor.get(path)));
  expect(new Set(open.map(({ status }) => status))).toEqual(new Set([200]));
  const refused = await ground.visitor.get(path);
  expect(refused.status).toBe(429);
  expect(await refused.text()).toContain('Too many live pages are open');
  await open[0]?.body?.cancel();
  const again = await ground.visitor.get(path);
  expect(again.status).toBe(200);
  for (const { body } of [...open.slice(1), again]) await body?.cancel();
});
