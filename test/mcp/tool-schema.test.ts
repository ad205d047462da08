// Schemas of a server's tools: small, visible, the same bytes for the same content.
import { describe, expect, it } from 'vitest';
import { simplifySchema } from '../../src/mcp/tools.ts';

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
