// What a model hands in: forgiven in form, sent back in substance, never harmful by size.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { sanitiseText } from 'causeway-visible-text';
import { describe, expect, it } from 'vitest';
import { CONCLUDE, parseDraft } from '../../src/investigate/conclusion-draft.ts';
import { CLAIM, draftJson, sampleDraft } from './conclusion-samples.ts';

function faultOf(raw: string): string {
  const parsed = parseDraft(raw);
  return parsed.kind === 'fault' ? parsed.fault : '';
}

describe('the form of a conclusion is forgiven', () => {
  const json = draftJson();
  it.each([
    ['a fence', `\`\`\`json\n${json}\n\`\`\``],
    ['prose around it', `Here is my conclusion:\n${json}\nThat is all.`],
    ['a string of JSON', JSON.stringify(json)],
    [
      'trailing commas',
      json
        .replace(/\]/g, ' , ]')
        .replace(/\[ , \]/g, '[]')
        .replace(/\}$/, ',}'),
    ],
    ['an unknown key', draftJson({ confidence: 0.99, selfConfidence: 1 })],
  ])('%s', (_, raw) => {
    expect(parseDraft(raw)).toEqual({ kind: 'draft', draft: sampleDraft() });
  });

  it('line breaks inside strings, and commas before brackets inside strings stay', () => {
    const raw = draftJson({ problem: 'x BREAK y ,] z' }).replace(' BREAK ', '\n').replace(/\}$/, ',}');
    expect(parseDraft(raw)).toMatchObject({ draft: { problem: 'x\ny ,] z' } });
  });

  it('numbers as strings, null for an empty list, one item for a list, another spelling of the outcome', () => {
    const draft = sampleDraft({
      outcome: 'Code-Fix',
      rootCause: { text: 'It breaks', citations: [{ step: '1', quote: 'q' }], places: [{ file: './a.ts', line: '7' }] },
      questions: null,
      solutionSteps: 'Do it',
    });
    expect(draft).toMatchObject({ outcome: 'code_fix', questions: [], solutionSteps: ['Do it'] });
    expect(draft.rootCause).toEqual([
      { text: 'It breaks', citations: [{ step: 1, quote: 'q' }], places: [{ file: 'a.ts', line: 7 }] },
    ]);
  });
});

describe('the title of the change', () => {
  it.each([
    ['Accept coupon codes in any case', 'Accept coupon codes in any case'],
    [' Accept coupon codes in any case.\n', 'Accept coupon codes in any case'],
    ['x'.repeat(72), 'x'.repeat(72)],
    ['x'.repeat(73), ''],
    [3, ''],
    [null, ''],
    [undefined, ''],
  ])('%j is never what an answer is sent back for', (title, expected) => {
    expect(sampleDraft({ title }).title).toBe(expected);
  });
});

describe('missing substance is sent back', () => {
  it('with all faults in one message', () => {
    const fault = faultOf(
      draftJson({ outcome: 'maybe', problem: ' ', rootCause: [{ text: '', citations: [{ step: 0, quote: 3 }] }] }),
    );
    for (const name of [
      'outcome',
      'problem',
      'rootCause.0.text',
      'rootCause.0.citations.0.step',
      'rootCause.0.citations.0.quote',
    ]) {
      expect(fault).toContain(`- ${name}: `);
    }
  });

  it.each([
    ['code_fix', 'rootCause'],
    ['not_a_bug', 'rootCause'],
    ['needs_information', 'questions'],
    ['already_fixed', 'fixedBy'],
    ['inconclusive', 'ruledOut'],
  ])('%s without its %s', (outcome, field) => {
    expect(faultOf(draftJson({ outcome, rootCause: [] }))).toContain(`- ${field}: `);
  });

  it.each(['', 'I think it is the coupon.', '[]', '42', 'null', '{"outcome":', `${'['.repeat(100_000)}`])(
    '%j',
    (raw) => {
      expect(faultOf(raw)).toContain('onclu');
    },
  );
});

describe('size does no harm', () => {
  it('5 MB are sent back', () => {
    expect(faultOf(draftJson({ problem: 'x'.repeat(5_000_000) }))).toContain('too long');
  });

  it('10,000 claims become the first twelve', () => {
    const claims = Array.from({ length: 10_000 }, (_, index) => ({ text: `c${index}` }));
    expect(sampleDraft({ rootCause: claims }).rootCause.map(({ text }) => text)).toEqual(
      Array.from({ length: 12 }, (_, index) => `c${index}`),
    );
  });

  it('a long text is cut with a mark, a long quotation without one', () => {
    const draft = sampleDraft({
      problem: 'p'.repeat(9_000),
      rootCause: [{ ...CLAIM, citations: [{ step: 1, quote: 'q'.repeat(9_000) }] }],
    });
    expect(draft.problem).toHaveLength(4_000);
    expect(draft.problem.endsWith('…')).toBe(true);
    expect(draft.rootCause[0]?.citations[0]?.quote).toBe('q'.repeat(1_000));
  });

  it('a thousand faults become ten and a number', () => {
    const fault = faultOf(
      draftJson({ rootCause: Array.from({ length: 12 }, () => ({ text: '', citations: [{}, {}] })) }),
    );
    expect(fault.split('\n')).toHaveLength(12);
  });
});

describe('invisible characters are removed from the text', () => {
  it.each([
    ['zero width', 'a\u200bb\u2060c\ufeff', 'abc'],
    ['tag characters', 'a\u{e0041}\u{e0042}b', 'ab'],
    ['right to left', 'a\u202eb\u2066c', 'abc'],
    ['variation selectors', 'a\ufe0f\u{e0100}b', 'ab'],
    ['escape sequences', '\u001b[8mhidden\u001b[0m\u001b]0;title\u0007', 'hidden'],
    ['an escape sequence without an end', '\u001b]0;title\nseen', 'seen'],
    ['controls', 'a\0b\u0008c\u009bd\r\ne', 'abcd\ne'],
    ['half a character', 'a\ud83d', 'a\ufffd'],
  ])('%s', (_, text, seen) => {
    expect(sanitiseText(text, 100)).toBe(seen);
  });

  it('a cut never halves a character', () => {
    expect(sanitiseText('😀😀😀', 4)).toBe('😀…');
  });
});

describe('the tool as a model sees it', () => {
  it('takes what the parser takes, and is the same bytes each time', () => {
    const validate = new Ajv2020().compile(CONCLUDE.parameters);
    expect(validate(JSON.parse(draftJson()))).toBe(true);
    expect(validate(JSON.parse(draftJson({ outcome: 'facts_only' })))).toBe(false);
    expect(Object.keys(CONCLUDE.parameters['properties'] as object)).toEqual(
      expect.arrayContaining(Object.keys(sampleDraft())),
    );
    expect(JSON.stringify(CONCLUDE)).not.toMatch(/undefined|\$ref|oneOf/);
  });
});
