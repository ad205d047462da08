// The loop as stories: what a model calls, what is refused, how it ends.

import { ModelFailure, ModelUnavailable } from 'causeway-models';
import { describe, expect, it } from 'vitest';
import { runAgent } from '../../src/investigate/loop.ts';
import {
  answersTo,
  BRIEF,
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

const SEARCH = call('search', { pattern: 'sum' });

describe('an investigation', () => {
  it('searches, reads, edits and concludes, each call a numbered step that says what the model made of it', async () => {
    const { end, ground: shop } = await play([
      SEARCH,
      { say: 'Only sum.ts has it.', ...call('read_files', { path: 'sum.ts' }) },
      { say: 'It starts at one.', ...call('replace', { path: 'sum.ts', old: '= 1', with: '= 0' }) },
      CONCLUSION,
    ]);
    expect(end).toMatchObject({ kind: 'concluded', partial: false, stop: null, draft: { outcome: 'code_fix' } });
    expect(end.usage).toMatchObject({ turns: 4, completionTokens: 400, costUsd: 0 });
    expect(shop.files.get('sum.ts')).toBe('let sum = 0');
    expect(end.steps).toEqual([
      {
        number: 1,
        kind: 'found',
        action: 'search {"pattern":"sum"}',
        result: 'sum.ts',
        analysis: 'Found and read.',
        remark: { text: 'Only sum.ts has it.', isOfAnswer: false },
      },
      {
        number: 2,
        kind: 'found',
        action: 'read_files {"path":"sum.ts"}',
        result: 'let sum = 1',
        analysis: 'Found and read.',
        remark: { text: 'It starts at one.', isOfAnswer: true },
      },
      {
        number: 3,
        kind: 'edit',
        action: 'replace {"path":"sum.ts","old":"= 1","with":"= 0"}',
        result: 'replaced',
        analysis: 'The edit is placed in the proposed change.',
      },
    ]);
  });

  it('tells the model the number of each step, and what was taken out of a result', async () => {
    const model = scriptedModel([call('read_files', { path: 'a' }), CONCLUSION]);
    const { tools } = ground({ a: 'one\u202etwo' });
    await runAgent(inputOf({ model, tools, transcript: memoryTranscript([], 7) }), new AbortController().signal);
    expect(answersTo(model)).toEqual(['[step 8] read_files {"path":"a"}\nonetwo\n[1 invisible characters taken out]']);
  });

  it('cuts a result that a tool gave whole', async () => {
    const model = scriptedModel([call('read_files', { path: 'a' }), CONCLUSION]);
    await runAgent(
      inputOf({ model, tools: ground({ a: 'x'.repeat(50_000_000) }).tools }),
      new AbortController().signal,
    );
    expect(answersTo(model)[0]?.length).toBeLessThan(25_000);
    expect(answersTo(model)[0]).toContain('[cut after 24000 characters');
  });
});

describe('a call is refused', () => {
  const refusals: readonly (readonly [string, Parameters<typeof play>[0], RegExp])[] = [
    [
      'that was made before',
      [SEARCH, call('search', ' { "pattern" : "sum" } '), CONCLUSION],
      /step 1 was the same call/,
    ],
    [
      'that narrows a search which found nothing',
      [call('search', { pattern: 'zip' }), call('search', { pattern: 'zip', path: 'src' }), CONCLUSION],
      /step 1 found nothing/,
    ],
    [
      'that asks for more words where fewer found nothing',
      [call('search', { pattern: 'zip' }), call('search', { pattern: 'zip code' }), CONCLUSION],
      /step 1 found nothing/,
    ],
    ['to a tool that does not exist', [SEARCH, call('shell', { command: 'env' }), CONCLUSION], /no tool shell.*search/],
    ['whose arguments are no JSON', [SEARCH, call('search', 'sum'), CONCLUSION], /not JSON/],
    ['whose arguments are no object', [SEARCH, call('search', '[1]'), CONCLUSION], /one JSON object/],
  ];
  for (const [which, turns, text] of refusals) {
    it(which, async () => {
      const { end, model, ground: shop } = await play(turns);
      expect(answersTo(model).at(-1)).toMatch(text);
      expect(shop.ran).toHaveLength(1);
      expect(end).toMatchObject({ kind: 'concluded', steps: [{ number: 1 }] });
    });
  }

  it('beyond eight lookups in a turn', async () => {
    const flood = Array.from({ length: 40 }, (_, at) => ({ name: 'search', arguments: { pattern: `p${at}` } }));
    const { model, ground: shop } = await play([{ calls: flood }, CONCLUSION]);
    expect(shop.ran).toHaveLength(8);
    expect(answersTo(model)).toHaveLength(32);
    expect(answersTo(model)[8]).toContain('at most 8 lookups');
  });

  it('but not an edit after many others', async () => {
    const edits = Array.from({ length: 12 }, (_, at) => ({
      name: 'replace',
      arguments: { path: `f${at}.ts`, old: 'a', new: 'b' },
    }));
    const { ground: shop } = await play([{ calls: edits }, CONCLUSION]);
    expect(shop.ran).toHaveLength(12);
  });

  it('if it is a conclusion next to lookups, or one of several', async () => {
    const conclude = { name: 'conclude', arguments: DRAFT };
    const both = await play([{ calls: [conclude, { name: 'search', arguments: { pattern: 'sum' } }] }, CONCLUSION]);
    expect(answersTo(both.model)).toEqual([
      expect.stringContaining('only edits may come before conclude'),
      expect.stringContaining('[step 1]'),
    ]);
    const several = await play([{ calls: [conclude, conclude] }, CONCLUSION]);
    expect(answersTo(several.model)).toHaveLength(2);
    expect(several.end.kind).toBe('concluded');
  });
});

describe('a conclusion at the end of a batch of edits', () => {
  const conclude = { name: 'conclude', arguments: DRAFT };
  const edit = (old: string) => ({ name: 'replace', arguments: { path: 'sum.ts', old, with: '0' } });

  it('ends the run in the same turn', async () => {
    const { end, ground: shop } = await play([{ calls: [edit('1'), conclude] }]);
    expect(end).toMatchObject({ kind: 'concluded', usage: { turns: 1 } });
    expect(shop.files.get('sum.ts')).toBe('let sum = 0');
  });

  it('is refused where an edit was not placed', async () => {
    const { end, model } = await play([{ calls: [edit('7'), conclude] }, { calls: [edit('1'), conclude] }]);
    expect(answersTo(model)[1]).toContain('an edit before it was not placed');
    expect(end).toMatchObject({ kind: 'concluded', usage: { turns: 2 } });
  });
});

describe('a call is not refused', () => {
  it('that differs from one before only in its blanks', async () => {
    const find = (pattern: string) => call('search', { pattern });
    const { ground: shop } = await play([find('10:22 PM'), find('10:22\u202fPM'), find('\u202f'), CONCLUSION]);
    expect(shop.ran).toHaveLength(3);
  });

  it('that reads again after an edit', async () => {
    const read = call('read_files', { path: 'sum.ts' });
    const { ground: shop } = await play([
      read,
      call('replace', { path: 'sum.ts', old: '1', with: '0' }),
      read,
      CONCLUSION,
    ]);
    expect(shop.ran).toHaveLength(3);
  });

  it('that looks for something else, or wider, after a search which found nothing', async () => {
    const { ground: shop } = await play([
      call('search', { pattern: 'zip', path: 'src' }),
      call('search', { pattern: 'zip' }),
      call('search', { pattern: 'zap' }),
      call('search', { pattern: 'zip|sum', regex: true }),
      CONCLUSION,
    ]);
    expect(shop.ran).toHaveLength(4);
  });

  it('whose JSON can be repaired', async () => {
    const { ground: shop } = await play([call('search', '```json\n{"pattern":"sum",}\n```'), CONCLUSION]);
    expect(shop.ran).toEqual(['search {"pattern":"sum"}']);
  });
});

describe('a model that does not conclude well', () => {
  it('is nudged after text, and taken as without conclusion after the second', async () => {
    const { end, model } = await play([{ say: 'I think it is fine.' }, { say: 'Really.' }, CONCLUSION]);
    expect(end).toMatchObject({
      kind: 'no_conclusion',
      stop: { reason: { code: 'no_tool_call' } },
    });
    expect(model.asked[1]?.messages.at(-1)).toMatchObject({
      role: 'user',
      content: expect.stringContaining('conclude'),
    });
    expect((await play([{ say: 'Hm.' }, SEARCH, { say: 'Hm.' }, CONCLUSION])).end.kind).toBe('concluded');
  });

  it('may correct a conclusion once', async () => {
    const bad = call('conclude', { outcome: 'maybe' });
    const mended = await play([bad, CONCLUSION]);
    expect(answersTo(mended.model)[0]).toContain('outcome');
    expect(mended.end.kind).toBe('concluded');
    const worse = await play([bad, bad, CONCLUSION]);
    expect(worse.end).toMatchObject({ kind: 'no_conclusion', stop: { reason: { code: 'conclusion_faulty' } } });
  });

  it('is understood when the conclusion comes as text', async () => {
    const { end } = await play([{ say: `Here it is:\n${JSON.stringify(DRAFT)}` }]);
    expect(end.kind).toBe('concluded');
  });
});

describe('an endpoint that fails', () => {
  it('ends the run with its reason where asking again is of no use', async () => {
    for (const code of ['model_refused', 'model_misbehaved', 'model_rejected'] as const) {
      const { end } = await play([SEARCH, new ModelFailure(code, `${code}, in words`)]);
      expect(end).toMatchObject({
        kind: 'no_conclusion',
        stop: { reason: { code }, detail: `${code}, in words` },
        steps: [{ number: 1 }],
      });
    }
  });

  it('sends the run back to its caller where it is away, with the transcript kept', async () => {
    const transcript = memoryTranscript();
    const away = new ModelUnavailable('busy', new Date(60_000));
    await expect(play([SEARCH, away], { transcript })).rejects.toBe(away);
    expect(transcript.records.map(({ kind }) => kind)).toEqual(['opening', 'turn', 'answer']);
  });
});

describe('a cancelled run', () => {
  it('ends with the reason of the signal at any point, and does nothing more', async () => {
    const turns = [SEARCH, call('read_files', { path: 'sum.ts' }), CONCLUSION];
    for (let moment = 0; moment < 8; moment += 1) {
      const controller = new AbortController();
      let ticks = 0;
      const tick = () => {
        if (ticks === moment) controller.abort(new Error('cancelled by a person'));
        if (ticks > moment) throw new Error('went on after the end');
        ticks += 1;
      };
      const shop = ground({ 'sum.ts': 'let sum = 1' });
      const tools = shop.tools.map((tool) => ({
        ...tool,
        run: (raw: string, signal: AbortSignal) => {
          tick();
          return tool.run(raw, signal);
        },
      }));
      const kept = memoryTranscript();
      const run = runAgent(
        inputOf({
          model: scriptedModel(turns, { onAsk: tick }),
          tools,
          brief: BRIEF,
          transcript: {
            ...kept,
            appendStep: (step, status) => {
              tick();
              return kept.appendStep(step, status);
            },
          },
        }),
        controller.signal,
      );
      if (moment < 7) await expect(run).rejects.toThrow('cancelled by a person');
      else await expect(run).resolves.toMatchObject({ kind: 'concluded' });
    }
  });
});

describe('a conclusion whose evidence does not hold', () => {
  const cite = (quote: string) => ({ step: 1, quote });
  const claim = (quote: string) => ({ text: `It is ${quote}.`, citations: [cite(quote)], places: [] });
  const quoting = (quote: string): Played => call('conclude', { ...DRAFT, rootCause: [claim(quote)] });
  const LOOK = call('read_files', { path: 'sum.ts' });

  it('is sent back once with what is wrong, and accepted when corrected', async () => {
    const { end, model } = await play([LOOK, quoting('let sum = 7'), quoting('let sum = 1')]);
    expect(answersTo(model).at(-1)).toContain('The conclusion is not accepted yet:\n- ');
    expect(end).toMatchObject({ kind: 'concluded', partial: false });
    expect(end.kind === 'concluded' && end.draft.rootCause[0]?.citations[0]?.quote).toBe('let sum = 1');
    expect(model.asked).toHaveLength(3);
  });

  it.each([
    ['in a later claim', [claim('let sum = 1'), claim('let sum = 7')]],
    ['too common', [claim('let sum = 1'), claim('let')]],
    [
      'in a claim with a place',
      [{ ...claim('let sum = 7'), places: [{ file: 'sum.ts', line: 1 }] }, claim('let sum = 1')],
    ],
    ['next to one that holds', [{ ...claim('let sum = 1'), citations: [cite('let sum = 7'), cite('let sum = 1')] }]],
  ])('costs no turn where the rest stands: %s', async (_, rootCause) => {
    const { end, model } = await play([LOOK, call('conclude', { ...DRAFT, rootCause })]);
    expect(end).toMatchObject({ kind: 'concluded', partial: false, stop: null });
    expect(model.asked).toHaveLength(2);
  });

  it.each([
    ['the first claim, the cause', [claim('let sum = 7'), claim('let sum = 1')], 'Nothing shows the first claim'],
    ['every claim', [claim('let sum = 7'), claim('let sum = 8')], 'No quotation shows the cause'],
    ['nothing but an assumption', [{ ...claim(''), citations: [] }], 'No quotation shows the cause'],
  ])('is sent back where it carries %s', async (_, rootCause, why) => {
    const { model } = await play([LOOK, call('conclude', { ...DRAFT, rootCause }), CONCLUSION]);
    expect(answersTo(model).at(-1)).toContain(`The conclusion is not accepted yet:\n- ${why}`);
    expect(model.asked).toHaveLength(3);
  });

  it('may be corrected with only the fields that change', async () => {
    const rootCause = [{ text: 'It is so.', citations: [{ step: 1, quote: 'let sum = 1' }], places: [] }];
    const { end } = await play([LOOK, quoting('let sum = 7'), call('conclude', { rootCause })]);
    expect(end).toMatchObject({ kind: 'concluded', partial: false, draft: { ...DRAFT, rootCause } });
  });

  it('is accepted the second time; the checks drop what does not hold', async () => {
    const { end } = await play([LOOK, quoting('let sum = 7'), quoting('let sum = 8')]);
    expect(end).toMatchObject({ kind: 'concluded' });
  });

  it('is sent back when it promises a fix and nothing was changed', async () => {
    const ground = {
      ...inputOf({ model: scriptedModel([]), tools: [] }).ground,
      changeSet: () => ({ base: '', files: [] }),
    };
    const { model } = await play(
      [CONCLUSION, call('conclude', { ...DRAFT, outcome: 'inconclusive', ruledOut: ['x'] })],
      {
        ground,
      },
    );
    expect(answersTo(model)[0]).toContain('no file was changed');
  });

  it('still counts when the model never sends a better one', async () => {
    const { end } = await play([LOOK, quoting('let sum = 7'), new ModelFailure('model_misbehaved', 'It fell silent.')]);
    expect(end).toMatchObject({
      kind: 'concluded',
      partial: true,
      stop: { reason: { code: 'model_misbehaved' }, detail: 'It fell silent.' },
    });
  });
});
