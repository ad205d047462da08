// Function names: valid for every endpoint, never two alike, the same from run to run.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assignToolNames } from '../../src/mcp/tools.ts';
import { ANY_CHARACTER } from '../support/any-character.ts';

describe('names of monitoring tools', () => {
  it('are server__tool as they stand', () => {
    expect([...assignToolNames('prometheus', ['execute_query', 'get-sum', 'logs.tail']).values()]).toEqual([
      'prometheus__execute_query',
      'prometheus__get-sum',
      'prometheus__logs_tail',
    ]);
  });

  it('keep apart what would look alike, and leave the name alone that needed no change', () => {
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
