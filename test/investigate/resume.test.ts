// A run that was cut goes on where its records end; a context that overflowed goes on shortened.

import { ModelFailure } from 'causeway-models';
import { describe, expect, it } from 'vitest';
import { runAgent } from '../../src/investigate/loop.ts';
import { buildMessages, type TranscriptRecord } from '../../src/investigate/transcript.ts';
import {
  CONCLUSION,
  call,
  DRAFT,
  ground,
  inputOf,
  memoryTranscript,
  type Played,
  play,
  scriptedModel,
} from './scripted-run.ts';

const STORY: readonly Played[] = [
  {
    calls: [
      { name: 'search', arguments: { pattern: 'sum' } },
      { name: 'shell', arguments: {} },
    ],
  },
  { say: 'I see.' },
  call('read_files', { path: 'sum.ts' }),
  {
    calls: [
      { name: 'replace', arguments: { path: 'sum.ts', old: '= 1', with: '= 0' } },
      { name: 'read_files', arguments: { path: 'sum.ts' } },
    ],
  },
  call('conclude', { outcome: 'maybe' }),
  CONCLUSION,
];

function turnsIn(records: readonly TranscriptRecord[]): number {
  return records.filter(({ kind }) => kind === 'turn').length;
}

async function goOn(records: readonly TranscriptRecord[], files = { 'sum.ts': 'let sum = 1' }) {
  const model = scriptedModel(STORY, { offset: turnsIn(records) });
  const shop = ground(files);
  const transcript = memoryTranscript(records);
  const input = inputOf({ model, tools: shop.tools, transcript });
  return { end: await runAgent(input, new AbortController().signal), model, shop, transcript };
}

describe('a run cut after any of its records', () => {
  it('asks no recorded turn again, runs no recorded lookup again, and ends the same', async () => {
    const whole = await play(STORY);
    expect(whole.end.kind).toBe('concluded');
    expect(whole.transcript.records.length).toBeGreaterThan(12);
    for (let cut = 1; cut <= whole.transcript.records.length; cut += 1) {
      const kept = whole.transcript.records.slice(0, cut);
      const { end, model, shop, transcript } = await goOn(kept);
      expect(end).toEqual(whole.end);
      expect(transcript.records).toEqual(whole.transcript.records);
      expect(model.asked).toEqual(whole.model.asked.slice(turnsIn(kept)));
      const ran = shop.ran.filter((query) => !query.startsWith('replace'));
      const recorded = kept.filter(
        (record) =>
          record.kind === 'answer' && record.reply.kind === 'step' && !record.reply.step.action.startsWith('replace'),
      );
      expect(ran).toHaveLength(3 - recorded.length);
      expect(shop.files.get('sum.ts')).toBe('let sum = 0');
    }
  });

  it('ends with the steps it has where the overlay does not take a recorded edit again', async () => {
    const whole = await play(STORY);
    const { end, model, shop, transcript } = await goOn(whole.transcript.records, { 'sum.ts': 'other tools' });
    expect(end).toMatchObject({
      kind: 'no_conclusion',
      stop: { reason: { code: 'edits_lost' }, detail: expect.stringContaining('edit of step 3') },
      usage: { turns: STORY.length },
    });
    expect(end.steps).toEqual(whole.end.steps);
    expect(model.asked).toEqual([]);
    expect(shop.ran).toHaveLength(1);
    expect(transcript.records).toEqual(whole.transcript.records);
  });

  it('does not fall back on a conclusion that was sent back, whose change is not there any more', async () => {
    const unproven = { ...DRAFT, rootCause: [{ text: 'So.', citations: [{ step: 1, quote: 'nowhere' }], places: [] }] };
    const edit = call('replace', { path: 'sum.ts', old: '= 1', with: '= 0' });
    const whole = await play([edit, call('conclude', unproven), CONCLUSION]);
    expect(whole.end.kind).toBe('concluded');
    const { end } = await goOn(whole.transcript.records.slice(0, -1), { 'sum.ts': 'other tools' });
    expect(end.kind).toBe('no_conclusion');
  });

  it('counts the time worked, not the time waited', async () => {
    const { transcript } = await play(STORY.slice(0, 3).concat(CONCLUSION), { now: steppingClock(10_000) });
    const seconds = transcript.records.flatMap((record) => (record.kind === 'turn' ? [record.seconds] : []));
    expect(seconds).toEqual(seconds.toSorted((a, b) => a - b));
    const kept = transcript.records.slice(0, -1);
    const { end } = await goOn(kept);
    expect(end.usage.seconds).toBe(seconds.at(-2));
  });
});

function steppingClock(ms: number): () => Date {
  let at = 0;
  return () => {
    at += ms;
    return new Date(at);
  };
}

describe('a context that overflows', () => {
  const overflow = new ModelFailure('model_overflow', 'too long');
  const reads = Array.from({ length: 6 }, (_, at) => call('read_files', { path: `${at}.ts` }));
  const files = Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`${at}.ts`, `${at}`.repeat(20_000)]));

  it('is compacted once: the first message and the last results stay, older ones become a line', async () => {
    const { model, transcript, end } = await play(
      [...reads, overflow, call('read_files', { path: '0.ts' }), CONCLUSION],
      {
        tools: ground(files).tools,
      },
    );
    expect(end).toMatchObject({ kind: 'concluded', partial: false });
    const [before, after] = model.asked.slice(6, 8).map(({ messages }) => messages);
    expect(after?.slice(0, 2)).toEqual(before?.slice(0, 2));
    expect(after?.length).toBe(before?.length);
    const answers = (after ?? []).flatMap((message) => (message.role === 'tool' ? [message.content] : []));
    expect(answers.map((text) => text.length > 20_000)).toEqual([false, false, false, false, true, true]);
    expect(answers[0]).toBe(
      '[step 1] read_files {"path":"0.ts"}: found; 20000 characters dropped to make room. Call again if you need them.',
    );
    expect(buildMessages(transcript.records).slice(0, after?.length)).toEqual(after);
    expect(end.steps.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it('ends the run the second time, with the steps it has', async () => {
    const { end } = await play([...reads, overflow, overflow], { tools: ground(files).tools });
    expect(end).toMatchObject({ kind: 'no_conclusion', stop: { reason: { code: 'model_overflow' } } });
    expect(end.steps).toHaveLength(6);
  });
});

describe('the prompt', () => {
  it('is a repeated prefix to at least 90 % over fifteen turns', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 14 }, (_, at) => [`${at}.ts`, 'a line of code\n'.repeat(200)]),
    );
    const reads = Array.from({ length: 14 }, (_, at) => call('read_files', { path: `${at}.ts` }));
    const report = 'what happened, in many words. '.repeat(400);
    const { model } = await play([...reads, CONCLUSION], {
      tools: ground(files).tools,
      brief: {
        project: 'p',
        revision: 'r',
        report,
        steps: [{ action: 'read', result: report, analysis: report }],
        language: '',
        instructions: [{ path: 'A', text: report }],
      },
    });
    const prompts = model.asked.map(
      ({ tools, messages }) => JSON.stringify(tools) + JSON.stringify(messages).slice(0, -1),
    );
    const repeated = prompts
      .slice(1)
      .reduce((sum, prompt, at) => sum + (prompt.startsWith(prompts[at]!) ? prompts[at]!.length : 0), 0);
    expect(prompts).toHaveLength(15);
    expect(repeated / prompts.join('').length).toBeGreaterThan(0.9);
  });
});
