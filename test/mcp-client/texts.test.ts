// What a monitoring server sends, as the model and the log see it: results, names of tools, schemas and error lines.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutLines, toFindingText } from '../../src/mcp-client/result-text.ts';
import { assignToolNames, simplifySchema } from '../../src/mcp-client/tools.ts';
import { readErrorLines } from '../../src/mcp-client/wires.ts';
import { ANY_CHARACTER } from '../support/any-character.ts';

const same = (text: string): string => text;

describe('a result of a monitoring server', () => {
  it('is cut in whole lines and says how much', () => {
    const { text, cut } = cutLines('first\nsecond\nthird', 14);
    expect(text).toBe('first\nsecond');
    expect(cut).toBe(
      'cut: the first 2 of 3 lines (12 of 18 bytes); ask for less, such as a shorter range or fewer series',
    );
  });

  it('is cut behind a whole value where it is one long line', () => {
    const { text, cut } = cutLines('["alpha","beta","gamma"]', 14);
    expect(text).toBe('["alpha",');
    expect(cut).toContain('one long line');
  });

  it('never shows half of a word that fills it', () => {
    expect(cutLines('k'.repeat(100), 50).text).toBe('');
  });

  it('is a beginning of the original within the bytes allowed, whole where it fits', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.integer({ min: 1, max: 400 }), (full, max) => {
        const { text, cut } = cutLines(full, max);
        expect(full.startsWith(text)).toBe(true);
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(max);
        expect(cut === '').toBe(text === full);
      }),
    );
  });

  it('is cleaned before it is cut, so that no half of a secret is left', () => {
    const content = [{ type: 'text' as const, text: 'key: first second third' }];
    const clean = (text: string): string => text.replace('first second third', '[redacted]');
    expect(toFindingText({ content }, 15, clean)).toMatchObject({ text: 'key: [redacted]' });
  });

  it('shows structured content once, even if the server sends it as text too', () => {
    const structuredContent = { rate: 0.5 };
    const both = { content: [{ type: 'text' as const, text: '{ "rate": 0.5 }' }], structuredContent };
    expect(toFindingText(both, 1_000, same)).toEqual({ status: 'found', text: '{ "rate": 0.5 }', cut: '' });
    expect(toFindingText({ content: [], structuredContent }, 1_000, same)).toMatchObject({
      text: '{\n "rate": 0.5\n}',
    });
  });
});

describe('names of monitoring tools', () => {
  it('are server__tool as they stand', () => {
    expect([...assignToolNames('prometheus', ['execute_query', 'get-sum', 'logs.tail']).values()]).toEqual([
      'prometheus__execute_query',
      'prometheus__get-sum',
      'prometheus__logs_tail',
    ]);
  });

  it('keep apart what would look alike, and keep a name that needs no change', () => {
    const names = [...assignToolNames('s', ['a.b', 'a_b', 'a/b']).values()];
    expect(new Set(names).size).toBe(3);
    expect(names[1]).toBe('s__a_b');
  });

  it('are valid, unlike each other and stable for any names of tools', () => {
    const tools = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 128, unit: ANY_CHARACTER }), { maxLength: 20 });
    fc.assert(
      fc.property(tools, (list) => {
        const names = [...assignToolNames('a-server-of-24-letters-x', list).values()];
        expect(names.every((name) => /^[a-zA-Z0-9_-]{1,64}$/.test(name))).toBe(true);
        expect(new Set(names).size).toBe(list.length);
        expect([...assignToolNames('a-server-of-24-letters-x', list.toReversed()).values()].toReversed()).toEqual(
          names,
        );
      }),
    );
  });
});

function bytes(schema: unknown): number {
  return Buffer.byteLength(JSON.stringify(schema));
}

describe('the schema of a monitoring tool', () => {
  it('has the same bytes whatever order the server writes its keys in', () => {
    const one = { type: 'object', properties: { b: { type: 'string' }, a: { type: 'number' } }, required: ['b'] };
    const other = { required: ['b'], properties: { a: { type: 'number' }, b: { type: 'string' } }, type: 'object' };
    expect(JSON.stringify(simplifySchema(one).schema)).toBe(JSON.stringify(simplifySchema(other).schema));
  });

  it('keeps arguments that are named like keywords, and drops keywords that say nothing', () => {
    const schema = { $schema: 'https://x/', title: 'T', properties: { title: { type: 'string', title: 'Title' } } };
    expect(simplifySchema(schema)).toEqual({
      schema: { type: 'object', properties: { title: { type: 'string' } } },
      isWhole: true,
    });
  });

  it('takes out invisible orders, names that hide something, and references to elsewhere', () => {
    const schema = {
      type: 'object',
      properties: {
        a: { description: 'shown\u200b\u{e0049}\nand more' },
        'b\u202e': { type: 'string' },
        c: { $ref: 'https://evil.example/schema' },
      },
    };
    expect(simplifySchema(schema).schema).toEqual({
      type: 'object',
      properties: { a: { description: 'shown and more' }, c: {} },
    });
  });

  it('loses words first and then everything but names, so that it never exceeds 4 kB', () => {
    const wordy = Array.from({ length: 40 }, (_, at) => [
      `p${at}`,
      { type: 'string', description: 'word '.repeat(30) },
    ]);
    const terse = simplifySchema({ type: 'object', properties: Object.fromEntries(wordy) });
    expect(terse.isWhole).toBe(false);
    expect(terse.schema).toMatchObject({ properties: { p39: { type: 'string' } } });
    const nested = wordy.map(([name]) => [
      name,
      { type: 'object', enum: Array.from({ length: 90 }, (_, at) => `${at}`) },
    ]);
    const names = simplifySchema({ type: 'object', properties: Object.fromEntries(nested) }).schema;
    expect(names).toMatchObject({ properties: { p0: { type: 'object' } } });
    const vast = Array.from({ length: 2_000 }, (_, at) => [`argument_${at}`, {}]);
    const none = simplifySchema({ type: 'object', properties: Object.fromEntries(vast) });
    expect(none).toEqual({ schema: { type: 'object', properties: {} }, isWhole: false });
    expect(Math.max(bytes(terse.schema), bytes(names))).toBeLessThanOrEqual(4_096);
  });

  it('survives what is no schema', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(500)}1${'}'.repeat(500)}`) as unknown;
    for (const schema of [null, 'text', [], 7, deep]) expect(simplifySchema(schema).schema['type']).toBe('object');
  });
});

function read(chunks: readonly string[]): readonly string[] {
  const lines: string[] = [];
  const take = readErrorLines({ onLine: (line) => void lines.push(line), onTooMany: () => void lines.push('<more>') });
  for (const chunk of chunks) take(Buffer.from(chunk));
  return lines;
}

describe('standard error of a monitoring server', () => {
  it('is told in whole lines however it arrives', () => {
    expect(read(['one\n\ntw', 'o', '\nthr', 'ee\nunfinished'])).toEqual(['one', 'two', 'three']);
  });

  it('is not held without end, and not told without end', () => {
    const [long] = read(['x'.repeat(100_000), 'y'.repeat(100_000), '\n']);
    expect(long).toBe('x'.repeat(8_192));
    expect(read(['line\n'.repeat(1_000), 'line\n'.repeat(1_000)])).toEqual([...Array(200).fill('line'), '<more>']);
  });
});
